//! Structured search criteria. A backend translates them; none of them is ever pasted into a command.

use super::{Day, FolderScope};

/// What to look for; every criterion given must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// One folder, or all.
    pub scope: FolderScope,
    /// Sender's name or address contains this.
    pub from: Option<String>,
    /// A recipient's (To, Cc) name or address contains this.
    pub to: Option<String>,
    /// Subject contains this.
    pub subject: Option<String>,
    /// Headers or body contain this.
    pub text: Option<String>,
    /// Arrived on this day or later.
    pub since: Option<Day>,
    /// Arrived before this day.
    pub before: Option<Day>,
    /// Unread (`true`) or read (`false`) only.
    pub unread: Option<bool>,
    /// Flagged (`true`) or unflagged (`false`) only.
    pub flagged: Option<bool>,
    /// With (`true`) or without (`false`) an attachment.
    pub has_attachment: Option<bool>,
    /// Larger than this many bytes.
    pub larger: Option<u64>,
}

impl Search {
    /// Longest search text, in bytes.
    pub const MAX_TEXT_BYTES: usize = 500;

    /// No criterion: every message of the scope.
    pub fn everything(scope: FolderScope) -> Self {
        Self {
            scope,
            from: None,
            to: None,
            subject: None,
            text: None,
            since: None,
            before: None,
            unread: None,
            flagged: None,
            has_attachment: None,
            larger: None,
        }
    }

    /// Whether any criterion reads what other people wrote (as opposed to dates, flags and sizes).
    pub fn reads_content(&self) -> bool {
        self.from.is_some() || self.to.is_some() || self.subject.is_some() || self.text.is_some()
    }
}
