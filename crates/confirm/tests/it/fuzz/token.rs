//! Whatever bytes come as a token: nothing but what was signed for the call is accepted, and that once. [`check`] is the
//! fuzz target.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_confirm::{
    Key, Secret, Spent,
    token::{Claims, Expected, TokenError, verify},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

const SECRET: &str = "correct horse battery staple";
const NOW: u64 = 1_800_000_000_000;

/// What the calls of this target are for.
const CALL: Expected<'_> =
    Expected { tool: "t", account: Some("a"), target: "g", revision: Some("r"), hash: "h" };

/// Takes the bytes for a token, for the claims of one that is signed, and for what is done to one.
pub(crate) fn check(bytes: &[u8]) {
    as_a_token(&String::from_utf8_lossy(bytes));
    as_claims(bytes);
    as_a_change(bytes);
}

fn key() -> Key {
    Key::from_secret(&Secret::new(SECRET))
}

/// Nobody signed it.
fn as_a_token(token: &str) {
    for token in [token, &format!("mcpu.token.v1.{token}")] {
        let refused = verify(&key(), &Spent::memory(), token, &CALL, NOW).unwrap_err();
        assert!(matches!(refused, TokenError::Invalid), "{token}: {refused:?}");
    }
}

/// Signed, whatever it says: accepted when it says what it must, and then once.
fn as_claims(body: &[u8]) {
    let body_text = URL_SAFE_NO_PAD.encode(body);
    let mut mac = Hmac::<Sha256>::new_from_slice(&Sha256::digest(SECRET)).unwrap();
    mac.update(format!("mcpu.token.v1.{body_text}").as_bytes());
    let token = format!("mcpu.token.v1.{body_text}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()));
    let spent = Spent::memory();
    if verify(&key(), &spent, &token, &CALL, NOW).is_err() {
        return;
    }
    let said: serde_json::Value = serde_json::from_slice(body).unwrap();
    for (name, value) in [("t", "t"), ("a", "a"), ("g", "g"), ("r", "r"), ("h", "h")] {
        assert_eq!(said[name], value, "{said}");
    }
    assert!(said["exp"].as_u64().unwrap() >= NOW, "{said}");
    let again = verify(&key(), &spent, &token, &CALL, NOW).unwrap_err();
    assert!(matches!(again, TokenError::Reused), "{said}: {again:?}");
}

/// A good token, into which the bytes are written somewhere.
fn as_a_change(bytes: &[u8]) {
    let [at, from, change @ ..] = bytes else { return };
    let claims = Claims {
        tool: "t".to_owned(),
        account: Some("a".to_owned()),
        target: "g".to_owned(),
        revision: Some("r".to_owned()),
        hash: "h".to_owned(),
        expires: NOW + u64::from(*from),
        nonce: "AAECAwQFBgcICQoLDA0ODw".to_owned(),
    };
    let good = claims.sign(&key());
    let mut bytes = good.clone().into_bytes();
    let at = usize::from(*at) % bytes.len();
    let end = (at + usize::from(*from) % 8).min(bytes.len());
    bytes.splice(at..end, change.iter().copied().take(8));
    let changed = String::from_utf8_lossy(&bytes).into_owned();
    let ended = verify(&key(), &Spent::memory(), &changed, &CALL, NOW);
    if changed == good {
        ended.unwrap();
    } else {
        assert!(matches!(ended, Err(TokenError::Invalid)), "{changed}: {ended:?}");
    }
}
