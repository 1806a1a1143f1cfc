//! Header values that no decoder can read in two ways: plain where they are plain ASCII, else as encoded words
//! (RFC 2047) of whole characters.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::build::BuildError;
use crate::{compose::threading::is_msg_id, model::Address};

/// Bytes of text in one encoded word: `=?utf-8?B?` and `?=` around 60 characters stay under RFC 2047's 75.
const WORD_BYTES: usize = 45;

/// An unstructured value, such as a subject.
pub(super) fn unstructured(text: &str) -> Result<String, BuildError> {
    one_line(text)?;
    Ok(if is_plain(text) { text.to_owned() } else { encoded_words(text) })
}

/// A list of addresses. Names are quoted strings or encoded words; addresses are exactly one each.
pub(super) fn addresses(list: &[Address]) -> Result<String, BuildError> {
    let mut out = String::new();
    for address in list {
        if !out.is_empty() {
            out.push_str(", ");
        }
        let path = address.path().map_err(BuildError::Address)?;
        match address.display_name.as_deref().filter(|name| !name.is_empty()) {
            None => write!(out, "<{path}>").ok(),
            Some(name) => write!(out, "{} <{path}>", phrase(name)?).ok(),
        };
    }
    Ok(out)
}

/// Msg-ids with their angle brackets.
pub(super) fn msg_ids(ids: &[String]) -> Result<String, BuildError> {
    if ids.iter().all(|id| is_msg_id(id)) {
        Ok(ids.iter().map(|id| format!("<{id}>")).collect::<Vec<_>>().join(" "))
    } else {
        Err(BuildError::MessageId)
    }
}

/// A value that must not end its line.
pub(super) fn one_line(text: &str) -> Result<(), BuildError> {
    if text.chars().any(char::is_control) { Err(BuildError::Control) } else { Ok(()) }
}

fn phrase(name: &str) -> Result<String, BuildError> {
    one_line(name)?;
    if !is_plain(name) {
        return Ok(encoded_words(name));
    }
    let mut out = "\"".to_owned();
    for c in name.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    Ok(out)
}

/// Whether a value reads back as it is: ASCII, nothing that looks like an encoded word, and no blanks that folding
/// could lose, on a line that need not be broken within a word.
fn is_plain(text: &str) -> bool {
    let trimmed = text.trim() == text && !text.contains("  ");
    trimmed && text.is_ascii() && !text.contains("=?") && text.split(' ').all(|word| word.len() <= WORD_BYTES)
}

fn encoded_words(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.floor_char_boundary(WORD_BYTES);
        let Some((word, after)) = rest.split_at_checked(at) else { break };
        if !out.is_empty() {
            out.push(' ');
        }
        write!(out, "=?utf-8?B?{}?=", STANDARD.encode(word)).ok();
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_ends_its_line() {
        for c in ['\r', '\n', '\0', '\u{85}'] {
            assert_eq!(unstructured(&format!("a{c}Bcc: b")), Err(BuildError::Control), "{c:?}");
            let named = Address { display_name: Some(format!("a{c}b")), addr_spec: "a@example.org".into() };
            assert_eq!(addresses(&[named]), Err(BuildError::Control), "{c:?}");
            assert_eq!(msg_ids(&[format!("a{c}@x")]), Err(BuildError::MessageId), "{c:?}");
        }
        assert!(addresses(&[Address::bare("a@example.org>, <b@example.org")]).is_err());
        assert_eq!(msg_ids(&["a@x> <b@x".into()]), Err(BuildError::MessageId));
    }

    #[test]
    fn encoded_words_hold_whole_characters_and_fit() {
        let written = unstructured(&"ž漢😀".repeat(60)).unwrap();
        for word in written.split(' ') {
            assert!(word.len() <= 75, "{word}");
            let inner = word.strip_prefix("=?utf-8?B?").unwrap().strip_suffix("?=").unwrap();
            assert!(String::from_utf8(STANDARD.decode(inner).unwrap()).is_ok(), "{word}");
        }
    }

    #[test]
    fn what_looks_encoded_is_encoded() {
        assert_eq!(unstructured("plain"), Ok("plain".into()));
        assert!(unstructured("=?utf-8?Q?Bank?=").unwrap().starts_with("=?utf-8?B?"));
    }
}
