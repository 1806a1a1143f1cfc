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
    hand_over(store, permit.redeem(origin).map_err(|_| Ending::Refused(SendRefusal::Permit))?)
}

fn hand_over(store: &mut Store, mut fields: DraftFields) -> Result<Delivered, Ending> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compose,
        model::{Address, DraftEdit},
    };

    /// A store with one draft, to one open and one hidden recipient.
    fn with_draft() -> (Store, DraftFields) {
        let mut store = Store::new();
        let edit = DraftEdit {
            to: vec![Address::bare("robin@example.org")],
            bcc: vec![Address::bare("hidden@example.net")],
            text: "text".into(),
            ..DraftEdit::default()
        };
        let draft = compose::new_draft(edit, None).unwrap();
        let stored = drafts::create(&mut store, &draft, &Address::bare("jana@example.com")).unwrap();
        let fields = drafts::fetch(&store, &stored.id).unwrap();
        (store, fields)
    }

    fn count(store: &Store, use_: SpecialUse) -> usize {
        store.in_scope(&FolderScope::Use(use_)).unwrap().len()
    }

    #[test]
    fn a_send_goes_out_once_is_filed_with_bcc_and_clears_its_draft() {
        let (mut store, fields) = with_draft();
        let sent = hand_over(&mut store, fields).unwrap();
        let out = store.sent.first().unwrap();
        assert_eq!(out.reverse_path, "jana@example.com");
        assert_eq!(out.forward_paths, ["robin@example.org", "hidden@example.net"]);
        assert!(!String::from_utf8_lossy(&out.message).contains("hidden"));
        assert!(String::from_utf8_lossy(&sent.copy).contains("Bcc: <hidden@example.net>"));
        assert_eq!(file(&mut store, &sent), SentCopy::Filed);
        assert_eq!(file(&mut store, &sent), SentCopy::AlreadyThere);
        assert_eq!(ready(&store, &sent.draft).map(drop), Err(MailboxError::AlreadySent));
        assert_eq!(clear_draft(&mut store, &sent), SentDraft::Removed);
        assert_eq!(clear_draft(&mut store, &sent), SentDraft::NotRemoved, "it is gone already");
        assert_eq!((count(&store, SpecialUse::Sent), count(&store, SpecialUse::Drafts)), (1, 0));
    }

    #[test]
    fn each_fault_ends_as_it_says() {
        let refused = SendRefusal::Recipient;
        for (fault, ending, delivered) in [
            (SendFault::Refuse(refused), Ending::Refused(refused), 0),
            (SendFault::Unknown { delivered: true }, Ending::Unknown, 1),
            (SendFault::Unknown { delivered: false }, Ending::Unknown, 0),
            (
                SendFault::LostBeforeHandover,
                Ending::NotHandedOver(MailboxError::Connect(Peer::Submission, ConnectFault::Lost)),
                0,
            ),
        ] {
            let (mut store, fields) = with_draft();
            store.faults.send = Some(fault);
            assert_eq!(hand_over(&mut store, fields).err(), Some(ending), "{fault:?}");
            assert_eq!(store.sent.len(), delivered, "{fault:?}");
            assert_eq!(count(&store, SpecialUse::Drafts), 1, "the draft stays: {fault:?}");
        }
    }

    #[test]
    fn what_fails_after_the_send_is_said() {
        let (mut store, fields) = with_draft();
        let sent = hand_over(&mut store, fields).unwrap();
        store.faults = Faults { sent_copy_fails: true, no_exact_removal: true, ..Faults::default() };
        assert_eq!(file(&mut store, &sent), SentCopy::NotFiled);
        assert_eq!(clear_draft(&mut store, &sent), SentDraft::NoExactRemoval);
        store.faults = Faults { removal_fails: true, ..Faults::default() };
        assert_eq!(clear_draft(&mut store, &sent), SentDraft::NotRemoved);
        assert_eq!((count(&store, SpecialUse::Sent), count(&store, SpecialUse::Drafts)), (0, 1));
    }

    #[test]
    fn a_server_that_files_its_own_copy_leaves_one() {
        let (mut store, fields) = with_draft();
        store.faults.server_files_copy = true;
        let sent = hand_over(&mut store, fields).unwrap();
        assert_eq!(file(&mut store, &sent), SentCopy::AlreadyThere);
        assert_eq!(count(&store, SpecialUse::Sent), 1);
    }
}
