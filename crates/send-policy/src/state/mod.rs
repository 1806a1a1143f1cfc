//! What the policy remembers, and where: `StateStore`.
//!
//! A store keeps rows and runs each call in one transaction; what follows from them is the rules' to say. It is
//! sealed, because a store that forgets would let a draft go out twice, and dyn-compatible, because the store is
//! chosen by configuration. Every failure is a `StateFault` and every `StateFault` refuses.

mod sqlite;

use std::{pin::Pin, time::SystemTime};

pub use sqlite::Sqlite;

use crate::{
    clock::from_seconds,
    exposure::{EXPOSURE_TERM, is_exposed},
    permit::{ClaimTicket, SendSettled},
    refusal::Refusal,
    rules::{ClaimTerms, SENT_TERM, in_force},
};

/// A boxed future, so that a store can be behind `dyn`.
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where claims, sent records, charges and exposure are kept. Implemented by this crate's stores alone; its methods
/// take and give types that only this crate can make.
pub trait StateStore: sealed::Sealed + Send + Sync {
    /// What is recorded about one draft and its sign-in.
    #[doc(hidden)]
    fn ledger(&self, entry: Entry, now: i64) -> BoxFuture<'_, Result<Ledger, StateFault>>;

    /// In one transaction: reads the ledger, lets the rules decide, claims, records the send and charges it. When
    /// this returns `Ok`, all of it is durable; otherwise none of it counts as done.
    #[doc(hidden)]
    fn claim(&self, claiming: Claiming) -> BoxFuture<'_, Result<(), Refusal>>;

    /// Settles the sent record of a claim.
    #[doc(hidden)]
    fn settle(&self, ticket: ClaimTicket, outcome: SendSettled) -> BoxFuture<'_, Result<(), StateFault>>;

    /// Marks a sign-in as exposed from now on. Durable when this returns `Ok`.
    #[doc(hidden)]
    fn expose(&self, holder: Holder, now: i64) -> BoxFuture<'_, Result<(), StateFault>>;

    /// Records a draft that this program wrote.
    #[doc(hidden)]
    fn wrote_draft(&self, draft: OwnDraft, now: i64) -> BoxFuture<'_, Result<(), StateFault>>;

    /// Whether this program wrote a draft.
    #[doc(hidden)]
    fn is_own_draft(&self, draft: OwnDraft) -> BoxFuture<'_, Result<bool, StateFault>>;

    /// What is recorded about a sign-in as a whole.
    #[doc(hidden)]
    fn standing(&self, holder: Holder, now: i64) -> BoxFuture<'_, Result<Standing, StateFault>>;
}

mod sealed {
    /// Only this crate's stores are stores.
    pub trait Sealed {}
}

/// The account and the sign-in that a row belongs to, as they are filed.
#[derive(Clone, Debug)]
pub struct Holder {
    pub(crate) origin: String,
    pub(crate) principal: String,
}

/// One draft of one sign-in.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(crate) origin: String,
    pub(crate) principal: String,
    pub(crate) claim_key: String,
    /// Empty where there is none; an empty one matches nothing.
    pub(crate) message_id: String,
}

/// A draft by the id that was handed out for it.
#[derive(Clone, Debug)]
pub struct OwnDraft {
    pub(crate) origin: String,
    pub(crate) draft: String,
}

/// A claim to be made, with what its rules need.
#[derive(Clone, Debug)]
pub struct Claiming {
    pub(crate) entry: Entry,
    pub(crate) terms: ClaimTerms,
    pub(crate) now: i64,
}

/// What is recorded about one draft and its sign-in. Times are seconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    pub(crate) claimed_at: Option<i64>,
    pub(crate) sent: Option<(i64, SentOutcome)>,
    pub(crate) exposed_at: Option<i64>,
    /// Sends charged in the rolling window.
    pub(crate) sends: u32,
}

impl Ledger {
    pub(crate) fn sent_record(&self, now: i64) -> Option<SentRecord> {
        let (at, outcome) = self.sent?;
        in_force(at, SENT_TERM, now).then(|| SentRecord { at: from_seconds(at), outcome })
    }
}

/// What is recorded about a sign-in as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub(crate) first_seen: Option<i64>,
    pub(crate) exposed_at: Option<i64>,
    pub(crate) sends: u32,
    pub(crate) unsettled: u32,
}

/// What is known of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentOutcome {
    /// It was begun, and no more is known.
    Unknown,
    /// The server took it.
    Accepted,
}

/// The record of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentRecord {
    /// When it was begun.
    pub at: SystemTime,
    /// What is known of it.
    pub outcome: SentOutcome,
}

/// What is recorded for a sign-in, for its owner to see.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyStatus {
    /// When the state first saw this sign-in: by its first exposing read or first send.
    pub first_seen: Option<SystemTime>,
    /// Until when sends say that other people's mail was read, if they do now.
    pub exposed_until: Option<SystemTime>,
    /// Sends in the last 24 hours.
    pub sends: u32,
    /// Sends that the cap still allows.
    pub sends_left: u32,
    /// Sends of this account whose outcome isn't known.
    pub unsettled: u32,
}

impl PolicyStatus {
    pub(crate) fn of(standing: &Standing, max_sends: u32, now: i64) -> Self {
        let Standing { first_seen, exposed_at, sends, unsettled } = standing;
        let exposed_until = exposed_at.filter(|_| is_exposed(*exposed_at, now));
        Self {
            first_seen: first_seen.map(from_seconds),
            exposed_until: exposed_until.map(|at| from_seconds(at.saturating_add(EXPOSURE_TERM))),
            sends: *sends,
            sends_left: max_sends.saturating_sub(*sends),
            unsettled: *unsettled,
        }
    }
}

/// Why the state can't be used. Each refuses: a state that can't be read or written is not an empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateFault {
    /// The file or its directory can't be created, opened or written.
    #[error("the state file can't be opened or written")]
    NotWritable,
    /// Another process held the lock for longer than the time allowed.
    #[error("the state file was locked by another process for too long")]
    Busy,
    /// The file isn't a database, or a damaged one.
    #[error("the state file is damaged")]
    Corrupt,
    /// The file is a database of something else, or of a newer version of this program.
    #[error("the state file belongs to another program or to a newer version of this one")]
    Foreign,
    /// No space is left.
    #[error("the disk is full")]
    Full,
    /// Reading or writing failed.
    #[error("reading or writing the state file failed")]
    Failed,
}
