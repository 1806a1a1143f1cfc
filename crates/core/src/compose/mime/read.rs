//! From bytes to fields: a stored draft as it would go out.
//!
//! A draft may be anybody's bytes: another client's, or a message that somebody moved into Drafts. What is read here is
//! what is confirmed, and what is confirmed must be writable, since a send doesn't stop between its claim and the
//! wire. So each field is brought into the form in which [`super::build_fields`] writes it, and where the text can't be
//! told in full, nothing is read.

use std::fmt::Write as _;

use countersign_send_policy::{Address, DraftAttachment, DraftFields, Fingerprint};
use sha2::{Digest as _, Sha256};

use super::{
    body_text,
    parsed::{Parsed, parse},
    part::written_type,
};
use crate::{
    compose::threading::{is_msg_id, msg_ids},
    model::{Attachment, DraftRef, Headers},
};

/// A stored draft as it would go out, or `None` where that can't be told from its bytes. The id is the one under which
/// the draft was asked for; a draft without a Message-ID is claimed under that id and its fingerprint.
pub fn draft_fields(raw: &[u8], id: &DraftRef) -> Option<DraftFields> {
    let Parsed { headers, body, attachments } = parse(raw);
    if body.truncated {
        return None;
    }
    let Headers {
        subject,
        from,
        reply_to,
        to,
        cc,
        bcc,
        message_id,
        in_reply_to,
        references,
        sender: _,
        date: _,
    } = headers;
    let html = body.html.map(|html| body_text(&html)).filter(|html| !html.is_empty());
    let text = body.plain.map(|text| body_text(&text)).filter(|text| html.is_none() || !text.is_empty());
    let message_id = message_id.filter(|id| is_msg_id(id));
    let mut fields = DraftFields {
        id: id.as_str().to_owned(),
        claim_key: message_id.clone().unwrap_or_default(),
        message_id,
        from: from.into_iter().next().map(address).unwrap_or_default(),
        to: to.into_iter().map(address).collect(),
        cc: cc.into_iter().map(address).collect(),
        bcc: bcc.into_iter().map(address).collect(),
        reply_to: reply_to.into_iter().map(address).collect(),
        subject: line(&subject),
        in_reply_to: msg_ids(&in_reply_to),
        references: msg_ids(&references),
        text: if html.is_none() { Some(text.unwrap_or_default()) } else { text },
        html,
        attachments: attachments.into_iter().map(draft_attachment).collect(),
    };
    if fields.message_id.is_none() {
        fields.claim_key = format!("{id} {}", Fingerprint::of(&fields));
    }
    Some(fields)
}

/// An address as it is written. One that isn't exactly one address stays as it is, for the send policy to refuse.
fn address(address: Address) -> Address {
    let addr_spec = address.path().unwrap_or_else(|_| address.addr_spec.clone());
    // Blanks of a name run together when it is read, so they do here.
    let name = address.display_name.map(|name| line(&name).split_whitespace().collect::<Vec<_>>().join(" "));
    let display_name = name.filter(|name| !name.is_empty());
    Address { display_name, addr_spec }
}

/// An attachment of a message as a draft carries it: its name on one line, its content identified by its SHA-256.
pub fn draft_attachment(part: Attachment) -> DraftAttachment {
    let Attachment { info, charset: _, bytes } = part;
    DraftAttachment {
        name: line(&info.name.unwrap_or_default()),
        media_type: written_type(&info.media_type, &bytes).to_owned(),
        content_id: info.content_id.filter(|id| is_msg_id(id)),
        inline: info.inline,
        identity: identity(&bytes),
        size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        bytes,
    }
}

/// What identifies an attachment's content: the SHA-256 of its bytes in hexadecimal.
pub(crate) fn identity(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in Sha256::digest(bytes) {
        write!(out, "{byte:02x}").ok();
    }
    out
}

/// Header text with its controls as spaces, none at its ends, and without byte order marks, which decoders drop where
/// an encoded word begins with one. Other invisible characters stay: they are the draft's, and a
/// prompt shows them escaped.
fn line(text: &str) -> String {
    let spaced: String =
        text.chars().filter(|c| *c != '\u{feff}').map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.trim().to_owned()
}
