//! A permit comes from a claim only.

use countersign_send_policy::{DraftFields, Origin, SendPermit};
fn f(origin: Origin, outgoing: DraftFields) -> SendPermit { SendPermit { origin, outgoing } }

fn main() {}
