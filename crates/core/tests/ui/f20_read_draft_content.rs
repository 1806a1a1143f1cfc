//! A draft's content crosses crates sealed.

use countersign_core::{account::Account, memory::MemoryMailbox};
use countersign_send_policy::DraftSource;
async fn f(a: &Account<MemoryMailbox>) -> Option<String> { a.mailbox().read_draft("d0").await.ok().unwrap().0.text }

fn main() {}
