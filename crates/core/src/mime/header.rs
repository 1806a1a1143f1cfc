//! Header fields: where they stand, what they say, and parameters (RFC 2045, RFC 2231).

use std::ops::Range;

use super::{encoded_word, transfer};
use crate::sanitise::charset;

/// Most fields read of one header; a message that passed many relays has a hundred.
pub const FIELDS: usize = 10_000;
/// Longest field value read, in bytes. What is longer is cut.
pub const VALUE: usize = 256 * 1024;
/// Most parameters of one field, and most pieces of one parameter.
const PARAMETERS: usize = 100;

/// A field: its name, and where its value is in the raw message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: Range<usize>,
}

/// The fields in a header block.
pub(super) fn fields(raw: &[u8], block: Range<usize>) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut at = block.start;
    for line in raw.get(block).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at = at.saturating_add(line.len());
        if line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            if let Some(last) = fields.last_mut() {
                last.value.end = at;
            }
            continue;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = line.get(..colon).unwrap_or_default().trim_ascii_end();
        // A line that isn't a field (an mbox `From `, rubbish) is passed over.
        if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) || name.len() > 200 {
            continue;
        }
        if fields.len() >= FIELDS {
            break;
        }
        let value = start.saturating_add(colon).saturating_add(1)..at;
        fields.push(Field { name: String::from_utf8_lossy(name).to_ascii_lowercase(), value });
    }
    fields
}

/// A value unfolded (RFC 5322, section 2.2.3) and decoded from raw bytes, encoded words left as they are.
pub(super) fn unfolded(raw: &[u8], value: Range<usize>, charset: Option<&str>) -> String {
    let bytes = raw.get(value).unwrap_or_default();
    let bytes = bytes.get(..VALUE).unwrap_or(bytes);
    let mut joined = Vec::with_capacity(bytes.len());
    joined.extend(bytes.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')));
    charset::decode_header(&joined, charset).trim().to_owned()
}

/// Unstructured text (`Subject`): unfolded, encoded words decoded, without control characters. Not yet fit to be
/// shown: that is [`crate::sanitise::header::line`]'s.
pub(super) fn unstructured(text: &str) -> String {
    encoded_word::decode(text)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .trim()
        .to_owned()
}

/// The msg-ids in a field, without angle brackets. Where there are no brackets, the words with an `@`.
pub fn msg_ids(text: &str) -> Vec<String> {
    /// Most ids read; a thread of that length has other troubles.
    const IDS: usize = 1_000;
    let clean = |id: &str| id.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect::<String>();
    let bracketed: Vec<String> = text
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split_once('>'))
        .map(|(id, _)| clean(id))
        .filter(|id| !id.is_empty() && id.len() <= 998)
        .take(IDS)
        .collect();
    if !bracketed.is_empty() {
        return bracketed;
    }
    text.split_whitespace()
        .filter(|word| word.contains('@') && word.len() <= 998)
        .map(clean)
        .take(IDS)
        .collect()
}

/// A value with parameters: `text/plain; charset=utf-8`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameterised {
    /// The value before the parameters, in lower case.
    pub value: String,
    parameters: Vec<(String, String)>,
}

impl Parameterised {
    /// Reads an unfolded value.
    pub fn parse(text: &str) -> Self {
        let mut rest = text;
        let value: String = take_token(&mut rest).to_ascii_lowercase();
        let mut pieces: Vec<Piece> = Vec::new();
        while pieces.len() < PARAMETERS {
            let Some(semicolon) = rest.find(';') else { break };
            rest = rest.get(semicolon.saturating_add(1)..).unwrap_or_default();
            let Some(equals) = rest.find(['=', ';']) else { break };
            let (name, tail) = rest.split_at_checked(equals).unwrap_or((rest, ""));
            rest = tail;
            let Some(after) = tail.strip_prefix('=') else { continue };
            rest = after;
            let value = take_value(&mut rest);
            pieces.push(Piece::new(name, value));
        }
        Self { value, parameters: join(pieces) }
    }

