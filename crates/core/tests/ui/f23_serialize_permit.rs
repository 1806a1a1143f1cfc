//! A permit does not serialise.

use countersign_send_policy::SendPermit;
fn f(p: &SendPermit) { fn s<T: serde::Serialize>(_: &T) {} s(p) }

fn main() {}
