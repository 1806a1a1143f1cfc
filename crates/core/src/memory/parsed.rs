//! One stored message: its bytes, and what was read from them once when it arrived.

use std::sync::Arc;

use super::ids::{Place, folder_id};
use crate::{
    compose::mime::{Parsed, parse},
    mailbox::{MailboxError, NotFound},
    model::{Attachment, Flags, Headers, Message, MessageRow, Section, Timestamp},
};

#[derive(Clone)]
pub(super) struct Stored {
    pub(super) raw: Arc<[u8]>,
    pub(super) received: Timestamp,
    pub(super) flags: Flags,
    parsed: Arc<Parsed>,
}

impl Stored {
    pub(super) fn new(raw: &[u8], received: Timestamp, flags: Flags) -> Self {
        Self { raw: raw.into(), received, flags, parsed: Arc::new(parse(raw)) }
    }

    pub(super) fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    pub(super) fn headers(&self) -> &Headers {
        &self.parsed.headers
    }

    /// Its size as the server counts it.
    pub(super) fn size(&self) -> u64 {
        u64::try_from(self.raw.len()).unwrap_or(u64::MAX)
    }

    /// Whether it has something to download, as opposed to pictures within its text.
    pub(super) fn has_attachments(&self) -> bool {
        self.parsed.attachments.iter().any(|part| !part.info.inline)
    }

    pub(super) fn row(&self, place: Place) -> Result<MessageRow, MailboxError> {
        Ok(MessageRow {
            id: place.id()?,
            folder: folder_id(place.folder)?,
            headers: self.headers().clone(),
            received: Some(self.received),
            flags: self.flags.clone(),
            size: self.size(),
            has_attachments: Some(self.has_attachments()),
        })
    }

    pub(super) fn message(&self, place: Place) -> Result<Message, MailboxError> {
        let Parsed { body, attachments, .. } = self.parsed();
        let attachments = attachments.iter().map(|part| part.info.clone()).collect();
        Ok(Message { row: self.row(place)?, body: body.clone(), attachments })
    }

    pub(super) fn attachment(&self, section: &Section) -> Result<Attachment, MailboxError> {
        let found = self.parsed.attachments.iter().find(|part| part.info.section == *section);
        found.cloned().ok_or(MailboxError::NotFound(NotFound::Attachment))
    }
}
