//! The fingerprint: a SHA-256 over everything that would go out, so that what a person confirmed and what is sent
//! can be compared in 32 bytes.
//!
//! The encoding is injective: it starts with its version, every value carries its length, every list its count, and
//! each field its own tag, so nothing can be moved from one field to the next without changing the sum. Recipients
//! are sorted within their field, because their order means nothing to who gets the message; `References` and
//! attachments keep theirs. Body parts enter as their own SHA-256, exactly as delivered. What is not in here is not
//! sent either: the date is set when the message goes out.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::{
    address::Address,
    fields::{DraftAttachment, DraftFields},
};

/// Says which encoding this is; a change of the encoding changes it.
const VERSION: &[u8] = b"countersign.fingerprint.v1";
/// When it goes out. There is no later yet, and when there is, it will not have this fingerprint.
const MODE_NOW: &[u8] = b"now";

/// What exactly would be sent, in 32 bytes. Shown in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a draft.
    pub fn of(fields: &DraftFields) -> Self {
        let mut encoder = Encoder(Sha256::new());
        encoder.bytes(VERSION);
        encode(fields, &mut encoder);
        Self(encoder.0.finalize().into())
    }

    /// The 32 bytes themselves.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// Bytes in hexadecimal, lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]).collect()
}

/// The fields by name, without `..`: a new one stops the build here until it is in the fingerprint.
fn encode(fields: &DraftFields, encoder: &mut Encoder) {
    let DraftFields {
        id,
        claim_key,
        message_id,
        from,
        to,
        cc,
        bcc,
        reply_to,
        subject,
        in_reply_to,
        references,
        text,
        html,
        attachments,
    } = fields;
    encoder.field(b'M', MODE_NOW);
    encoder.field(b'I', id.as_bytes());
    encoder.field(b'K', claim_key.as_bytes());
    encoder.option(b'i', message_id.as_deref());
    encoder.addresses(b'F', std::slice::from_ref(from));
    encoder.addresses(b'T', to);
    encoder.addresses(b'C', cc);
    encoder.addresses(b'B', bcc);
    encoder.addresses(b'R', reply_to);
    encoder.field(b'S', subject.as_bytes());
    encoder.list(b'r', in_reply_to);
    encoder.list(b'f', references);
    encoder.body(b't', text.as_deref());
    encoder.body(b'h', html.as_deref());
    encoder.count(b'A', attachments.len());
    for attachment in attachments {
        let DraftAttachment { name, media_type, content_id, inline, identity, size, bytes } = attachment;
        encoder.field(b'n', name.as_bytes());
        encoder.field(b'm', media_type.as_bytes());
        encoder.option(b'c', content_id.as_deref());
        encoder.field(b'l', &[u8::from(*inline)]);
        encoder.field(b'y', identity.as_bytes());
        encoder.field(b's', &size.to_be_bytes());
        encoder.field(b'b', &Sha256::digest(bytes));
    }
}

/// Writes tagged, length-prefixed values into the hash.
struct Encoder(Sha256);

impl Encoder {
    fn bytes(&mut self, value: &[u8]) {
        self.length(value.len());
        self.0.update(value);
    }

    fn length(&mut self, length: usize) {
        // A usize fits 64 bits on every platform that Rust supports, so nothing is cut off.
        self.0.update((length as u64).to_be_bytes());
    }

    fn field(&mut self, tag: u8, value: &[u8]) {
        self.0.update([tag]);
        self.bytes(value);
    }

    fn count(&mut self, tag: u8, count: usize) {
        self.0.update([tag]);
        self.length(count);
    }

    fn option(&mut self, tag: u8, value: Option<&str>) {
        self.count(tag, usize::from(value.is_some()));
        if let Some(value) = value {
            self.bytes(value.as_bytes());
        }
    }

    fn list(&mut self, tag: u8, values: &[String]) {
        self.count(tag, values.len());
        for value in values {
            self.bytes(value.as_bytes());
        }
    }

    fn addresses(&mut self, tag: u8, addresses: &[Address]) {
        let mut sorted: Vec<&Address> = addresses.iter().collect();
        sorted.sort_by_key(|a| (&a.addr_spec, &a.display_name));
        self.count(tag, sorted.len());
        for Address { display_name, addr_spec } in sorted {
            self.option(b'N', display_name.as_deref());
            self.field(b'@', addr_spec.as_bytes());
        }
    }

    fn body(&mut self, tag: u8, part: Option<&str>) {
        self.count(tag, usize::from(part.is_some()));
        if let Some(part) = part {
            self.bytes(&Sha256::digest(part.as_bytes()));
        }
    }
}

#[cfg(test)]
mod tests;
