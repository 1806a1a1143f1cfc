//! Addresses that a caller typed (RFC 5322 §3.4 `mailbox`, RFC 6531 for UTF-8 local parts, IDNA for domains).
//!
//! One string is exactly one address or it is refused: `a@b, c@d`, a group, a route, a comment or a line break in one
//! entry would reach people that the entry doesn't show. Obsolete forms are refused too, but for dots in an unquoted
//! name (`J. R. Hartley <…>`), which people write.

use std::collections::BTreeSet;

use countersign_send_policy::AddressError;

use super::ComposeError;
use crate::{model::Address, sanitise::header, sanitise::invisible};

/// Longest display name, in bytes.
const MAX_NAME_BYTES: usize = 500;

/// A field of addresses, by the name that tool arguments use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// To.
    To,
    /// Cc.
    Cc,
    /// Bcc.
    Bcc,
    /// Reply-To.
    ReplyTo,
}

impl Field {
    /// The name of the argument.
    pub fn name(self) -> &'static str {
        match self {
            Self::To => "to",
            Self::Cc => "cc",
            Self::Bcc => "bcc",
            Self::ReplyTo => "reply_to",
        }
    }
}

/// Reads every entry of an argument as exactly one address.
///
/// # Errors
/// [`ComposeError::Recipient`] with the position of the first entry that isn't one.
pub fn parse_list<S: AsRef<str>>(entries: &[S], field: Field) -> Result<Vec<Address>, ComposeError> {
    each(entries, field, |entry| parse(entry.as_ref()))
}

/// Reads one address: `local@domain`, `<local@domain>`, `Name <local@domain>` or `"Name" <local@domain>`.
///
/// # Errors
/// Why it isn't exactly one address.
pub fn parse(entry: &str) -> Result<Address, AddressError> {
    if entry.chars().any(char::is_control) {
        return Err(AddressError::Control);
    }
    let entry = entry.trim();
    let Some((phrase, bracketed)) = split_at_bracket(entry)? else {
        return checked(&Address::bare(entry));
    };
    let addr_spec = bracketed.strip_suffix('>').ok_or(AddressError::NotOne)?;
    let name = display_name(phrase)?;
    checked(&Address {
        display_name: Some(name).filter(|name| !name.is_empty()),
        addr_spec: addr_spec.to_owned(),
    })
}

/// An address in the form in which it is stored (domain as its A-label), its name on one line.
///
/// # Errors
/// Why it isn't exactly one address, or that its name holds what can't be shown.
pub fn checked(address: &Address) -> Result<Address, AddressError> {
    let addr_spec = address.path()?;
    let Some(name) = address.display_name.as_deref() else {
        return Ok(Address { display_name: None, addr_spec });
    };
    if name.chars().any(char::is_control) || invisible::strip(name) != name {
        return Err(AddressError::Control);
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(AddressError::TooLong);
    }
    let name = header::line(name);
    Ok(Address { display_name: Some(name).filter(|name| !name.is_empty()), addr_spec })
}

/// The same for a whole field.
///
/// # Errors
/// The position of the first entry that isn't exactly one address.
pub(super) fn checked_list(addresses: &[Address], field: Field) -> Result<Vec<Address>, ComposeError> {
    each(addresses, field, checked)
}

fn each<T>(
    entries: &[T],
    field: Field,
    read: impl Fn(&T) -> Result<Address, AddressError>,
) -> Result<Vec<Address>, ComposeError> {
    let numbered = entries.iter().zip(1_usize..);
    numbered
        .map(|(entry, n)| read(entry).map_err(|why| ComposeError::Recipient { field, entry: n, why }))
        .collect()
}

/// The addresses of an original that mail can go to. A name that can't be shown is dropped, an address that isn't
/// exactly one is left out: other people's fields hold both, and neither may stop an answer to the rest.
pub(super) fn usable(addresses: &[Address]) -> Vec<Address> {
    addresses.iter().filter_map(|address| cleaned(address).ok()).collect()
}

/// An address in the form in which it is stored, its name cleaned rather than refused.
pub(super) fn cleaned(address: &Address) -> Result<Address, AddressError> {
    let addr_spec = address.path()?;
    let name = address.display_name.as_deref().map(header::line);
    let name = name.filter(|name| !name.is_empty() && name.len() <= MAX_NAME_BYTES);
    Ok(Address { display_name: name, addr_spec })
}

/// Leaves each address only where it stands first.
pub(super) fn each_once<const N: usize>(fields: [&mut Vec<Address>; N]) {
    let mut seen = BTreeSet::new();
    for field in fields {
        field.retain(|address| address.key().is_ok_and(|key| seen.insert(key)));
    }
}

/// A set of addresses, compared as mail servers do: without case, domains by their A-label. A plus tag is a part of
/// the address: whoever reads `jana+shop@` may not be who reads `jana@`.
pub(super) struct AddressSet(BTreeSet<String>);

