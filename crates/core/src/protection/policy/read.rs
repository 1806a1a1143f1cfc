//! Reading one message.

use super::{Judge, headers};
use crate::{
    mailbox::MailboxError,
    model::{AttachmentInfo, Body, Message, MessageRow},
    protection::stage::{Foreign, sealed_foreign::Sealed},
    sanitise::{self, header},
};

impl Sealed for Message {}
impl Foreign for Message {
    fn screen(self, judge: &Judge) -> Result<Self, MailboxError> {
        judge.admits()?;
        Ok(message(self))
    }
}

/// Cleans a whole message.
pub(super) fn message(message: Message) -> Message {
    let Message { row: facts, body: text, attachments } = message;
    Message {
        row: row(facts),
        body: body(text),
        attachments: attachments.into_iter().map(attachment_info).collect(),
    }
}

/// Cleans what a list shows of a message.
pub(super) fn row(row: MessageRow) -> MessageRow {
    let MessageRow { id, folder, headers: fields, received, flags, size, has_attachments } = row;
    MessageRow { id, folder, headers: headers(fields), received, flags, size, has_attachments }
}

/// Chooses the alternative that a person would see and makes it readable text.
pub(super) fn body(body: Body) -> Body {
    let Body { plain, html, truncated, hidden_dropped } = body;
    let shown = sanitise::body::readable(plain.as_deref(), html.as_deref());
    Body {
        plain: Some(shown.text),
        html: None,
        truncated: truncated || shown.truncated,
        hidden_dropped: hidden_dropped || shown.hidden_dropped,
    }
}

/// Cleans what the structure says of an attachment: all of it is the sender's words.
pub(super) fn attachment_info(info: AttachmentInfo) -> AttachmentInfo {
    let AttachmentInfo { section, name, media_type, size, content_id, inline } = info;
    AttachmentInfo {
        section,
        name: name.map(|name| header::line(&name)),
        media_type: header::line(&media_type),
        size,
        content_id: content_id.map(|id| header::line(&id)),
        inline,
    }
}
