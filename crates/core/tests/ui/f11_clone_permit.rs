//! A permit is not copied (`clone` clones the reference).

use countersign_send_policy::SendPermit;
fn f(p: &SendPermit) -> SendPermit { p.clone() }

fn main() {}
