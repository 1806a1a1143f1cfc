//! What the key file rests on where files have modes and inodes.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
};

use crate::error::KeyError;

/// Refuses a file that others than its owner may read or change.
pub(super) fn owner_only(path: &Path, metadata: &fs::Metadata) -> Result<(), KeyError> {
    let mode = metadata.permissions().mode() & 0o777;
    if mode == 0o600 || mode == 0o400 {
        return Ok(());
    }
    Err(KeyError::Permissions { path: path.to_owned(), mode })
}

/// Whether what was opened is what the name stood for a moment ago, and thus of the same kind.
pub(super) fn is_same_file(named: &fs::Metadata, opened: &fs::Metadata) -> bool {
    named.dev() == opened.dev() && named.ino() == opened.ino()
}

/// Returns when the names in a directory are on disk.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}
