//! [`Writes`]: which rail a call is confirmed on, and what one step on it comes to.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::{CONFIRM_TOKEN, Changed, Mode, Plan, Preview, Settings, Write, WriteAct, binding, plan::present};
use crate::{
    Confirmed, Declined, Prompting,
    key::Keyring,
    outcome::Prompts,
    prompting::decide,
    spent::SpentError,
    token::{self, Claims, Expected, TokenError},
};

/// How long a prompt counts where the lifetime that was set is none.
const PROMPT: Duration = Duration::from_mins(5);

/// Confirms writes. One for a server: it holds the key and the spent tokens.
#[derive(Debug)]
pub struct Writes {
    settings: Settings,
    keys: Keyring,
}

/// What came with a call, besides its arguments. All of it is untrusted.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "whoever takes a call apart decides on each")]
pub struct Incoming<'a> {
    /// What is known of the client.
    pub prompting: Prompting,
    /// The state that came back with the answer to a prompt.
    pub state: Option<&'a str>,
    /// The answer, an elicitation result (`{"action": …, "content": …}`).
    pub answer: Option<&'a Value>,
}

/// By which way a call is confirmed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the specification has these two, and refusal")]
pub enum Way {
    /// The client shows a form.
    Prompt,
    /// The model shows a preview and brings back the token.
    Token,
}

/// What a step came to.
#[must_use]
#[expect(clippy::exhaustive_enums, reason = "each must be answered in its own way")]
pub enum Step<W> {
    /// Confirmed: do it.
    Confirmed(Confirmed<W>),
    /// Show the form with this message, and have the state come back with the answer.
    Ask {
        /// What the form says.
        message: String,
        /// What must come back.
        state: String,
    },
    /// Answer with the preview.
    Preview(Preview),
    /// Not confirmed.
    Declined(Declined),
}

/// What a token is for, whatever kind of act it confirms.
pub(crate) struct Tokened<'a> {
    pub(crate) tool: &'a str,
    pub(crate) action: &'a str,
    pub(crate) account: Option<&'a str>,
    pub(crate) target: &'a str,
    pub(crate) revision: Option<&'a str>,
    pub(crate) hash: String,
    pub(crate) arguments: &'a Map<String, Value>,
}

