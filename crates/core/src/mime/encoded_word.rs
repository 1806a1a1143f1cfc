//! Encoded words (RFC 2047), as mail really has them: too long, in quotes, without blanks around, with a character
//! split over two words, with blanks inside.

use super::transfer;
use crate::sanitise::charset;

/// Longest charset name in an encoded word.
const CHARSET: usize = 64;

/// The text with its encoded words decoded. Line breaks that come out of one stay for
/// [`crate::sanitise::header::line`] to remove.
pub fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Bytes of words in one charset that stand side by side: a character may be split between them.
    let mut pending: Option<(String, Vec<u8>)> = None;
    let mut rest = text;
    let mut ends = true;
    while let Some(at) = rest.find("=?") {
        let (before, word) = rest.split_at_checked(at).unwrap_or((rest, ""));
        if !(pending.is_some() && before.chars().all(char::is_whitespace)) {
            flush(&mut out, &mut pending);
            out.push_str(before);
        }
        let Some(word) = Word::read(word, &mut ends) else {
            if pending.is_some() {
                flush(&mut out, &mut pending);
                out.push_str(before);
            }
            out.push_str("=?");
            rest = word.get(2..).unwrap_or_default();
            continue;
        };
        rest = word.rest;
        match &mut pending {
            Some((charset, bytes)) if charset.eq_ignore_ascii_case(word.charset) => bytes.extend(word.bytes),
            _ => {
                flush(&mut out, &mut pending);
                pending = Some((word.charset.to_owned(), word.bytes));
            }
        }
    }
    flush(&mut out, &mut pending);
    out.push_str(rest);
    out
}

fn flush(out: &mut String, pending: &mut Option<(String, Vec<u8>)>) {
    if let Some((label, bytes)) = pending.take() {
        out.push_str(&charset::decode(&bytes, Some(&label)).text);
    }
}

struct Word<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
    rest: &'a str,
}

impl<'a> Word<'a> {
    /// Reads a word at the start of `text`. `ends` turns false once no end is found, so that none is sought again.
    fn read(text: &'a str, ends: &mut bool) -> Option<Self> {
        let after = text.strip_prefix("=?")?;
        let head = after.get(..after.floor_char_boundary(CHARSET)).unwrap_or(after);
        let (charset, _) = head.split_once('?')?;
        if charset.is_empty() || charset.contains(char::is_whitespace) {
            return None;
        }
        let after = after.get(charset.len().checked_add(1)?..)?;
        let mut letters = after.chars();
        let encoding = letters.next()?.to_ascii_lowercase();
        let encoded = letters.as_str().strip_prefix('?')?;
        if !*ends {
            return None;
        }
        // The end isn't the `?=` of an escape that follows a question mark, `?=3D`.
        let Some(end) = encoded.find("?=") else {
            *ends = false;
            return None;
        };
        let (encoded, rest) = encoded.split_at_checked(end)?;
        let rest = rest.strip_prefix("?=")?;
        let mut bytes = Vec::with_capacity(encoded.len());
        match encoding {
            'b' => transfer::base64(encoded.as_bytes(), |byte| bytes.push(byte)),
            'q' => q(encoded.as_bytes(), &mut bytes),
            _ => return None,
        }
        Some(Self { charset, bytes, rest })
    }
}

fn q(encoded: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = encoded;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, transfer::hex_pair(tail)) {
            (b'_', _) => bytes.push(b' '),
            (b'=', Some(decoded)) => {
                bytes.push(decoded);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => bytes.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let cases: &[(&str, &str, &str)] = &[
            ("=?utf-8?B?xb1vZmll?=", "Žofie", "base64"),
            ("=?ISO-8859-2?Q?Ji=F8=ED?= Novotny", "Jiří Novotny", "Q with text after"),
            ("=?utf-8?q?a_b?= =?utf-8?q?c?=", "a bc", "blanks between words aren't text"),
            ("=?utf-8?b?xb0=?= =?iso-8859-1?q?=E9?=", "Žé", "two charsets"),
            ("=?utf-8?q?=C5?= =?utf-8?q?=BD?=", "Ž", "a character split between words"),
            ("a=?utf-8?q?b?=c", "abc", "no blanks around"),
            ("=?utf-8?q?a b?=", "a b", "a blank inside"),
            ("=?nonsense?q?=C5=BD?=", "Ž", "an unknown charset"),
            ("=?utf-8*cs?q?=C5=BD?=", "Ž", "with a language"),
            ("=?iso-2022-jp?b?GyRCJDMkcxsoQg==?=", "こん", "a stateful charset"),
            ("=?utf-8?x?a?=", "=?utf-8?x?a?=", "an unknown encoding stays"),
            ("=?utf-8?q?a", "=?utf-8?q?a", "no end"),
            ("=?=?=?", "=?=?=?", "nothing but marks"),
            ("=?utf-8?q?a?= =?", "a =?", "a blank before what is no word stays"),
            ("plain", "plain", "none"),
        ];
        for (given, wanted, why) in cases {
            assert_eq!(decode(given), *wanted, "{why}");
        }
        assert_eq!(
            decode(&"=?utf-8?q?a".repeat(50_000)).len(),
            550_000,
            "ends without looking for an end each time"
        );
    }
}
