//! The system's keychain: Keychain Services on macOS, the Credential Manager on Windows, elsewhere the Secret Service
//! over D-Bus. All of them are spoken to in Rust, so nothing but a compiler is needed to build.
//!
//! A keychain may ask its owner to unlock it, and on a machine without a desktop the bus may be there and nobody on it
//! answer. So every operation runs in a thread of its own and is given up after a while.

use std::{
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use keyring::v1::{Entry, Error};

use super::Secret;

/// The name under which entries are filed.
const SERVICE: &str = "countersign";

/// How long the keychain may take, the person's time to unlock it included. Well within a call's deadline.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why the keychain did not do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeychainFault {
    /// There is none.
    #[error("there is no keychain on this machine")]
    Absent,
    /// It did not answer.
    #[error("the keychain did not answer in {} seconds", PATIENCE.as_secs())]
    TimedOut,
    /// It is locked or refused.
    #[error("the keychain is locked or refused")]
    Refused,
    /// What is in it can't be understood.
    #[error("the keychain's entry can't be understood")]
    Unreadable,
}

/// A keychain. Entries are named by the account's origin.
pub trait Keychain: Send + Sync {
    /// An entry; none if there is no such entry.
    ///
    /// # Errors
    /// Why the keychain could not be asked.
    fn read(&self, name: &str) -> Result<Option<Secret>, KeychainFault>;

    /// Makes or replaces an entry.
    ///
    /// # Errors
    /// Why it was not kept.
    fn write(&self, name: &str, secret: &Secret) -> Result<(), KeychainFault>;

    /// Removes an entry, if it is there.
    ///
    /// # Errors
    /// Why it could not be removed.
    fn remove(&self, name: &str) -> Result<(), KeychainFault>;
}

/// The system's own.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemKeychain;

impl Keychain for SystemKeychain {
    fn read(&self, name: &str) -> Result<Option<Secret>, KeychainFault> {
        within(name, |entry| match entry.get_password() {
            Ok(secret) => Ok(Some(Secret::new(secret))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(fault(&error)),
        })
    }

    fn write(&self, name: &str, secret: &Secret) -> Result<(), KeychainFault> {
        let secret = Secret::new(secret.expose().to_owned());
        within(name, move |entry| entry.set_password(secret.expose()).map_err(|error| fault(&error)))
    }

    fn remove(&self, name: &str) -> Result<(), KeychainFault> {
        within(name, |entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(fault(&error)),
        })
    }
}

/// Does something with an entry, and waits so long and no longer. A thread that never comes back is left behind; it
/// holds nothing that anybody waits for.
fn within<T: Send + 'static>(
    name: &str,
    work: impl FnOnce(Entry) -> Result<T, KeychainFault> + Send + 'static,
) -> Result<T, KeychainFault> {
    let (sender, receiver) = channel();
    let name = name.to_owned();
    let spawned = thread::Builder::new().name("keychain".to_owned()).spawn(move || {
        let done = Entry::new(SERVICE, &name).map_err(|error| fault(&error)).and_then(work);
        // Nobody waits any more: then nobody wants the answer.
        drop(sender.send(done));
    });
    if spawned.is_err() {
        return Err(KeychainFault::Refused);
    }
    match receiver.recv_timeout(PATIENCE) {
        Ok(done) => done,
        Err(RecvTimeoutError::Timeout) => Err(KeychainFault::TimedOut),
        Err(RecvTimeoutError::Disconnected) => Err(KeychainFault::Refused),
    }
}

/// The kind of fault. What the platform says about it may name anything, so it goes no further.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's errors are open-ended; all others are refusals"
)]
fn fault(error: &Error) -> KeychainFault {
    match error {
        Error::NoDefaultStore => KeychainFault::Absent,
        Error::BadEncoding(_) | Error::BadDataFormat(..) | Error::BadStoreFormat(_) | Error::Ambiguous(_) => {
            KeychainFault::Unreadable
        }
        _ => KeychainFault::Refused,
    }
}
