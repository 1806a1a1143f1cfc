//! Where credentials go, who may read them, and that a sign-in stays the one it is.

use std::{collections::BTreeMap, fs, path::Path, sync::Mutex};

use super::*;
use crate::config::{Environment, Sources};

/// A keychain in memory, or one that isn't there.
#[derive(Default)]
struct Fake {
    entries: Mutex<BTreeMap<String, String>>,
    fault: Option<KeychainFault>,
}

impl Keychain for Fake {
    fn read(&self, name: &str) -> Result<Option<Secret>, KeychainFault> {
        self.fault.map_or(Ok(()), Err)?;
        Ok(self.entries.lock().unwrap().get(name).cloned().map(Secret::new))
    }

    fn write(&self, name: &str, secret: &Secret) -> Result<(), KeychainFault> {
        self.fault.map_or(Ok(()), Err)?;
        self.entries.lock().unwrap().insert(name.to_owned(), secret.expose().to_owned());
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), KeychainFault> {
        self.fault.map_or(Ok(()), Err)?;
        self.entries.lock().unwrap().remove(name);
        Ok(())
    }
}

struct Bench {
    folder: tempfile::TempDir,
    keychain: Arc<Fake>,
}

impl Bench {
    fn new(fault: Option<KeychainFault>) -> Self {
        let keychain = Arc::new(Fake { fault, ..Fake::default() });
        Self { folder: tempfile::tempdir().unwrap(), keychain }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("share/imap-credentials.json")
    }

    /// A store of its own each time, as each process has one.
    fn store(&self) -> Arc<CredentialStore> {
        Arc::new(CredentialStore::at(self.file(), None, Arc::clone(&self.keychain) as Arc<dyn Keychain>))
    }

    async fn read(&self) -> Result<(Principal, String), MailboxError> {
        let credential = self.store().for_account(&account(&[]), &origin());
        Ok((credential.principal().await?, credential.secret().await?.expose().to_owned()))
    }
}

fn origin() -> Origin {
    Origin::new("imap", "imap.example.com", "jan")
}

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

const CONNECTION: &[crate::config::EnvVar] =
    &[crate::config::EnvVar::password("COUNTERSIGN_IMAP_PASSWORD", "It.")];

fn account(variables: &[(&str, &str)]) -> AccountConfig {
    config(variables).account("default").unwrap().clone()
}

fn config(variables: &[(&str, &str)]) -> Config {
    let env = Environment::of([("HOME", "/home/jan")].iter().chain(variables).copied());
    let sources = Sources {
        binary: "countersign-imap",
        provider: "imap",
        connection: CONNECTION,
        environment: &env,
        config_file: Some(Path::new("/cfg/imap.toml")),
        read_only: false,
    };
    Config::of_text(&sources, "[accounts.default]\n").unwrap()
}

#[tokio::test]
async fn the_keychain_is_preferred_and_the_file_then_holds_no_secret() {
    let bench = Bench::new(None);
    assert_eq!(bench.read().await, Err(MailboxError::NoCredential));
    let stored = bench.store().keep(&origin(), &secret("hunter2"), true).unwrap();
    assert_eq!(stored, Stored { place: Place::Keychain, instead_of_keychain: None });
    assert!(!fs::read_to_string(bench.file()).unwrap().contains("hunter2"));
    let (principal, password) = bench.read().await.unwrap();
    assert_eq!(password, "hunter2");
    assert_eq!(bench.read().await.unwrap().0, principal, "one sign-in has one principal");
    assert_eq!(bench.store().place(&account(&[]), &origin()), Ok(Some(Place::Keychain)));
}

