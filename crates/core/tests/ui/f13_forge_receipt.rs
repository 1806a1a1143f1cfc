//! A receipt is minted by the policy only, after the marker is durable.

use countersign_send_policy::{ExposureReceipt, Origin};
fn f(origin: Origin) -> ExposureReceipt<'static> { ExposureReceipt { origin, call: std::marker::PhantomData } }

fn main() {}