impl AddressSet {
    pub(super) fn of(addresses: &[Address]) -> Self {
        Self(addresses.iter().filter_map(|address| address.key().ok()).collect())
    }

    pub(super) fn has(&self, address: &Address) -> bool {
        address.key().is_ok_and(|key| self.0.contains(&key))
    }
}

/// Splits at the first `<` outside quotes; `None` where there is none.
fn split_at_bracket(entry: &str) -> Result<Option<(&str, &str)>, AddressError> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in entry.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '<' if !quoted => {
                let (phrase, rest) = entry.split_at_checked(at).ok_or(AddressError::NotOne)?;
                return Ok(Some((phrase, rest.strip_prefix('<').unwrap_or(rest))));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Reads a phrase: atoms (dots allowed) and quoted strings, joined by one space.
fn display_name(phrase: &str) -> Result<String, AddressError> {
    let mut name = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in phrase.chars() {
        match c {
            _ if escaped => {
                name.push(c);
                escaped = false;
            }
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => name.push(c),
            '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' => {
                return Err(AddressError::NotOne);
            }
            _ => name.push(c),
        }
    }
    if quoted { Err(AddressError::NotOne) } else { Ok(name.trim().to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &str, wanted: Result<(&str, &str), AddressError>) {
        let read = parse(entry).map(|a| (a.display_name.unwrap_or_default(), a.addr_spec));
        let wanted = wanted.map(|(name, spec)| (name.to_owned(), spec.to_owned()));
        assert_eq!(read, wanted, "{entry:?}");
    }

    #[test]
    fn one_address_in_the_forms_that_people_type() {
        for (entry, name, spec) in [
            ("robin@example.org", "", "robin@example.org"),
            (" <robin@example.org> ", "", "robin@example.org"),
            ("Robin Vale <robin@example.org>", "Robin Vale", "robin@example.org"),
            ("J. R. Vale <robin@example.org>", "J. R. Vale", "robin@example.org"),
            ("\"Vale, Robin\" <robin@example.org>", "Vale, Robin", "robin@example.org"),
            (
                r#""Robin \"Bob\" \\ <x@y>" <robin@example.org>"#,
                r#"Robin "Bob" \ <x@y>"#,
                "robin@example.org",
            ),
            ("\"Dr.\" Žofie Malá <zofie@pošta.example>", "Dr. Žofie Malá", "zofie@xn--pota-h6a.example"),
            ("用户@例え.example", "", "用户@xn--r8jz45g.example"),
            (r#""a b"@example.org"#, "", r#""a b"@example.org"#),
            (r#"X <"a>b"@example.org>"#, "X", r#""a>b"@example.org"#),
            ("O'Neil <o'neil@example.org>", "O'Neil", "o'neil@example.org"),
        ] {
            check(entry, Ok((name, spec)));
        }
    }

    #[test]
    fn what_would_reach_somebody_else_is_refused() {
        for entry in [
            "a@example.org, b@example.org",
            "a@example.org;b@example.org",
            "A <a@example.org>, B <b@example.org>",
            "A <a@example.org> B <b@example.org>",
            "A <a@example.org>b@example.org",
            "Novák, Jan <a@example.org>",
            "b@example.org <a@example.org>",
            "friends: a@example.org;",
            "friends:;",
            "A (comment) <a@example.org>",
            "a@example.org (comment)",
            "A <<a@example.org>>",
            "A <a@example.org",
            "\"A <a@example.org>",
        ] {
            assert!(parse(entry).is_err(), "{entry:?}");
        }
        check("A <@relay.example:a@example.org>", Err(AddressError::LocalPart));
        check("", Err(AddressError::Empty));
        check("   ", Err(AddressError::Empty));
        check("A <>", Err(AddressError::Empty));
        check("robin", Err(AddressError::NoAt));
    }

    #[test]
    fn no_control_or_hidden_character_passes() {
        for entry in [
            "a@example.org\r\nBcc: b@example.org",
            "a@example.org\n",
            "\"A\r\nBcc: b@example.org\" <a@example.org>",
            "A\u{202e}B <a@example.org>",
            "A\u{200b} <a@example.org>",
            "a\0@example.org",
        ] {
            check(entry, Err(AddressError::Control));
        }
    }

    #[test]
    fn the_error_names_the_entry_and_not_its_text() {
        let error = parse_list(&["a@example.org", "zebra, b@example.org"], Field::Cc).unwrap_err();
        assert_eq!(error, ComposeError::Recipient { field: Field::Cc, entry: 2, why: AddressError::NotOne });
        assert!(
            error.to_string().starts_with("entry 2 of `cc`") && !error.to_string().contains("zebra"),
            "{error}"
        );
    }
}
