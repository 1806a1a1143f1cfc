//! What a claim gives: a permit to send once, and a ticket to report how that went.
//!
//! ```compile_fail,E0451
//! # fn f(origin: countersign_send_policy::Origin, outgoing: countersign_send_policy::DraftFields) {
//! // A permit comes from a claim and from nowhere else.
//! let permit = countersign_send_policy::SendPermit { origin, outgoing };
//! # }
//! ```

use crate::{
    fields::{DraftFields, Origin},
    refusal::Refusal,
};

/// Permission to send one draft once, from its own account.
///
/// ```compile_fail,E0599
/// # fn f(permit: countersign_send_policy::SendPermit) {
/// let second = permit.clone(); // once
/// # }
/// ```
pub struct SendPermit {
    origin: Origin,
    outgoing: DraftFields,
}

impl SendPermit {
    pub(crate) fn new(origin: Origin, outgoing: DraftFields) -> Self {
        Self { origin, outgoing }
    }

    /// Gives out the fields that were claimed, for the account that they were claimed for.
    ///
    /// # Errors
    /// [`Refusal::WrongOrigin`] for any other account.
    pub fn redeem(self, origin: &Origin) -> Result<DraftFields, Refusal> {
        if self.origin == *origin { Ok(self.outgoing) } else { Err(Refusal::WrongOrigin) }
    }
}

/// Names the sent record that a claim wrote, so that its outcome can be settled once.
#[must_use = "an unsettled send stays recorded as of unknown outcome"]
pub struct ClaimTicket {
    pub(crate) origin: String,
    pub(crate) claim_key: String,
}

/// How a send ended, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendSettled {
    /// The server took the message.
    Accepted,
    /// The server definitely refused it: nothing was sent.
    RefusedByServer,
    /// Anything else. The draft is not sent again.
    Unknown,
}
