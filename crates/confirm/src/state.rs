//! The signed state that travels to the client and back while a person reads the prompt.
//!
//! ```text
//! state = "countersign.confirm.v1." body "." mac
//! body  = base64url(JSON(claims))                        RFC 4648 §5, no padding
//! mac   = base64url(HMAC-SHA256(key, "countersign.confirm.v1." body))
//! ```
//!
//! The prefix is under the MAC, so nothing that the same key signs in another format can be taken for a state. The
//! claims say which call was shown to the person (method, tool, account, origin, sign-in, subject, hash of the arguments), what
//! they were shown (digest, terms, hash of the prompt), until when it counts, and a nonce.
//!
//! **Untrusted:** all of it, until the MAC is right. **Not kept:** secrecy (the client can read the claims; the
//! sign-in's key is therefore only in it as a hash) and single use (a state can come back as often as its lifetime
//! allows; who acts on the confirmation claims the act durably).

use std::time::{Duration, SystemTime};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::Mac as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    Act, Subject, Terms,
    error::{KeyError, StateError},
    key::{Key, random},
    write::{bound_arguments, millis},
};

/// Format, version and domain separation in one.
const PREFIX: &str = "countersign.confirm.v1.";
/// The request that a state belongs to; a state never crosses from one kind of request to another.
const METHOD: &str = "tools/call";
/// Longer input is not ours, and is not looked at.
const MAX_LENGTH: usize = 8_192;

/// What the person was shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Shown {
    pub(crate) digest: [u8; 32],
    pub(crate) terms: Terms,
    pub(crate) prompt: [u8; 32],
}

impl Shown {
    pub(crate) fn of(subject: &impl Subject, prompt: &str) -> Self {
        Self { digest: subject.digest(), terms: subject.terms(), prompt: labelled("prompt", prompt) }
    }

    /// Whether showing `prompt` would have shown the same.
    pub(crate) fn is_prompt(&self, prompt: &str) -> bool {
        self.prompt == labelled("prompt", prompt)
    }
}

/// Which call a state belongs to.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Binding {
    method: String,
    tool: String,
    account: String,
    origin: String,
    principal: String,
    arguments: String,
    subject: String,
}

impl Binding {
    pub(crate) fn of(act: &Act<'_>) -> Self {
        let Act { tool, account, principal, origin, subject, arguments } = *act;
        Self {
            method: METHOD.to_owned(),
            tool: tool.to_owned(),
            account: account.to_owned(),
            origin: origin.to_owned(),
            principal: URL_SAFE_NO_PAD.encode(labelled("principal", principal)),
            arguments: URL_SAFE_NO_PAD.encode(labelled("arguments", &bound_arguments(arguments).canonical())),
            subject: subject.to_owned(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    call: Binding,
    digest: String,
    terms: u32,
    prompt: String,
    /// Milliseconds since 1970 (UTC).
    expires: u64,
    nonce: String,
}

/// Signs what is about to be shown.
pub(crate) fn seal(
    key: &Key,
    binding: Binding,
    shown: &Shown,
    now: SystemTime,
    ttl: Duration,
) -> Result<String, KeyError> {
    let claims = Claims {
        call: binding,
        digest: URL_SAFE_NO_PAD.encode(shown.digest),
        terms: shown.terms.0,
        prompt: URL_SAFE_NO_PAD.encode(shown.prompt),
        expires: millis(now).saturating_add(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX)),
        nonce: URL_SAFE_NO_PAD.encode(random::<16>()?),
    };
    // A `Value` prints itself without an error to handle, which the typed serialiser does not.
    let body = URL_SAFE_NO_PAD.encode(serde_json::json!(claims).to_string());
    let mac = URL_SAFE_NO_PAD.encode(mac(key, &body).finalize().into_bytes());
    Ok(format!("{PREFIX}{body}.{mac}"))
}

/// Opens a state that came back with the call that `binding` describes.
pub(crate) fn open(key: &Key, binding: &Binding, state: &str, now: SystemTime) -> Result<Shown, StateError> {
    let claims = verify(key, state).ok_or(StateError::Forged)?;
    if claims.call != *binding {
        return Err(StateError::Foreign);
    }
    if millis(now) >= claims.expires {
        return Err(StateError::Expired);
    }
    let digest = hash(&claims.digest).ok_or(StateError::Forged)?;
    let prompt = hash(&claims.prompt).ok_or(StateError::Forged)?;
    Ok(Shown { digest, terms: Terms(claims.terms), prompt })
}

/// The subject that a state was sealed for, when it is ours and fits the call in everything else. Its time isn't looked
/// at: a state that came too late still names what was shown.
pub(crate) fn subject(key: &Key, binding: &Binding, state: &str) -> Option<String> {
    let Claims { call, .. } = verify(key, state)?;
    let expected = Binding { subject: call.subject.clone(), ..binding.clone() };
    (call == expected).then_some(call.subject)
}

/// The claims, when the MAC over exactly these bytes is ours. Nothing is parsed before that.
fn verify(key: &Key, state: &str) -> Option<Claims> {
    if state.len() > MAX_LENGTH {
        return None;
    }
    let (body, given) = state.strip_prefix(PREFIX)?.split_once('.')?;
    let given = URL_SAFE_NO_PAD.decode(given).ok()?;
    // Compares in constant time, and refuses any other length than the full one.
    mac(key, body).verify_slice(&given).ok()?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).ok()?).ok()
}

fn mac(key: &Key, body: &str) -> hmac::Hmac<Sha256> {
    key.mac().chain_update(PREFIX).chain_update(body)
}

/// SHA-256 of `text`, kept apart from the hashes of other kinds of text.
pub(crate) fn labelled(label: &str, text: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(PREFIX)
        .chain_update(label)
        .chain_update([0])
        .chain_update(text)
        .finalize()
        .into()
}

fn hash(text: &str) -> Option<[u8; 32]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests;
