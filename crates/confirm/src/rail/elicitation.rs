//! The rail of protocol revisions before 2026-07-28: `elicitation/create`, sent to the client while the call waits.
//!
//! What was shown stays in this process, so there is no state to sign; a state or an answer that comes with the call
//! itself is not looked at. The wait ends with the answer, with the confirmation's lifetime or with the call's
//! cancellation, whichever is first, and in the last two cases the client is told to take the prompt away.

use std::time::Duration;

use rmcp::{
    RoleServer,
    model::{ClientResult, ElicitRequest, ServerRequest},
    service::{PeerRequestOptions, RequestHandle},
};

use super::form;
use crate::{
    Call, Declined, Fresh, Gate, Outcome, Question, Subject, gate::compare, prompting::decide, state::Shown,
};

/// How long telling the client may take.
const WITHDRAWAL: Duration = Duration::from_secs(1);

pub(crate) async fn run<F: Fresh>(
    gate: &Gate,
    call: &Call,
    fresh: &F,
) -> Result<Outcome<F::Subject, Question>, F::Error>
where
    F::Subject: Subject,
{
    let (shown, prompt) = {
        let subject = fresh.read().await?;
        let prompt = subject.prompt();
        (Shown::of(&subject, &prompt), prompt)
    };
    match ask(gate.ttl(), call, prompt).await {
        Ok(()) => Ok(compare(call, fresh.read().await?, &shown)),
        Err(declined) => Ok(Outcome::Declined(declined)),
    }
}

/// Shows the form and waits for the answer, for as long as it counts.
pub(super) async fn ask(lifetime: Duration, call: &Call, prompt: String) -> Result<(), Declined> {
    if call.is_cancelled() {
        return Err(Declined::Cancelled);
    }
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(prompt)));
    let _waiting = call.waiting().begin();
    let sent = call.context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let mut prompt = sent.map_err(|_| Declined::Unanswered)?;
    let answer = tokio::select! {
        biased;
        () = call.context.ct.cancelled() => {
            withdraw(prompt, "the call was cancelled").await;
            return Err(Declined::Cancelled);
        }
        answer = &mut prompt.rx => answer,
        () = tokio::time::sleep(lifetime) => {
            withdraw(prompt, "the confirmation's time is up").await;
            return Err(Declined::Unanswered);
        }
    };
    match answer {
        Ok(Ok(ClientResult::ElicitResult(answer))) => {
            serde_json::to_value(answer).map_err(|_| Declined::Unanswered).and_then(|answer| decide(&answer))
        }
        // An error, an answer of another kind, or a connection that closed.
        Ok(_) | Err(_) => Err(Declined::Unanswered),
    }
}

/// Tells the client that its answer is no longer wanted. A client that can't be told needn't be, and one that has
/// stopped reading does not hold up the call.
async fn withdraw(prompt: RequestHandle<RoleServer>, why: &str) {
    let told = tokio::time::timeout(WITHDRAWAL, prompt.cancel(Some(why.to_owned()))).await;
    tracing::debug!(?told, "prompt withdrawn");
}
