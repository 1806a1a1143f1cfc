//! Principals: minted at sign-in, derived where there was none.

use countersign_send_policy::{Origin, Principal};
use hkdf::Hkdf;
use sha2::Sha256;

/// 256 random bits: nobody can name a sign-in that isn't theirs, and two sign-ins never share one.
const LENGTH: usize = 32;

/// A new principal key, for a sign-in that begins now.
///
/// # Errors
/// The system has no random numbers to give.
pub(super) fn mint() -> Result<String, getrandom::Error> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// The principal of credentials that come from the environment: HKDF-SHA256 (RFC 5869) of provider, host and user, so
/// that every process with the same account shares caps and exposure, across restarts. It is no secret, and nothing
/// rests on its being one.
pub(super) fn derive(origin: &Origin) -> Principal {
    let Origin { provider, host, user } = origin;
    // Lengths first (netstrings), so that no two accounts run together into the same input.
    let input = format!("{}:{provider},{}:{host},{}:{user},", provider.len(), host.len(), user.len());
    let mut bytes = [0; LENGTH];
    // The output is one block of the hash, far below the limit of RFC 5869 §2.3, so this can't fail; were it to, all
    // such accounts would share the zero key, which only makes their caps stricter.
    let hkdf = Hkdf::<Sha256>::new(Some(b"countersign.principal.v1"), input.as_bytes());
    let _: Result<(), hkdf::InvalidLength> = hkdf.expand(b"environment", &mut bytes);
    Principal::new(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed apart from this code, with HMAC alone.
    const VECTOR: &str = "f5894f41df7bf1ce554c867c87c992a16fcd4ec88758cee957dd76d529a8e3bd";

    #[test]
    fn derived_principals_are_stable_and_apart() {
        let of = |host, user| derive(&Origin::new("imap", host, user));
        // A change of this value would give every account from the environment fresh caps: it is a breaking one.
        assert_eq!(of("imap.example.com", "jan"), Principal::new(VECTOR.to_owned()));
        assert_eq!(of("IMAP.example.com.", "jan"), of("imap.example.com", "jan"));
        assert_ne!(of("imap.example.com", "Jan"), of("imap.example.com", "jan"));
        assert_ne!(of("a", "bc"), of("ab", "c"));
    }

    #[test]
    fn minted_principals_differ() {
        let (one, two) = (mint().unwrap(), mint().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), 2 * LENGTH);
    }
}
