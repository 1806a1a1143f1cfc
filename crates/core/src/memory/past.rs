//! What a send asks of the past: to whom this account wrote, and which messages are here.

use super::store::Store;
use crate::{
    mailbox::{MailboxError, wrote_to_among},
    model::{Address, FolderScope, SpecialUse, Timestamp},
};

pub(super) fn wrote_to(
    store: &Store,
    own: &[Address],
    recipients: &[Address],
    before: Timestamp,
) -> Result<Vec<Address>, MailboxError> {
    let sent = store.in_scope(&FolderScope::Use(SpecialUse::Sent))?;
    let early = sent.iter().filter(|(_, stored)| stored.received < before);
    let mut found: Vec<Address> =
        early.flat_map(|(_, stored)| wrote_to_among(stored.headers(), own, recipients)).collect();
    found.sort();
    found.dedup();
    Ok(found)
}

pub(super) fn holds(store: &Store, message_ids: &[String]) -> Result<Vec<String>, MailboxError> {
    let mut held = Vec::new();
    for use_ in [SpecialUse::Inbox, SpecialUse::Sent, SpecialUse::Archive] {
        let messages = store.in_scope(&FolderScope::Use(use_))?;
        held.extend(messages.iter().filter_map(|(_, stored)| stored.headers().message_id.clone()));
    }
    Ok(message_ids.iter().filter(|id| held.contains(id)).cloned().collect())
}
