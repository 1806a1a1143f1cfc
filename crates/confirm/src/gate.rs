//! [`Gate`]: the one entry that callers use. Given a call, what it would do and how to read that anew, it finds out
//! whether a person agreed.
//!
//! It reads the subject itself, asks on the rail that the client's capabilities allow, reads again after the answer and
//! compares; [`Confirmed`] comes from nowhere else. It does not hold that a confirmation is used once: whoever acts on
//! it claims the act first, durably.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::{Map, Value};

use crate::{
    Call, Confirmed, Declined, Fresh, KeySource, Outcome, Question, Subject, Writes,
    key::{Key, Keyring},
    rail::{self, Rail},
    state::Shown,
};

/// What a gate is made from.
#[derive(Clone, Debug)]
pub struct GateConfig {
    /// The key that signs what travels through the client.
    pub key: KeySource,
    /// How long a person may take; 5 minutes is the house's choice ([`GateConfig::TTL`]).
    pub ttl: Duration,
    /// Whether prompts are shown at all (`MCP_CONFIRM_ELICITATION`). Without them every client counts as one that
    /// can't be prompted.
    pub elicitation: bool,
}

impl GateConfig {
    /// The lifetime of a confirmation.
    pub const TTL: Duration = Duration::from_mins(5);
}

/// The act that is to be confirmed, named in full. There is no `Default`, so that nothing can be left out.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a new field must be decided by every caller")]
pub struct Act<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The account that acts, as the owner named it.
    pub account: &'a str,
    /// The sign-in that acts; never shown, only its hash leaves the process.
    pub principal: &'a str,
    /// Provider, host and user that the account stands for.
    pub origin: &'a str,
    /// What is acted on, where the arguments don't name it because the first round made it (a stored draft). Empty
    /// where they do. It is signed, and [`Gate::round`] gives it back in the next round.
    pub subject: &'a str,
    /// The tool's arguments as the client sent them.
    pub arguments: &'a Map<String, Value>,
}

/// Where in its confirmation a call stands.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a caller has to decide each")]
pub enum Round {
    /// Nobody was asked yet: what is to be confirmed may be made now.
    First,
    /// It brings back what [`Gate::confirm`] signed for this subject. Whether that still counts is for `confirm` to say.
    Next {
        /// [`Act::subject`] of the round before.
        subject: String,
    },
    /// It brings back what was not signed for this call.
    Invalid,
}

/// Asks a person before something irreversible happens.
pub struct Gate {
    keys: Keyring,
    ttl: Duration,
    elicitation: bool,
    tokens: Option<Arc<Writes>>,
}

impl Gate {
    /// A gate. Touches neither the disk nor the clock until the first confirmation.
    #[must_use]
    pub fn new(config: GateConfig) -> Self {
        let GateConfig { key, ttl, elicitation } = config;
        Self { keys: Keyring::new(key), ttl, elicitation, tokens: None }
    }

    /// A gate that can go by previews and tokens where [`Gate::confirm_or_token`] is asked to.
    #[must_use]
    pub fn with_tokens(self, tokens: Arc<Writes>) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// Reads, asks, reads again and compares.
    ///
    /// On a 2026-07-28 client this is called once in each round, on older ones it returns after the person answered.
    ///
    /// # Errors
    ///
    /// Whatever `fresh` says when it can't read its subject.
    pub async fn confirm<F: Fresh>(
        &self,
        call: &Call,
        act: &Act<'_>,
        fresh: &F,
    ) -> Result<Outcome<F::Subject, Question>, F::Error>
    where
        F::Subject: Subject,
    {
        match rail::choose(self.elicitation, call) {
            Ok(Rail::InputRequired) => rail::input_required::run(self, call, act, fresh).await,
            Ok(Rail::Elicitation) => rail::elicitation::run(self, call, fresh).await,
            Err(prompts) => Ok(Outcome::Declined(prompts.declined())),
        }
    }

    /// As [`Gate::confirm`], and where nobody can be prompted by a preview and a token, which hold the content and leave
    /// the person to the model. For acts of which the owner said so.
    ///
    /// The question is then a preview ([`Question::into_preview`]). The owner's settings can still refuse it
    /// (`MCP_CONFIRM_MODE`), and so does a gate without [`Gate::with_tokens`].
    ///
    /// # Errors
    ///
    /// Whatever `fresh` says when it can't read its subject.
    pub async fn confirm_or_token<F: Fresh>(
        &self,
        call: &Call,
        act: &Act<'_>,
        fresh: &F,
    ) -> Result<Outcome<F::Subject, Question>, F::Error>
    where
        F::Subject: Subject,
    {
        match (rail::choose(self.elicitation, call), &self.tokens) {
            (Err(prompts), Some(tokens)) => rail::token::run(tokens, prompts, call, act, fresh).await,
            (Ok(_) | Err(_), _) => self.confirm(call, act, fresh).await,
        }
    }

    /// Whether [`Gate::confirm_or_token`] would answer this call with a preview rather than a prompt: its text then goes
    /// to the model, which a tool may have to record before anything is read.
    #[must_use]
    pub fn previews(&self, call: &Call) -> bool {
        match (rail::choose(self.elicitation, call), &self.tokens) {
            (Err(prompts), Some(tokens)) => tokens.fallback(prompts).is_ok(),
            (Ok(_) | Err(_), _) => false,
        }
    }

    /// Where a call stands, for a tool that makes what is to be confirmed: it makes it in the first round only, and the
    /// next one names it. `act` is compared without its subject.
    #[must_use]
    pub fn round(&self, call: &Call, act: &Act<'_>) -> Round {
        match rail::choose(self.elicitation, call) {
            Ok(Rail::InputRequired) => rail::input_required::round(self, call, act),
            // On the older rail the whole confirmation is one call, and without a rail there is none.
            Ok(Rail::Elicitation) => Round::First,
            Err(_) => self.tokens.as_ref().map_or(Round::First, |tokens| rail::token::round(tokens, act)),
        }
    }

    pub(crate) fn key(&self) -> Result<Arc<Key>, Declined> {
        self.keys.usable()
    }

    pub(crate) fn ttl(&self) -> Duration {
        self.ttl
    }

    pub(crate) fn now() -> SystemTime {
        SystemTime::now()
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("ttl", &self.ttl)
            .field("elicitation", &self.elicitation)
            .finish_non_exhaustive()
    }
}

/// The last step on every rail: what was read after the answer must be what the person was shown.
pub(crate) fn compare<S: Subject, Q>(call: &Call, mut now: S, shown: &Shown) -> Outcome<S, Q> {
    if now.digest() != shown.digest {
        return Outcome::Declined(Declined::Changed);
    }
    let terms = now.terms();
    if !terms.is_within(shown.terms) {
        return Outcome::Declined(Declined::Stricter);
    }
    if terms == shown.terms {
        // Same content under the same terms, but shown differently: the digest left something out.
        if !shown.is_prompt(&now.prompt()) {
            return Outcome::Declined(Declined::Changed);
        }
    } else {
        now.hold_to(shown.terms);
    }
    // The reading took a while; a call that was cancelled meanwhile does nothing.
    if call.is_cancelled() {
        return Outcome::Declined(Declined::Cancelled);
    }
    Outcome::Confirmed(Confirmed::new(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_prints_its_settings_and_not_its_key() {
        let gate = Gate::new(GateConfig { key: KeySource::Process, ttl: GateConfig::TTL, elicitation: true });
        assert_eq!(format!("{gate:?}"), "Gate { ttl: 300s, elicitation: true, .. }");
    }
}
