//! Unscreened content does not print.

use countersign_core::{model::Message, protection::Unscreened};
fn f(u: &Unscreened<Message>) -> String { format!("{u:?}") }

fn main() {}
