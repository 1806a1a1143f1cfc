//! Nobody else declares content screened.

use countersign_core::{model::Message, protection::Screened};
fn f(m: Message) -> Screened<Message> { Screened::pass(m) }

fn main() {}
