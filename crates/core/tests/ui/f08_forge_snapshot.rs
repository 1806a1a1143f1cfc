//! A snapshot is a fresh read, not a value that someone fills in.

use countersign_confirm::Terms;
use countersign_send_policy::{DraftFields, DraftSnapshot, Fingerprint, Origin};
fn f(origin: Origin, fields: DraftFields, fingerprint: Fingerprint, terms: Terms) -> DraftSnapshot {
    DraftSnapshot { origin, fields, fingerprint, terms }
}

fn main() {}
