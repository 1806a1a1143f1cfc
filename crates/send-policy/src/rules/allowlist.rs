//! Rule: where the owner wrote an allowlist, nothing goes anywhere else, `Bcc` and `Reply-To` included.

use super::{address_list::AddressList, recipients::fields_with_recipients};
use crate::{fields::DraftFields, refusal::Refusal};

/// Refuses a draft that names an address outside the list. An empty list is none.
pub(super) fn inside(fields: &DraftFields, list: &AddressList) -> Result<(), Refusal> {
    if list.is_empty() {
        return Ok(());
    }
    for (field, addresses) in fields_with_recipients(fields) {
        let held = |key: String| list.holds(&key);
        if !addresses.iter().all(|address| address.key().is_ok_and(held)) {
            return Err(Refusal::NotAllowed(field));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address::Address, refusal::Field};

    fn list(entries: &[&str]) -> AddressList {
        AddressList::parse(&entries.iter().map(|&e| e.to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn check(entries: &[&str], recipient: &str, allowed: bool) {
        let mut fields = crate::testing::fields();
        fields.to = vec![Address::bare(recipient)];
        let expected = if allowed { Ok(()) } else { Err(Refusal::NotAllowed(Field::To)) };
        assert_eq!(inside(&fields, &list(entries)), expected, "{entries:?} {recipient}");
    }

    #[test]
    fn without_a_list_everything_passes() {
        check(&[], "anyone@anywhere.example", true);
    }

    #[test]
    fn nothing_that_looks_like_an_entry_passes() {
        check(&["example.com"], "user@example.com", true);
        for look_alike in [
            "user@example.com.evil.org",
            "user@exаmple.com",
            "\"user@example.com\"@evil.org",
            "not an address",
        ] {
            check(&["example.com", "user@example.com"], look_alike, false);
        }
    }

    #[test]
    fn every_recipient_field_is_held_to_the_list() {
        for (field, set) in crate::testing::RECIPIENT_FIELDS {
            let mut fields = crate::testing::fields();
            fields.to = vec![Address::bare("friend@example.com")];
            let allowed = list(&["example.com"]);
            assert_eq!(inside(&fields, &allowed), Ok(()));
            set(&mut fields, Address::bare("x@evil.org"));
            assert_eq!(inside(&fields, &allowed), Err(Refusal::NotAllowed(field)));
        }
    }
}
