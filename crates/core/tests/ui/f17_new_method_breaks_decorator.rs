//! The trait has no provided methods.

use countersign_core::{mailbox::Mailbox, protection::Raw};
use countersign_send_policy::Origin;
struct B(Origin);
impl Mailbox for B {
    type Stage = Raw;
    type Outbox = ();
    fn origin(&self) -> &Origin { &self.0 }
}

fn main() {}
