//! Rule: the owner's caps. So many addresses in a message, so many sends in a rolling 24 hours.
//!
//! `Reply-To` counts among a message's addresses. Sends are charged in the claim's own transaction and the charge is
//! never given back, so a send of unknown outcome, and one the server refused, counts.

use std::collections::BTreeSet;

use super::recipients::fields_with_recipients;
use crate::{fields::DraftFields, refusal::Refusal, state::Ledger};

/// The rolling window in which sends are counted, in seconds.
pub(crate) const SENDS_WINDOW: i64 = 24 * 60 * 60;

/// Refuses a message that names more distinct addresses than `max`.
pub(super) fn recipients(fields: &DraftFields, max: u32) -> Result<(), Refusal> {
    let mut distinct = BTreeSet::new();
    for (field, addresses) in fields_with_recipients(fields) {
        for address in addresses {
            distinct.insert(address.key().map_err(|error| Refusal::BadAddress(field, error))?);
        }
    }
    let count = distinct.len();
    if usize::try_from(max).is_ok_and(|max| count <= max) {
        Ok(())
    } else {
        Err(Refusal::TooManyRecipients { count, max })
    }
}

/// Refuses a send when the window already holds `max`.
pub(super) fn sends(ledger: &Ledger, max: u32) -> Result<(), Refusal> {
    if ledger.sends < max { Ok(()) } else { Err(Refusal::TooManySends { max }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address::Address, refusal::Field};

    fn many(prefix: &str, count: usize) -> Vec<Address> {
        (0..count).map(|n| Address::bare(&format!("{prefix}{n}@example.org"))).collect()
    }

    #[test]
    fn distinct_addresses_of_all_four_fields_are_counted() {
        let fields =
            |to, cc, bcc, reply_to| DraftFields { to, cc, bcc, reply_to, ..crate::testing::fields() };
        let five = || (many("a", 5), many("b", 5), many("c", 5), many("d", 5));
        let (a, b, c, d) = five();
        assert_eq!(recipients(&fields(a, b, c, d), 20), Ok(()));
        for at in 0..4 {
            let (mut a, mut b, mut c, mut d) = five();
            [&mut a, &mut b, &mut c, &mut d][at].push(Address::bare("one-more@example.org"));
            assert_eq!(
                recipients(&fields(a, b, c, d), 20),
                Err(Refusal::TooManyRecipients { count: 21, max: 20 })
            );
        }
    }

    #[test]
    fn the_same_address_counts_once_however_written() {
        let to = vec![Address::bare("Robin@pošta.example"), Address::bare("robin@XN--POTA-H6A.example")];
        assert_eq!(recipients(&DraftFields { cc: to.clone(), to, ..crate::testing::fields() }, 1), Ok(()));
    }

    #[test]
    fn an_address_that_cannot_be_compared_is_not_left_out() {
        let fields = DraftFields { bcc: vec![Address::bare("a@b@c")], ..crate::testing::fields() };
        assert!(matches!(recipients(&fields, 20), Err(Refusal::BadAddress(Field::Bcc, _))));
    }

    #[test]
    fn the_last_send_is_the_one_that_fills_the_cap() {
        let at = |sends| Ledger { sends, ..Ledger::default() };
        assert_eq!(sends(&at(49), 50), Ok(()));
        assert_eq!(sends(&at(50), 50), Err(Refusal::TooManySends { max: 50 }));
        assert_eq!(sends(&at(0), 0), Err(Refusal::TooManySends { max: 0 }));
    }
}
