//! What the key file rests on elsewhere: the profile directory's own access list guards it, files can't be told apart,
//! and a directory can't be opened to be synced.

use std::{fs, io, path::Path};

use crate::error::KeyError;

#[expect(clippy::unnecessary_wraps, reason = "the signature of the other systems")]
pub(super) fn owner_only(_: &Path, _: &fs::Metadata) -> Result<(), KeyError> {
    Ok(())
}

pub(super) fn is_same_file(_: &fs::Metadata, opened: &fs::Metadata) -> bool {
    opened.is_file()
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of the other systems")]
pub(crate) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
