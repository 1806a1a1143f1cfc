//! Files that may be sent: those below the directories that the owner named, and no others.
//!
//! The path is the caller's. Its real path decides, so neither `..` nor a link leads out. Another program may change the
//! directory at any moment, so the file is opened once, without following a link and without waiting for a pipe, and what
//! was opened is held against what stands at the real path afterwards: only a regular file that is that very file is read.
//! A file that the owner linked (a hard link) into a directory is in it.
//!
//! What lies outside, what isn't there and what may not be looked at have one answer, so that no path can be probed.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// What the owner lets be attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Directories whose files may be attached by their path. Empty where nothing may, and always over HTTP, where a
    /// path would be one of the server's machine.
    pub directories: Vec<PathBuf>,
    /// Most bytes of all attachments of one draft together.
    pub most_bytes: u64,
}

impl Allowance {
    /// A megabyte, as the settings count.
    pub const MEGABYTE: u64 = 1_024 * 1_024;
    /// What is allowed in all where nothing is written.
    pub const DEFAULT_MEGABYTES: u64 = 25;
    /// The most that can be allowed: backends read a draft whole to send it.
    pub const MOST_MEGABYTES: u64 = 50;
}

impl Default for Allowance {
    fn default() -> Self {
        let most_bytes = Self::DEFAULT_MEGABYTES.saturating_mul(Self::MEGABYTE);
        Self { directories: Vec::new(), most_bytes }
    }
}

/// Why a file isn't attached. No variant carries the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutgoingError {
    /// The owner named no directory.
    #[error("no directory is configured")]
    NoDirectories,
    /// None of the directories is there.
    #[error("none of the configured directories exists")]
    DirectoriesMissing,
    /// Nothing that may be attached stands at the path.
    #[error("no file that may be attached is at that path")]
    NotThere,
    /// It is within a directory and no regular file.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is larger than what is left of the limit.
    #[error("it is too large")]
    TooLarge,
    /// It can't be read.
    #[error("it can't be read")]
    Unreadable,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingFile {
    /// Its name, without its directory.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Reads a file of at most `limit` bytes. A relative path is looked for below each directory in turn.
///
/// # Errors
/// See [`OutgoingError`].
pub fn read(directories: &[PathBuf], path: &str, limit: u64) -> Result<OutgoingFile, OutgoingError> {
    if directories.is_empty() {
        return Err(OutgoingError::NoDirectories);
    }
    let real: Vec<PathBuf> =
        directories.iter().filter_map(|directory| fs::canonicalize(directory).ok()).collect();
    if real.is_empty() {
        return Err(OutgoingError::DirectoriesMissing);
    }
    let path = Path::new(path);
    let places = if path.is_absolute() {
        vec![path.to_owned()]
    } else {
        real.iter().map(|directory| directory.join(path)).collect()
    };
    let inside = |place: &PathBuf| {
        let place = fs::canonicalize(place).ok()?;
        real.iter().any(|directory| place != *directory && place.starts_with(directory)).then_some(place)
    };
    let place = places.iter().find_map(inside).ok_or(OutgoingError::NotThere)?;
    let bytes = open(&place).and_then(|file| content(file, limit))?;
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(OutgoingFile { name, bytes })
}

/// Opens a regular file by its real path, once, and makes sure that it is the one at that path.
fn open(place: &Path) -> Result<File, OutgoingError> {
    // Looked at before it is opened too, because opening a device may already do something.
    let before = fs::symlink_metadata(place).map_err(|_| OutgoingError::NotThere)?;
    if !before.is_file() {
        return Err(OutgoingError::NotAFile);
    }
    let file = open_once(place).map_err(|_| OutgoingError::Unreadable)?;
    let opened = file.metadata().map_err(|_| OutgoingError::Unreadable)?;
    if !opened.is_file() {
        return Err(OutgoingError::NotAFile);
    }
    let still_real = fs::canonicalize(place).is_ok_and(|real| real == place);
    let same = fs::symlink_metadata(place).is_ok_and(|now| is_same(&now, &opened));
    if still_real && same { Ok(file) } else { Err(OutgoingError::NotThere) }
}

/// Without following a link in the last place, and without waiting for somebody to write into a pipe.
#[cfg(unix)]
fn open_once(place: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(place, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_once(place: &Path) -> io::Result<File> {
    File::open(place)
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Where the standard library tells no identity, what it tells of the two must agree.
#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let told = |file: &Metadata| (file.len(), file.created().ok(), file.modified().ok());
    told(one) == told(other)
}

/// The content, read to its end: the size that a file states may change while it is read.
fn content(file: File, limit: u64) -> Result<Vec<u8>, OutgoingError> {
    let stated = file.metadata().map_err(|_| OutgoingError::Unreadable)?.len();
    if stated > limit {
        return Err(OutgoingError::TooLarge);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stated).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| OutgoingError::Unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read <= limit) {
        Ok(bytes)
    } else {
        Err(OutgoingError::TooLarge)
    }
}

#[cfg(test)]
mod tests;
