//! A permit comes from a claim only.

use countersign_send_policy::{DraftSnapshot, SendPermit};
fn f(s: DraftSnapshot) -> SendPermit { SendPermit(s) }

fn main() {}
