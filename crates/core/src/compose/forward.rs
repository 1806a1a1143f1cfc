//! Forwarding a message as text with its attachments.
//!
//! A forward is no answer, so it has no In-Reply-To: a recipient's client would file it under a message it never had.
//! It does carry References, as Thunderbird writes them, so that the sender's own clients keep it with its thread.

use super::{ComposeError, finish, own_subject, own_text, prefix, quote, reply::sender, threading};
use crate::model::{Address, DraftEdit, NewDraft, Original};
use countersign_send_policy::DraftAttachment;

/// A forward of a message: the caller's text, the original's header block and text, and (`with_attachments`) its
/// attachments, each the same bytes under the same identity.
///
/// # Errors
/// What [`super::new_draft`] says.
pub fn forward(
    original: Original,
    edit: DraftEdit,
    own: &[Address],
    with_attachments: bool,
) -> Result<NewDraft, ComposeError> {
    let Original { message, attachments } = original;
    let DraftEdit { to, cc, bcc, subject, text } = edit;
    let subject = match subject {
        Some(subject) => own_subject(&subject)?,
        None => prefix::forward(&message.row.headers.subject),
    };
    let mut text = own_text(&text)?;
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(&quote::forwarded(&message));
    // The forward is plain text, so a picture from within the original's HTML comes along as a file.
    let as_file = |part: DraftAttachment| DraftAttachment { content_id: None, inline: false, ..part };
    let attachments =
        if with_attachments { attachments.into_iter().map(as_file).collect() } else { Vec::new() };
    finish(NewDraft {
        from: sender(&message.row.headers, own),
        to,
        cc,
        bcc,
        reply_to: Vec::new(),
        subject,
        text,
        in_reply_to: Vec::new(),
        references: threading::continuing(&message.row.headers),
        attachments,
    })
}
