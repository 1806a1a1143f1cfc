//! The credential store: looks a credential up, keeps it, removes it. `login` writes; a server only reads.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use countersign_send_policy::{Origin, Principal};

use super::{
    Credential, Keychain, KeychainFault, Secret,
    file::{self, Entry, Kept},
    principal,
};
use crate::{
    config::{AccountConfig, Config},
    mailbox::MailboxError,
    tools::BoxFuture,
};

/// Where a credential is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the system's keychain.
    Keychain,
    /// In the file of sign-ins.
    File,
    /// In the environment.
    Environment,
}

impl Place {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keychain => "keychain",
            Self::File => "file",
            Self::Environment => "environment",
        }
    }
}

/// Why the store did not do what was asked, for the owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// Others may read the file.
    #[error("{file} can be read by others and is not used: run `chmod 600 {file}`, and change the passwords in it", file = file.display())]
    OpenToOthers {
        /// The file.
        file: PathBuf,
    },
    /// It is something else.
    #[error("{} is not a plain file", file.display())]
    NotAFile {
        /// The file.
        file: PathBuf,
    },
    /// It can't be read.
    #[error("{} can't be read ({problem})", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        problem: io::ErrorKind,
    },
    /// It can't be written.
    #[error("{} can't be written ({problem})", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        problem: io::ErrorKind,
    },
    /// It is not what was written.
    #[error("{} is damaged: remove it and sign in again", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
    },
    /// The keychain.
    #[error(transparent)]
    Keychain(#[from] KeychainFault),
    /// There are no random numbers for a new sign-in.
    #[error("the system gave no random numbers")]
    Random,
}

/// What was stored, and why not in the keychain where it was meant for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Where it is.
    pub place: Place,
    /// What the keychain said.
    pub instead_of_keychain: Option<KeychainFault>,
}

/// The credentials of one provider's accounts.
pub struct CredentialStore {
    file: PathBuf,
    environment: Option<Arc<Secret>>,
    keychain: Arc<dyn Keychain>,
}

impl CredentialStore {
    /// The store of a configuration. Opens nothing.
    pub fn of(config: &Config, keychain: Arc<dyn Keychain>) -> Self {
        Self::at(config.paths.credentials_file.clone(), config.password.clone(), keychain)
    }

    /// A store with this file, and the environment's password if there is one.
    pub fn at(file: PathBuf, environment: Option<Arc<Secret>>, keychain: Arc<dyn Keychain>) -> Self {
        Self { file, environment, keychain }
    }

    /// The credential of an account. Opens nothing.
    pub fn for_account(self: &Arc<Self>, account: &AccountConfig, origin: &Origin) -> Arc<dyn Credential> {
        match &self.environment {
            Some(secret) if account.from_environment => {
                Arc::new(FromEnvironment { origin: origin.clone(), secret: Arc::clone(secret) })
            }
            _ => Arc::new(FromStore {
                store: Arc::clone(self),
                name: name_of(origin),
                principal: RwLock::default(),
            }),
        }
    }

    /// Where an account's credential is; the keychain is not asked.
    ///
    /// # Errors
    /// Why the file can't be read.
    pub fn place(&self, account: &AccountConfig, origin: &Origin) -> Result<Option<Place>, StoreFault> {
        if self.environment.is_some() && account.from_environment {
            return Ok(Some(Place::Environment));
        }
        let sign_ins = file::read(&self.file)?;
        Ok(sign_ins.accounts.get(&name_of(origin)).map(|entry| match entry {
            Entry::Keychain => Place::Keychain,
            Entry::File(_) => Place::File,
        }))
    }

    /// Keeps a new sign-in's credential: in the keychain, or where there is none (or it isn't wanted) in the file.
    ///
    /// # Errors
    /// Why it could be kept in neither.
    pub fn keep(&self, origin: &Origin, password: &Secret, in_keychain: bool) -> Result<Stored, StoreFault> {
        let name = name_of(origin);
        let key = principal::mint().map_err(|_| StoreFault::Random)?;
        let kept = Kept { principal: key, password: password.expose().to_owned() };
        let kept_in = if in_keychain { self.keep_in_keychain(&name, &kept)? } else { Err(None) };
        file::change(&self.file, |sign_ins| {
            let (entry, stored) = match kept_in {
                Ok(()) => (Entry::Keychain, Stored { place: Place::Keychain, instead_of_keychain: None }),
                Err(fault) => (Entry::File(kept), Stored { place: Place::File, instead_of_keychain: fault }),
            };
            sign_ins.accounts.insert(name, entry);
            Ok(stored)
        })
    }

