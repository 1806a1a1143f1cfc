//! A message taken apart: fields decoded, body chosen, attachments listed.

use std::borrow::Cow;

use countersign_send_policy::Address;

use super::body::{self, Body};
use super::header;
use super::structure::{self, Part};
use super::{address, encoded_word};

/// A message. Strings are decoded and hold no control characters, but are not otherwise made harmless, except
/// [`Body::text`]: what is shown goes through [`crate::sanitise`] first.
#[derive(Clone, Debug, Default)]
pub struct ParsedMessage {
    /// `Subject`.
    pub subject: String,
    /// `From`; more than one is rare and allowed.
    pub from: Vec<Address>,
    /// `Sender`.
    pub sender: Option<Address>,
    /// `Reply-To`.
    pub reply_to: Vec<Address>,
    /// `To`.
    pub to: Vec<Address>,
    /// `Cc`.
    pub cc: Vec<Address>,
    /// `Bcc`, which drafts and sent copies have.
    pub bcc: Vec<Address>,
    /// `Date` in seconds since 1970, where it can be read.
    pub date: Option<i64>,
    /// `Message-ID` without angle brackets.
    pub message_id: Option<String>,
    /// `In-Reply-To`, likewise.
    pub in_reply_to: Vec<String>,
    /// `References`, likewise, oldest first.
    pub references: Vec<String>,
    /// `List-Unsubscribe` as it stands, unfolded.
    pub list_unsubscribe: Option<String>,
    /// The text.
    pub body: Body,
    /// What isn't the text.
    pub attachments: Vec<Attachment>,
    fields: Vec<(String, String)>,
    parts: Vec<Part>,
}

/// An attachment, a picture in the text, or an attached message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// IMAP section, for [`ParsedMessage::section`].
    pub section: String,
    /// The name as the sender gave it: hostile until it passes [`crate::attachment::jail`].
    pub name: Option<String>,
    /// The declared media type, in lower case.
    pub media_type: String,
    /// The declared charset.
    pub charset: Option<String>,
    /// Decoded size in bytes.
    pub size: u64,
    /// `Content-ID` without angle brackets.
    pub content_id: Option<String>,
    /// Whether it is shown within the text (`Content-Disposition: inline`, or a `Content-ID` without a disposition).
    pub inline: bool,
    /// Whether it is a message (`message/rfc822`).
    pub is_message: bool,
}

/// Takes a raw message apart. Never fails: of what can't be read there is less.
pub fn parse(raw: &[u8]) -> ParsedMessage {
    let parts = structure::parts(raw);
    let fields = parts.first().map(|root| root.fields.as_slice()).unwrap_or_default();
    // Raw 8-bit fields are usually in the charset of the text.
    let charset = parts.iter().find_map(|part| part.media_type.parameter("charset")).map(str::to_owned);
    let fields: Vec<(String, String)> = fields
        .iter()
        .map(|field| (field.name.clone(), header::unfolded(raw, field.value.clone(), charset.as_deref())))
        .collect();
    let body = body::read(raw, &parts);
    let attachments = attachments(raw, &parts, &body);
    let mut message = ParsedMessage { body, attachments, fields, parts, ..ParsedMessage::default() };
    message.read_fields();
    message
}

impl ParsedMessage {
    fn read_fields(&mut self) {
        let text = |name: &str| self.field(name).unwrap_or_default().to_owned();
        let addresses = |name: &str| {
            let all: Vec<&str> = self.fields(name).take(20).collect();
            address::parse_list(&all.join(","))
        };
        let ids = |name: &str| header::msg_ids(&text(name));
        let date = mail_parser::DateTime::parse_rfc822(&text("date")).filter(mail_parser::DateTime::is_valid);
        let unsubscribe = self.field("list-unsubscribe").map(str::to_owned);
        let (subject, from, sender) =
            (header::unstructured(&text("subject")), addresses("from"), addresses("sender"));
        let (reply_to, to, cc, bcc) =
            (addresses("reply-to"), addresses("to"), addresses("cc"), addresses("bcc"));
        let (message_id, in_reply_to, references) =
            (ids("message-id"), ids("in-reply-to"), ids("references"));
        self.subject = subject;
        self.from = from;
        self.sender = sender.into_iter().next();
        self.reply_to = reply_to;
        self.to = to;
        self.cc = cc;
        self.bcc = bcc;
        self.date = date.map(|date| date.to_timestamp());
        self.message_id = message_id.into_iter().next();
        self.in_reply_to = in_reply_to;
        self.references = references;
        self.list_unsubscribe = unsubscribe;
    }

    /// The first field of a name (lower case): unfolded, encoded words left as they are.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields(name).next()
    }

    /// All fields of a name (lower case), in order.
    pub fn fields(&self, name: &str) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The decoded bytes of a section of the message that this was parsed from.
    pub fn section<'a>(&self, raw: &'a [u8], section: &str) -> Option<Cow<'a, [u8]>> {
        let part = self.parts.iter().find(|part| part.section == section && !part.is_multipart)?;
        Some(part.encoding.decode(raw.get(part.body.clone())?))
    }
}

/// Every part that isn't text of the message. Text that isn't shown is one too, unless another way to say the same
/// is shown instead.
fn attachments(raw: &[u8], parts: &[Part], body: &Body) -> Vec<Attachment> {
    let is_shown = |part: &Part| body.parts.iter().any(|text| text.shown && text.section == part.section);
    let is_attachment = |part: &&Part| {
        !part.is_multipart && (!body::is_text(part) || (!part.in_alternative && !is_shown(part)))
    };
    parts.iter().filter(is_attachment).map(|part| attachment(raw, part)).collect()
}

fn attachment(raw: &[u8], part: &Part) -> Attachment {
    let name = part
        .disposition
        .parameter("filename")
        .or_else(|| part.media_type.parameter("name"))
        .map(|name| encoded_word::decode(name).chars().filter(|c| !c.is_control()).collect::<String>())
        .filter(|name| !name.trim().is_empty());
    let bytes = raw.get(part.body.clone()).unwrap_or_default();
    Attachment {
        section: part.section.clone(),
        name,
        media_type: part.media_type.value.clone(),
        charset: part.media_type.parameter("charset").map(str::to_owned),
        size: part.encoding.decoded_len(bytes),
        content_id: part.content_id.clone(),
        inline: part.disposition.value == "inline"
            || (part.disposition.value.is_empty() && part.content_id.is_some()),
        is_message: matches!(part.media_type.value.as_str(), "message/rfc822" | "message/global"),
    }
}
