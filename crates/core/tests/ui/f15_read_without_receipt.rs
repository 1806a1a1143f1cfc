//! Reading other people's mail takes a receipt.

use countersign_core::{mailbox::Mailbox, model::MessageRef};
async fn f<M: Mailbox>(m: &M, id: &MessageRef) { let _ = m.get_message(id).await; }

fn main() {}
