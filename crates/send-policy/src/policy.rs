//! `SendPolicy`: reads a draft for confirming, claims it, settles it, and mints exposure receipts.
//!
//! One policy per account and sign-in, made where the server is put together. It holds no state of its own: what it
//! remembers is in the `StateStore`, shared by every process.

use std::sync::Arc;

use countersign_confirm::Fresh;

use crate::{
    address::Address,
    approval::{Approval, Prepared, Waiver},
    clock::{Clock, from_seconds},
    exposure::{CallScope, ExposureReceipt, is_exposed},
    fields::{DraftFields, DraftSource, Origin, Principal},
    fingerprint::Fingerprint,
    mode::{ConfirmMode, WithoutElicitation},
    permit::{ClaimTicket, SendPermit, SendSettled},
    profile::RulesConfig,
    refusal::Refusal,
    rules::{Approved, ClaimTerms, Rules, keys},
    snapshot::{DraftSnapshot, Reading},
    state::{Claiming, Entry, Holder, Ledger, OwnDraft, PolicyStatus, SentRecord, StateStore},
    treatment::Case,
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

    /// What becomes of a send that asks where the client shows no prompts.
    pub fn without_elicitation(&self) -> WithoutElicitation {
        self.rules.config().without_elicitation
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

    /// Whether someone has to be asked about a draft. Where the owner's rules ask about every send, this reads nothing.
    ///
    /// A call that brings a person's answer doesn't come here: a no stays a no, whatever the rules say by then.
    ///
    /// # Errors
    /// Why the draft may not be sent.
    pub async fn prepare<D: DraftSource>(&self, source: &D, id: &str) -> Result<Prepared, Refusal> {
        if self.rules.config().confirm == ConfirmMode::Always {
            return Ok(Prepared::Asks);
        }
        let snapshot = self.draft(source, id).read().await?;
        Ok(if snapshot.choice().asks {
            Prepared::Asks
        } else {
            Prepared::Waived(Box::new(Waiver::of(snapshot)))
        })
    }

    /// Claims an approved draft: in one transaction it is claimed, its send recorded as of unknown outcome, and the
    /// caps charged. After this, it is not claimed again for 24 hours, whatever happens.
    ///
    /// # Errors
    /// Why it may not be sent; then nothing was claimed.
    pub async fn claim(&self, approval: Approval) -> Result<(SendPermit, ClaimTicket), Refusal> {
        let (snapshot, approved) = approval.into_parts();
        if *snapshot.origin() != self.identity.origin {
            return Err(Refusal::WrongOrigin);
        }
        self.rules.of_draft(snapshot.fields())?;
        let new = snapshot.new_addresses().to_vec();
        let choice = |exposed| self.rules.choice(Case { new: !new.is_empty(), exposed });
        let terms = ClaimTerms {
            caps: self.rules.caps(),
            approved,
            calm: choice(false),
            exposed: choice(true),
            new: new.clone(),
        };
        let entry = self.entry(snapshot.fields());
        let ticket = ClaimTicket { origin: entry.origin.clone(), claim_key: entry.claim_key.clone() };
        let origin = snapshot.origin().clone();
        // Before the claim, so that what can't go out isn't claimed.
        let outgoing = snapshot.into_outgoing()?;
        let makes_known = matches!(approved, Approved::Shown(_));
        self.store.claim(Claiming { entry, terms, makes_known, now: self.clock.now() }).await?;
        Ok((SendPermit::new(origin, outgoing), ticket))
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
        Ok(PolicyStatus::of(standing, &self.rules.caps(), now))
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
        Entry { origin, principal, claim_key: fields.claim_key.clone(), message_id, addresses: keys(fields) }
    }

    /// Those of a draft's addresses that are new. What isn't recorded is looked up in Sent; who is found is recorded,
    /// because that can't become untrue, and a look-up that failed has found nobody.
    async fn new_addresses<D: DraftSource>(
        &self,
        source: &D,
        addresses: Vec<String>,
        ledger: &Ledger,
        now: i64,
    ) -> Result<Vec<String>, Refusal> {
        let known = |key: &String| self.rules.knows(key, ledger.acquaintances.get(key), now);
        let mut unknown: Vec<String> = addresses.into_iter().filter(|key| !known(key)).collect();
        if unknown.is_empty() {
            return Ok(unknown);
        }
        let fault = Refusal::StateUnavailable;
        let since = self.store.first_seen(self.holder(), now).await.map_err(fault)?;
        let asked: Vec<Address> = unknown.iter().map(|key| Address::bare(key)).collect();
        let answered = source.sent_to(&asked, from_seconds(since)).await.unwrap_or_default();
        let answered: Vec<String> = answered.iter().filter_map(|address| address.key().ok()).collect();
        let found: Vec<String> = unknown.extract_if(.., |key| answered.contains(key)).collect();
        if !found.is_empty() {
            self.store.found(self.holder(), found, now).await.map_err(fault)?;
        }
        Ok(unknown)
    }

    /// One reading: fresh, past the rules, with all that decides how it may go out.
    async fn snapshot<D: DraftSource>(&self, source: &D, id: &str) -> Result<DraftSnapshot, Refusal> {
        let fields = self.read(source, id).await?;
        self.rules.of_draft(&fields)?;
        let now = self.clock.now();
        let entry = self.entry(&fields);
        let addresses = entry.addresses.clone();
        let ledger = self.store.ledger(entry, now).await.map_err(Refusal::StateUnavailable)?;
        // A draft that was sent is refused before anything is looked up for it.
        self.rules.before_asking(&ledger, &[], now)?;
        let new = self.new_addresses(source, addresses, &ledger, now).await?;
        self.rules.before_asking(&ledger, &new, now)?;
        let exposed = is_exposed(ledger.exposed_at, now);
        let choice = self.rules.choice(Case { new: !new.is_empty(), exposed })?;
        let named: Vec<String> = fields.in_reply_to.iter().chain(&fields.references).cloned().collect();
        let held = if choice.plain && !named.is_empty() {
            source.holds(&named).await.unwrap_or_default()
        } else {
            Vec::new()
        };
        let own = source.own_addresses().to_vec();
        let reading = Reading { new, exposed, choice, own, held };
        DraftSnapshot::new(self.identity.origin.clone(), fields, reading)
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
        self.policy.snapshot(self.source, self.id).await
    }
}

#[cfg(test)]
mod tests;
