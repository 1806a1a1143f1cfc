//! What a backend read does not reach a result as a string.

use countersign_core::tools::Page;
#[derive(serde::Serialize)]
struct Wire { subject: String }
fn leak(w: Wire) -> Page { Page::default().own(w.subject) }

fn main() {}
