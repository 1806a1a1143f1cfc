//! Messages, their headers and threads (RFC 5322, RFC 2045).

use super::{Address, AttachmentInfo, Flags, FolderRef, Gap, MessageRef, Timestamp};

/// The header fields that tools show. Text is decoded (RFC 2047) but, before screening, not yet cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Headers {
    /// Subject.
    pub subject: String,
    /// From.
    pub from: Vec<Address>,
    /// Sender, where it differs from From.
    pub sender: Vec<Address>,
    /// Reply-To.
    pub reply_to: Vec<Address>,
    /// To.
    pub to: Vec<Address>,
    /// Cc.
    pub cc: Vec<Address>,
    /// Bcc (own sent mail and drafts only).
    pub bcc: Vec<Address>,
    /// Date as the sender wrote it.
    pub date: Option<Timestamp>,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// In-Reply-To, without angle brackets.
    pub in_reply_to: Vec<String>,
    /// References, oldest first, without angle brackets.
    pub references: Vec<String>,
}

/// A message in a list: headers and facts only, never its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// The id to pass to other tools.
    pub id: MessageRef,
    /// The folder that it is in.
    pub folder: FolderRef,
    /// Header fields.
    pub headers: Headers,
    /// When it arrived here (IMAP INTERNALDATE), as opposed to what its Date says.
    pub received: Option<Timestamp>,
    /// Flags and keywords.
    pub flags: Flags,
    /// Size in bytes.
    pub size: u64,
    /// Whether it has attachments, where known without reading it.
    pub has_attachments: Option<bool>,
}

/// The text of a message. As a backend fills it, both alternatives as sent; once screened, `plain` holds the readable
/// text with everything hidden gone and `html` is empty.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// text/plain parts, decoded.
    pub plain: Option<String>,
    /// text/html parts, decoded, markup kept.
    pub html: Option<String>,
    /// Whether the text was cut because it is longer than the server reads.
    pub truncated: bool,
    /// Whether hidden text was left out (set by screening).
    pub hidden_dropped: bool,
}

/// A whole message, attachments listed but not loaded.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// What a list shows of it.
    pub row: MessageRow,
    /// Its text.
    pub body: Body,
    /// Its attachments.
    pub attachments: Vec<AttachmentInfo>,
}

/// A conversation, oldest message first.
#[derive(Clone, PartialEq, Eq)]
pub struct Thread {
    /// The messages that were found and read.
    pub messages: Vec<Message>,
    /// Message-IDs (without angle brackets) that the found messages refer to and that are nowhere in the searched folders.
    pub missing: Vec<String>,
    /// Messages of the thread that were found but not read, because there are more than one call shows.
    pub unread_rest: Vec<MessageRef>,
    /// Folders that could not be searched.
    pub gaps: Vec<Gap>,
}

/// Where a message went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The id it had.
    pub from: MessageRef,
    /// The id that it has now, where the server says.
    pub to: Option<MessageRef>,
}
