//! The confirmation token of clients that can't be prompted: what a person was shown, signed, given to the model with
//! the preview and taken back with the second call.
//!
//! ```text
//! token = "mcpu.token.v1." body "." mac
//! body  = base64url(JSON(claims))                        RFC 4648 §5, no padding
//! mac   = base64url(HMAC-SHA256(key, "mcpu.token.v1." body))
//! ```
//!
//! **Untrusted:** all of it, until the MAC is right. **Not kept:** secrecy (the claims can be read), and the person: a
//! model that means to act can make both calls. What a token does hold is that a preview came first, that what happens
//! is what it showed, and that it happens once.

mod claims;
mod verify;

pub use claims::Claims;
pub use verify::{Expected, TokenError, verify};

use crate::{KeyError, key::random};

/// Format, version and domain separation in one.
const PREFIX: &str = "mcpu.token.v1.";

/// A nonce for [`Claims`]: 16 random bytes as base64url, 22 characters.
///
/// # Errors
///
/// When the operating system gives no random bytes.
pub fn nonce() -> Result<String, KeyError> {
    use base64::Engine as _;
    Ok(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(random::<16>()?))
}

#[cfg(test)]
mod tests;
