//! What the policy remembers, and where: `StateStore`.
//!
//! A store keeps rows and runs each call in one transaction; what follows from them is the rules' to say. It is
//! sealed, because a store that forgets would let a draft go out twice, and dyn-compatible, because the store is
//! chosen by configuration. Every failure is a `StateFault` and every `StateFault` refuses.

mod sqlite;

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    time::SystemTime,
};

pub use sqlite::Sqlite;

use crate::{
    clock::from_seconds,
    exposure::{EXPOSURE_TERM, is_exposed},
    permit::{ClaimTicket, SendSettled},
    refusal::Refusal,
    rules::{CLAIM_TERM, Caps, ClaimTerms, SENT_TERM, in_force},
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

    /// When the state first saw a sign-in, which is recorded now if it didn't yet.
    #[doc(hidden)]
    fn first_seen(&self, holder: Holder, now: i64) -> BoxFuture<'_, Result<i64, StateFault>>;

    /// Records addresses that were found in Sent from before the sign-in.
    #[doc(hidden)]
    fn found(
        &self,
        holder: Holder,
        addresses: Vec<String>,
        now: i64,
    ) -> BoxFuture<'_, Result<(), StateFault>>;

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
    /// Everyone it is addressed to, in comparable form.
    pub(crate) addresses: Vec<String>,
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
    /// Whether the person confirmed it in a prompt, so that its recipients become known in a day.
    pub(crate) makes_known: bool,
    pub(crate) now: i64,
}

/// What is recorded about one draft and its sign-in. Times are seconds since the Unix epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    pub(crate) claimed_at: Option<i64>,
    pub(crate) sent: Option<(i64, SentOutcome)>,
    pub(crate) exposed_at: Option<i64>,
    /// Sends charged in the rolling 24 hours.
    pub(crate) sends: u32,
    /// Sends charged in the rolling hour.
    pub(crate) sends_in_hour: u32,
    /// When the last send was charged.
    pub(crate) last_charge: Option<i64>,
    /// New addresses charged in the rolling 24 hours.
    pub(crate) new_addresses: u32,
    /// Those of the draft's addresses that are among them.
    pub(crate) new_written_to: BTreeSet<String>,
    /// What is recorded about the draft's addresses.
    pub(crate) acquaintances: BTreeMap<String, Acquaintance>,
}

/// What is recorded about an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acquaintance {
    /// When it was found in Sent from before the sign-in.
    pub(crate) found_at: Option<i64>,
    /// When the person first confirmed a send to it.
    pub(crate) confirmed_at: Option<i64>,
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
    pub(crate) sends_in_hour: u32,
    /// The new addresses charged in the rolling 24 hours, each with its last send.
    pub(crate) new_addresses: Vec<(String, i64)>,
    pub(crate) known: Vec<(String, Acquaintance)>,
    /// The claims of the account, newest first: key, when, and what is known of the send.
    pub(crate) claims: Vec<(String, i64, Option<SentOutcome>)>,
    /// Sends of the account whose outcome isn't known.
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

/// What is recorded for a sign-in, for its owner to see. No mail text: addresses and message ids only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyStatus {
    /// When the state first saw this sign-in.
    pub first_seen: Option<SystemTime>,
    /// Until when sends say that other people's mail was read, if they do now.
    pub exposed_until: Option<SystemTime>,
    /// Sends in the last 24 hours.
    pub sends: u32,
    /// Sends that the caps still allow now.
    pub sends_left: u32,
    /// New addresses that the cap still allows now.
    pub new_addresses_left: u32,
    /// The new addresses written to in the last 24 hours, with the last send to each.
    pub new_addresses: Vec<(String, SystemTime)>,
    /// The addresses that are recorded as known, or will be.
    pub known: Vec<KnownAddress>,
    /// The drafts of this account whose send was begun in the last 24 hours, newest first.
    pub claims: Vec<ClaimRecord>,
    /// Sends of this account whose outcome isn't known.
    pub unsettled: u32,
}

/// An address that is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAddress {
    /// The address in comparable form.
    pub address: String,
    /// When it was found in Sent, from before the sign-in.
    pub found_at: Option<SystemTime>,
    /// When a send to it was first confirmed. It counts a day later.
    pub confirmed_at: Option<SystemTime>,
}

/// A draft whose send was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRecord {
    /// What makes it one draft: its Message-ID or the provider's id.
    pub key: String,
    /// When it was claimed.
    pub at: SystemTime,
    /// What is known of the send; nothing where the server refused it.
    pub outcome: Option<SentOutcome>,
}

impl PolicyStatus {
    pub(crate) fn of(standing: Standing, caps: &Caps, now: i64) -> Self {
        let Standing {
            first_seen,
            exposed_at,
            sends,
            sends_in_hour,
            new_addresses,
            known,
            claims,
            unsettled,
        } = standing;
        let exposed_until = exposed_at.filter(|_| is_exposed(exposed_at, now));
        let left_of_day = caps.max_sends.saturating_sub(sends);
        let left_of_hour = caps.sends_per_hour.map_or(u32::MAX, |max| max.saturating_sub(sends_in_hour));
        let new = u32::try_from(new_addresses.len()).unwrap_or(u32::MAX);
        let known =
            known.into_iter().map(|(address, Acquaintance { found_at, confirmed_at })| KnownAddress {
                address,
                found_at: found_at.map(from_seconds),
                confirmed_at: confirmed_at.map(from_seconds),
            });
        let claims = claims.into_iter().filter(|(_, at, _)| in_force(*at, CLAIM_TERM, now));
        Self {
            first_seen: first_seen.map(from_seconds),
            exposed_until: exposed_until.map(|at| from_seconds(at.saturating_add(EXPOSURE_TERM))),
            sends,
            sends_left: left_of_day.min(left_of_hour),
            new_addresses_left: caps.max_new_addresses.saturating_sub(new),
            new_addresses: new_addresses
                .into_iter()
                .map(|(address, at)| (address, from_seconds(at)))
                .collect(),
            known: known.collect(),
            claims: claims
                .map(|(key, at, outcome)| ClaimRecord { key, at: from_seconds(at), outcome })
                .collect(),
            unsettled,
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
