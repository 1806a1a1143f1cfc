//! Decoders for stateful charsets that browsers refuse and mail has: UTF-7, ISO-2022-KR and -CN, HZ.
//!
//! Browsers refuse them because markup can hide in them from a filter that reads bytes. Here they are decoded
//! first and everything is filtered afterwards, so nothing can hide.

use encoding_rs::{Encoding, GBK};

/// RFC 2152. A broken shift sequence gives U+FFFD and what was read of it stays gone; bytes beyond ASCII aren't
/// allowed and become U+FFFD.
pub(super) fn utf_7(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'+' {
            out.push(if byte.is_ascii() { char::from(byte) } else { char::REPLACEMENT_CHARACTER });
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"-") {
            out.push('+');
            rest = after;
            continue;
        }
        let length = rest.iter().take_while(|byte| sextet(**byte).is_some()).count();
        let Some((shifted, after)) = rest.split_at_checked(length) else { break };
        if shifted.is_empty() {
            // A plus sign that shifts nothing is a plus sign that someone forgot to escape.
            out.push('+');
            continue;
        }
        push_shifted(&mut out, shifted);
        rest = after.strip_prefix(b"-").unwrap_or(after);
    }
    out
}

fn push_shifted(out: &mut String, shifted: &[u8]) {
    let mut units = Vec::with_capacity(shifted.len() / 2);
    let mut buffer = 0_u32;
    let mut bits = 0_u32;
    for byte in shifted {
        buffer = (buffer << 6) | u32::from(sextet(*byte).unwrap_or_default());
        bits = bits.saturating_add(6);
        if bits >= 16 {
            bits = bits.saturating_sub(16);
            units.push(u16::try_from((buffer >> bits) & 0xffff).unwrap_or_default());
        }
        buffer &= 0xffff;
    }
    out.extend(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => byte.checked_sub(b'A'),
        b'a'..=b'z' => byte.checked_sub(b'a').and_then(|at| at.checked_add(26)),
        b'0'..=b'9' => byte.checked_sub(b'0').and_then(|at| at.checked_add(52)),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// RFC 1557 and RFC 1922: shift-out (0x0E) and shift-in (0x0F) switch to seven-bit pairs, which are the pairs of
/// an eight-bit charset without their high bits. A line end switches back. Designations (`ESC $ ) x`) are dropped.
pub(super) fn shifted(bytes: &[u8], eight_bit: &'static Encoding) -> String {
    let mut raised = Vec::with_capacity(bytes.len());
    let mut out = false;
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            0x0e => out = true,
            0x0f => out = false,
            0x1b if rest.starts_with(b"$") => rest = rest.get(3..).unwrap_or_default(),
            b'\n' | b'\r' => {
                out = false;
                raised.push(byte);
            }
            0x21..=0x7e if out => raised.push(byte | 0x80),
            _ => raised.push(byte),
        }
    }
    eight_bit.decode_without_bom_handling(&raised).0.into_owned()
}

/// RFC 1843: `~{` and `~}` switch, `~~` is a tilde, `~` before a line end joins lines.
pub(super) fn hz(bytes: &[u8]) -> String {
    let mut raised = Vec::with_capacity(bytes.len());
    let mut gb = false;
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, rest.first()) {
            (b'~', Some(b'{')) => gb = true,
            (b'~', Some(b'}')) => gb = false,
            (b'~', Some(b'~')) if !gb => raised.push(b'~'),
            (b'~', Some(b'\n')) if !gb => {}
            (0x21..=0x7e, _) if gb => {
                raised.push(byte | 0x80);
                continue;
            }
            (b'\n', _) => {
                gb = false;
                raised.push(byte);
                continue;
            }
            _ => {
                raised.push(byte);
                continue;
            }
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    GBK.decode_without_bom_handling(&raised).0.into_owned()
}
