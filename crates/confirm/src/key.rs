//! The key that signs confirmations: one per installation, in a file of 32 random bytes that only its owner may read; or
//! made of a secret that the owner set; or random for the life of the process.
//!
//! The file is created at first use and never before, so that starting a server touches nothing. It appears complete
//! or not at all: the bytes are written to a file of another name, which is then linked to the final one, and linking
//! fails when that exists. Of two processes that start together one thus creates the key and both use it. A file that
//! is short, long, not a plain file or open to others is refused, not repaired: whoever could write it could forge a
//! confirmation.
//!
//! Not protected from: a program that runs as the same user. It could read the key, and the mail as well.

use std::{
    fmt, fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use hmac::{Hmac, KeyInit as _};
use sha2::{Digest as _, Sha256};

#[cfg(not(unix))]
use self::elsewhere as system;
pub(crate) use self::system::sync_directory;
#[cfg(unix)]
use self::unix as system;
use crate::{Declined, error::KeyError};

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

/// Length of a key: the output length of SHA-256, which RFC 2104 §3 recommends as the least.
const KEY_LENGTH: usize = 32;
/// The same as a file length.
const KEY_FILE_LENGTH: u64 = 32;

/// Where the key comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum KeySource {
    /// The installation's key file; created on first use, its directory too.
    File(PathBuf),
    /// A secret of the owner's, of any length, for several processes that take each other's confirmations.
    Secret(Secret),
    /// A random key that ends with the process. Confirmations don't outlive a restart; right for demonstrations and
    /// where there is no state directory.
    Process,
}

/// A text that only its owner knows. It does not print itself.
#[derive(Clone, Eq, PartialEq)]
pub struct Secret(String);

impl Secret {
    /// The secret that `text` is.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A key, ready to sign. Its bytes can't be had back.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// The key that is made of a secret: its SHA-256, so that a secret of any length gives a full key.
    #[must_use]
    pub fn from_secret(secret: &Secret) -> Self {
        Self::new(Sha256::digest(&secret.0).into())
    }

    /// The key of these bytes.
    #[must_use]
    pub fn new(bytes: [u8; KEY_LENGTH]) -> Self {
        // HMAC pads a short key with zeros up to the hash's block (RFC 2104 §2). Padding it here makes the
        // constructor one that cannot fail.
        let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
        for (to, from) in block.iter_mut().zip(bytes) {
            *to = from;
        }
        Self(Hmac::new(&block))
    }

    pub(crate) fn mac(&self) -> Hmac<Sha256> {
        self.0.clone()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// The key of one gate, loaded when it is first asked for. A failure is not remembered, so that a repaired file is
/// taken without a restart.
#[derive(Debug)]
pub(crate) struct Keyring {
    source: KeySource,
    loaded: Mutex<Option<Arc<Key>>>,
}

impl Keyring {
    pub(crate) fn new(source: KeySource) -> Self {
        Self { source, loaded: Mutex::new(None) }
    }

    /// The key, or a no; the log says why.
    pub(crate) fn usable(&self) -> Result<Arc<Key>, Declined> {
        self.key().map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "confirmation key unavailable");
            Declined::KeyUnavailable
        })
    }

    pub(crate) fn key(&self) -> Result<Arc<Key>, KeyError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = loaded.as_ref() {
            return Ok(Arc::clone(key));
        }
        let key = match &self.source {
            KeySource::File(path) => Key::new(load_or_create(path)?),
            KeySource::Secret(secret) => Key::from_secret(secret),
            KeySource::Process => Key::new(random()?),
        };
        Ok(Arc::clone(loaded.insert(Arc::new(key))))
    }
}

/// Random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], KeyError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| KeyError::Random)?;
    Ok(bytes)
}

fn load_or_create(path: &Path) -> Result<[u8; KEY_LENGTH], KeyError> {
    let failed = |source| KeyError::Io { path: path.to_owned(), source };
    if let Some(bytes) = load(path)? {
        return Ok(bytes);
    }
    create(path, &random::<KEY_LENGTH>()?).map_err(failed)?;
    // Ours or a concurrent creator's: what counts is what is there now.
    load(path)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
}

/// The key in `path`; `None` when nothing is there.
fn load(path: &Path) -> Result<Option<[u8; KEY_LENGTH]>, KeyError> {
    let failed = |source| KeyError::Io { path: path.to_owned(), source };
    let named = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    // Asked of the name first, because opening a pipe would block.
    if !named.is_file() {
        return Err(KeyError::NotAFile { path: path.to_owned() });
    }
    let mut file = fs::File::open(path).map_err(failed)?;
    let opened = file.metadata().map_err(failed)?;
    if !system::is_same_file(&named, &opened) {
        return Err(KeyError::NotAFile { path: path.to_owned() });
    }
    system::owner_only(path, &opened)?;
    if opened.len() != KEY_FILE_LENGTH {
        return Err(KeyError::Length {
            path: path.to_owned(),
            length: opened.len(),
            expected: KEY_FILE_LENGTH,
        });
    }
    let mut bytes = [0; KEY_LENGTH];
    file.read_exact(&mut bytes).map_err(failed)?;
    Ok(Some(bytes))
}

