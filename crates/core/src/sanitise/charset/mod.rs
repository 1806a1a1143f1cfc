//! Bytes of mail to text, whatever they are labelled and whatever they are.
//!
//! `encoding_rs` holds the charsets of the WHATWG Encoding Standard; [`legacy`](self) adds what real mail has
//! besides: UTF-7 (RFC 2152), ISO-2022-KR (RFC 1557), HZ (RFC 1843), ISO-2022-CN, three DOS pages and the
//! Macintosh's for Central Europe. Labels are often wrong, so the bytes are looked at: text that is valid UTF-8
//! beyond ASCII is UTF-8 whatever single-byte charset it claims; text that claims UTF-8 and isn't is guessed;
//! ISO-8859 text with bytes that only the Windows sibling has is the sibling's. Nothing here fails.

mod guess;
mod label;
mod legacy;
mod tables;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use label::Named;

/// Characters beyond ASCII from which on text that is valid UTF-8 is UTF-8, whatever double-byte charset it
/// claims: about one pair in seven of Chinese text is valid by chance.
const CERTAIN: usize = 5;

/// Decoded text, and what it was taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text; bytes that mean nothing are U+FFFD.
    pub text: String,
    /// The name of the charset that was used.
    pub charset: &'static str,
    /// Whether some bytes meant nothing and were replaced.
    pub replaced: bool,
}

impl Decoded {
    fn new(text: String, charset: &'static str) -> Self {
        let replaced = text.contains(char::REPLACEMENT_CHARACTER);
        Self { text, charset, replaced }
    }
}

/// Decodes the bytes of a text part. `label` is the `charset` parameter as it stands, if there is one.
pub fn decode(bytes: &[u8], label: Option<&str>) -> Decoded {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return Decoded::new(String::from_utf8_lossy(rest).into_owned(), "UTF-8");
    }
    match label.map_or(Named::Unknown, label::find) {
        Named::Known(encoding) if encoding == UTF_8 => utf_8(bytes),
        Named::Known(encoding) if encoding == UTF_16BE || encoding == UTF_16LE => {
            utf_16(bytes, encoding, label)
        }
        Named::Known(encoding) => known(bytes, encoding),
        Named::Utf7 => Decoded::new(legacy::utf_7(bytes), "UTF-7"),
        Named::Iso2022Kr => Decoded::new(legacy::shifted(bytes, encoding_rs::EUC_KR), "ISO-2022-KR"),
        Named::Iso2022Cn => Decoded::new(legacy::shifted(bytes, encoding_rs::GBK), "ISO-2022-CN"),
        Named::Hz => Decoded::new(legacy::hz(bytes), "HZ-GB-2312"),
        Named::Table(name, upper) => Decoded::new(table(bytes, upper), name),
        Named::Ascii | Named::Unknown => unlabelled(bytes),
    }
}

/// Decodes a raw header value that may hold 8-bit bytes: UTF-8 where it is valid (RFC 6532), else the message's
/// own charset if it declares another one, else a guess. Encoded words are the header parser's, not this one's.
pub fn decode_header(bytes: &[u8], label: Option<&str>) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => decode(bytes, label).text,
    }
}

/// What has no label, or one that says nothing.
fn unlabelled(bytes: &[u8]) -> Decoded {
    if has_iso_2022_jp_escape(bytes) && bytes.is_ascii() {
        return with(bytes, encoding_rs::ISO_2022_JP);
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return utf_16(bytes, UTF_16BE, None);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded::new(text.to_owned(), "UTF-8"),
        Err(_) => utf_8(bytes),
    }
}

/// Text that claims UTF-8. Where it isn't, a damaged UTF-8 text is told from a wrong label by whether its
/// multi-byte sequences are mostly whole.
fn utf_8(bytes: &[u8]) -> Decoded {
    let mut whole = 0_usize;
    let mut broken = 0_usize;
    for chunk in bytes.utf8_chunks() {
        whole = whole.saturating_add(chunk.valid().chars().filter(|c| !c.is_ascii()).count());
        broken = broken.saturating_add(chunk.invalid().len());
    }
    if broken == 0 || whole > broken {
        return Decoded::new(String::from_utf8_lossy(bytes).into_owned(), "UTF-8");
    }
    with(bytes, guess::legacy(bytes))
}

fn utf_16(bytes: &[u8], declared: &'static Encoding, label: Option<&str>) -> Decoded {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return with(rest, UTF_16LE);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return with(rest, UTF_16BE);
    }
    if !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok() {
        // A part that was converted to UTF-8 on its way and kept the old label: real UTF-16 of any language
        // with spaces and line ends holds zero bytes.
        return unlabelled(bytes);
    }
    let names_order = label.is_some_and(|label| label.to_ascii_lowercase().trim_end().ends_with('e'));
    if names_order {
        return with(bytes, declared);
    }
    let (even, odd) = zeros(bytes);
    // Without a mark RFC 2781 says big-endian; the zero halves of ASCII characters know better.
    with(bytes, if odd > even { UTF_16LE } else { UTF_16BE })
}

fn zeros(bytes: &[u8]) -> (usize, usize) {
    let count = |parity: usize| bytes.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    (count(0), count(1))
}

fn known(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    if encoding.is_single_byte() || encoding == encoding_rs::X_USER_DEFINED {
        if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() {
            return with(bytes, UTF_8);
        }
        if bytes.is_ascii() && has_iso_2022_jp_escape(bytes) {
            return with(bytes, encoding_rs::ISO_2022_JP);
        }
        return with(bytes, windows_sibling(bytes, encoding));
    }
    let decoded = with(bytes, encoding);
    if !bytes.is_ascii()
        && let Ok(text) = std::str::from_utf8(bytes)
        && (decoded.replaced || text.chars().filter(|c| !c.is_ascii()).take(CERTAIN).count() == CERTAIN)
    {
        return with(bytes, UTF_8);
    }
    decoded
}

/// ISO-8859 has controls at 0x80 to 0x9F that no mail holds; bytes there are of the Windows page.
fn windows_sibling(bytes: &[u8], encoding: &'static Encoding) -> &'static Encoding {
    if !bytes.iter().any(|byte| matches!(byte, 0x80..=0x9f)) {
        return encoding;
    }
    match encoding.name() {
        "ISO-8859-2" => encoding_rs::WINDOWS_1250,
        "ISO-8859-4" | "ISO-8859-13" => encoding_rs::WINDOWS_1257,
        "ISO-8859-5" => encoding_rs::WINDOWS_1251,
        "ISO-8859-6" => encoding_rs::WINDOWS_1256,
        "ISO-8859-7" => encoding_rs::WINDOWS_1253,
        "ISO-8859-8" | "ISO-8859-8-I" => encoding_rs::WINDOWS_1255,
        "ISO-8859-15" => encoding_rs::WINDOWS_1252,
        _ => encoding,
    }
}

fn with(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Decoded::new(text.into_owned(), encoding.name())
}

fn table(bytes: &[u8], upper: &str) -> String {
    let upper: Vec<char> = upper.chars().collect();
    let letter = |byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(*byte),
        Some(at) => upper.get(usize::from(at)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(letter).collect()
}

fn has_iso_2022_jp_escape(bytes: &[u8]) -> bool {
    bytes.windows(3).any(|window| matches!(window, b"\x1b$B" | b"\x1b$@" | b"\x1b(J"))
}

#[cfg(test)]
mod tests;
