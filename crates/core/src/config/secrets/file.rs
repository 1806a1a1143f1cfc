//! The file of sign-ins: for each account where its credential is, and the credential itself where no keychain holds it.
//! It is for its owner alone, checked on each read, and replaced as a whole.
//!
//! The passwords in it are as safe as the user's files are, no safer; who wants more has a keychain.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use serde::{Deserialize, Serialize};
use zeroize::{Zeroize as _, Zeroizing};

use super::StoreFault;
use crate::config::atomic;

/// Larger than any number of accounts makes it; what is larger isn't ours.
const LARGEST: u64 = 1 << 20;

/// A sign-in as the file has it.
#[derive(Serialize, Deserialize)]
#[serde(tag = "place", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Entry {
    /// The keychain holds the credential.
    Keychain,
    /// The file does.
    File(Kept),
}

/// A credential, as it is kept in the file or as a keychain entry.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    pub(super) principal: String,
    pub(super) password: String,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.principal.zeroize();
        self.password.zeroize();
    }
}

/// All sign-ins, by origin.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIns {
    #[serde(default)]
    pub(super) accounts: BTreeMap<String, Entry>,
}

/// Reads the file; no file is no sign-ins.
pub(super) fn read(path: &Path) -> Result<SignIns, StoreFault> {
    let unreadable =
        |error: &io::Error| StoreFault::Unreadable { file: path.to_owned(), problem: error.kind() };
    // Asked of the name first, because opening a pipe would block.
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(StoreFault::NotAFile { file: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SignIns::default()),
        Err(error) => return Err(unreadable(&error)),
    }
    let mut file = File::open(path).map_err(|error| unreadable(&error))?;
    // Asked of the open file, so that it can't be exchanged in between.
    if is_open_to_others(&file.metadata().map_err(|error| unreadable(&error))?) {
        return Err(StoreFault::OpenToOthers { file: path.to_owned() });
    }
    let mut text = Zeroizing::new(String::new());
    file.by_ref().take(LARGEST).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    serde_json::from_str(&text).map_err(|_| StoreFault::Damaged { file: path.to_owned() })
}

/// Changes the file under a lock, so that two programs that sign in at once both stay signed in.
pub(super) fn change<T>(
    path: &Path,
    change: impl FnOnce(&mut SignIns) -> Result<T, StoreFault>,
) -> Result<T, StoreFault> {
    let unwritable =
        |error: &io::Error| StoreFault::Unwritable { file: path.to_owned(), problem: error.kind() };
    if let Some(folder) = path.parent() {
        atomic::make_folder(folder).map_err(|error| unwritable(&error))?;
    }
    let lock = atomic::private()
        .create(true)
        .truncate(false)
        .open(path.with_extension("lock"))
        .map_err(|error| unwritable(&error))?;
    lock.lock().map_err(|error| unwritable(&error))?;
    let mut sign_ins = read(path)?;
    let changed = change(&mut sign_ins)?;
    let text = serde_json::to_string_pretty(&sign_ins).map(Zeroizing::new);
    let text = text.map_err(|_| StoreFault::Damaged { file: path.to_owned() })?;
    atomic::replace(path, text.as_bytes(), false).map_err(|error| unwritable(&error))?;
    Ok(changed)
}

#[cfg(unix)]
fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(metadata) & 0o077 != 0
}

/// Elsewhere a file in the user's own directories inherits an access list that leaves others out.
#[cfg(not(unix))]
fn is_open_to_others(_metadata: &fs::Metadata) -> bool {
    false
}
