//! Why a draft may be claimed: a person confirmed it, or the owner's rules waive the question.

use countersign_confirm::Confirmed;

use crate::{fingerprint::Fingerprint, rules::Approved, snapshot::DraftSnapshot};

/// The proof that a claim consumes.
pub enum Approval {
    /// A person confirmed exactly this draft.
    Confirmed(Confirmed<DraftSnapshot>),
    /// The owner's configuration sends it without asking.
    Waived(Waiver),
    /// A person confirmed it, in tests of this crate, which has no gate.
    #[cfg(test)]
    Shown(DraftSnapshot),
}

/// The owner's rules say that this draft needs no question. Only this crate's policy makes one, out of a reading that
/// passed the rules, and the claim looks once more whether a question is needed by then.
///
/// ```compile_fail,E0423
/// # fn f(snapshot: countersign_send_policy::DraftSnapshot) {
/// let waiver = countersign_send_policy::Waiver(snapshot);
/// # }
/// ```
pub struct Waiver(DraftSnapshot);

impl Waiver {
    pub(crate) fn of(snapshot: DraftSnapshot) -> Self {
        Self(snapshot)
    }

    /// What would be sent, in 32 bytes.
    pub fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint()
    }
}

/// A draft that was read to be sent: whether someone has to be asked about it.
#[must_use]
pub enum Prepared {
    /// A person has to confirm it.
    Asks,
    /// The owner's rules send it as it is.
    Waived(Box<Waiver>),
}

impl Approval {
    /// The snapshot, and what the claim holds it to.
    pub(crate) fn into_parts(self) -> (DraftSnapshot, Approved) {
        match self {
            Self::Confirmed(confirmed) => shown(confirmed.into_subject()),
            Self::Waived(Waiver(snapshot)) => (snapshot, Approved::Unasked),
            #[cfg(test)]
            Self::Shown(snapshot) => shown(snapshot),
        }
    }
}

fn shown(snapshot: DraftSnapshot) -> (DraftSnapshot, Approved) {
    let terms = snapshot.signed_terms();
    (snapshot, Approved::Shown(terms))
}
