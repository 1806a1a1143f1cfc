//! What a tool needs before it is listed: one predicate, used by the list and by the call alike.

use crate::mailbox::{Feature, Features};

/// What the owner lets an account do (decisions.md §3). All are granted where nothing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grant {
    /// Read mail.
    Read,
    /// Write drafts.
    Draft,
    /// Change flags, archive and move.
    Modify,
    /// Move to Trash or Junk.
    Trash,
    /// Send, each message confirmed.
    Send,
}

impl Grant {
    /// Every grant.
    pub const EVERY: [Self; 5] = [Self::Read, Self::Draft, Self::Modify, Self::Trash, Self::Send];

    /// The word in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Draft => "draft",
            Self::Modify => "modify",
            Self::Trash => "trash",
            Self::Send => "send",
        }
    }

    /// The grant with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|grant| grant.name() == name)
    }
}

/// The grants of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// All of them.
    pub fn all() -> Self {
        Self(Grant::EVERY.to_vec())
    }

    /// Those named.
    pub fn of(mut grants: Vec<Grant>) -> Self {
        grants.sort_unstable();
        grants.dedup();
        Self(grants)
    }

    /// Those that are also in `other`: grants can only be narrowed.
    #[must_use]
    pub fn narrowed_to(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|grant| other.has(*grant)).collect())
    }

    /// Whether a grant is among them.
    pub fn has(&self, grant: Grant) -> bool {
        self.0.contains(&grant)
    }

    /// The words for them, in the order of [`Grant::EVERY`].
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|grant| grant.name()).collect()
    }
}

/// What a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Grants, every one of them.
    pub grants: &'static [Grant],
    /// Jobs that the backend does.
    pub features: &'static [Feature],
    /// A directory that attachments may be saved to (stdio only).
    pub save_dir: bool,
}

impl Needs {
    /// Nothing at all.
    pub const NOTHING: Self = Self { grants: &[], features: &[], save_dir: false };

    /// These grants and nothing else.
    pub const fn grants(grants: &'static [Grant]) -> Self {
        Self { grants, features: &[], save_dir: false }
    }

    /// Whether they are met.
    pub fn met_by(&self, grants: &Grants, features: Features, save_dir: bool) -> bool {
        self.grants.iter().all(|grant| grants.has(*grant))
            && self.features.iter().all(|feature| features.has(*feature))
            && (save_dir || !self.save_dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_has_to_be_met() {
        const NEEDS: Needs =
            Needs { grants: &[Grant::Read, Grant::Trash], features: &[Feature::Folders], save_dir: true };
        let features = Features::of(&[Feature::Folders]);
        let both = Grants::of(vec![Grant::Trash, Grant::Read]);
        assert!(NEEDS.met_by(&both, features, true));
        assert!(!NEEDS.met_by(&both, features, false));
        assert!(!NEEDS.met_by(&both, Features::of(&[]), true));
        assert!(!NEEDS.met_by(&Grants::of(vec![Grant::Read]), features, true));
    }

    #[test]
    fn grants_only_narrow() {
        let narrow = Grants::of(vec![Grant::Read]).narrowed_to(&Grants::all());
        assert_eq!(narrow.names(), ["read"]);
        assert!(Grants::all().narrowed_to(&Grants::of(vec![])).names().is_empty());
    }
}