    fn keep_in_keychain(
        &self,
        name: &str,
        kept: &Kept,
    ) -> Result<Result<(), Option<KeychainFault>>, StoreFault> {
        let text = serde_json::to_string(kept).map(Secret::new);
        let text = text.map_err(|_| StoreFault::Damaged { file: self.file.clone() })?;
        Ok(self.keychain.write(name, &text).map_err(Some))
    }

    /// Removes an account's credential, wherever it is. The environment's is not the store's to remove.
    ///
    /// # Errors
    /// Why it could not be removed.
    pub fn remove(&self, origin: &Origin) -> Result<Option<Place>, StoreFault> {
        let name = name_of(origin);
        if !file::read(&self.file)?.accounts.contains_key(&name) {
            return Ok(None);
        }
        file::change(&self.file, |sign_ins| {
            Ok(match sign_ins.accounts.remove(&name) {
                // The entry goes first: a file that still named it would make every call ask a keychain without it.
                Some(Entry::Keychain) => {
                    self.keychain.remove(&name)?;
                    Some(Place::Keychain)
                }
                Some(Entry::File(_)) => Some(Place::File),
                None => None,
            })
        })
    }

    fn kept(&self, name: &str) -> Result<Kept, MailboxError> {
        let failed = |fault: &StoreFault| {
            tracing::error!(%fault, "the credential can't be read");
            MailboxError::CredentialStore
        };
        let mut sign_ins = file::read(&self.file).map_err(|fault| failed(&fault))?;
        match sign_ins.accounts.remove(name) {
            None => Err(MailboxError::NoCredential),
            Some(Entry::File(kept)) => Ok(kept),
            Some(Entry::Keychain) => {
                let secret = self.keychain.read(name).map_err(|fault| failed(&fault.into()))?;
                let secret = secret.ok_or(MailboxError::NoCredential)?;
                serde_json::from_str(secret.expose()).map_err(|_| failed(&KeychainFault::Unreadable.into()))
            }
        }
    }
}

/// The name of an account's entry in the file and in the keychain. A host has no `@`, so no two accounts share one.
fn name_of(origin: &Origin) -> String {
    let Origin { provider, host, user } = origin;
    format!("{provider}:{user}@{host}")
}

/// The environment's credential.
struct FromEnvironment {
    origin: Origin,
    secret: Arc<Secret>,
}

impl Credential for FromEnvironment {
    fn principal(&self) -> BoxFuture<'_, Result<Principal, MailboxError>> {
        Box::pin(async { Ok(principal::derive(&self.origin)) })
    }

    fn secret(&self) -> BoxFuture<'_, Result<Secret, MailboxError>> {
        Box::pin(async { Ok(Secret::new(self.secret.expose().to_owned())) })
    }
}

/// A credential that `login` kept.
struct FromStore {
    store: Arc<CredentialStore>,
    name: String,
    /// Read once: this process goes on as the sign-in that it began as.
    principal: RwLock<Option<Principal>>,
}

impl FromStore {
    /// Keychains block, and may wait for their owner: not in a thread that serves.
    async fn kept(&self) -> Result<Kept, MailboxError> {
        let (store, name) = (Arc::clone(&self.store), self.name.clone());
        let read = tokio::task::spawn_blocking(move || store.kept(&name)).await;
        read.unwrap_or(Err(MailboxError::CredentialStore))
    }
}

impl Credential for FromStore {
    fn principal(&self) -> BoxFuture<'_, Result<Principal, MailboxError>> {
        Box::pin(async {
            if let Some(principal) = self.principal.read().unwrap_or_else(PoisonError::into_inner).clone() {
                return Ok(principal);
            }
            let principal = Principal::new(self.kept().await?.principal.clone());
            *self.principal.write().unwrap_or_else(PoisonError::into_inner) = Some(principal.clone());
            Ok(principal)
        })
    }

    fn secret(&self) -> BoxFuture<'_, Result<Secret, MailboxError>> {
        Box::pin(async { Ok(Secret::new(self.kept().await?.password.clone())) })
    }
}

impl fmt::Debug for FromEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FromEnvironment(..)")
    }
}

impl fmt::Debug for FromStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FromStore(..)")
    }
}

#[cfg(test)]
mod tests;
