//! [`WriteGate`]: writes confirmed over rmcp, on the rail that the client's declaration and the owner's settings allow.
//!
//! On either era a prompt is bound in the same way; for older clients, whose call waits for the person, the state never
//! leaves this process. What is known not to lead anywhere is refused before anything is read.

use std::{sync::Arc, time::SystemTime};

use serde_json::{Value, json};

use super::{Rail, by_era, elicitation, input_required, prompting};
use crate::{
    Call, Declined, Fresh, Incoming, Outcome, Question, Step, Way, Write, WriteAct, Writes,
    prompting::CONFIRM,
};

/// Asks before a write: by a prompt, or by a preview and a token.
#[derive(Clone, Debug)]
pub struct WriteGate(Arc<Writes>);

impl WriteGate {
    /// A gate by these settings and with this store of what was spent.
    #[must_use]
    pub fn new(writes: Arc<Writes>) -> Self {
        Self(writes)
    }

    /// Reads what would be done, and finds out whether it was agreed to.
    ///
    /// # Errors
    ///
    /// Whatever `fresh` says when it can't read.
    pub async fn confirm<F: Fresh>(
        &self,
        call: &Call,
        act: &WriteAct<'_>,
        fresh: &F,
    ) -> Result<Outcome<F::Subject, Question>, F::Error>
    where
        F::Subject: Write,
    {
        let caller = Incoming { prompting: prompting(call), state: None, answer: None };
        match (self.0.way(caller.prompting), by_era(call)) {
            (Err(declined), _) => Ok(Outcome::Declined(declined)),
            (Ok(Way::Prompt), Rail::Elicitation) => self.wait(call, act, fresh, &caller).await,
            (Ok(Way::Prompt), Rail::InputRequired) | (Ok(Way::Token), _) => {
                let state = call.request_state.as_deref();
                let came = Incoming { state, answer: input_required::answer(call), ..caller };
                Ok(self.step(call, act, fresh.read().await?, &came))
            }
        }
    }

    /// The whole confirmation in one call.
    async fn wait<F: Fresh>(
        &self,
        call: &Call,
        act: &WriteAct<'_>,
        fresh: &F,
        caller: &Incoming<'_>,
    ) -> Result<Outcome<F::Subject, Question>, F::Error>
    where
        F::Subject: Write,
    {
        let (message, state) = match self.0.step(caller, act, fresh.read().await?, SystemTime::now()) {
            Step::Ask { message, state } => (message, state),
            Step::Declined(declined) => return Ok(Outcome::Declined(declined)),
            Step::Confirmed(_) | Step::Preview(_) => return Ok(Outcome::Declined(Declined::Unanswered)),
        };
        if let Err(declined) = elicitation::ask(self.0.prompt_lifetime(), call, message).await {
            return Ok(Outcome::Declined(declined));
        }
        let yes: Value = json!({"action": "accept", "content": {CONFIRM: true}});
        let came = Incoming { state: Some(&state), answer: Some(&yes), ..*caller };
        Ok(match self.step(call, act, fresh.read().await?, &came) {
            // The state fits no longer, because what would happen has changed; the next call shows it.
            Outcome::Ask(_) => Outcome::Declined(Declined::Changed),
            ended @ (Outcome::Confirmed(_) | Outcome::Declined(_)) => ended,
        })
    }

    fn step<W: Write>(
        &self,
        call: &Call,
        act: &WriteAct<'_>,
        write: W,
        came: &Incoming<'_>,
    ) -> Outcome<W, Question> {
        // The reading took a while; a call that was cancelled meanwhile does nothing.
        if call.is_cancelled() {
            return Outcome::Declined(Declined::Cancelled);
        }
        match self.0.step(came, act, write, SystemTime::now()) {
            Step::Confirmed(confirmed) => Outcome::Confirmed(confirmed),
            Step::Ask { message, state } => Outcome::Ask(input_required::question(message, state)),
            Step::Preview(preview) => Outcome::Ask(Question::preview(preview)),
            Step::Declined(declined) => Outcome::Declined(declined),
        }
    }
}
