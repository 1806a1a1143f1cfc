//! core::protection alone opens what a backend returned.

use countersign_core::{model::Message, protection::Unscreened};
fn f(u: Unscreened<Message>) -> Message { u.open() }

fn main() {}
