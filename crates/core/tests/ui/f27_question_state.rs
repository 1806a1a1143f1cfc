//! A question's signed state is not read by a tool.

use countersign_confirm::Question;
fn f(q: Question) -> Option<String> { q.0.request_state }

fn main() {}
