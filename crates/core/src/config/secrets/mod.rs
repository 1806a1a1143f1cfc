//! Credentials: the password of an account and the principal of its sign-in (decisions.md §3).
//!
//! They are in the system's keychain, or in a file that only its owner may read, or come from the environment. None of
//! these is touched when a server starts: a [`Credential`] is a promise that is redeemed on the first call.
//!
//! Not protected from: a program of the same user, which may read the file and ask the keychain as this one does.

mod file;
mod keychain;
mod principal;
mod store;

use std::fmt;

use countersign_send_policy::Principal;
pub use keychain::{Keychain, KeychainFault, SystemKeychain};

pub use store::{CredentialStore, Place, StoreFault, Stored};
use zeroize::Zeroizing;

use crate::{mailbox::MailboxError, tools::BoxFuture};

/// A secret. It is wiped when dropped, and shows and serialises itself nowhere.
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a secret.
    pub fn new(secret: String) -> Self {
        Self(Zeroizing::new(secret))
    }

    /// The secret itself, for the one who signs in with it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// What signs one account in.
pub trait Credential: Send + Sync + fmt::Debug {
    /// The key of this sign-in: caps, exposure and known addresses belong to it.
    fn principal(&self) -> BoxFuture<'_, Result<Principal, MailboxError>>;

    /// The password, read anew each time, so that a renewed one is used on the next connection.
    fn secret(&self) -> BoxFuture<'_, Result<Secret, MailboxError>>;
}