/// Puts `bytes` at `path` unless something is there already, which is not an error.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    private_directory(directory)?;
    let suffix = random::<8>().map_err(io::Error::other)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = directory.join(format!(".{name}.{:016x}", u64::from_be_bytes(suffix)));
    let result = write_new(&draft, bytes).and_then(|()| match fs::hard_link(&draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    });
    let removed = fs::remove_file(&draft);
    result?;
    removed?;
    system::sync_directory(directory)
}

/// Creates a file that is the owner's alone, and returns when its bytes are on disk.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

pub(crate) fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(path: &Path) -> Result<[u8; KEY_LENGTH], KeyError> {
        load_or_create(path)
    }

    #[test]
    fn nothing_is_created_before_the_key_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state").join("confirm.key");
        let ring = Keyring::new(KeySource::File(path.clone()));
        assert!(!path.exists() && !path.parent().unwrap().exists());
        ring.key().unwrap();
        assert!(path.exists());
    }

    #[test]
    fn a_key_is_created_once_and_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("confirm.key");
        let first = bytes(&path).unwrap();
        assert_eq!(first, bytes(&path).unwrap());
        assert_ne!(first, [0; KEY_LENGTH]);
        assert_eq!(fs::read(&path).unwrap(), first);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "the draft file is gone");
    }

    #[test]
    fn a_concurrent_creators_key_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("confirm.key");
        let keys: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| bytes(&path).unwrap())).collect();
            all.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|k| *k == keys[0]));
        // The loser of the race: it drew its own bytes, and finds another's file.
        create(&path, &[7; KEY_LENGTH]).unwrap();
        assert_eq!(bytes(&path).unwrap(), keys[0]);
    }

    #[test]
    fn a_file_of_the_wrong_length_is_refused() {
        for length in [0, 31, 33] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("confirm.key");
            write_new(&path, &vec![1; length]).unwrap();
            let refused = bytes(&path).unwrap_err();
            assert!(matches!(refused, KeyError::Length { .. }), "{refused}");
            assert_eq!(fs::read(&path).unwrap().len(), length, "left as it was");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_open_to_others_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("confirm.key");
        bytes(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        for mode in [0o640, 0o604, 0o620, 0o666, 0o700] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let refused = bytes(&path).unwrap_err();
            assert!(matches!(refused, KeyError::Permissions { mode: m, .. } if m == mode), "{refused}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        bytes(&path).unwrap();
    }

    #[test]
    fn what_cannot_be_looked_at_is_not_taken_for_absent() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        write_new(&file, &[1; KEY_LENGTH]).unwrap();
        let refused = load(&file.join("confirm.key")).unwrap_err();
        assert!(matches!(refused, KeyError::Io { .. }), "{refused}");
    }

    #[cfg(unix)]
    #[test]
    fn another_file_is_not_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let metadata = |name: &str| {
            let path = dir.path().join(name);
            fs::OpenOptions::new().create(true).append(true).open(&path).unwrap();
            fs::metadata(path).unwrap()
        };
        assert!(system::is_same_file(&metadata("a"), &metadata("a")));
        assert!(!system::is_same_file(&metadata("a"), &metadata("b")));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_plain_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = dir.path().join("elsewhere");
        write_new(&elsewhere, &[1; KEY_LENGTH]).unwrap();
        let path = dir.path().join("confirm.key");
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(matches!(bytes(&path).unwrap_err(), KeyError::NotAFile { .. }));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(bytes(&path).unwrap_err(), KeyError::NotAFile { .. }));
        fs::remove_dir(&path).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(matches!(bytes(&path).unwrap_err(), KeyError::NotAFile { .. }));
    }

    #[test]
    fn a_failure_is_not_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("confirm.key");
        write_new(&path, b"short").unwrap();
        let ring = Keyring::new(KeySource::File(path.clone()));
        ring.key().unwrap_err();
        fs::remove_file(&path).unwrap();
        ring.key().unwrap();
    }

    #[test]
    fn a_key_does_not_print_itself() {
        assert_eq!(format!("{:?}", Key::new([9; KEY_LENGTH])), "Key(..)");
        assert_eq!(format!("{:?}", KeySource::Secret(Secret::new("horse"))), "Secret(Secret(..))");
    }
}