#[tokio::test]
async fn without_a_keychain_the_file_takes_over_and_says_so() {
    for fault in [KeychainFault::Absent, KeychainFault::TimedOut, KeychainFault::Refused] {
        let bench = Bench::new(Some(fault));
        let stored = bench.store().keep(&origin(), &secret("hunter2"), true).unwrap();
        assert_eq!(stored, Stored { place: Place::File, instead_of_keychain: Some(fault) });
        assert_eq!(bench.read().await.unwrap().1, "hunter2");
    }
    let bench = Bench::new(None);
    let stored = bench.store().keep(&origin(), &secret("hunter2"), false).unwrap();
    assert_eq!(stored, Stored { place: Place::File, instead_of_keychain: None });
    assert!(bench.keychain.entries.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_new_sign_in_is_a_new_principal_and_the_other_accounts_stay() {
    let bench = Bench::new(Some(KeychainFault::Absent));
    let other = Origin::new("imap", "imap.example.org", "eva");
    bench.store().keep(&other, &secret("eva's"), true).unwrap();
    bench.store().keep(&origin(), &secret("one"), true).unwrap();
    let credential = bench.store().for_account(&account(&[]), &origin());
    let before = credential.principal().await.unwrap();
    bench.store().keep(&origin(), &secret("two"), true).unwrap();
    let (after, password) = bench.read().await.unwrap();
    assert_ne!(before, after);
    assert_eq!(password, "two");
    // A server that is running uses the new password and stays the sign-in that it was.
    assert_eq!(credential.principal().await.unwrap(), before);
    assert_eq!(credential.secret().await.unwrap().expose(), "two");
    let eva = bench.store().for_account(&account(&[]), &other);
    assert_eq!(eva.secret().await.unwrap().expose(), "eva's");
}

#[tokio::test]
async fn logging_out_removes_it_from_wherever_it_is() {
    for (fault, place) in [(None, Place::Keychain), (Some(KeychainFault::Absent), Place::File)] {
        let bench = Bench::new(fault);
        assert_eq!(bench.store().remove(&origin()), Ok(None));
        bench.store().keep(&origin(), &secret("hunter2"), true).unwrap();
        assert_eq!(bench.store().remove(&origin()), Ok(Some(place)));
        assert_eq!(bench.read().await, Err(MailboxError::NoCredential));
        assert!(bench.keychain.entries.lock().unwrap().is_empty());
        assert!(!fs::read_to_string(bench.file()).unwrap().contains("hunter2"));
    }
}

#[test]
fn a_keychain_that_does_not_remove_stays_listed() {
    let bench = Bench::new(None);
    bench.store().keep(&origin(), &secret("hunter2"), true).unwrap();
    let broken = Arc::new(Fake { fault: Some(KeychainFault::Refused), ..Fake::default() });
    let store = CredentialStore::at(bench.file(), None, broken);
    assert_eq!(store.remove(&origin()), Err(StoreFault::Keychain(KeychainFault::Refused)));
    assert_eq!(bench.store().place(&account(&[]), &origin()), Ok(Some(Place::Keychain)));
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new(Some(KeychainFault::Absent));
    bench.store().keep(&origin(), &secret("hunter2"), true).unwrap();
    assert_eq!(fs::metadata(bench.file()).unwrap().permissions().mode() & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o620, 0o666] {
        fs::set_permissions(bench.file(), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(bench.read().await, Err(MailboxError::CredentialStore), "{mode:o}");
        let fault = bench.store().place(&account(&[]), &origin()).unwrap_err();
        assert_eq!(fault, StoreFault::OpenToOthers { file: bench.file() });
        assert!(fault.to_string().contains("run `chmod 600 "), "{fault}");
        // Signing in again does not quietly bless what others could have written.
        assert!(bench.store().keep(&origin(), &secret("new"), true).is_err());
    }
    fs::set_permissions(bench.file(), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(bench.read().await.unwrap().1, "hunter2");
}

#[tokio::test]
async fn a_damaged_file_or_none_at_all_is_a_plain_fault() {
    let bench = Bench::new(None);
    fs::create_dir_all(bench.file()).unwrap();
    assert_eq!(bench.read().await, Err(MailboxError::CredentialStore));
    fs::remove_dir(bench.file()).unwrap();
    atomic_write(&bench.file(), "{\"accounts\": {\"x\": {\"place\": \"moon\"}}}");
    assert_eq!(bench.read().await, Err(MailboxError::CredentialStore));
    let fault = bench.store().place(&account(&[]), &origin()).unwrap_err();
    assert_eq!(fault, StoreFault::Damaged { file: bench.file() });
}

fn atomic_write(file: &Path, text: &str) {
    crate::config::replace(file, text.as_bytes(), false).unwrap();
}

#[tokio::test]
async fn a_password_from_the_environment_needs_no_file_and_has_a_principal_of_its_own() {
    let variables = [("COUNTERSIGN_IMAP_PASSWORD", "hunter2")];
    let (config, account) = (config(&variables), account(&variables));
    let bench = Bench::new(None);
    let keychain = Arc::clone(&bench.keychain) as Arc<dyn Keychain>;
    let store = Arc::new(CredentialStore::at(bench.file(), config.password.clone(), keychain));
    let credential = store.for_account(&account, &origin());
    assert_eq!(credential.secret().await.unwrap().expose(), "hunter2");
    assert_eq!(credential.principal().await, Ok(principal::derive(&origin())));
    assert_eq!(store.place(&account, &origin()), Ok(Some(Place::Environment)));
    assert!(!bench.file().exists());
    assert!(!format!("{credential:?}").contains("hunter2"));
}

#[test]
fn two_sign_ins_at_once_are_both_kept() {
    let bench = Bench::new(Some(KeychainFault::Absent));
    std::thread::scope(|scope| {
        for user in 0..8 {
            let store = bench.store();
            scope.spawn(move || {
                store.keep(&Origin::new("imap", "h", &user.to_string()), &secret("x"), true).unwrap()
            });
        }
    });
    let kept = (0..8).filter(|user| {
        let origin = Origin::new("imap", "h", &user.to_string());
        bench.store().place(&account(&[]), &origin) == Ok(Some(Place::File))
    });
    assert_eq!(kept.count(), 8);
}
