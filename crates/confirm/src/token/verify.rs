//! The second call: nine steps in the specification's order, of which the first that fails is the answer. Only a token
//! that passes all of them is spent; one that names other content than there is now stays unspent, because what the
//! person approved is still true of the content that they saw.

use super::Claims;
use crate::{
    Spent,
    key::Key,
    spent::{SpentError, is_nonce},
};

/// What a token must say, computed from a reading made just now and never from the token.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "whoever verifies must decide on every part")]
pub struct Expected<'a> {
    /// The tool that is being called.
    pub tool: &'a str,
    /// The account that acts.
    pub account: Option<&'a str>,
    /// What is acted on.
    pub target: &'a str,
    /// The target's revision.
    pub revision: Option<&'a str>,
    /// The hash of the payload.
    pub hash: &'a str,
}

/// Why a token does not count.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Not ours, or for another tool, account or target.
    #[error("token was not issued for this call")]
    Invalid,
    /// Spent already.
    #[error("token was used already")]
    Reused,
    /// Too old.
    #[error("token has expired")]
    Expired,
    /// The target has another revision than the one that was shown.
    #[error("the target was edited")]
    RevisionChanged,
    /// What would happen is not what was shown.
    #[error("the payload changed")]
    PayloadChanged,
    /// Whether it was spent can't be found out or recorded.
    #[error("spent tokens cannot be recorded")]
    Store(#[source] SpentError),
}

/// Checks a token and spends it. `now` is in milliseconds since 1970 (UTC).
///
/// # Errors
///
/// The first step that failed.
pub fn verify(
    key: &Key,
    spent: &Spent,
    token: &str,
    expected: &Expected<'_>,
    now: u64,
) -> Result<(), TokenError> {
    spent.prune(now);
    let claims = Claims::open(key, token).ok_or(TokenError::Invalid)?;
    let Expected { tool, account, target, revision, hash } = *expected;
    let this_call = claims.tool == tool && claims.account.as_deref() == account && claims.target == target;
    if !this_call || !is_nonce(&claims.nonce) {
        return Err(TokenError::Invalid);
    }
    if spent.contains(&claims.nonce).map_err(TokenError::Store)? {
        return Err(TokenError::Reused);
    }
    if now > claims.expires {
        return Err(TokenError::Expired);
    }
    if claims.revision.as_deref() != revision {
        return Err(TokenError::RevisionChanged);
    }
    if claims.hash != hash {
        return Err(TokenError::PayloadChanged);
    }
    // Of two that came as far as this, one gets it.
    if spent.claim(&claims.nonce, claims.expires).map_err(TokenError::Store)? {
        Ok(())
    } else {
        Err(TokenError::Reused)
    }
}
