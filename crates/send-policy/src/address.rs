//! One mail address (RFC 5322 §3.4, RFC 5321 §4.1.2, RFC 6531 for UTF-8 local parts), validated as exactly one.
//!
//! Addresses come from drafts and so may be hostile. A string that a mail server would expand into several
//! recipients, a source route, a control character, or a domain that IDNA (UTS 46) refuses, is no address here.
//! Comparison is on the local part without case and the domain's A-label. What this doesn't do: tell whether the
//! address exists, or whether its domain only looks like another one (the prompt shows the A-label for that).

use std::{borrow::Cow, fmt};

use countersign_confirm::inert;
use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

/// Octets that a local part may have (RFC 5321 §4.5.3.1.1).
const MAX_LOCAL_PART: usize = 64;
/// Octets that a path may have, without its angle brackets (RFC 5321 §4.5.3.1.3).
const MAX_PATH: usize = 254;

/// An address as a header field carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// The display name, decoded.
    pub display_name: Option<String>,
    /// The addr-spec, bare: `local@domain`.
    pub addr_spec: String,
}

/// Why a string isn't exactly one address. It names no part of the string, because that is foreign text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// Nothing stands there.
    #[error("the address is empty")]
    Empty,
    /// There is no `@` outside quotes.
    #[error("the address has no @")]
    NoAt,
    /// It would be read as several addresses, a group, a list or a route.
    #[error("the address is not exactly one bare address")]
    NotOne,
    /// A control or invisible character stands in it.
    #[error("the address holds a control or invisible character")]
    Control,
    /// The part before the `@` is neither a dot-atom nor a quoted string.
    #[error("the part before the @ is malformed")]
    LocalPart,
    /// IDNA refuses the domain, or it isn't a host name.
    #[error("the domain is not a valid name")]
    Domain,
    /// It is longer than SMTP carries.
    #[error("the address is too long")]
    TooLong,
}

/// The parts of a valid address, the domain as its A-label in lower case.
struct Parts<'a> {
    local: &'a str,
    domain: Cow<'a, str>,
}

impl Address {
    /// An address without a display name.
    pub fn bare(addr_spec: &str) -> Self {
        Self { display_name: None, addr_spec: addr_spec.to_owned() }
    }

    /// The address for an SMTP path: the local part as written, the domain as its A-label.
    ///
    /// # Errors
    /// Why the addr-spec isn't exactly one address.
    pub fn path(&self) -> Result<String, AddressError> {
        let Parts { local, domain } = parts(&self.addr_spec)?;
        Ok(format!("{local}@{domain}"))
    }

    /// The address for comparison: the local part without case, the domain as its A-label.
    ///
    /// # Errors
    /// Why the addr-spec isn't exactly one address.
    pub fn key(&self) -> Result<String, AddressError> {
        let Parts { local, domain } = parts(&self.addr_spec)?;
        Ok(format!("{}@{domain}", local.to_lowercase()))
    }

    /// The domain's U-label where it differs from its A-label; for showing beside it, never in its place.
    pub(crate) fn unicode_domain(&self) -> Option<String> {
        let Parts { domain, .. } = parts(&self.addr_spec).ok()?;
        let (unicode, valid) =
            Uts46::new().to_unicode(domain.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
        (valid.is_ok() && unicode != domain).then(|| unicode.into_owned())
    }
}

impl fmt::Display for Address {
    /// `"Name" <local@domain>` with quotes and backslashes escaped (RFC 5322 §3.2.4), for a mail header's author or
    /// a log of the owner's own; not inert, so no prompt uses it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.display_name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => write!(f, "{} <{}>", quoted(name), self.addr_spec),
            None => f.write_str(&self.addr_spec),
        }
    }
}

