//! Drafts: what may be quoted into one, what of one may be shown, and what may leave in one.

use countersign_send_policy::{DraftFields, SourceError};

use super::{Judge, headers, read};
use crate::{
    mailbox::{MailboxError, NotFound},
    model::{DraftView, Headers, NewDraft, Original},
    protection::stage::{Foreign, sealed_foreign::Sealed},
    sanitise::{header, plain},
};

impl Sealed for DraftView {}
impl Foreign for DraftView {
    fn screen(self, judge: &Judge) -> Result<Self, MailboxError> {
        judge.admits()?;
        let DraftView { headers: fields, text, attachments } = self;
        Ok(DraftView {
            headers: headers(fields),
            text: plain::to_text(&text),
            attachments: attachments.iter().map(|name| header::line(name)).collect(),
        })
    }
}

/// What a composed draft looks like.
pub(in crate::protection) fn view(draft: &NewDraft) -> DraftView {
    DraftView {
        headers: Headers {
            subject: draft.subject.clone(),
            from: draft.from.iter().cloned().collect(),
            reply_to: draft.reply_to.clone(),
            to: draft.to.clone(),
            cc: draft.cc.clone(),
            bcc: draft.bcc.clone(),
            in_reply_to: draft.in_reply_to.clone(),
            references: draft.references.clone(),
            ..Headers::default()
        },
        text: draft.text.clone(),
        attachments: draft.attachments.iter().map(|part| part.name.clone()).collect(),
    }
}

/// A message that is being answered or forwarded. Its text is cleaned, so that a quote never carries what a person
/// would not have seen; its attachments go as they are.
pub(in crate::protection) fn original(original: Original, judge: &Judge) -> Result<Original, MailboxError> {
    judge.admits()?;
    let Original { message, attachments } = original;
    Ok(Original { message: read::message(message), attachments })
}

/// Whether a draft may leave. At level `off` every draft may; at a level that can't be applied none may.
pub(in crate::protection) fn may_leave(_draft: &DraftFields, judge: &Judge) -> Result<(), SourceError> {
    judge.admits().map_err(|_| SourceError::Kept)
}

/// A backend's error in send-policy's words.
pub(in crate::protection) fn source_error(error: &MailboxError) -> SourceError {
    use MailboxError as E;
    match error {
        E::NotFound(NotFound::Draft | NotFound::Message | NotFound::Folder | NotFound::Attachment)
        | E::NotADraft
        | E::InvalidRef => SourceError::NotFound,
        E::Stale => SourceError::Stale,
        E::Hidden | E::Unprotectable => SourceError::Kept,
        E::Unreadable | E::PeerMisbehaved(_) | E::TooLarge(_) => SourceError::Unreadable,
        E::TimedOut => SourceError::TimedOut,
        E::SignIn(_) | E::NoCredential | E::CredentialStore => SourceError::SignInRefused,
        E::Connect(..)
        | E::Configuration(_)
        | E::Throttled
        | E::OutcomeUnknown
        | E::Refused
        | E::OverQuota
        | E::Unsupported(_)
        | E::NoFolder(_)
        | E::ReservedFolder(_)
        | E::AlreadySent
        | E::WrongOrigin
        | E::SearchText
        | E::Cursor => SourceError::Unreachable,
    }
}
