//! Composing: from what a caller wants to write, and what an answer or a forward brings along, to a draft.
//!
//! Pure functions: no I/O, no clock, no mailbox. What the caller typed is trusted to be the caller's; everything taken
//! from an original (addresses, subject, msg-ids, text) was written by other people, so each of it is validated or
//! cleaned before it becomes part of a draft. Nothing here decides who may be written to: that is the send policy's.

mod enclosure;
mod error;
mod forward;
pub mod mime;
mod prefix;
mod quote;
pub mod recipients;
mod reply;
pub mod threading;

#[cfg(test)]
mod tests;

pub use enclosure::{Enclosure, MAX_ATTACHMENTS, enclose};
pub use error::ComposeError;
pub use forward::forward;
pub use recipients::Field;
pub use reply::reply;

use crate::model::{Address, DraftEdit, NewDraft};

/// Most recipients of one draft, To, Cc and Bcc together. The send policy's cap is lower; this one keeps a draft a
/// person can look through.
pub const MAX_RECIPIENTS: usize = 100;
/// Longest subject in bytes: RFC 5322 §2.1.1 allows no longer line, and nobody reads a longer one.
pub const MAX_SUBJECT_BYTES: usize = 998;
/// Longest text in bytes, the quote included.
pub const MAX_TEXT_BYTES: usize = 1_000_000;

/// A draft of the caller's own, to nobody's message.
///
/// # Errors
/// [`ComposeError`] where a field can't stand in a message.
pub fn new_draft(edit: DraftEdit, from: Option<Address>) -> Result<NewDraft, ComposeError> {
    let DraftEdit { to, cc, bcc, subject, text } = edit;
    finish(NewDraft {
        from,
        to,
        cc,
        bcc,
        reply_to: Vec::new(),
        subject: own_subject(&subject.unwrap_or_default())?,
        text: own_text(&text)?,
        in_reply_to: Vec::new(),
        references: Vec::new(),
        attachments: Vec::new(),
    })
}

/// The last look at every draft: addresses in the form in which they are stored, each once, within the limits.
fn finish(draft: NewDraft) -> Result<NewDraft, ComposeError> {
    let NewDraft { from, to, cc, bcc, reply_to, subject, text, in_reply_to, references, attachments } = draft;
    let from = from.map(|from| recipients::cleaned(&from)).transpose().map_err(ComposeError::Sender)?;
    let mut to = recipients::checked_list(&to, Field::To)?;
    let mut cc = recipients::checked_list(&cc, Field::Cc)?;
    let mut bcc = recipients::checked_list(&bcc, Field::Bcc)?;
    let reply_to = recipients::checked_list(&reply_to, Field::ReplyTo)?;
    recipients::each_once([&mut to, &mut cc, &mut bcc]);
    let count = to.len().saturating_add(cc.len()).saturating_add(bcc.len());
    if count > MAX_RECIPIENTS {
        return Err(ComposeError::TooManyRecipients { given: count, most: MAX_RECIPIENTS });
    }
    if text.len() > MAX_TEXT_BYTES {
        return Err(ComposeError::TextTooLong { most: MAX_TEXT_BYTES });
    }
    Ok(NewDraft { from, to, cc, bcc, reply_to, subject, text, in_reply_to, references, attachments })
}

/// The caller's subject: on one line and short enough, or refused. It is never cut, since it is the caller's own.
fn own_subject(subject: &str) -> Result<String, ComposeError> {
    if subject.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Err(ComposeError::SubjectControl);
    }
    if subject.len() > MAX_SUBJECT_BYTES {
        return Err(ComposeError::SubjectTooLong { most: MAX_SUBJECT_BYTES });
    }
    Ok(subject.replace('\u{feff}', "").trim().to_owned())
}

/// The caller's text with its line ends as `\n`. Controls other than tabs and line ends are refused: a terminal or a
/// mail reader might act on them.
fn own_text(text: &str) -> Result<String, ComposeError> {
    let text = mime::line_feeds(text);
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(ComposeError::TextControl);
    }
    if text.len() > MAX_TEXT_BYTES {
        return Err(ComposeError::TextTooLong { most: MAX_TEXT_BYTES });
    }
    Ok(text.trim_end_matches('\n').to_owned())
}

/// The longest beginning of a text that fits into so many bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}
