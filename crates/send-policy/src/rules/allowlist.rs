//! Rule: where the owner wrote an allowlist, nothing goes anywhere else, `Bcc` and `Reply-To` included.
//!
//! An entry is an address or a domain. Both are compared whole, on the domain's A-label and without case, so neither
//! `user@example.com.evil.example` nor a look-alike letter passes, and a subdomain has to be written to be included.

use std::collections::BTreeSet;

use super::recipients::fields_with_recipients;
use crate::{
    address::{Address, domain_to_a_label},
    fields::DraftFields,
    refusal::Refusal,
};

/// The owner's entries, in comparable form.
pub(super) struct Allowlist {
    addresses: BTreeSet<String>,
    domains: BTreeSet<String>,
}

impl Allowlist {
    /// Reads the owner's entries. None at all is no allowlist; one that can't be understood refuses every send,
    /// because leaving it out would change what the owner wrote.
    pub(super) fn parse(entries: &[String]) -> Result<Option<Self>, Refusal> {
        if entries.is_empty() {
            return Ok(None);
        }
        let mut list = Self { addresses: BTreeSet::new(), domains: BTreeSet::new() };
        for entry in entries.iter().map(|entry| entry.trim()) {
            let domain = entry.strip_prefix('@').unwrap_or(entry);
            if domain.contains('@') {
                list.addresses.insert(Address::bare(entry).key().map_err(|_| Refusal::BadAllowlist)?);
            } else {
                list.domains
                    .insert(domain_to_a_label(domain).map_err(|_| Refusal::BadAllowlist)?.into_owned());
            }
        }
        Ok(Some(list))
    }

    fn holds(&self, address: &Address) -> bool {
        address.key().is_ok_and(|key| {
            let domain = key.rsplit_once('@').map(|(_, domain)| domain);
            self.addresses.contains(&key) || domain.is_some_and(|domain| self.domains.contains(domain))
        })
    }
}

/// Refuses a draft that names an address outside the list.
pub(super) fn inside(fields: &DraftFields, list: Option<&Allowlist>) -> Result<(), Refusal> {
    let Some(list) = list else { return Ok(()) };
    for (field, addresses) in fields_with_recipients(fields) {
        if !addresses.iter().all(|address| list.holds(address)) {
            return Err(Refusal::NotAllowed(field));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Field;

    fn list(entries: &[&str]) -> Option<Allowlist> {
        Allowlist::parse(&entries.iter().map(|&e| e.to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn check(entries: &[&str], recipient: &str, allowed: bool) {
        let mut fields = crate::testing::fields();
        fields.to = vec![Address::bare(recipient)];
        let expected = if allowed { Ok(()) } else { Err(Refusal::NotAllowed(Field::To)) };
        assert_eq!(inside(&fields, list(entries).as_ref()), expected, "{entries:?} {recipient}");
    }

    #[test]
    fn without_a_list_everything_passes() {
        check(&[], "anyone@anywhere.example", true);
    }

    #[test]
    fn an_address_allows_itself_alone() {
        let entries = &["Accountant@Example.com"];
        check(entries, "accountant@EXAMPLE.com", true);
        check(entries, "accountant+x@example.com", false);
        check(entries, "other@example.com", false);
        check(entries, "accountant@example.com.evil.example", false);
    }

    #[test]
    fn a_domain_allows_its_own_addresses_and_no_look_alike() {
        for entries in [["example.com"], ["@EXAMPLE.com"], [" example.com "]] {
            check(&entries, "user@example.com", true);
            for look_alike in [
                "user@example.com.evil.org",
                "user@sub.example.com",
                "user@evilexample.com",
                "user@example.co",
                "user@exаmple.com",
                "user@xn--exmple-4nf.com",
                "\"user@example.com\"@evil.org",
                "user@example.com@evil.org",
                "example.com@evil.org",
            ] {
                check(&entries, look_alike, false);
            }
        }
        check(&["example.com", "sub.example.com"], "user@sub.example.com", true);
    }

    #[test]
    fn domains_are_compared_as_a_labels() {
        for entry in ["pošta.example", "xn--pota-h6a.example", "POŠTA.example"] {
            check(&[entry], "a@pošta.example", true);
            check(&[entry], "a@XN--POTA-H6A.example", true);
            check(&[entry], "a@posta.example", false);
        }
    }

    #[test]
    fn every_recipient_field_is_held_to_the_list() {
        for (field, set) in crate::testing::RECIPIENT_FIELDS {
            let mut fields = crate::testing::fields();
            fields.to = vec![Address::bare("friend@example.com")];
            let allowed = list(&["example.com"]);
            assert_eq!(inside(&fields, allowed.as_ref()), Ok(()));
            set(&mut fields, Address::bare("x@evil.org"));
            assert_eq!(inside(&fields, allowed.as_ref()), Err(Refusal::NotAllowed(field)));
        }
    }

    #[test]
    fn an_entry_that_is_neither_address_nor_domain_refuses() {
        for entry in [
            "",
            "*",
            "*.example.com",
            "a@",
            "@",
            "a b@example.com",
            "example.com, example.org",
            ".example.com",
        ] {
            assert_eq!(
                Allowlist::parse(&["example.com".into(), entry.into()]).err(),
                Some(Refusal::BadAllowlist),
                "{entry:?}"
            );
        }
    }
}
