//! What a kind of backend can do at all. What one account's server offers is found out when it is used; this decides only
//! which tools a server lists, so it must not depend on the network.

/// An optional job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Folders that messages move between.
    Folders,
    /// Content search.
    Search,
    /// Conversations.
    Threads,
    /// Keywords, labels or categories.
    Keywords,
    /// An archive.
    Archive,
}

/// The optional jobs that a backend does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features(&'static [Feature]);

impl Features {
    /// The jobs named.
    pub const fn of(features: &'static [Feature]) -> Self {
        Self(features)
    }

    /// Whether a job is done.
    pub fn has(self, feature: Feature) -> bool {
        self.0.contains(&feature)
    }
}
