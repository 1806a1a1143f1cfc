//! The token rail for irreversible acts, where the owner opened it: the preview is the prompt that a person would have
//! been shown, and the token is for exactly the act, the content, the terms and the prompt.
//!
//! Its target names origin, sign-in, arguments and subject, so that a token of another sign-in or of other arguments is
//! not this call's, and one of content that has changed is answered with a fresh preview. Unlike with a prompt, terms
//! that lapsed change it too: the preview is made again under those in force.

use std::time::SystemTime;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::{
    Act, Call, Confirmed, Declined, Fresh, Outcome, Payload, Question, Round, Subject, Writes,
    outcome::Prompts,
    state::labelled,
    write::{CONFIRM_TOKEN, Next, Tokened, bound_arguments, millis},
};

/// The name under which a preview shows the prompt.
const PROMPT: &str = "prompt";

pub(crate) async fn run<F: Fresh>(
    tokens: &Writes,
    prompts: Prompts,
    call: &Call,
    act: &Act<'_>,
    fresh: &F,
) -> Result<Outcome<F::Subject, Question>, F::Error>
where
    F::Subject: Subject,
{
    // Nothing is read where nothing can come of it.
    if let Err(declined) = tokens.fallback(prompts) {
        return Ok(Outcome::Declined(declined));
    }
    let subject = fresh.read().await?;
    // The reading took a while; a call that was cancelled meanwhile does nothing.
    if call.is_cancelled() {
        return Ok(Outcome::Declined(Declined::Cancelled));
    }
    let prompt = subject.prompt();
    let what = Tokened {
        tool: act.tool,
        action: act.tool,
        account: Some(act.account),
        target: &target(act),
        revision: None,
        hash: hash(&subject, &prompt),
        arguments: act.arguments,
    };
    let shown = Map::from_iter([(PROMPT.to_owned(), prompt.into())]);
    Ok(match tokens.token(&what, shown, prompts, millis(SystemTime::now())) {
        Ok(Next::Confirmed) => Outcome::Confirmed(Confirmed::new(subject)),
        Ok(Next::Preview(preview)) => Outcome::Ask(Question::preview(preview)),
        Ok(Next::Ask { .. }) => Outcome::Declined(Declined::CannotPrompt),
        Err(declined) => Outcome::Declined(declined),
    })
}

/// Where the call stands: in the first round there is no token.
pub(crate) fn round(tokens: &Writes, act: &Act<'_>) -> Round {
    let token = match act.arguments.get(CONFIRM_TOKEN) {
        None | Some(Value::Null) => return Round::First,
        Some(token) => token.as_str().unwrap_or_default(),
    };
    tokens
        .claims(token)
        .and_then(|claims| subject(act, &claims.target))
        .map_or(Round::Invalid, |subject| Round::Next { subject })
}

/// The subject that a token is for, when its target is this call's in everything else.
fn subject(act: &Act<'_>, token_target: &str) -> Option<String> {
    let Ok(Value::Array(parts)) = serde_json::from_str(token_target) else { return None };
    let subject = parts.last()?.as_str()?;
    (target(&Act { subject, ..*act }) == token_target).then(|| subject.to_owned())
}

fn target(act: &Act<'_>) -> String {
    let hashed = |label, text| Payload::from(URL_SAFE_NO_PAD.encode(labelled(label, text)));
    let principal = hashed("principal", act.principal);
    let arguments = hashed("arguments", &bound_arguments(act.arguments).canonical());
    Payload::List(vec![act.origin.into(), principal, arguments, act.subject.into()]).canonical()
}

fn hash(subject: &impl Subject, prompt: &str) -> String {
    Payload::record([
        ("digest", Payload::Bytes(subject.digest().to_vec())),
        ("terms", i128::from(subject.terms().0).into()),
        ("prompt", prompt.into()),
    ])
    .hash()
}
