//! What travels with a prompt and must come back with its answer:
//!
//! ```text
//! state = "mcpu.confirm.v1." body "." base64url(HMAC-SHA256(key, "mcpu.confirm.v1." body))
//! body  = base64url(JSON({ c: base64url(SHA-256(action NUL canonical(args))), exp: seconds since 1970 }))
//! ```
//!
//! `args` is `{ account, args }`, where `args` is all that the confirmation is bound to. The last NUL ends the action:
//! the canonical form has none.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::Mac as _;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{WriteAct, plan::present};
use crate::{Payload, key::Key};

const PREFIX: &str = "mcpu.confirm.v1.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    c: String,
    exp: u64,
}

/// Signs that `bound` is about to be shown; counts until `expires` (seconds since 1970).
pub(super) fn seal(key: &Key, act: &WriteAct<'_>, bound: &Payload, expires: u64) -> String {
    let body = format!("{{\"c\":\"{}\",\"exp\":{expires}}}", commitment(act, bound));
    let body = URL_SAFE_NO_PAD.encode(body);
    let mac = URL_SAFE_NO_PAD.encode(mac(key, &body).finalize().into_bytes());
    format!("{PREFIX}{body}.{mac}")
}

/// Until when (milliseconds since 1970) a state counts that came back for `bound`; `None` when it does not.
pub(super) fn open(key: &Key, act: &WriteAct<'_>, bound: &Payload, state: &str, now: u64) -> Option<u64> {
    let (body, given) = state.strip_prefix(PREFIX)?.split_once('.')?;
    let given = URL_SAFE_NO_PAD.decode(given).ok()?;
    // Compares in constant time. What is compared below is no secret: the client can read it in the state.
    mac(key, body).verify_slice(&given).ok()?;
    let body = URL_SAFE_NO_PAD.decode(body).ok()?;
    // The reader would take a list of the values as well.
    let body = Some(&body).filter(|body| body.first() == Some(&b'{'))?;
    let Body { c, exp } = serde_json::from_slice(body).ok()?;
    let expires = exp.checked_mul(1000)?;
    (c == commitment(act, bound) && expires > now).then_some(expires)
}

/// The name of a state in the store of what was spent.
pub(super) fn name(state: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(state))
}

fn commitment(act: &WriteAct<'_>, bound: &Payload) -> String {
    let args = present([("account", act.account.map(Payload::from)), ("args", Some(bound.clone()))]);
    let all = Sha256::new().chain_update(act.action).chain_update([0]).chain_update(args.canonical());
    URL_SAFE_NO_PAD.encode(all.finalize())
}

fn mac(key: &Key, body: &str) -> hmac::Hmac<Sha256> {
    key.mac().chain_update(PREFIX).chain_update(body)
}
