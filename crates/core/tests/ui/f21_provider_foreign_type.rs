//! A provider's own type cannot be declared harmless.

use countersign_core::{mailbox::MailboxError, protection::{ProviderRead, Unscreened}, memory::MemoryMailbox};
use countersign_send_policy::ExposureReceipt;
struct Mine(String);
struct Read;
impl ProviderRead<MemoryMailbox> for Read {
    type Out = Mine;
    async fn run(&self, _: &MemoryMailbox, _: &ExposureReceipt<'_>) -> Result<Unscreened<Mine>, MailboxError> {
        Ok(Unscreened::new(Mine(String::new())))
    }
}

fn main() {}
