//! The owner's configuration: one TOML file, connection settings also from the environment, credentials from the
//! keychain, a 0600 file or the environment. Policy is the file's alone; the environment can only narrow it
//! (decisions.md §3).
//!
//! A wrong configuration never keeps a server from starting: what is wrong stays with the account, or with the
//! configuration as a whole, as a [`ConfigFault`] that every call answers with.

mod account;
mod append;
mod atomic;
mod env;
mod fault;
mod file;
mod load;
mod paths;
mod policy;
mod secrets;
mod switches;

pub use account::{AccountConfig, Settings};
pub(crate) use append::with_account;
pub(crate) use atomic::replace;
pub(crate) use env::{COLUMNS, LOG, NO_COLOR};
pub use env::{COMMON, EnvVar, Environment};
pub use fault::ConfigFault;
pub use load::{Config, Sources};
pub use paths::Paths;
pub use secrets::{
    Credential, CredentialStore, Keychain, KeychainFault, Place, Secret, StoreFault, Stored, SystemKeychain,
};
