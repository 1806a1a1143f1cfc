//! Answering a message (RFC 5322 §3.6.2 on Reply-To, §3.6.3 on destinations, §3.6.4 on threading).

use super::{
    ComposeError, finish, own_subject, own_text, prefix, quote,
    recipients::{AddressSet, each_once, usable},
    threading,
};
use crate::model::{Address, DraftEdit, Headers, NewDraft, Original};

/// An answer to a message, to its author or (`all`) to everyone it went to. The caller's own recipients are added, the
/// account's own addresses are left out, each address stands once. Answering one's own sent message goes on to the
/// people it was sent to. An address of the original that isn't valid is left out.
///
/// # Errors
/// [`ComposeError::NobodyToAnswer`] where the original names no valid address; otherwise what [`super::new_draft`] says.
pub fn reply(
    original: &Original,
    edit: DraftEdit,
    own: &[Address],
    all: bool,
    with_quote: bool,
) -> Result<NewDraft, ComposeError> {
    let headers = &original.message.row.headers;
    let DraftEdit { to: more_to, cc: more_cc, bcc, subject, text } = edit;
    let (mut to, mut cc) = addressees(headers, &AddressSet::of(own), all);
    to.extend(more_to);
    cc.extend(more_cc);
    each_once([&mut to, &mut cc]);
    if to.is_empty() {
        return Err(ComposeError::NobodyToAnswer);
    }
    let subject = match subject {
        Some(subject) => own_subject(&subject)?,
        None => prefix::reply(&headers.subject),
    };
    let mut text = own_text(&text)?;
    if with_quote {
        text.push_str("\n\n");
        text.push_str(&quote::quoted(&original.message));
    }
    let (in_reply_to, references) = threading::answering(headers);
    finish(NewDraft {
        from: sender(headers, own),
        to,
        cc,
        bcc,
        reply_to: Vec::new(),
        subject,
        text,
        in_reply_to,
        references,
        attachments: Vec::new(),
    })
}

/// Whom an answer goes to: To and Cc.
fn addressees(headers: &Headers, own: &AddressSet, all: bool) -> (Vec<Address>, Vec<Address>) {
    let others = |addresses: &[Address]| -> Vec<Address> {
        usable(addresses).into_iter().filter(|address| !own.has(address)).collect()
    };
    let mine = !headers.from.is_empty() && headers.from.iter().all(|from| own.has(from));
    if mine {
        let mut to = others(&headers.to);
        if to.is_empty() {
            // A note to oneself, or a message whose To field named nobody else.
            to = usable(if headers.to.is_empty() { &headers.from } else { &headers.to });
        }
        return (to, if all { others(&headers.cc) } else { Vec::new() });
    }
    let asked = others(&headers.reply_to);
    let to = if asked.is_empty() { usable(&headers.from) } else { asked };
    let mut cc = Vec::new();
    if all {
        cc = others(&headers.to);
        cc.extend(others(&headers.cc));
    }
    (to, cc)
}

/// The own address that the original was sent to (or from), so that the answer comes from where it was asked.
pub(super) fn sender(headers: &Headers, own: &[Address]) -> Option<Address> {
    let named = [&headers.to, &headers.cc, &headers.bcc, &headers.from];
    named.into_iter().flatten().find_map(|address| {
        let key = address.key().ok()?;
        own.iter().find(|mine| mine.key().is_ok_and(|own_key| own_key == key)).cloned()
    })
}
