//! Content transfer encodings (RFC 2045, section 6), read leniently: junk in base64 is skipped and padding in its
//! middle starts a new run, a bad escape in quoted-printable is text.

use std::borrow::Cow;

/// The encodings that change bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransferEncoding {
    /// `7bit`, `8bit`, `binary`, and whatever isn't known.
    #[default]
    Identity,
    /// `base64`.
    Base64,
    /// `quoted-printable`.
    QuotedPrintable,
}

impl TransferEncoding {
    /// Reads the value of a `Content-Transfer-Encoding` field.
    pub fn from_field(value: &str) -> Self {
        let word = value.trim().trim_matches('"').split([';', ' ', '(']).next().unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "base64" | "x-base64" | "b" => Self::Base64,
            "quoted-printable" | "quotedprintable" | "q" => Self::QuotedPrintable,
            _ => Self::Identity,
        }
    }

    /// The decoded bytes.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let mut out = Vec::new();
        match self {
            Self::Identity => return Cow::Borrowed(bytes),
            Self::Base64 => base64(bytes, |byte| out.push(byte)),
            Self::QuotedPrintable => quoted_printable(bytes, |byte| out.push(byte)),
        }
        Cow::Owned(out)
    }

    /// How many bytes [`Self::decode`] would give.
    pub fn decoded_len(self, bytes: &[u8]) -> u64 {
        let mut count = 0_u64;
        let mut add = |_| count = count.saturating_add(1);
        match self {
            Self::Identity => return u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::Base64 => base64(bytes, &mut add),
            Self::QuotedPrintable => quoted_printable(bytes, &mut add),
        }
        count
    }
}

pub(super) fn base64(bytes: &[u8], mut push: impl FnMut(u8)) {
    let mut buffer = 0_u32;
    let mut bits = 0_u32;
    for &byte in bytes {
        let value = match byte {
            b'A'..=b'Z' => byte.wrapping_sub(b'A'),
            b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                (buffer, bits) = (0, 0);
                continue;
            }
            _ => continue,
        };
        buffer = ((buffer << 6) | u32::from(value)) & 0xffff;
        bits = bits.saturating_add(6);
        if bits >= 8 {
            bits = bits.saturating_sub(8);
            let [.., low] = (buffer >> bits).to_be_bytes();
            push(low);
        }
    }
}

fn quoted_printable(bytes: &[u8], mut push: impl FnMut(u8)) {
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let end = line.get(text.len()..).unwrap_or_default();
        // Blanks at the end of a line were added on the way (rule 3).
        let mut rest = text.trim_ascii_end();
        let mut soft = false;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            if byte != b'=' {
                push(byte);
            } else if tail.is_empty() {
                soft = true;
            } else if let Some(decoded) = hex_pair(tail) {
                push(decoded);
                rest = tail.get(2..).unwrap_or_default();
            } else {
                push(byte);
            }
        }
        if !soft {
            for byte in end {
                push(*byte);
            }
        }
    }
}

/// The byte that two hexadecimal digits at the start name.
pub(super) fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let value = digit(bytes.first()?)?.checked_mul(16)?.checked_add(digit(bytes.get(1)?)?)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenient_decoding() {
        let cases: &[(TransferEncoding, &str, &str, &str)] = &[
            (TransferEncoding::Base64, "aGVs\r\nbG8=", "hello", "line ends"),
            (TransferEncoding::Base64, "aGk=\r\n!!@@\r\neA==", "hix", "padding and junk in the middle"),
            (TransferEncoding::Base64, "aGVsbG", "hell", "cut short"),
            (TransferEncoding::QuotedPrintable, "a=\r\nb=20c=3D", "ab c=", "soft break and escapes"),
            (TransferEncoding::QuotedPrintable, "a   \r\nb=  \r\nc", "a\r\nbc", "blanks added at the end"),
            (
                TransferEncoding::QuotedPrintable,
                "=ZZ =4 =",
                "=ZZ =4 ",
                "bad escapes, and one that breaks off",
            ),
            (TransferEncoding::Identity, "a=20", "a=20", "nothing to decode"),
        ];
        for (encoding, given, wanted, why) in cases {
            assert_eq!(String::from_utf8_lossy(&encoding.decode(given.as_bytes())), *wanted, "{why}");
            assert_eq!(encoding.decoded_len(given.as_bytes()), wanted.len() as u64, "{why}");
        }
    }
}
