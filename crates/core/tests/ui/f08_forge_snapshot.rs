//! A snapshot is a fresh read, not a value that someone fills in.

use countersign_send_policy::{DraftFields, DraftSnapshot, Origin};
fn f(origin: Origin, fields: DraftFields) -> DraftSnapshot { DraftSnapshot { origin, fields } }

fn main() {}