impl Writes {
    /// Touches neither the disk nor the clock until the first confirmation.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { keys: Keyring::new(settings.key.clone()), settings }
    }

    /// By which way a caller's writes are confirmed.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn way(&self, prompting: Prompting) -> Result<Way, Declined> {
        match prompting.allowed(self.settings.elicitation) {
            Ok(()) => Ok(Way::Prompt),
            Err(prompts) => self.fallback(prompts).map(|_| Way::Token),
        }
    }

    /// How long a prompt may stand.
    #[must_use]
    pub fn prompt_lifetime(&self) -> Duration {
        self.settings.lifetime.unwrap_or(PROMPT)
    }

    /// One step: given what came with the call and the write as it was read just now, what to answer.
    ///
    /// An answer without its state is refused; one whose state does not fit, is too old or was used is asked again, and
    /// whatever the state, no answer but a ticked form is a yes.
    pub fn step<W: Write>(
        &self,
        incoming: &Incoming<'_>,
        act: &WriteAct<'_>,
        write: W,
        now: SystemTime,
    ) -> Step<W> {
        let plan = write.plan();
        match self.next(incoming, act, &plan, millis(now)) {
            Ok(Next::Confirmed) => Step::Confirmed(Confirmed::new(write)),
            Ok(Next::Ask { message, state }) => Step::Ask { message, state },
            Ok(Next::Preview(preview)) => Step::Preview(preview),
            Err(declined) => Step::Declined(declined),
        }
    }

    fn next(
        &self,
        incoming: &Incoming<'_>,
        act: &WriteAct<'_>,
        plan: &Plan,
        now: u64,
    ) -> Result<Next, Declined> {
        if act.tool.is_empty() || act.action.is_empty() || !plan.is_sound() {
            return Err(Declined::Incomplete);
        }
        match incoming.prompting.allowed(self.settings.elicitation) {
            Ok(()) => self.prompt(incoming, act, plan, now),
            Err(prompts) => self.write_token(act, plan, prompts, now),
        }
    }

    fn prompt(
        &self,
        incoming: &Incoming<'_>,
        act: &WriteAct<'_>,
        plan: &Plan,
        now: u64,
    ) -> Result<Next, Declined> {
        let key = self.keys.usable()?;
        let bound = plan.bound(act);
        if let Some(answer) = incoming.answer {
            decide(answer)?;
            let state = incoming.state.ok_or(Declined::NoState)?;
            if let Some(expires) = binding::open(&key, act, &bound, state, now)
                && self.spend(&binding::name(state), expires, now)?
            {
                return Ok(Next::Confirmed);
            }
        }
        let expires = (now / 1000).saturating_add(self.prompt_lifetime().as_secs());
        let state = binding::seal(&key, act, &bound, expires);
        Ok(Next::Ask { message: plan.prompt(act), state })
    }

    fn spend(&self, name: &str, expires: u64, now: u64) -> Result<bool, Declined> {
        self.settings.spent.prune(now);
        self.settings.spent.claim(name, expires).map_err(|error| unavailable(&error))
    }

    fn write_token(
        &self,
        act: &WriteAct<'_>,
        plan: &Plan,
        prompts: Prompts,
        now: u64,
    ) -> Result<Next, Declined> {
        let bound = plan.bound(act);
        let hash = present([("payload", Some(bound.clone())), ("args", Some(bound))]).hash();
        let WriteAct { tool, action, account, arguments } = *act;
        let (target, revision) = (plan.target(), plan.revision());
        let what = Tokened { tool, action, account, target, revision, hash, arguments };
        self.token(&what, plan.shown(), prompts, now)
    }

    /// The token rail: a preview without a token, and with one the nine steps.
    pub(crate) fn token(
        &self,
        what: &Tokened<'_>,
        shown: Map<String, Value>,
        prompts: Prompts,
        now: u64,
    ) -> Result<Next, Declined> {
        let (mode, lifetime) = self.fallback(prompts)?;
        let key = self.keys.usable()?;
        let changed = match what.arguments.get(CONFIRM_TOKEN) {
            None | Some(Value::Null) => None,
            Some(token) => {
                let Tokened { tool, account, target, revision, ref hash, .. } = *what;
                let expected = Expected { tool, account, target, revision, hash };
                let token = token.as_str().unwrap_or_default();
                match token::verify(&key, &self.settings.spent, token, &expected, now) {
                    Ok(()) => return Ok(Next::Confirmed),
                    Err(TokenError::Invalid) => return Err(Declined::TokenInvalid),
                    Err(TokenError::Reused) => return Err(Declined::TokenReused),
                    Err(TokenError::Expired) => return Err(Declined::TokenExpired),
                    Err(TokenError::Store(error)) => return Err(unavailable(&error)),
                    Err(TokenError::RevisionChanged) => Some(Changed::Revision),
                    Err(TokenError::PayloadChanged) => Some(Changed::Payload),
                }
            }
        };
        let expires = now.saturating_add(u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX));
        let claims = Claims {
            tool: what.tool.to_owned(),
            account: what.account.map(str::to_owned),
            target: what.target.to_owned(),
            revision: what.revision.map(str::to_owned),
            hash: what.hash.clone(),
            expires,
            nonce: token::nonce().map_err(|_| Declined::KeyUnavailable)?,
        };
        let (action, token) = (what.action.to_owned(), claims.sign(&key));
        Ok(Next::Preview(Preview { action, shown, token, expires, lifetime, mode, changed }))
    }

    #[cfg(test)]
    pub(super) fn has_spent(&self, state: &str) -> bool {
        self.settings.spent.contains(&binding::name(state)).unwrap_or_default()
    }

    /// What a token of ours says, whatever it is worth now.
    #[cfg(feature = "rmcp")]
    pub(crate) fn claims(&self, token: &str) -> Option<Claims> {
        Claims::open(&*self.keys.usable().ok()?, token)
    }

    pub(crate) fn fallback(&self, prompts: Prompts) -> Result<(Mode, Duration), Declined> {
        self.settings.fallback(prompts)
    }
}

/// A step, before the write is handed out.
pub(crate) enum Next {
    Confirmed,
    Ask { message: String, state: String },
    Preview(Preview),
}

fn unavailable(error: &SpentError) -> Declined {
    tracing::error!(error = error as &dyn std::error::Error, "spent confirmations unavailable");
    Declined::StoreUnavailable
}

/// Milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
