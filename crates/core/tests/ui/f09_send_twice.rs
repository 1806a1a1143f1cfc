//! A permit is used up by the send.

use countersign_core::{mailbox::Mailbox, memory::MemoryMailbox};
use countersign_send_policy::SendPermit;
async fn f(m: MemoryMailbox, p: SendPermit, one: <MemoryMailbox as Mailbox>::Outbox, two: <MemoryMailbox as Mailbox>::Outbox) {
    let _ = m.send(p, one).await;
    let _ = m.send(p, two).await;
}

fn main() {}
