//! A mailbox behind `dyn` could hide which side it is.

use countersign_core::{mailbox::Mailbox, protection::Safe};
fn f(_: Box<dyn Mailbox<Stage = Safe, Outbox = ()>>) {}

fn main() {}
