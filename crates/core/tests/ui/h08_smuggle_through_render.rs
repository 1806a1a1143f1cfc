//! A render function captures nothing.

use countersign_core::{model::Message, protection::Screened, tools::Page};
fn f(row: &Screened<Message>, other: String) -> Page { Page::default().show(row, |_| other.clone()) }

fn main() {}
