//! Rule: header values stay in their own line.
//!
//! A line break in a subject, a display name, a msg-id or a file name is a header of the attacker's own (RFC 5322
//! §2.2). What builds the message encodes such values; this refuses them before anyone relies on it. Addresses are
//! the recipients rule's.

use super::recipients::fields_with_recipients;
use crate::{
    fields::DraftFields,
    refusal::{Field, Refusal},
};

/// Refuses a header value that could end its line, and msg-ids that aren't one token.
pub(super) fn one_line(fields: &DraftFields) -> Result<(), Refusal> {
    let refuse = |bad: bool, field: Field| if bad { Err(Refusal::BadHeader(field)) } else { Ok(()) };
    refuse(breaks_line(&fields.subject), Field::Subject)?;
    let from = [(Field::From, std::slice::from_ref(&fields.from))];
    for (field, addresses) in from.into_iter().chain(fields_with_recipients(fields)) {
        refuse(addresses.iter().filter_map(|a| a.display_name.as_deref()).any(breaks_line), field)?;
    }
    let ids = fields.message_id.iter().chain(&fields.in_reply_to).chain(&fields.references);
    refuse(ids.into_iter().any(|id| !is_msg_id(id)), Field::MessageId)?;
    for attachment in &fields.attachments {
        let values = [Some(&attachment.name), Some(&attachment.media_type), attachment.content_id.as_ref()];
        refuse(values.into_iter().flatten().any(|v| breaks_line(v)), Field::Attachment)?;
    }
    Ok(())
}

/// Characters that end a line somewhere on the way, or end the string.
fn breaks_line(value: &str) -> bool {
    value.contains(['\r', '\n', '\0', '\u{b}', '\u{c}'])
}

/// A msg-id (RFC 5322 §3.6.4) without its angle brackets: one token, whatever is in it.
fn is_msg_id(id: &str) -> bool {
    !id.is_empty() && !id.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address::Address, fields::DraftAttachment};

    type Change = Box<dyn Fn(&mut DraftFields)>;

    #[test]
    fn a_line_break_is_refused_in_every_header() {
        let named = || Address {
            display_name: Some("a\r\nBcc: x@evil.example".into()),
            addr_spec: "a@example.org".into(),
        };
        let attachment = |change: fn(&mut DraftAttachment)| {
            let mut attachment = DraftAttachment::default();
            change(&mut attachment);
            attachment
        };
        let cases: Vec<(Field, Change)> = vec![
            (Field::Subject, Box::new(|f| f.subject = "a\r\nBcc: x@evil.example".into())),
            (Field::From, Box::new(move |f| f.from = named())),
            (Field::To, Box::new(move |f| f.to.push(named()))),
            (Field::Cc, Box::new(move |f| f.cc.push(named()))),
            (Field::Bcc, Box::new(move |f| f.bcc.push(named()))),
            (Field::ReplyTo, Box::new(move |f| f.reply_to.push(named()))),
            (Field::MessageId, Box::new(|f| f.message_id = Some("a@b\n".into()))),
            (Field::MessageId, Box::new(|f| f.in_reply_to.push("a@b> <c@d".into()))),
            (Field::MessageId, Box::new(|f| f.references.push(String::new()))),
            (
                Field::Attachment,
                Box::new(move |f| f.attachments.push(attachment(|a| a.name = "a\nb".into()))),
            ),
            (
                Field::Attachment,
                Box::new(move |f| f.attachments.push(attachment(|a| a.media_type = "a/b\r".into()))),
            ),
            (
                Field::Attachment,
                Box::new(move |f| f.attachments.push(attachment(|a| a.content_id = Some("\0".into())))),
            ),
        ];
        for (at, (field, change)) in cases.iter().enumerate() {
            let mut fields = crate::testing::fields();
            change(&mut fields);
            assert_eq!(one_line(&fields), Err(Refusal::BadHeader(*field)), "case {at}");
        }
    }

    #[test]
    fn ordinary_headers_pass() {
        let mut fields = crate::testing::fields();
        fields.subject = "Žlutý kůň\tand 馬".into();
        fields.references = vec!["a.b+c=d@[192.0.2.1]".into()];
        assert_eq!(one_line(&fields), Ok(()));
    }
}
