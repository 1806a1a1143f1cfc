//! Whom a message in Sent went to, compared on the addresses themselves.

use crate::model::{Address, Headers};

/// Those of the addresses that a message was for, if it is from the account itself: everyone in From is one of `own`.
/// Without that, a message that somebody else put into Sent would make people known.
pub fn wrote_to_among(headers: &Headers, own: &[Address], recipients: &[Address]) -> Vec<Address> {
    let same = |a: &Address, b: &Address| matches!((a.key(), b.key()), (Ok(a), Ok(b)) if a == b);
    let is_own = |from: &Address| own.iter().any(|own| same(own, from));
    if headers.from.is_empty() || !headers.from.iter().all(is_own) {
        return Vec::new();
    }
    let named = |wanted: &&Address| {
        [&headers.to, &headers.cc, &headers.bcc].into_iter().flatten().any(|found| same(found, wanted))
    };
    recipients.iter().filter(named).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(addresses: &[&str]) -> Vec<Address> {
        addresses.iter().map(|a| Address::bare(a)).collect()
    }

    #[test]
    fn every_recipient_of_ones_own_message_counts_and_nobody_else() {
        let own = list(&["jana@example.com", "j@example.com"]);
        let headers = Headers {
            from: list(&["Jana@EXAMPLE.com"]),
            to: list(&["a@example.org"]),
            cc: list(&["b@po\u{161}ta.example"]),
            bcc: list(&["c@example.org"]),
            reply_to: list(&["d@example.org"]),
            ..Headers::default()
        };
        let asked = list(&[
            "A@example.org",
            "b@xn--pota-h6a.example",
            "c@example.org",
            "d@example.org",
            "xa@example.org",
            "a@example.org.evil.example",
            "not an address",
        ]);
        assert_eq!(wrote_to_among(&headers, &own, &asked), asked[..3]);
        for from in
            [&[][..], &["x@evil.example"], &["jana@example.com", "x@evil.example"], &["not an address"]]
        {
            let headers = Headers { from: list(from), ..headers.clone() };
            assert!(wrote_to_among(&headers, &own, &asked).is_empty(), "{from:?}");
        }
    }
}
