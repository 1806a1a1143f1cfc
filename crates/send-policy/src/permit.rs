//! What a claim gives: a permit to send once, and a ticket to report how that went.
//!
//! ```compile_fail,E0423
//! # fn f(snapshot: countersign_send_policy::DraftSnapshot) {
//! // A permit comes from a claim and from nowhere else.
//! let permit = countersign_send_policy::SendPermit(snapshot);
//! # }
//! ```

use crate::{
    fields::{DraftFields, Origin},
    refusal::Refusal,
    snapshot::DraftSnapshot,
};

/// Permission to send one draft once, from its own account.
///
/// ```compile_fail,E0599
/// # fn f(permit: countersign_send_policy::SendPermit) {
/// let second = permit.clone(); // once
/// # }
/// ```
pub struct SendPermit(DraftSnapshot);

impl SendPermit {
    pub(crate) fn new(snapshot: DraftSnapshot) -> Self {
        Self(snapshot)
    }

    /// Gives out the fields that were claimed, for the account that they were claimed for.
    ///
    /// # Errors
    /// [`Refusal::WrongOrigin`] for any other account.
    pub fn redeem(self, origin: &Origin) -> Result<DraftFields, Refusal> {
        if self.0.origin() == origin { Ok(self.0.into_fields()) } else { Err(Refusal::WrongOrigin) }
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
