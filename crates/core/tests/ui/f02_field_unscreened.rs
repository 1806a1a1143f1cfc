//! The content of `Unscreened` is private.

use countersign_core::{model::Message, protection::Unscreened};
fn f(u: Unscreened<Message>) -> Message { u.0 }

fn main() {}
