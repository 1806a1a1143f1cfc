//! A tool cannot be given the raw side.

use countersign_core::{mailbox::Mailbox, memory::MemoryMailbox, protection::Safe};
async fn tool<M: Mailbox<Stage = Safe>>(_: &M) {}
async fn f(m: MemoryMailbox) { tool(&m).await }

fn main() {}
