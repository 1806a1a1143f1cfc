//! From fields to bytes.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_send_policy::{AddressError, DraftFields};
use mail_builder::{
    MessageBuilder,
    headers::{date::Date, raw::Raw},
    mime::MimePart,
};

use super::{body_text, header, part};
use crate::model::{Address, NewDraft, Timestamp};

/// Why fields can't be written as a message. No variant carries what stood there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An address isn't exactly one.
    #[error("an address can't be written: {0}")]
    Address(AddressError),
    /// A field holds a line break or another control character.
    #[error("a header field holds a control character")]
    Control,
    /// A msg-id or Content-ID can't be written.
    #[error("a message id can't be written")]
    MessageId,
    /// There is no Message-ID: what goes out must be recognised in Sent by one.
    #[error("there is no message id")]
    NoMessageId,
    /// An attachment's bytes are not here.
    #[error("an attachment's bytes are missing")]
    NoBytes,
}

/// A Message-ID for a message of this sender, without angle brackets: 128 random bits at the sender's domain.
///
/// # Errors
/// Where the sender isn't an address, or the system gives no randomness.
pub fn new_message_id(from: &Address) -> Result<String, BuildError> {
    let path = from.path().map_err(BuildError::Address)?;
    let (_, domain) = path.rsplit_once('@').ok_or(BuildError::MessageId)?;
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|_| BuildError::MessageId)?;
    Ok(format!("{}@{domain}", URL_SAFE_NO_PAD.encode(random)))
}

/// The fields of a draft that is about to be stored. It has no id yet.
pub fn fields(draft: &NewDraft, own: &Address, message_id: &str) -> DraftFields {
    let NewDraft { from, to, cc, bcc, reply_to, subject, text, in_reply_to, references, attachments } = draft;
    DraftFields {
        id: String::new(),
        claim_key: message_id.to_owned(),
        message_id: Some(message_id.to_owned()),
        from: from.as_ref().unwrap_or(own).clone(),
        to: to.clone(),
        cc: cc.clone(),
        bcc: bcc.clone(),
        reply_to: reply_to.clone(),
        subject: subject.clone(),
        in_reply_to: in_reply_to.clone(),
        references: references.clone(),
        text: Some(text.clone()),
        html: None,
        attachments: attachments.clone(),
    }
}

/// A new draft as bytes, to be stored. `own` is the sender where the draft names none.
///
/// # Errors
/// [`BuildError`] where a field can't be written.
pub fn build(
    draft: &NewDraft,
    own: &Address,
    message_id: &str,
    date: Timestamp,
    keep_bcc: bool,
) -> Result<Vec<u8>, BuildError> {
    build_fields(&fields(draft, own, message_id), date, keep_bcc)
}

/// Fields as bytes: what is stored in Drafts and in Sent (`keep_bcc`), or what goes out.
///
/// # Errors
/// [`BuildError`] where a field can't be written.
pub fn build_fields(fields: &DraftFields, date: Timestamp, keep_bcc: bool) -> Result<Vec<u8>, BuildError> {
    let id = fields.message_id.clone().ok_or(BuildError::NoMessageId)?;
    let mut message = MessageBuilder::new()
        .header("Date", Date::new(date.0))
        .header("Message-ID", Raw::new(header::msg_ids(&[id])?))
        .header("From", Raw::new(header::addresses(std::slice::from_ref(&fields.from))?));
    let hidden: &[Address] = if keep_bcc { &fields.bcc } else { &[] };
    for (name, list) in
        [("To", fields.to.as_slice()), ("Cc", &fields.cc), ("Bcc", hidden), ("Reply-To", &fields.reply_to)]
    {
        if !list.is_empty() {
            message = message.header(name, Raw::new(header::addresses(list)?));
        }
    }
    message = message.header("Subject", Raw::new(header::unstructured(&fields.subject)?));
    for (name, ids) in [("In-Reply-To", &fields.in_reply_to), ("References", &fields.references)] {
        if !ids.is_empty() {
            message = message.header(name, Raw::new(header::msg_ids(ids)?));
        }
    }
    let mut out = Vec::new();
    message.body(body(fields)?).serialize(&mut out);
    Ok(out)
}

/// The MIME tree: the alternatives of the text, around the HTML what it shows (RFC 2387), after them the attachments.
fn body(fields: &DraftFields) -> Result<MimePart<'_>, BuildError> {
    let is_missing = |bytes: &[u8], size: u64| u64::try_from(bytes.len()) != Ok(size);
    if fields.attachments.iter().any(|part| is_missing(&part.bytes, part.size)) {
        return Err(BuildError::NoBytes);
    }
    let text = fields.text.as_deref().map(body_text);
    let html = fields.html.as_deref().map(body_text);
    let shown = |inline: bool, has_id: bool| html.is_some() && inline && has_id;
    let (mut related, mut mixed) = (Vec::new(), Vec::new());
    for attachment in &fields.attachments {
        let within = shown(attachment.inline, attachment.content_id.is_some());
        if within { &mut related } else { &mut mixed }.push(part::attachment(attachment)?);
    }
    let html = html.map(|html| {
        let html = part::text("text/html", &html);
        if related.is_empty() {
            html
        } else {
            related.insert(0, html);
            part::multipart("multipart/related", related)
        }
    });
    let text = text.map(|text| part::text("text/plain", &text));
    let shown = match (text, html) {
        (Some(text), Some(html)) => part::multipart("multipart/alternative", vec![text, html]),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => part::text("text/plain", ""),
    };
    if mixed.is_empty() {
        return Ok(shown);
    }
    mixed.insert(0, shown);
    Ok(part::multipart("multipart/mixed", mixed))
}
