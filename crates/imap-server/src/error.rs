//! A server's refusals as core's codes. Only response codes (RFC 9051 §7.1, RFC 5530) are read; text is dropped.

use countersign_core::mailbox::{MailboxError, NotFound};

use crate::session::{Code, TextRefused};

/// Why a command was refused.
pub(crate) fn refused(code: Option<&Code>) -> MailboxError {
    match code.map(|code| code.name.as_str()) {
        Some("OVERQUOTA") => MailboxError::OverQuota,
        Some("UNAVAILABLE" | "INUSE" | "LIMIT") => MailboxError::Throttled,
        Some("EXPUNGEISSUED") => MailboxError::NotFound(NotFound::Message),
        Some("NONEXISTENT" | "TRYCREATE") => MailboxError::NotFound(NotFound::Folder),
        _ => MailboxError::Refused,
    }
}

/// Why a folder could not be opened. Many servers say no more than NO where there is no such folder.
pub(crate) fn not_opened(code: Option<&Code>) -> MailboxError {
    match code.map(|code| code.name.as_str()) {
        Some("UNAVAILABLE" | "INUSE" | "LIMIT") => MailboxError::Throttled,
        Some("NOPERM" | "SERVERBUG" | "CORRUPTION" | "CONTACTADMIN") => MailboxError::Refused,
        _ => MailboxError::NotFound(NotFound::Folder),
    }
}

/// What a failure means when a change had been written: nobody knows whether it was made.
pub(crate) fn of_change(error: MailboxError) -> MailboxError {
    let unknown =
        matches!(error, MailboxError::Connect(..) | MailboxError::TimedOut | MailboxError::PeerMisbehaved(_));
    if unknown { MailboxError::OutcomeUnknown } else { error }
}

impl From<TextRefused> for MailboxError {
    fn from(_: TextRefused) -> Self {
        Self::SearchText
    }
}
