//! Rule: the owner's caps. So many addresses in a message, so many sends in a rolling 24 hours and in a rolling hour,
//! so many new addresses in a rolling 24 hours.
//!
//! `Reply-To` counts among a message's addresses. Sends and new addresses are charged in the claim's own transaction
//! and the charge is never given back, so a send of unknown outcome, and one the server refused, counts.

use std::collections::BTreeSet;

use super::recipients::fields_with_recipients;
use crate::{fields::DraftFields, refusal::Refusal, state::Ledger};

/// The rolling window in which sends are counted, in seconds.
pub(crate) const SENDS_WINDOW: i64 = 24 * 60 * 60;
/// The rolling hour, in seconds.
pub(crate) const HOUR: i64 = 60 * 60;

/// The caps that a claim is charged against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caps {
    /// Sends in a rolling 24 hours.
    pub(crate) max_sends: u32,
    /// Sends in a rolling hour, if they are limited.
    pub(crate) sends_per_hour: Option<u32>,
    /// New addresses in a rolling 24 hours.
    pub(crate) max_new_addresses: u32,
}

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

/// Refuses a send when the last 24 hours or the last hour already hold as many as they may.
pub(super) fn sends(ledger: &Ledger, caps: &Caps) -> Result<(), Refusal> {
    if ledger.sends >= caps.max_sends {
        return Err(Refusal::TooManySends { max: caps.max_sends });
    }
    match caps.sends_per_hour {
        Some(max) if ledger.sends_in_hour >= max => Err(Refusal::TooManySendsInHour { max }),
        Some(_) | None => Ok(()),
    }
}

/// Refuses a send to more new addresses than the last 24 hours have left. An address that was written to within them
/// was counted then.
pub(super) fn new_addresses(ledger: &Ledger, new: &[String], caps: &Caps) -> Result<(), Refusal> {
    let added = new.iter().filter(|address| !ledger.new_written_to.contains(*address)).count();
    let total = u32::try_from(added).unwrap_or(u32::MAX).saturating_add(ledger.new_addresses);
    if added == 0 || total <= caps.max_new_addresses {
        Ok(())
    } else {
        Err(Refusal::TooManyNewAddresses { max: caps.max_new_addresses })
    }
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

    fn caps(max_sends: u32, sends_per_hour: Option<u32>, max_new_addresses: u32) -> Caps {
        Caps { max_sends, sends_per_hour, max_new_addresses }
    }

    #[test]
    fn the_last_send_is_the_one_that_fills_the_cap() {
        let at = |sends, sends_in_hour| Ledger { sends, sends_in_hour, ..Ledger::default() };
        for (ledger, caps, expected) in [
            (at(49, 49), caps(50, None, 0), Ok(())),
            (at(50, 0), caps(50, None, 0), Err(Refusal::TooManySends { max: 50 })),
            (at(0, 0), caps(0, None, 0), Err(Refusal::TooManySends { max: 0 })),
            (at(9, 4), caps(50, Some(5), 0), Ok(())),
            (at(9, 5), caps(50, Some(5), 0), Err(Refusal::TooManySendsInHour { max: 5 })),
            (at(9, 6), caps(50, Some(5), 0), Err(Refusal::TooManySendsInHour { max: 5 })),
            (at(50, 5), caps(50, Some(5), 0), Err(Refusal::TooManySends { max: 50 })),
        ] {
            assert_eq!(sends(&ledger, &caps), expected);
        }
    }

    #[test]
    fn a_new_address_counts_once_in_the_window() {
        let ledger =
            Ledger { new_addresses: 9, new_written_to: ["a@x".to_owned()].into(), ..Ledger::default() };
        let full = Err(Refusal::TooManyNewAddresses { max: 10 });
        for (new, expected) in [
            (&[][..], Ok(())),
            (&["a@x"], Ok(())),
            (&["b@x"], Ok(())),
            (&["a@x", "b@x"], Ok(())),
            (&["b@x", "c@x"], full),
        ] {
            let new: Vec<String> = new.iter().map(|&a| a.to_owned()).collect();
            assert_eq!(new_addresses(&ledger, &new, &caps(50, None, 10)), expected, "{new:?}");
        }
        // Over the cap already, as after the owner lowered it: the ones counted still pass, no other does.
        assert_eq!(new_addresses(&ledger, &["a@x".to_owned()], &caps(50, None, 5)), Ok(()));
        assert!(new_addresses(&ledger, &["b@x".to_owned()], &caps(50, None, 5)).is_err());
    }
}
