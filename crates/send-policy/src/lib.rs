//! What an assistant may send: drafts, their addresses and their fingerprints.

mod address;
mod fields;
mod fingerprint;

#[cfg(test)]
mod testing;

pub use address::{Address, AddressError};
pub use fields::{DraftAttachment, DraftContent, DraftFields, DraftSource, Origin, Principal, SourceError};
pub use fingerprint::Fingerprint;
