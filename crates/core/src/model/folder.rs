//! Folders. RFC 9051 calls them mailboxes; that word is kept for the account's whole store (the trait `Mailbox`).

use super::FolderRef;

/// What a folder is for (RFC 6154). Recognised from the backend only, never from a name that mail could carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecialUse {
    /// Where new mail arrives.
    Inbox,
    /// Everything (Gmail's All Mail).
    All,
    /// Archived mail.
    Archive,
    /// Drafts.
    Drafts,
    /// Flagged mail.
    Flagged,
    /// Spam.
    Junk,
    /// Sent mail.
    Sent,
    /// Deleted mail.
    Trash,
}

impl SpecialUse {
    /// The word that tool results use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::All => "all",
            Self::Archive => "archive",
            Self::Drafts => "drafts",
            Self::Flagged => "flagged",
            Self::Junk => "junk",
            Self::Sent => "sent",
            Self::Trash => "trash",
        }
    }

    /// Every use, in the order in which folder lists show them.
    pub const EVERY: [Self; 8] = [
        Self::Inbox,
        Self::Drafts,
        Self::Sent,
        Self::Archive,
        Self::Junk,
        Self::Trash,
        Self::Flagged,
        Self::All,
    ];

    /// The use named by [`Self::name`] (any letter case).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|use_| use_.name().eq_ignore_ascii_case(name))
    }
}

/// One folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The id to pass to other tools.
    pub id: FolderRef,
    /// The whole name as a person reads it, levels separated by `/` (decoded from modified UTF-7 where need be).
    pub name: String,
    /// What it is for, if the server says so.
    pub special_use: Option<SpecialUse>,
    /// Whether it can hold messages.
    pub selectable: bool,
    /// Messages in it, where the backend knows without reading them.
    pub total: Option<u64>,
    /// Unread messages in it.
    pub unread: Option<u64>,
}

/// Where to look for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderScope {
    /// One folder by its id.
    One(FolderRef),
    /// The folder with this use.
    Use(SpecialUse),
    /// Every folder but Junk and Trash.
    All,
}

/// Where a message moves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A folder by its id.
    Folder(FolderRef),
    /// The folder with this use (Trash, Archive).
    Use(SpecialUse),
}
