//! A raw message in the model's words: what backends fill rows, messages, attachments and drafts from.

use crate::{
    mime::{self, ParsedMessage},
    model::{Attachment, AttachmentInfo, Body, Headers, Section, Timestamp},
};

/// A message that was read: decoded, not yet screened.
#[derive(Clone, Default)]
pub struct Parsed {
    /// Its header fields.
    pub headers: Headers,
    /// Its text, both alternatives as sent.
    pub body: Body,
    /// Its attachments, bytes included.
    pub attachments: Vec<Attachment>,
}

/// Reads a raw message. Never fails: of what can't be read there is less.
pub fn parse(raw: &[u8]) -> Parsed {
    let message = mime::parse(raw);
    let attachments = message.attachments.iter().filter_map(|part| attachment(&message, raw, part)).collect();
    Parsed { body: body(&message), attachments, headers: headers(message) }
}

fn headers(message: ParsedMessage) -> Headers {
    Headers {
        subject: message.subject,
        from: message.from,
        sender: message.sender.into_iter().collect(),
        reply_to: message.reply_to,
        to: message.to,
        cc: message.cc,
        bcc: message.bcc,
        date: message.date.map(Timestamp),
        message_id: message.message_id,
        in_reply_to: message.in_reply_to,
        references: message.references,
    }
}

fn body(message: &ParsedMessage) -> Body {
    let joined = |html: bool| {
        let texts = message.body.parts.iter().filter(|part| part.is_html == html);
        let parts: Vec<&str> = texts.map(|part| part.text.as_str()).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    };
    Body {
        plain: joined(false),
        html: joined(true),
        truncated: message.body.truncated,
        hidden_dropped: false,
    }
}

fn attachment(message: &ParsedMessage, raw: &[u8], part: &mime::Attachment) -> Option<Attachment> {
    let info = AttachmentInfo {
        section: Section::parse(&part.section).ok()?,
        name: part.name.clone(),
        media_type: part.media_type.clone(),
        size: part.size,
        content_id: part.content_id.clone(),
        inline: part.inline,
    };
    let bytes = message.section(raw, &part.section)?.into_owned();
    Some(Attachment { info, charset: part.charset.clone(), bytes })
}
