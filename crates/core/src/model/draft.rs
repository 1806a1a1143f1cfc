//! Drafts, from what a caller asks for to what was sent.

use countersign_send_policy::{DraftAttachment, DraftFields, Fingerprint};

use super::{Address, DraftRef, Flags, Headers, Message};

/// A message to be stored in Drafts. Built by `compose`; a backend stores it as it is, with Bcc kept.
#[derive(Clone, PartialEq, Eq)]
pub struct NewDraft {
    /// Sender; `None` takes the account's own address.
    pub from: Option<Address>,
    /// To.
    pub to: Vec<Address>,
    /// Cc.
    pub cc: Vec<Address>,
    /// Bcc.
    pub bcc: Vec<Address>,
    /// Reply-To.
    pub reply_to: Vec<Address>,
    /// Subject.
    pub subject: String,
    /// Text body.
    pub text: String,
    /// In-Reply-To, without angle brackets.
    pub in_reply_to: Vec<String>,
    /// References, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// Attachments, bytes included.
    pub attachments: Vec<DraftAttachment>,
}

/// What a caller wants to write, before `compose` adds what an answer or a forward brings along.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DraftEdit {
    /// To, as typed.
    pub to: Vec<Address>,
    /// Cc.
    pub cc: Vec<Address>,
    /// Bcc.
    pub bcc: Vec<Address>,
    /// Subject; `None` where it follows from the original.
    pub subject: Option<String>,
    /// The caller's own text.
    pub text: String,
}

/// A draft that has been stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDraft {
    /// Its id.
    pub id: DraftRef,
    /// What exactly was stored, over the fields as the backend would read them back.
    pub fingerprint: Fingerprint,
}

/// A draft as a result may show it.
#[derive(Clone, PartialEq, Eq)]
pub struct DraftView {
    /// Header fields.
    pub headers: Headers,
    /// The text.
    pub text: String,
    /// Names of its attachments.
    pub attachments: Vec<String>,
}

/// A message that is being answered or forwarded: read to compose, never returned by itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Original {
    /// The message.
    pub message: Message,
    /// Its attachments' bytes, where they were asked for.
    pub attachments: Vec<DraftAttachment>,
}

impl Original {
    /// The flags of the original.
    pub fn flags(&self) -> &Flags {
        &self.message.row.flags
    }
}

/// What went out, for filing the copy and removing the draft.
pub struct Delivered {
    /// The draft that was sent.
    pub draft: DraftRef,
    /// The fields that were sent (Bcc included: the Sent copy keeps it).
    pub fields: DraftFields,
    /// The message as bytes with Bcc kept, where the backend files the copy itself.
    pub copy: Vec<u8>,
}

/// What became of the copy in Sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentCopy {
    /// We filed it.
    Filed,
    /// The server had filed one already.
    AlreadyThere,
    /// It could not be filed; the message went out all the same.
    NotFiled,
}

/// What became of the draft after its message went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentDraft {
    /// Removed by exact identity.
    Removed,
    /// It stays in Drafts: the server offers no removal by exact identity (UIDPLUS, RFC 4315).
    NoExactRemoval,
    /// It stays in Drafts: removing it failed.
    NotRemoved,
}
