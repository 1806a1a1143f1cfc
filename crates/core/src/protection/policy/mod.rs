//! What each kind of `Mailbox` method may show: one file a kind. Every policy does two things in this order: it judges
//! (may this be shown at the owner's level?) and it cleans (hidden text, invisibles, line breaks in header text).

pub(super) mod attachment;
pub(super) mod draft;
pub(super) mod organise;
pub(super) mod read;
pub(super) mod search;
pub(super) mod thread;

use super::Level;
use crate::{
    mailbox::MailboxError,
    model::{Address, Headers},
    sanitise::header,
};

/// Decides at one level. Unnameable outside core.
pub struct Judge {
    level: Level,
}

impl Judge {
    pub(in crate::protection) fn new(level: Level) -> Self {
        Self { level }
    }

    pub(in crate::protection) fn level(&self) -> &Level {
        &self.level
    }

    /// Whether content may be shown at all. At `off` it may; every other level needs the classifier, and without one
    /// nothing is shown rather than everything.
    fn admits(&self) -> Result<(), MailboxError> {
        if self.level.is_available() { Ok(()) } else { Err(MailboxError::Unprotectable) }
    }
}

/// Cleans an address: each half on one line, without invisibles.
fn address(address: Address) -> Address {
    let Address { display_name, addr_spec } = address;
    Address {
        display_name: display_name.map(|name| header::line(&name)).filter(|name| !name.is_empty()),
        addr_spec: header::line(&addr_spec),
    }
}

fn addresses(list: Vec<Address>) -> Vec<Address> {
    list.into_iter().map(address).collect()
}

fn msg_ids(list: &[String]) -> Vec<String> {
    list.iter().map(|id| header::line(id)).collect()
}

/// Cleans header fields. Taken apart without `..`, so that a new field can't be forgotten.
fn headers(headers: Headers) -> Headers {
    let Headers { subject, from, sender, reply_to, to, cc, bcc, date, message_id, in_reply_to, references } =
        headers;
    Headers {
        subject: header::line(&subject),
        from: addresses(from),
        sender: addresses(sender),
        reply_to: addresses(reply_to),
        to: addresses(to),
        cc: addresses(cc),
        bcc: addresses(bcc),
        date,
        message_id: message_id.map(|id| header::line(&id)),
        in_reply_to: msg_ids(&in_reply_to),
        references: msg_ids(&references),
    }
}
