//! Body parts: text as text, attachments byte for byte.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use countersign_send_policy::DraftAttachment;
use mail_builder::{
    headers::content_type::ContentType,
    mime::{BodyPart, MimePart},
};

use super::{
    body_text,
    build::BuildError,
    header::{msg_ids, one_line},
};

/// Characters in a line of base64 (RFC 2045 §6.8).
const BASE64_LINE: usize = 76;
/// Longest line in bytes that is written without an encoding (RFC 5322 §2.1.1).
const MAX_LINE: usize = 998;
/// The type of what can't be written under its own.
const BYTES: &str = "application/octet-stream";

/// A text part; UTF-8, its transfer encoding chosen by what it holds.
pub(super) fn text(media_type: &'static str, text: &str) -> MimePart<'static> {
    let mut lines = body_text(text).replace('\n', "\r\n");
    lines.push_str("\r\n");
    MimePart::new(media_type, BodyPart::Text(lines.into()))
}

/// An attachment. Base64 whatever its type, so that its bytes and with them its identity stay: a transport may
/// rewrite the line ends of text. Only an attached message can't be in base64 (RFC 2046 §5.2.1); one that doesn't fit
/// on a wire as it is goes as bytes without a type of its own.
pub(super) fn attachment(part: &DraftAttachment) -> Result<MimePart<'_>, BuildError> {
    let DraftAttachment { name, media_type, content_id, inline, bytes, .. } = part;
    one_line(name)?;
    let media_type = written_type(media_type, bytes);
    let mut content_type = ContentType::new(media_type);
    if media_type.starts_with("text/") && !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() {
        content_type = content_type.attribute("charset", "utf-8");
    }
    let mut disposition = ContentType::new(if *inline { "inline" } else { "attachment" });
    if !name.is_empty() {
        disposition = disposition.attribute("filename", name.as_str());
    }
    let (encoding, body) = if media_type.starts_with("message/") {
        ("7bit", bytes.clone())
    } else {
        ("base64", base64_lines(bytes))
    };
    let mut written = MimePart::new(content_type, BodyPart::Binary(body.into()))
        .header("Content-Disposition", disposition)
        .transfer_encoding(encoding);
    if let Some(id) = content_id {
        msg_ids(std::slice::from_ref(id))?;
        written = written.cid(id.as_str());
    }
    Ok(written)
}

/// Parts of one kind together.
pub(super) fn multipart<'a>(media_type: &'static str, parts: Vec<MimePart<'a>>) -> MimePart<'a> {
    MimePart::new(media_type, BodyPart::Multipart(parts))
}

/// The type under which a part's bytes can be written and read back as the same bytes.
pub(super) fn written_type<'a>(media_type: &'a str, bytes: &[u8]) -> &'a str {
    let token = |part: &str| {
        !part.is_empty()
            && part.len() <= 127
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
    };
    match media_type.split_once('/') {
        Some((kind, subtype)) if token(kind) && token(subtype) => match kind {
            "multipart" => BYTES,
            "message" if !is_seven_bit(bytes) => BYTES,
            _ => media_type,
        },
        _ => BYTES,
    }
}

/// Whether bytes can be written without an encoding: ASCII lines within the limit that end in CRLF.
fn is_seven_bit(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let whole_lines = text.replace("\r\n", "");
    text.is_ascii()
        && !whole_lines.contains(['\r', '\n', '\0'])
        && text.split("\r\n").all(|line| line.len() <= MAX_LINE)
        && !text.ends_with("\r\n\r\n")
}

fn base64_lines(bytes: &[u8]) -> Vec<u8> {
    let encoded = STANDARD.encode(bytes);
    let mut out = Vec::with_capacity(encoded.len().saturating_add(encoded.len() / 36));
    for line in encoded.as_bytes().chunks(BASE64_LINE) {
        out.extend_from_slice(line);
        out.extend_from_slice(b"\r\n");
    }
    out
}
