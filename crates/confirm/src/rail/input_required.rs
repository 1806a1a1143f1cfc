//! The rail of protocol revision 2026-07-28 (SEP-2322): the question goes out as the call's result together with a
//! signed state, and the client calls again with both the state and the person's answer.
//!
//! Everything in the second call is untrusted. The state says which call was shown to the person; an answer without
//! its state counts for nothing. A state that doesn't fit is refused in words and not quietly replaced by a new
//! prompt: a client that retries by itself would ask the person again and again.

use rmcp::model::{ElicitRequest, InputRequest, InputRequiredResult};

use super::form;
use crate::{
    Act, Call, Declined, Fresh, Gate, Outcome, Question, Round, Subject,
    error::StateError,
    gate::compare,
    key::Key,
    prompting::{CONFIRM, decide},
    state::{self, Binding, Shown},
};

pub(crate) async fn run<F: Fresh>(
    gate: &Gate,
    call: &Call,
    act: &Act<'_>,
    fresh: &F,
) -> Result<Outcome<F::Subject, Question>, F::Error>
where
    F::Subject: Subject,
{
    let key = match gate.key() {
        Ok(key) => key,
        Err(declined) => return Ok(Outcome::Declined(declined)),
    };
    let binding = Binding::of(act);
    let shown = match returned(call, &key, &binding) {
        Ok(Some(shown)) => shown,
        Ok(None) => return ask(gate, &key, binding, fresh).await,
        Err(declined) => return Ok(Outcome::Declined(declined)),
    };
    Ok(compare(call, fresh.read().await?, &shown))
}

/// Where the call stands: in the first round nothing comes back.
pub(crate) fn round(gate: &Gate, call: &Call, act: &Act<'_>) -> Round {
    let Some(state) = &call.request_state else {
        return if answer(call).is_some() { Round::Invalid } else { Round::First };
    };
    let subject = gate.key().ok().and_then(|key| state::subject(&key, &Binding::of(act), state));
    subject.map_or(Round::Invalid, |subject| Round::Next { subject })
}

/// What the person was shown and agreed to; `None` when they have not been asked or not answered yet.
fn returned(call: &Call, key: &Key, binding: &Binding) -> Result<Option<Shown>, Declined> {
    let answer = answer(call);
    let Some(state) = &call.request_state else {
        // An answer to a question that this call can't show to have been asked.
        return if answer.is_some() { Err(Declined::BadState) } else { Ok(None) };
    };
    let shown = state::open(key, binding, state, Gate::now()).map_err(|error| {
        tracing::info!(%error, "confirmation state refused");
        match error {
            StateError::Forged | StateError::Foreign => Declined::BadState,
            StateError::Expired => Declined::Expired,
        }
    })?;
    let Some(answer) = answer else { return Ok(None) };
    decide(answer)?;
    Ok(Some(shown))
}

/// What came back under the question's key, if anything.
pub(super) fn answer(call: &Call) -> Option<&serde_json::Value> {
    call.input_responses.as_ref().and_then(|responses| responses.get(CONFIRM))
}

async fn ask<F: Fresh>(
    gate: &Gate,
    key: &Key,
    binding: Binding,
    fresh: &F,
) -> Result<Outcome<F::Subject, Question>, F::Error>
where
    F::Subject: Subject,
{
    let subject = fresh.read().await?;
    let prompt = subject.prompt();
    let shown = Shown::of(&subject, &prompt);
    let Ok(state) = state::seal(key, binding, &shown, Gate::now(), gate.ttl()) else {
        return Ok(Outcome::Declined(Declined::KeyUnavailable));
    };
    Ok(Outcome::Ask(question(prompt, state)))
}

/// The form and its state, as a question for the client to carry.
pub(super) fn question(prompt: String, state: String) -> Question {
    let form = InputRequest::Elicitation(ElicitRequest::new(form(prompt)));
    let requests = [(CONFIRM.to_owned(), form)].into();
    Question::form(InputRequiredResult::new(Some(requests), Some(state)))
}