    /// A parameter's value, decoded (RFC 2231, and the encoded words that RFC 2047 forbids there).
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

struct Piece {
    name: String,
    /// `filename*2`: the number, or none.
    number: Option<u32>,
    extended: bool,
    value: String,
}

impl Piece {
    fn new(name: &str, value: String) -> Self {
        let name = name.trim().to_ascii_lowercase();
        let (name, extended) = name.strip_suffix('*').map_or((name.as_str(), false), |bare| (bare, true));
        let (name, number) = match name.split_once('*') {
            Some((bare, number)) => (bare, number.parse().ok()),
            None => (name, None),
        };
        Self { name: name.to_owned(), number, extended, value }
    }
}

fn join(mut pieces: Vec<Piece>) -> Vec<(String, String)> {
    // Stable, so that an unnumbered parameter comes before its numbered namesake only if it stood before.
    pieces.sort_by_key(|piece| piece.number.unwrap_or_default());
    let mut joined: Vec<(String, String)> = Vec::new();
    let names: Vec<String> = pieces.iter().map(|piece| piece.name.clone()).collect();
    for name in names {
        if joined.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let own = || pieces.iter().filter(|piece| piece.name == name);
        // RFC 2231's form outweighs the plain one that stands beside it for old readers.
        let whole = own().find(|piece| piece.extended && piece.number.is_none());
        let value = if let Some(piece) = whole {
            extended(std::iter::once(piece))
        } else if own().any(|piece| piece.number.is_some()) {
            extended(own().filter(|piece| piece.number.is_some()))
        } else {
            own().next().map(|piece| encoded_word::decode(&piece.value)).unwrap_or_default()
        };
        joined.push((name, value));
    }
    joined
}

/// Joins the pieces of a parameter: percent escapes in the extended ones, charset and language before the first.
fn extended<'a>(pieces: impl Iterator<Item = &'a Piece>) -> String {
    let mut label: Option<String> = None;
    let mut bytes = Vec::new();
    for (index, piece) in pieces.enumerate() {
        if !piece.extended {
            bytes.extend(piece.value.as_bytes());
            continue;
        }
        let mut value = piece.value.as_str();
        if index == 0 {
            let mut parts = value.splitn(3, '\'');
            if let (Some(charset), Some(_), Some(text)) = (parts.next(), parts.next(), parts.next()) {
                label = Some(charset.to_owned());
                value = text;
            }
        }
        let mut rest = value.as_bytes();
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            match transfer::hex_pair(tail) {
                Some(decoded) if byte == b'%' => {
                    bytes.push(decoded);
                    rest = tail.get(2..).unwrap_or_default();
                }
                _ => bytes.push(byte),
            }
        }
    }
    let text = charset::decode(&bytes, label.as_deref()).text;
    // Some senders number the pieces of an encoded word.
    if label.is_none() { encoded_word::decode(&text) } else { text }
}

/// The value before the first parameter, without comments.
fn take_token(rest: &mut &str) -> String {
    let end = rest.find(';').unwrap_or(rest.len());
    let (head, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
    *rest = tail;
    head.split('(')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect()
}

/// A parameter's value: quoted, or up to the next semicolon.
fn take_value(rest: &mut &str) -> String {
    let text = rest.trim_start();
    let Some(inner) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        let (head, tail) = text.split_at_checked(end).unwrap_or((text, ""));
        *rest = tail;
        return head.trim().to_owned();
    };
    let mut value = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => value.extend(chars.next()),
            '"' => break,
            _ => value.push(c),
        }
    }
    *rest = chars.as_str();
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters() {
        let cases: &[(&str, &str, &str, Option<&str>, &str)] = &[
            ("Text/Plain; charset=utf-8", "text/plain", "charset", Some("utf-8"), "plain"),
            (
                "text/plain; charset=\"utf-8\" (c)",
                "text/plain",
                "charset",
                Some("utf-8"),
                "quoted, comment after",
            ),
            (
                "attachment; filename=\"a;b\\\"c.txt\"",
                "attachment",
                "filename",
                Some("a;b\"c.txt"),
                "separator and quote inside",
            ),
            (
                "attachment; filename=my file.pdf",
                "attachment",
                "filename",
                Some("my file.pdf"),
                "unquoted blanks",
            ),
            (
                "attachment; filename*=utf-8'cs'%C5%BDofie.pdf",
                "attachment",
                "filename",
                Some("Žofie.pdf"),
                "RFC 2231",
            ),
            (
                "attachment; filename*1*=%20b; filename*0*=utf-8''a",
                "attachment",
                "filename",
                Some("a b"),
                "pieces out of order",
            ),
            (
                "attachment; filename*0=\"long \"; filename*1=name",
                "attachment",
                "filename",
                Some("long name"),
                "plain pieces",
            ),
            (
                "attachment; filename=x; filename*=iso-8859-2''%BE",
                "attachment",
                "filename",
                Some("ž"),
                "both forms",
            ),
            (
                "attachment; filename=\"=?utf-8?q?=C5=BD?=.pdf\"",
                "attachment",
                "filename",
                Some("Ž.pdf"),
                "an encoded word",
            ),
            ("attachment; filename*=%41", "attachment", "filename", Some("A"), "no charset"),
            ("text/plain", "text/plain", "charset", None, "none"),
            (";;;=;", "", "", Some(""), "rubbish"),
        ];
        for (text, value, name, wanted, why) in cases {
            let parsed = Parameterised::parse(text);
            assert_eq!(parsed.value, *value, "{why}");
            assert_eq!(parsed.parameter(name), *wanted, "{why}");
        }
    }

    #[test]
    fn ids() {
        assert_eq!(msg_ids("<a@x>  <b@x>\t<c@\n x>"), ["a@x", "b@x", "c@x"]);
        assert_eq!(msg_ids("a@x junk"), ["a@x"]);
        assert!(msg_ids("none").is_empty());
    }
}
