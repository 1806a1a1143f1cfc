//! The owner's lists of addresses and domains, as `allow` and `known` hold them.
//!
//! Both are compared whole, on the domain's A-label and without case, so neither `user@example.com.evil.example` nor a
//! look-alike letter is in a list that holds `example.com`, and a subdomain has to be written to be included.

use std::collections::BTreeSet;

use crate::address::{Address, domain_to_a_label};

/// A list in comparable form.
#[derive(Default)]
pub(super) struct AddressList {
    addresses: BTreeSet<String>,
    domains: BTreeSet<String>,
}

impl AddressList {
    /// Reads the owner's entries; `None` where one is neither one address nor one domain. Leaving that one out would
    /// change what the owner wrote.
    pub(super) fn parse(entries: &[String]) -> Option<Self> {
        let mut list = Self::default();
        for entry in entries.iter().map(|entry| entry.trim()) {
            let domain = entry.strip_prefix('@').unwrap_or(entry);
            if domain.contains('@') {
                list.addresses.insert(Address::bare(entry).key().ok()?);
            } else {
                list.domains.insert(domain_to_a_label(domain).ok()?.into_owned());
            }
        }
        Some(list)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.domains.is_empty()
    }

    /// Whether an address in comparable form ([`Address::key`]) is in the list.
    pub(super) fn holds(&self, key: &str) -> bool {
        let domain = key.rsplit_once('@').map(|(_, domain)| domain);
        self.addresses.contains(key) || domain.is_some_and(|domain| self.domains.contains(domain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(entries: &[&str]) -> Option<AddressList> {
        AddressList::parse(&entries.iter().map(|&e| e.to_owned()).collect::<Vec<_>>())
    }

    fn check(entries: &[&str], address: &str, held: bool) {
        let list = parse(entries).unwrap();
        let found = Address::bare(address).key().is_ok_and(|key| list.holds(&key));
        assert_eq!(found, held, "{entries:?} {address}");
    }

    #[test]
    fn an_empty_list_holds_nobody() {
        check(&[], "anyone@anywhere.example", false);
        assert!(parse(&[]).unwrap().is_empty());
        assert!(!parse(&["example.com"]).unwrap().is_empty());
        assert!(!parse(&["a@example.com"]).unwrap().is_empty());
    }

    #[test]
    fn an_address_stands_for_itself_alone() {
        let entries = &["Accountant@Example.com"];
        check(entries, "accountant@EXAMPLE.com", true);
        check(entries, "accountant+x@example.com", false);
        check(entries, "other@example.com", false);
        check(entries, "accountant@example.com.evil.example", false);
    }

    #[test]
    fn a_domain_stands_for_its_own_addresses_and_no_look_alike() {
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
    fn an_entry_that_is_neither_address_nor_domain_spoils_the_list() {
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
            assert!(parse(&["example.com", entry]).is_none(), "{entry:?}");
        }
    }
}
