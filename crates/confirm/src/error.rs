//! Why a key could not be used and why a state was not accepted. Neither carries anything from the wire.

use std::{io, path::PathBuf};

/// Why the installation's key is not usable. The gate then declines; it never goes on with another key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file exists, but others than its owner may read or change it.
    #[error("key file {} has mode {mode:03o}, expected 600", path.display())]
    Permissions {
        /// The key file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The path names something else than a plain file, a symbolic link for instance.
    #[error("key file {} is not a regular file", path.display())]
    NotAFile {
        /// The key file.
        path: PathBuf,
    },
    /// The file does not hold exactly one key.
    #[error("key file {} holds {length} bytes, expected {expected}", path.display())]
    Length {
        /// The key file.
        path: PathBuf,
        /// What it holds.
        length: u64,
        /// What it should hold.
        expected: u64,
    },
    /// Reading or creating it failed.
    #[error("key file {} cannot be used", path.display())]
    Io {
        /// The key file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The operating system gave no random bytes.
    #[error("no random bytes from the operating system")]
    Random,
}

/// Why a state that came back is not accepted.
#[cfg(feature = "rmcp")]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum StateError {
    /// Not in our format, or not signed with our key.
    #[error("state is not signed by this installation")]
    Forged,
    /// Ours, but for another tool, account, sign-in or other arguments.
    #[error("state was issued for another call")]
    Foreign,
    /// Ours and for this call, but too old.
    #[error("state has expired")]
    Expired,
}
