//! Rule: every address is exactly one valid address, and somebody is to receive the message.
//!
//! A mail server would expand a list or a group in one string into several recipients, past the caps, the allowlist
//! and the person's eyes. `Reply-To` and `From` are held to the same form: replies go there.

use std::collections::BTreeSet;

use crate::{
    address::Address,
    fields::DraftFields,
    refusal::{Field, Refusal},
};

/// Every recipient field with its name, `Reply-To` included: it says where answers go.
pub(super) fn fields_with_recipients(fields: &DraftFields) -> [(Field, &[Address]); 4] {
    [
        (Field::To, &fields.to),
        (Field::Cc, &fields.cc),
        (Field::Bcc, &fields.bcc),
        (Field::ReplyTo, &fields.reply_to),
    ]
}

/// Refuses a draft without recipients, or with anything but single addresses.
pub(super) fn valid(fields: &DraftFields) -> Result<(), Refusal> {
    if fields.recipients().next().is_none() {
        return Err(Refusal::NoRecipients);
    }
    let from = [(Field::From, std::slice::from_ref(&fields.from))];
    for (field, addresses) in from.into_iter().chain(fields_with_recipients(fields)) {
        for address in addresses {
            address.path().map_err(|error| Refusal::BadAddress(field, error))?;
        }
    }
    Ok(())
}

/// Every address that a draft names as a recipient, in comparable form, each once. Those that can't be compared are
/// left out: the rules refuse them before.
pub(crate) fn keys(fields: &DraftFields) -> Vec<String> {
    let all = fields_with_recipients(fields).into_iter().flat_map(|(_, addresses)| addresses);
    let distinct: BTreeSet<String> = all.filter_map(|address| address.key().ok()).collect();
    distinct.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressError;

    #[test]
    fn somebody_must_receive_it() {
        let mut fields = crate::testing::fields();
        fields.to.clear();
        fields.reply_to = vec![Address::bare("me@example.org")];
        assert_eq!(valid(&fields), Err(Refusal::NoRecipients));
        fields.bcc = vec![Address::bare("me@example.org")];
        assert_eq!(valid(&fields), Ok(()));
    }

    #[test]
    fn keys_name_everyone_once() {
        for (_, set) in crate::testing::RECIPIENT_FIELDS {
            let mut fields = crate::testing::fields();
            set(&mut fields, Address::bare("Friend@EXAMPLE.net"));
            assert_eq!(keys(&fields), ["friend@example.net"]);
            set(&mut fields, Address::bare("x@evil.org"));
            assert_eq!(keys(&fields), ["friend@example.net", "x@evil.org"]);
        }
    }

    #[test]
    fn a_list_in_one_string_is_refused_in_every_field() {
        let list = Address::bare("a@example.org, b@example.org");
        let from: (Field, crate::testing::Add) = (Field::From, |f, a| f.from = a);
        for (field, set) in crate::testing::RECIPIENT_FIELDS.into_iter().chain([from]) {
            let mut fields = crate::testing::fields();
            set(&mut fields, list.clone());
            assert_eq!(valid(&fields), Err(Refusal::BadAddress(field, AddressError::NotOne)));
        }
    }
}
