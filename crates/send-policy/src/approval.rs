//! Why a draft may be claimed: a person confirmed it, or the owner's rules waive the question.

use countersign_confirm::Confirmed;

use crate::snapshot::DraftSnapshot;

/// The proof that a claim consumes.
pub enum Approval {
    /// A person confirmed exactly this draft.
    Confirmed(Confirmed<DraftSnapshot>),
    /// The owner's configuration sends it without asking.
    Waived(Waiver),
}

/// The owner's rules say that this draft needs no question. Only this crate's rules make one, and in this version
/// none does: every send asks.
pub struct Waiver(DraftSnapshot);

impl Waiver {
    #[cfg(test)]
    pub(crate) fn of(snapshot: DraftSnapshot) -> Self {
        Self(snapshot)
    }
}

impl Approval {
    pub(crate) fn into_snapshot(self) -> DraftSnapshot {
        match self {
            Self::Confirmed(confirmed) => confirmed.into_subject(),
            Self::Waived(Waiver(snapshot)) => snapshot,
        }
    }
}
