//! Rule: who counts as known.
//!
//! An address is known when this identity wrote to it before the sign-in was made (found in Sent), when the owner's
//! `known` list holds it, or when the person confirmed a send to it here more than 24 hours ago, unless the provider's
//! profile leaves that out. The day in between keeps one deceived confirmation from opening the way for the next send.
//! Everyone else is new. Contacts make nobody known, because an assistant can be led to add one.

use super::{address_list::AddressList, in_force};
use crate::state::Acquaintance;

/// How long after a confirmed send its recipients still count as new, in seconds.
const CONFIRMED_TERM: i64 = 24 * 60 * 60;

/// What makes people known besides what is recorded.
pub(super) struct Knowing<'a> {
    /// The owner's `known` list.
    pub(super) listed: &'a AddressList,
    /// Whether confirmed sends make people known.
    pub(super) confirmed_become_known: bool,
}

impl Knowing<'_> {
    /// Whether an address, in comparable form, is known, by what is recorded about it.
    pub(super) fn knows(&self, key: &str, recorded: Option<&Acquaintance>, now: i64) -> bool {
        let found = recorded.is_some_and(|recorded| recorded.found_at.is_some());
        let confirmed = recorded
            .and_then(|recorded| recorded.confirmed_at)
            .is_some_and(|at| !in_force(at, CONFIRMED_TERM, now));
        self.listed.holds(key) || found || (self.confirmed_become_known && confirmed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    #[test]
    fn each_way_of_being_known_counts_by_itself() {
        let listed = AddressList::parse(&["example.org".into()]).unwrap();
        let found = Acquaintance { found_at: Some(5 * DAY), confirmed_at: None };
        let confirmed = Acquaintance { found_at: None, confirmed_at: Some(5 * DAY) };
        let neither = Acquaintance::default();
        for become_known in [true, false] {
            let knowing = Knowing { listed: &listed, confirmed_become_known: become_known };
            for (key, recorded, now, expected) in [
                ("a@example.org", None, 0, true),
                ("a@example.net", None, 0, false),
                ("a@example.net", Some(&neither), 0, false),
                ("a@example.net", Some(&found), 0, true),
                ("a@example.net", Some(&confirmed), 6 * DAY - 1, false),
                ("a@example.net", Some(&confirmed), 6 * DAY, become_known),
                // A clock set back makes nobody known.
                ("a@example.net", Some(&confirmed), 0, false),
            ] {
                assert_eq!(knowing.knows(key, recorded, now), expected, "{key} {recorded:?} {now}");
            }
        }
    }
}
