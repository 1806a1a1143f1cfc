//! A receipt is not copied.

use countersign_send_policy::ExposureReceipt;
fn f(p: ExposureReceipt<'_>) { let _q = p.clone(); }

fn main() {}
