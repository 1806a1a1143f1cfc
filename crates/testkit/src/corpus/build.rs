//! Pieces of messages, put together byte by byte (RFC 5322, RFC 2045, RFC 2046).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Header fields, each with its CRLF, and a body.
pub fn message(fields: &str, body: &[u8]) -> Vec<u8> {
    let mut raw = fields.as_bytes().to_vec();
    raw.extend_from_slice(b"Message-ID: <");
    raw.extend_from_slice(digest(&[fields.as_bytes(), body]).as_bytes());
    raw.extend_from_slice(b"@corpus.test>\r\nDate: Mon, 30 Nov 2026 10:00:00 +0000\r\n\r\n");
    raw.extend_from_slice(body);
    raw.extend_from_slice(b"\r\n");
    raw
}

/// A name that differs where the content does (FNV-1a).
fn digest(pieces: &[&[u8]]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in pieces.iter().copied().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// A body part: its type, further fields each with CRLF, and its bytes as they stand.
pub fn part(content_type: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let mut raw = format!("Content-Type: {content_type}\r\n{fields}\r\n").into_bytes();
    raw.extend_from_slice(body);
    raw
}

/// An attachment in base64.
pub(super) fn attachment(content_type: &str, name: &str, content: &[u8]) -> Vec<u8> {
    let fields = format!(
        "Content-Disposition: attachment; filename=\"{name}\"\r\nContent-Transfer-Encoding: base64\r\n"
    );
    part(content_type, &fields, base64_lines(content).as_bytes())
}

/// Base64 in lines of 76 characters (RFC 2045 §6.8).
pub(super) fn base64_lines(content: &[u8]) -> String {
    let mut out = String::new();
    for line in content.chunks(57) {
        STANDARD.encode_string(line, &mut out);
        out.push_str("\r\n");
    }
    out
}

/// The parts between their boundaries, closed.
pub(super) fn multipart(boundary: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut raw = Vec::new();
    for part in parts {
        raw.extend_from_slice(format!("\r\n--{boundary}\r\n").as_bytes());
        raw.extend_from_slice(part);
    }
    raw.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    raw
}
