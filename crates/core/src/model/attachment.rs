//! Attachments: what a message lists and what a download brings.

use super::{MessageRef, Section};

/// One attachment as the message's structure names it. The name and type are the sender's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentInfo {
    /// The part's number, to be passed back.
    pub section: Section,
    /// File name as given (RFC 2183, 2231), if any.
    pub name: Option<String>,
    /// Declared media type in lower case, `type/subtype`.
    pub media_type: String,
    /// Size in bytes: of the decoded content where known, else an estimate from the encoded size.
    pub size: u64,
    /// `Content-ID` without angle brackets (RFC 2392), for parts shown within HTML.
    pub content_id: Option<String>,
    /// Whether the part is meant to be shown within the text.
    pub inline: bool,
}

/// Which attachment to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentRequest {
    /// The message that holds it.
    pub message: MessageRef,
    /// The part's number.
    pub section: Section,
    /// Largest decoded size that the caller will take, in bytes; a larger part is refused before it is fetched.
    pub max_bytes: u64,
}

/// An attachment's content, transfer encoding removed.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// What the structure said of it.
    pub info: AttachmentInfo,
    /// The charset parameter of its type, if any.
    pub charset: Option<String>,
    /// The decoded bytes.
    pub bytes: Vec<u8>,
}
