//! A snapshot is a fresh read, not a value that someone fills in or loosens.

use countersign_confirm::Terms;
use countersign_send_policy::{DraftFields, DraftSnapshot};
fn f(read: DraftSnapshot, fields: DraftFields, terms: Terms) -> DraftSnapshot {
    DraftSnapshot { fields, terms, ..read }
}

fn main() {}
