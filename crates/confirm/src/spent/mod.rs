//! Which tokens were spent: until when, by nonce. One token acts once.
//!
//! Whether a store lasts must fit the key. A key that ends with the process needs no more than memory; under one that
//! lasts, a store that does not would take a spent token again after a restart.
//!
//! A store that can't look or can't write says so, and nothing is done: it never answers "not spent" for that reason.

mod directory;
mod memory;

use std::{io, path::PathBuf, sync::Arc};

use directory::Directory;
use memory::Memory;

/// Longest name of a token.
const MAX_NONCE: usize = 128;

/// Why it can't be said whether a token was spent, or that it now is.
#[derive(Debug, thiserror::Error)]
#[error("spent token {} cannot be used", path.display())]
pub struct SpentError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// The store of spent tokens. Clones share it.
#[derive(Clone, Debug)]
pub struct Spent(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Memory(Arc<Memory>),
    Directory(Directory),
}

impl Spent {
    /// A store that ends with the process and that nobody else has.
    #[must_use]
    pub fn memory() -> Self {
        Self(Kind::Memory(Arc::default()))
    }

    /// The one store in memory that this process has.
    #[must_use]
    pub fn process() -> Self {
        Self(Kind::Memory(memory::of_the_process()))
    }

    /// A store that lasts: a directory, created when the first token is spent, with a file for each. Every process that
    /// takes tokens of one key shares one directory.
    #[must_use]
    pub fn directory(path: PathBuf) -> Self {
        Self(Kind::Directory(Directory::new(path)))
    }

    /// Forgets what has expired by `now` (milliseconds since 1970), as far as it can.
    pub(crate) fn prune(&self, now: u64) {
        match &self.0 {
            Kind::Memory(memory) => memory.prune(now),
            Kind::Directory(directory) => directory.prune(now),
        }
    }

    pub(crate) fn contains(&self, nonce: &str) -> Result<bool, SpentError> {
        match &self.0 {
            Kind::Memory(memory) => Ok(memory.contains(nonce)),
            Kind::Directory(directory) => directory.contains(nonce),
        }
    }

    /// Spends a nonce, until `expires`; false when it was spent already.
    pub(crate) fn claim(&self, nonce: &str, expires: u64) -> Result<bool, SpentError> {
        match &self.0 {
            Kind::Memory(memory) => Ok(memory.claim(nonce, expires)),
            Kind::Directory(directory) => directory.claim(nonce, expires),
        }
    }
}

/// Whether a text can name a token, and a file: base64url, and not too long.
pub(crate) fn is_nonce(text: &str) -> bool {
    (1..=MAX_NONCE).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_base64url_of_at_most_128_characters() {
        for good in ["a", "Z9_-", &"x".repeat(128)] {
            assert!(is_nonce(good), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a=", "a+b", "ž", "a\n", &"x".repeat(129)] {
            assert!(!is_nonce(bad), "{bad}");
        }
    }

    #[test]
    fn a_process_has_one_store_in_memory() {
        assert!(Spent::process().claim("of the process", u64::MAX).unwrap());
        assert!(Spent::process().contains("of the process").unwrap());
        assert!(!Spent::memory().contains("of the process").unwrap());
    }

    #[test]
    fn clones_share_what_was_spent() {
        let dir = tempfile::tempdir().unwrap();
        for spent in [Spent::memory(), Spent::directory(dir.path().join("spent"))] {
            assert!(!spent.contains("n1").unwrap());
            assert!(spent.claim("n1", 10).unwrap());
            let clone = spent.clone();
            assert!(clone.contains("n1").unwrap() && !clone.contains("n2").unwrap());
            assert!(!clone.claim("n1", 10).unwrap());
            spent.prune(10);
            assert!(clone.contains("n1").unwrap(), "not before it has expired");
            spent.prune(11);
            assert!(!clone.contains("n1").unwrap());
        }
    }
}
