//! Sending, and what can go wrong at each step of it.

use std::sync::Arc;

use countersign_send_policy::{DraftFields, Origin, SendPermit};

use super::{drafts, now, parsed::Stored, store::Store};
use crate::{
    compose::mime,
    mailbox::{ConnectFault, Ending, MailboxError, Peer, SendRefusal},
    model::{Delivered, DraftRef, Flag, Flags, FolderScope, SentCopy, SentDraft, SpecialUse},
};

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// MAIL FROM (RFC 5321 §4.1.1.2).
    pub reverse_path: String,
    /// RCPT TO, each once.
    pub forward_paths: Vec<String>,
    /// What the recipients get: without Bcc.
    pub message: Vec<u8>,
}

/// How handing a message over goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendFault {
    /// The server refuses it.
    Refuse(SendRefusal),
    /// The connection ends after the message was handed over, which then was or wasn't delivered.
    Unknown {
        /// Whether it was.
        delivered: bool,
    },
    /// The connection ends before the message is handed over.
    LostBeforeHandover,
}

/// What goes wrong. The default is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults {
    /// The outgoing server can't be reached.
    pub connect: Option<ConnectFault>,
    /// Handing over goes wrong.
    pub send: Option<SendFault>,
    /// The outgoing server files a copy in Sent by itself (not a fault, but another way of servers).
    pub server_files_copy: bool,
    /// The copy in Sent can't be filed.
    pub sent_copy_fails: bool,
    /// The server has no removal by exact identity (no UIDPLUS).
    pub no_exact_removal: bool,
    /// Removing the sent draft fails.
    pub removal_fails: bool,
}

/// The open way out.
pub struct MemoryOutbox(pub(super) ());

pub(super) fn ready(store: &Store, draft: &DraftRef) -> Result<MemoryOutbox, MailboxError> {
    let fields = drafts::fetch(store, draft)?;
    if let Some(fault) = store.faults.connect {
        return Err(MailboxError::Connect(Peer::Submission, fault));
    }
    match fields.message_id {
        Some(id) if is_in_sent(store, &id) => Err(MailboxError::AlreadySent),
        _ => Ok(MemoryOutbox(())),
    }
}

pub(super) fn send(store: &mut Store, permit: SendPermit, origin: &Origin) -> Result<Delivered, Ending> {
    let mut fields = permit.redeem(origin).map_err(|_| Ending::Refused(SendRefusal::Permit))?;
    let draft = DraftRef::parse(&fields.id).map_err(|_| Ending::Refused(SendRefusal::Permit))?;
    let unwritable = |_| Ending::NotHandedOver(MailboxError::Unreadable);
    if fields.message_id.is_none() {
        fields.message_id = Some(mime::new_message_id(&fields.from).map_err(unwritable)?);
    }
    let date = now();
    let message = mime::build_fields(&fields, date, false).map_err(unwritable)?;
    let copy = mime::build_fields(&fields, date, true).map_err(unwritable)?;
    let sent = Sent {
        reverse_path: fields.from.path().map_err(|_| Ending::Refused(SendRefusal::Sender))?,
        forward_paths: fields.forward_paths().map_err(|_| Ending::Refused(SendRefusal::Recipient))?,
        message,
    };
    match store.faults.send {
        Some(SendFault::Refuse(refusal)) => return Err(Ending::Refused(refusal)),
        Some(SendFault::LostBeforeHandover) => {
            return Err(Ending::NotHandedOver(MailboxError::Connect(Peer::Submission, ConnectFault::Lost)));
        }
        Some(SendFault::Unknown { delivered: false }) => return Err(Ending::Unknown),
        Some(SendFault::Unknown { delivered: true }) | None => store.sent.push(sent),
    }
    if store.faults.server_files_copy {
        file_copy(store, &copy);
    }
    if store.faults.send.is_some() {
        return Err(Ending::Unknown);
    }
    Ok(Delivered { draft, fields, copy })
}

pub(super) fn file(store: &mut Store, sent: &Delivered) -> SentCopy {
    match sent.fields.message_id.as_deref() {
        Some(id) if is_in_sent(store, id) => SentCopy::AlreadyThere,
        _ if store.faults.sent_copy_fails || !file_copy(store, &sent.copy) => SentCopy::NotFiled,
        _ => SentCopy::Filed,
    }
}

pub(super) fn clear_draft(store: &mut Store, sent: &Delivered) -> SentDraft {
    if store.faults.no_exact_removal {
        return SentDraft::NoExactRemoval;
    }
    let same = |found: &DraftFields| found.claim_key == sent.fields.claim_key;
    let is_the_one = drafts::fetch(store, &sent.draft).is_ok_and(|found| same(&found));
    if is_the_one && !store.faults.removal_fails && drafts::remove(store, &sent.draft).is_ok() {
        SentDraft::Removed
    } else {
        SentDraft::NotRemoved
    }
}

fn file_copy(store: &mut Store, copy: &[u8]) -> bool {
    let flags = Flags { system: vec![Flag::Seen], keywords: Vec::new() };
    let message = Arc::new(Stored::new(copy, now(), flags));
    store.with_use(SpecialUse::Sent).and_then(|sent| store.insert(sent, message)).is_ok()
}

fn is_in_sent(store: &Store, message_id: &str) -> bool {
    let sent = store.in_scope(&FolderScope::Use(SpecialUse::Sent)).unwrap_or_default();
    sent.iter().any(|(_, stored)| stored.headers().message_id.as_deref() == Some(message_id))
}
