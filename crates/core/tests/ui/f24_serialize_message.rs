//! A message does not serialise: it reaches a result through a render function.

use countersign_core::model::Message;
#[derive(serde::Serialize)]
struct Out { m: Message }

fn main() {}