/// A quoted string (RFC 5322 §3.2.4): a quote or backslash in the name can't end it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// A domain as its A-label in lower case.
pub(crate) fn domain_to_a_label(domain: &str) -> Result<Cow<'_, str>, AddressError> {
    let a_label = Uts46::new()
        .to_ascii(domain.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::Verify)
        .map_err(|_| AddressError::Domain)?;
    // A name whose last label is only digits is an IPv4 address to a resolver, not a mail domain.
    match a_label.rsplit('.').next() {
        Some(last) if !last.bytes().all(|b| b.is_ascii_digit()) => Ok(a_label),
        _ => Err(AddressError::Domain),
    }
}

/// Takes an addr-spec apart, refusing whatever isn't exactly one.
fn parts(addr_spec: &str) -> Result<Parts<'_>, AddressError> {
    if addr_spec.is_empty() {
        return Err(AddressError::Empty);
    }
    // Controls and whatever can't be seen have no place in an address, quoted or not: they could end a line or hide.
    if !addr_spec.chars().all(inert::is_visible) {
        return Err(AddressError::Control);
    }
    let (local, rest) = split_local_part(addr_spec)?;
    let domain = rest.strip_prefix('@').ok_or(if rest.is_empty() {
        AddressError::NoAt
    } else {
        AddressError::NotOne
    })?;
    if domain.chars().any(|c| c == '@' || is_special(c) || c.is_whitespace()) {
        return Err(AddressError::NotOne);
    }
    if local.is_empty() {
        return Err(AddressError::LocalPart);
    }
    let domain = domain_to_a_label(domain)?;
    let length = local.len().saturating_add(1).saturating_add(domain.len());
    if local.len() > MAX_LOCAL_PART || length > MAX_PATH {
        return Err(AddressError::TooLong);
    }
    Ok(Parts { local, domain })
}

/// Splits after the local part: a quoted string, or a dot-atom up to the first character that can't stand in one.
fn split_local_part(addr_spec: &str) -> Result<(&str, &str), AddressError> {
    if addr_spec.starts_with('"') {
        let mut escaped = false;
        for (at, c) in addr_spec.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    let end = at.saturating_add(1);
                    return addr_spec.split_at_checked(end).ok_or(AddressError::LocalPart);
                }
                _ => {}
            }
        }
        return Err(AddressError::LocalPart);
    }
    let end =
        addr_spec.find(|c: char| c == '@' || is_special(c) || c.is_whitespace()).unwrap_or(addr_spec.len());
    let (local, rest) = addr_spec.split_at_checked(end).ok_or(AddressError::LocalPart)?;
    if local.is_empty() && !rest.starts_with('@') {
        return Err(AddressError::NotOne);
    }
    if !rest.is_empty() && local.split('.').any(str::is_empty) {
        // `@a,@b:c@d` is a source route, `.a@b` and `a..b@c` are no dot-atoms.
        return Err(AddressError::LocalPart);
    }
    Ok((local, rest))
}

