//! A page shows screened content only.

use countersign_core::{model::Message, protection::Unscreened, tools::Page};
fn f(u: Unscreened<Message>) -> Page { Page::default().show(&u, |m: &Message| m.row.headers.subject.clone()) }

fn main() {}
