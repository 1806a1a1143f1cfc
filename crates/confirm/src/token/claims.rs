//! What a token says: which call, of what, as it was when it was shown, until when, and a number used once.
//!
//! They are written in the specification's order, so that two implementations that share a key make the same token.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::Mac as _;
use serde::Deserialize;

use super::PREFIX;
use crate::{key::Key, payload::write_string};

/// What a token says.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "another claim is another format")]
pub struct Claims {
    /// The tool. A token never crosses to another.
    #[serde(rename = "t")]
    pub tool: String,
    /// The account that acts, where the server has several.
    #[serde(rename = "a", default)]
    pub account: Option<String>,
    /// What is acted on; empty where something is created.
    #[serde(rename = "g")]
    pub target: String,
    /// The target's revision, where it has one that changes with every edit.
    #[serde(rename = "r", default)]
    pub revision: Option<String>,
    /// The hash of the payload ([`crate::Payload::hash`]).
    #[serde(rename = "h")]
    pub hash: String,
    /// Until when it counts, in milliseconds since 1970 (UTC).
    #[serde(rename = "exp")]
    pub expires: u64,
    /// A random number that names this token in the store of spent ones.
    #[serde(rename = "n")]
    pub nonce: String,
}

impl Claims {
    /// The token.
    #[must_use]
    pub fn sign(&self, key: &Key) -> String {
        let body = URL_SAFE_NO_PAD.encode(self.json());
        let mac = URL_SAFE_NO_PAD.encode(mac(key, &body).finalize().into_bytes());
        format!("{PREFIX}{body}.{mac}")
    }

    pub(super) fn json(&self) -> String {
        let Self { tool, account, target, revision, hash, expires, nonce } = self;
        let mut out = String::from("{\"t\":");
        write_string(&mut out, tool);
        let rest =
            [("a", account.as_deref()), ("g", Some(target)), ("r", revision.as_deref()), ("h", Some(hash))];
        for (name, value) in rest {
            let Some(value) = value else { continue };
            out.push_str(",\"");
            out.push_str(name);
            out.push_str("\":");
            write_string(&mut out, value);
        }
        out.push_str(",\"exp\":");
        out.push_str(&expires.to_string());
        out.push_str(",\"n\":");
        write_string(&mut out, nonce);
        out.push('}');
        out
    }

    /// The claims of a token whose MAC is ours. Nothing is parsed before that.
    pub(crate) fn open(key: &Key, token: &str) -> Option<Self> {
        let (body, given) = token.strip_prefix(PREFIX)?.split_once('.')?;
        let given = URL_SAFE_NO_PAD.decode(given).ok()?;
        // Compares in constant time, and refuses any other length than the full one.
        mac(key, body).verify_slice(&given).ok()?;
        let body = URL_SAFE_NO_PAD.decode(body).ok()?;
        // The reader would take a list of the values as well.
        let body = Some(&body).filter(|body| body.first() == Some(&b'{'))?;
        serde_json::from_slice(body).ok()
    }
}

fn mac(key: &Key, body: &str) -> hmac::Hmac<sha2::Sha256> {
    key.mac().chain_update(PREFIX).chain_update(body)
}
