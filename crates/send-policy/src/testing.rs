//! What the tests of this crate share: a sample draft, a source in memory, a policy over a scratch file with a clock
//! that is set by hand.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    time::SystemTime,
};

use crate::{
    Address, Clock, DraftContent, DraftFields, DraftSource, Field, Origin, PolicyIdentity, Principal,
    RulesConfig, SendPolicy, SourceError, Sqlite, clock::from_seconds,
};

/// A moment to start from.
pub(crate) const START: i64 = 1_800_000_000;

/// A draft that every rule lets pass.
pub(crate) fn fields() -> DraftFields {
    DraftFields {
        id: "d1".into(),
        claim_key: "m1@example.org".into(),
        message_id: Some("m1@example.org".into()),
        from: Address { display_name: Some("Robin Vale".into()), addr_spec: "robin@example.org".into() },
        to: vec![Address::bare("friend@example.net")],
        subject: "Lunch".into(),
        text: Some("Tuesday at one?\n".into()),
        ..DraftFields::default()
    }
}

pub(crate) fn origin() -> Origin {
    Origin::new("imap", "mail.example.org", "robin")
}

/// Adds an address to a field.
pub(crate) type Add = fn(&mut DraftFields, Address);

/// The fields that name recipients, each with how to add to it.
pub(crate) const RECIPIENT_FIELDS: [(Field, Add); 4] = [
    (Field::To, |f, a| f.to.push(a)),
    (Field::Cc, |f, a| f.cc.push(a)),
    (Field::Bcc, |f, a| f.bcc.push(a)),
    (Field::ReplyTo, |f, a| f.reply_to.push(a)),
];

/// One draft in memory, and what its mailbox says of the past.
pub(crate) struct OneDraft {
    pub(crate) origin: Origin,
    pub(crate) own: Vec<Address>,
    pub(crate) fields: Mutex<Result<DraftFields, SourceError>>,
    /// Who was written to, and when.
    pub(crate) sent: Mutex<Result<Vec<(Address, i64)>, SourceError>>,
    /// Msg-ids of messages that are there.
    pub(crate) held: Mutex<Result<Vec<String>, SourceError>>,
    /// How often each of the two was asked for.
    pub(crate) asked: [AtomicU32; 2],
}

impl OneDraft {
    pub(crate) fn of(fields: DraftFields) -> Self {
        Self {
            origin: origin(),
            own: vec![fields.from.clone()],
            fields: Mutex::new(Ok(fields)),
            sent: Mutex::new(Ok(Vec::new())),
            held: Mutex::new(Ok(Vec::new())),
            asked: Default::default(),
        }
    }

    /// A draft to someone who was written to a day before the tests begin.
    pub(crate) fn to_known(fields: DraftFields) -> Self {
        let known = fields.recipients().map(|address| (address.clone(), START - 24 * 60 * 60)).collect();
        let draft = Self::of(fields);
        *draft.sent.lock().unwrap() = Ok(known);
        draft
    }

    /// How often Sent, and how often the mailbox, was looked into.
    pub(crate) fn look_ups(&self) -> [u32; 2] {
        [0, 1].map(|at: usize| self.asked[at].load(Ordering::SeqCst))
    }

    pub(crate) fn set(&self, fields: Result<DraftFields, SourceError>) {
        *self.fields.lock().unwrap() = fields;
    }
}

impl DraftSource for OneDraft {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn own_addresses(&self) -> &[Address] {
        &self.own
    }

    async fn read_draft(&self, _: &str) -> Result<DraftContent, SourceError> {
        self.fields.lock().unwrap().clone().map(DraftContent::seal)
    }

    async fn sent_to(&self, recipients: &[Address], before: SystemTime) -> Result<Vec<Address>, SourceError> {
        self.asked[0].fetch_add(1, Ordering::SeqCst);
        let sent = self.sent.lock().unwrap().clone()?;
        // Loosely, and with more than was asked for: the policy compares.
        let early = sent.into_iter().filter(|(_, at)| from_seconds(*at) < before);
        let _ = recipients;
        Ok(early.map(|(address, _)| address).collect())
    }

    async fn holds(&self, _: &[String]) -> Result<Vec<String>, SourceError> {
        self.asked[1].fetch_add(1, Ordering::SeqCst);
        self.held.lock().unwrap().clone()
    }
}

/// A policy over a scratch state file.
pub(crate) struct Scratch {
    pub(crate) policy: SendPolicy,
    pub(crate) directory: tempfile::TempDir,
    now: Arc<AtomicI64>,
}

impl Scratch {
    pub(crate) fn new(config: &RulesConfig) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let now = Arc::new(AtomicI64::new(START));
        let policy = policy(&directory.path().join("state.db"), "p1", &origin(), config, &now);
        Self { policy, directory, now }
    }

    /// Another policy over the same file and clock.
    pub(crate) fn other(&self, principal: &str, origin: &Origin) -> SendPolicy {
        policy(&self.directory.path().join("state.db"), principal, origin, &RulesConfig::default(), &self.now)
    }

    pub(crate) fn set_clock(&self, now: i64) {
        self.now.store(now, Ordering::SeqCst);
    }
}

/// A policy over a state file, as another process would have it.
pub(crate) fn policy_at(path: &std::path::Path, config: &RulesConfig) -> SendPolicy {
    policy(path, "p1", &origin(), config, &Arc::new(AtomicI64::new(START)))
}

#[expect(clippy::disallowed_methods, reason = "these tests are a composition root of their own")]
fn policy(
    path: &std::path::Path,
    principal: &str,
    origin: &Origin,
    config: &RulesConfig,
    now: &Arc<AtomicI64>,
) -> SendPolicy {
    let store = Arc::new(Sqlite::at(path.to_owned()));
    let identity = PolicyIdentity { origin: origin.clone(), principal: Principal::new(principal.into()) };
    let now = Arc::clone(now);
    SendPolicy::new(store, identity, config)
        .with_clock(Clock::new(move || from_seconds(now.load(Ordering::SeqCst))))
}
