//! `SendPolicy`: reads a draft for confirming, claims it, settles it, and mints exposure receipts.
//!
//! One policy per account and sign-in, made where the server is put together. It holds no state of its own: what it
//! remembers is in the `StateStore`, shared by every process.

use std::sync::Arc;

use countersign_confirm::{Fresh, Terms};

use crate::{
    approval::Approval,
    clock::Clock,
    exposure::{CallScope, EXPOSED, ExposureReceipt, is_exposed},
    fields::{DraftFields, DraftSource, Origin, Principal},
    fingerprint::Fingerprint,
    permit::{ClaimTicket, SendPermit, SendSettled},
    refusal::Refusal,
    rules::{ClaimTerms, Rules, RulesConfig},
    snapshot::DraftSnapshot,
    state::{Claiming, Entry, Holder, OwnDraft, PolicyStatus, SentRecord, StateStore},
};

/// Whose sends these are.
#[derive(Clone, Debug)]
pub struct PolicyIdentity {
    /// The account; claims and sent records belong to it.
    pub origin: Origin,
    /// The sign-in; caps and exposure belong to it.
    pub principal: Principal,
}

/// The send policy of one account.
pub struct SendPolicy {
    store: Arc<dyn StateStore>,
    identity: PolicyIdentity,
    rules: Rules,
    clock: Clock,
}

impl SendPolicy {
    /// The policy of an account. To be made once, where the server is put together.
    pub fn new(store: Arc<dyn StateStore>, identity: PolicyIdentity, rules: &RulesConfig) -> Self {
        Self { store, identity, rules: Rules::new(rules), clock: Clock::system() }
    }

    /// The same policy with another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The account.
    pub fn origin(&self) -> &Origin {
        &self.identity.origin
    }

