//! Spent tokens on disk: a directory that only its owner may enter, with a file for each token, named by its nonce and
//! holding when it expires, in milliseconds since 1970 as decimal digits.
//!
//! Spending is creating the file exclusively, so that of two processes one succeeds, and returns when file and name are
//! on disk. A file that could not be written to its end stays: the token counts as spent, and when it expires can't be
//! read, so it stays until it is a day old.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{SpentError, is_nonce};
use crate::key::{private_directory, sync_directory, write_new};

/// How long a file stays whose expiry can't be read. Longer than any token of ours lives by default.
const TORN: Duration = Duration::from_hours(24);

#[derive(Clone, Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Housekeeping: what can't be looked at or removed stays, and a token that stays is spent.
    pub(super) fn prune(&self, now: u64) {
        let Ok(entries) = fs::read_dir(&self.0) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(is_nonce) && has_expired(&entry, now) {
                fs::remove_file(entry.path()).ok();
            }
        }
    }

    pub(super) fn contains(&self, nonce: &str) -> Result<bool, SpentError> {
        let path = self.path(nonce)?;
        match fs::symlink_metadata(&path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(SpentError { path, source }),
        }
    }

    pub(super) fn claim(&self, nonce: &str, expires: u64) -> Result<bool, SpentError> {
        let path = self.path(nonce)?;
        match self.create(&path, expires) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(SpentError { path, source }),
        }
    }

    fn create(&self, path: &Path, expires: u64) -> io::Result<()> {
        private_directory(&self.0)?;
        write_new(path, expires.to_string().as_bytes())?;
        sync_directory(&self.0)
    }

    /// A name that is no nonce can't be spent, and must not lead out of the directory.
    fn path(&self, nonce: &str) -> Result<PathBuf, SpentError> {
        if is_nonce(nonce) {
            return Ok(self.0.join(nonce));
        }
        Err(SpentError { path: self.0.clone(), source: io::ErrorKind::InvalidInput.into() })
    }
}

fn has_expired(entry: &fs::DirEntry, now: u64) -> bool {
    let expires = fs::read_to_string(entry.path()).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(expires) = expires {
        return expires < now;
    }
    let written = entry.metadata().and_then(|metadata| metadata.modified());
    written.is_ok_and(|written| age(written, now).is_some_and(|age| age >= TORN))
}

fn age(written: SystemTime, now: u64) -> Option<Duration> {
    Duration::from_millis(now).checked_sub(written.duration_since(UNIX_EPOCH).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds since 1970 on the clock that dates files.
    fn now() -> u64 {
        u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
    }

    fn directory() -> (tempfile::TempDir, Directory) {
        let dir = tempfile::tempdir().unwrap();
        let directory = Directory::new(dir.path().join(".mcp-confirm").join("spent"));
        (dir, directory)
    }

    #[test]
    fn nothing_is_created_before_the_first_token_is_spent() {
        let (dir, directory) = directory();
        assert!(!directory.contains("n1").unwrap());
        directory.prune(0);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_spent_token_is_a_file_with_its_expiry() {
        let (_dir, directory) = directory();
        assert!(directory.claim("n1", 1_800_000_600_000).unwrap());
        assert_eq!(fs::read_to_string(directory.0.join("n1")).unwrap(), "1800000600000");
        assert!(Directory::new(directory.0.clone()).contains("n1").unwrap());
        assert!(!Directory::new(directory.0.clone()).claim("n1", 5).unwrap());
        assert_eq!(fs::read_to_string(directory.0.join("n1")).unwrap(), "1800000600000", "as it was");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_look() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_dir, directory) = directory();
        directory.claim("n1", 5).unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory.0), mode(&directory.0.join("n1"))), (0o700, 0o600));
    }

    #[test]
    fn what_has_expired_goes_and_nothing_else() {
        let (_dir, directory) = directory();
        for (nonce, expires) in [("old", 9), ("last", 10), ("young", 11)] {
            directory.claim(nonce, expires).unwrap();
        }
        fs::write(directory.0.join("not.ours"), "1").unwrap();
        directory.prune(10);
        let left = |name| directory.0.join(name).exists();
        assert_eq!(["old", "last", "young", "not.ours"].map(left), [false, true, true, true]);
    }

    #[test]
    fn a_torn_file_stays_for_a_day_and_counts_as_spent() {
        const DAY: u64 = 86_400_000;
        for torn in ["", "18000x", "-5"] {
            let (_dir, directory) = directory();
            directory.claim("n1", 5).unwrap();
            fs::write(directory.0.join("n1"), torn).unwrap();
            assert!(directory.contains("n1").unwrap());
            assert!(!directory.claim("n1", 5).unwrap());
            let now = now();
            for (at, left) in
                [(0, true), (now, true), (now + DAY - 60_000, true), (now + DAY + 60_000, false)]
            {
                directory.prune(at);
                assert_eq!(directory.contains("n1").unwrap(), left, "{torn:?} at {at}");
            }
        }
        let written = UNIX_EPOCH.checked_add(Duration::from_millis(7)).unwrap();
        assert_eq!(age(written, 7 + DAY), Some(TORN));
    }

    #[cfg(unix)]
    #[test]
    fn a_torn_file_of_exactly_a_day_goes() {
        let (_dir, directory) = directory();
        directory.claim("n1", 5).unwrap();
        let file = fs::File::options().write(true).open(directory.0.join("n1")).unwrap();
        file.set_len(0).unwrap();
        file.set_modified(UNIX_EPOCH.checked_add(Duration::from_millis(7)).unwrap()).unwrap();
        directory.prune(7 + 86_400_000 - 1);
        assert!(directory.contains("n1").unwrap());
        directory.prune(7 + 86_400_000);
        assert!(!directory.contains("n1").unwrap());
    }

    #[test]
    fn what_cannot_be_looked_up_is_an_error_and_not_unspent() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        let directory = Directory::new(dir.path().join("file").join("spent"));
        directory.contains("n1").unwrap_err();
        let refused = directory.claim("n1", 5).unwrap_err();
        assert!(refused.to_string().starts_with("spent token "), "{refused}");
    }

    #[test]
    fn a_name_that_is_no_nonce_leads_nowhere() {
        let (dir, directory) = directory();
        directory.claim("n1", 5).unwrap();
        for name in ["", "..", "../../x", "a/b"] {
            directory.contains(name).unwrap_err();
            directory.claim(name, 5).unwrap_err();
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_token_is_a_spent_token() {
        let (dir, directory) = directory();
        directory.claim("n1", 5).unwrap();
        std::os::unix::fs::symlink(dir.path().join("nowhere"), directory.0.join("n2")).unwrap();
        assert!(directory.contains("n2").unwrap());
        assert!(!directory.claim("n2", 5).unwrap());
        assert!(!dir.path().join("nowhere").exists());
    }
}
