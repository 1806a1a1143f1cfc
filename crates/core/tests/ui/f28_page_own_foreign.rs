//! Foreign content does not pass as our own words.

use countersign_core::{model::Message, protection::Screened, tools::Page};
fn f(m: &Screened<Message>) -> Page { Page::default().own(m) }

fn main() {}