    /// A draft for the gate to read, as often as it needs to.
    pub fn draft<'a, D: DraftSource>(&'a self, source: &'a D, id: &'a str) -> DraftRead<'a, D> {
        DraftRead { policy: self, source, id }
    }

    /// The fingerprint of a draft as it stands, for the results of draft tools. It says nothing about whether the
    /// draft could be sent.
    ///
    /// # Errors
    /// Why the draft couldn't be read.
    pub async fn fingerprint<D: DraftSource>(&self, source: &D, id: &str) -> Result<Fingerprint, Refusal> {
        Ok(Fingerprint::of(&self.read(source, id).await?))
    }

    /// Claims an approved draft: in one transaction it is claimed, its send recorded as of unknown outcome, and the
    /// caps charged. After this, it is not claimed again for 24 hours, whatever happens.
    ///
    /// # Errors
    /// Why it may not be sent; then nothing was claimed.
    pub async fn claim(&self, approval: Approval) -> Result<(SendPermit, ClaimTicket), Refusal> {
        let snapshot = approval.into_snapshot();
        if *snapshot.origin() != self.identity.origin {
            return Err(Refusal::WrongOrigin);
        }
        self.rules.of_draft(snapshot.fields())?;
        let terms = ClaimTerms { max_sends: self.rules.max_sends(), signed: snapshot.signed_terms() };
        let entry = self.entry(snapshot.fields());
        let ticket = ClaimTicket { origin: entry.origin.clone(), claim_key: entry.claim_key.clone() };
        self.store.claim(Claiming { entry, terms, now: self.clock.now() }).await?;
        Ok((SendPermit::new(snapshot), ticket))
    }

    /// Records how a claimed send ended.
    ///
    /// # Errors
    /// The state couldn't be written. The send then stays recorded as of unknown outcome, so it isn't repeated.
    pub async fn settle(&self, ticket: ClaimTicket, outcome: SendSettled) -> Result<(), Refusal> {
        self.store.settle(ticket, outcome).await.map_err(Refusal::StateUnavailable)
    }

    /// The record of a draft's send, by claim key or Message-ID, if there is one that still holds.
    ///
    /// # Errors
    /// The state couldn't be read.
    pub async fn sent_before(&self, key: &str) -> Result<Option<SentRecord>, Refusal> {
        let entry = Entry {
            claim_key: key.to_owned(),
            message_id: key.to_owned(),
            ..self.entry(&DraftFields::default())
        };
        let now = self.clock.now();
        let ledger = self.store.ledger(entry, now).await.map_err(Refusal::StateUnavailable)?;
        Ok(ledger.sent_record(now))
    }

    /// Records that this program wrote a draft, by the id handed out for it: only such drafts may be removed outright.
    ///
    /// # Errors
    /// The state couldn't be written. The draft then counts as the person's own.
    pub async fn wrote_draft(&self, id: &str) -> Result<(), Refusal> {
        let now = self.clock.now();
        self.store.wrote_draft(self.own_draft(id), now).await.map_err(Refusal::StateUnavailable)
    }

    /// Whether this program wrote the draft with this id.
    ///
    /// # Errors
    /// The state couldn't be read.
    pub async fn is_own_draft(&self, id: &str) -> Result<bool, Refusal> {
        self.store.is_own_draft(self.own_draft(id)).await.map_err(Refusal::StateUnavailable)
    }

    fn own_draft(&self, id: &str) -> OwnDraft {
        OwnDraft { origin: self.identity.origin.key(), draft: id.to_owned() }
    }

    /// Marks the sign-in as exposed and mints the receipt that a read of other people's mail asks for. The marker is
    /// durable before there is a receipt.
    ///
    /// # Errors
    /// [`Refusal::MarkerUnwritten`]: then nothing may be read.
    pub async fn expose<'call>(&self, call: &'call CallScope) -> Result<ExposureReceipt<'call>, Refusal> {
        self.store.expose(self.holder(), self.clock.now()).await.map_err(Refusal::MarkerUnwritten)?;
        Ok(ExposureReceipt::mint(self.identity.origin.clone(), call))
    }

    /// What is recorded for this sign-in, for its owner.
    ///
    /// # Errors
    /// The state couldn't be read.
    pub async fn status(&self) -> Result<PolicyStatus, Refusal> {
        let now = self.clock.now();
        let standing = self.store.standing(self.holder(), now).await.map_err(Refusal::StateUnavailable)?;
        Ok(PolicyStatus::of(&standing, self.rules.max_sends(), now))
    }

    /// Reads a draft of this account, and of no other.
    async fn read<D: DraftSource>(&self, source: &D, id: &str) -> Result<DraftFields, Refusal> {
        if *source.origin() != self.identity.origin {
            return Err(Refusal::WrongOrigin);
        }
        Ok(source.read_draft(id).await?.open())
    }

    fn holder(&self) -> Holder {
        Holder { origin: self.identity.origin.key(), principal: self.identity.principal.id() }
    }

    fn entry(&self, fields: &DraftFields) -> Entry {
        let Holder { origin, principal } = self.holder();
        let message_id = fields.message_id.clone().unwrap_or_default();
        Entry { origin, principal, claim_key: fields.claim_key.clone(), message_id }
    }
}

/// A draft that the gate can read: each reading is fresh and passes the rules.
pub struct DraftRead<'a, D> {
    policy: &'a SendPolicy,
    source: &'a D,
    id: &'a str,
}

impl<D: DraftSource> Fresh for DraftRead<'_, D> {
    type Subject = DraftSnapshot;
    type Error = Refusal;

    async fn read(&self) -> Result<DraftSnapshot, Refusal> {
        let policy = self.policy;
        let fields = policy.read(self.source, self.id).await?;
        policy.rules.of_draft(&fields)?;
        let now = policy.clock.now();
        let ledger =
            policy.store.ledger(policy.entry(&fields), now).await.map_err(Refusal::StateUnavailable)?;
        policy.rules.before_asking(&ledger, now)?;
        let terms = if is_exposed(ledger.exposed_at, now) { EXPOSED } else { Terms(0) };
        Ok(DraftSnapshot::new(policy.identity.origin.clone(), fields, terms))
    }
}

#[cfg(test)]
mod tests;
