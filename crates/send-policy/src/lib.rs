//! What an assistant may send, and the proof that a person agreed to exactly that.
//!
//! A draft goes out along one path, and each step consumes the proof that the step before it made:
//!
//! 1. [`SendPolicy::draft`] gives the gate of `countersign-confirm` a draft that it can read. Each reading passes the
//!    [rules](RulesConfig) and becomes a [`DraftSnapshot`] with its [`Fingerprint`].
//! 2. [`SendPolicy::prepare`] says whether the owner's rules ask about it at all; where they don't, the draft is waived
//!    ([`Waiver`]). The gate shows the snapshot's prompt, reads again after the answer, compares, and alone makes a
//!    `Confirmed<DraftSnapshot>`, which is an [`Approval`].
//! 3. [`SendPolicy::claim`] claims the draft, records the send as begun and charges the caps, in one transaction, and
//!    gives a [`SendPermit`] and a [`ClaimTicket`].
//! 4. What sends [redeems](SendPermit::redeem) the permit for the fields, which are those that the person saw, and
//!    [settles](SendPolicy::settle) the ticket with the outcome.
//!
//! Beside it, [`SendPolicy::expose`] records that other people's mail is about to be read, and mints the
//! [`ExposureReceipt`] that such reads ask for.
//!
//! ```
//! use std::sync::Arc;
//! use countersign_send_policy::*;
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! # let directory = tempfile::tempdir().unwrap();
//! // Once, where the server is put together. Nothing is opened yet.
//! let store = Arc::new(Sqlite::at(directory.path().join("state.db")));
//! let identity = PolicyIdentity {
//!     origin: Origin::new("imap", "mail.example.org", "robin"),
//!     principal: Principal::new("minted at sign-in".into()),
//! };
//! let rules = RulesConfig { allow: vec!["example.org".into()], ..RulesConfig::default() };
//! let policy = SendPolicy::new(store, identity, &rules);
//!
//! // In a call that reads what other people wrote: no receipt, no reading.
//! let call = CallScope::default();
//! let receipt = policy.expose(&call).await?;
//! assert!(receipt.covers(policy.origin()));
//! assert!(policy.status().await?.exposed_until.is_some());
//! # Ok::<(), Refusal>(())
//! # }).unwrap();
//! ```
//!
//! None of the proofs has a public constructor or can be copied. The crate knows recipients, drafts and rules; it
//! knows nothing of MCP or of any mail backend. What it doesn't protect from: an owner's own configuration, another
//! program under the same user that writes the state file, and a mail server that lies about what it did.

mod address;
mod approval;
mod clock;
mod exposure;
mod fields;
mod fingerprint;
mod html;
mod mode;
mod permit;
mod policy;
mod profile;
mod prompt;
mod refusal;
mod rules;
mod snapshot;
mod state;
mod treatment;

#[cfg(test)]
mod testing;

pub use address::{Address, AddressError};
pub use approval::{Approval, Prepared, Waiver};
pub use clock::Clock;
pub use exposure::{CallScope, ExposureReceipt};
pub use fields::{DraftAttachment, DraftContent, DraftFields, DraftSource, Origin, Principal, SourceError};
pub use fingerprint::Fingerprint;
pub use mode::{ConfirmMode, UnknownMode, UnknownWithoutElicitation, WithoutElicitation};
pub use permit::{ClaimTicket, SendPermit, SendSettled};
pub use policy::{DraftRead, PolicyIdentity, SendPolicy};
pub use profile::{Profile, RulesConfig};
pub use refusal::{Field, Refusal, Words};
pub use snapshot::DraftSnapshot;
pub use state::{
    ClaimRecord, KnownAddress, PolicyStatus, SentOutcome, SentRecord, Sqlite, StateFault, StateStore,
};
pub use treatment::{Case, Treatment, Treatments, UnknownTreatment};