/// The specials of RFC 5322 §3.2.3 but the `@` and the dot, which the callers place themselves.
fn is_special(c: char) -> bool {
    matches!(c, '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '\\' | ',' | '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(addr_spec: &str, expected: Result<&str, AddressError>) {
        assert_eq!(Address::bare(addr_spec).path(), expected.map(str::to_owned), "{addr_spec:?}");
    }

    #[test]
    fn one_address_is_kept_with_its_domain_as_a_label() {
        for (written, path) in [
            ("robin@example.org", "robin@example.org"),
            ("Robin.Vale+news@EXAMPLE.org", "Robin.Vale+news@example.org"),
            ("žofie@pošta.example", "žofie@xn--pota-h6a.example"),
            ("x@XN--POTA-H6A.EXAMPLE", "x@xn--pota-h6a.example"),
            ("o'neil@example.org", "o'neil@example.org"),
            (r#""a, b@c <d>"@example.org"#, r#""a, b@c <d>"@example.org"#),
            (r#""a\"b"@example.org"#, r#""a\"b"@example.org"#),
            ("root@localhost", "root@localhost"),
            ("a@r3---sn.example", "a@r3---sn.example"),
            ("a@example。org", "a@example.org"),
        ] {
            check(written, Ok(path));
        }
    }

    #[test]
    fn what_would_become_several_recipients_is_refused() {
        for written in [
            "a@example.org,b@example.org",
            "a@example.org, b@example.org",
            "a@example.org;b@example.org",
            "a@example.org b@example.org",
            "a,b@example.org",
            "Robin <a@example.org>",
            "<a@example.org>",
            "friends:a@example.org;",
            "a@example.org@evil.example",
            r#""x"y@example.org"#,
            r#"a"b"@example.org"#,
            "a@example.org (comment)",
            " a@example.org",
            "a@example.org ",
            "a@[192.0.2.1]",
        ] {
            check(written, Err(AddressError::NotOne));
        }
        check("@relay.example,@b.example:c@example.org", Err(AddressError::LocalPart));
    }

    #[test]
    fn controls_and_invisibles_are_refused_inside_quotes_too() {
        for c in [
            '\r',
            '\n',
            '\0',
            '\t',
            '\u{7f}',
            '\u{85}',
            '\u{2028}',
            '\u{202e}',
            '\u{200b}',
            '\u{e0041}',
            '\u{feff}',
        ] {
            for written in
                [format!("a{c}b@example.org"), format!("\"a{c}b\"@example.org"), format!("a@exa{c}mple.org")]
            {
                check(&written, Err(AddressError::Control));
            }
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        let long = "a".repeat(65);
        for (written, why) in [
            ("", AddressError::Empty),
            ("robin", AddressError::NoAt),
            ("@example.org", AddressError::LocalPart),
            (".a@example.org", AddressError::LocalPart),
            ("a..b@example.org", AddressError::LocalPart),
            ("a.@example.org", AddressError::LocalPart),
            ("\"open@example.org", AddressError::LocalPart),
            ("a@", AddressError::Domain),
            ("a@.org", AddressError::Domain),
            ("a@example..org", AddressError::Domain),
            ("a@example.org.", AddressError::Domain),
            ("a@-example.org", AddressError::Domain),
            ("a@exa_mple.org", AddressError::Domain),
            ("a@192.0.2.1", AddressError::Domain),
            ("a@xn--pta-qma64b.example", AddressError::Domain),
            (&format!("{long}@example.org"), AddressError::TooLong),
        ] {
            check(written, Err(why));
        }
        let label = "d".repeat(60);
        check(
            &format!("{}@{label}.{label}.{label}.org", "a".repeat(64)),
            Ok(&format!("{}@{label}.{label}.{label}.org", "a".repeat(64))),
        );
        check(
            &format!("{}@{label}.{label}.{label}.{}", "a".repeat(64), "o".repeat(7)),
            Err(AddressError::TooLong),
        );
    }

    #[test]
    fn comparison_is_without_case_and_on_the_a_label() {
        let key = |spec: &str| Address::bare(spec).key().unwrap();
        assert_eq!(key("Robin@Pošta.Example"), key("robin@xn--pota-h6a.example"));
        assert_eq!(key("ŽOFIE@example.org"), key("žofie@example.org"));
        assert_ne!(key("robin@example.org"), key("robin@example.org.evil.example"));
        // Cyrillic а for Latin a.
        assert_ne!(key("robin@exаmple.org"), key("robin@example.org"));
    }

    #[test]
    fn the_u_label_stands_only_beside_an_a_label() {
        assert_eq!(
            Address::bare("a@XN--POTA-H6A.example").unicode_domain().as_deref(),
            Some("pošta.example")
        );
        assert_eq!(Address::bare("a@example.org").unicode_domain(), None);
        assert_eq!(Address::bare("nonsense").unicode_domain(), None);
    }

    #[test]
    fn display_cannot_be_ended_by_the_name() {
        let address =
            Address { display_name: Some(r#"a" <x@y> \"#.into()), addr_spec: "b@example.org".into() };
        assert_eq!(address.to_string(), r#""a\" <x@y> \\" <b@example.org>"#);
        assert_eq!(Address { display_name: Some(String::new()), ..address }.to_string(), "b@example.org");
    }
}
