//! Drafts: what stands in the Drafts folder and nothing else.

use std::sync::Arc;

use countersign_send_policy::{DraftAttachment, DraftFields, Fingerprint};

use super::{ids::Place, now, parsed::Stored, store::Store};
use crate::{
    compose::mime,
    mailbox::{MailboxError, NotFound},
    model::{
        Address, Attachment, Destination, DraftRef, Flag, Flags, MessageRef, Moved, NewDraft, Original,
        SpecialUse, StoredDraft,
    },
};

pub(super) fn create(
    store: &mut Store,
    draft: &NewDraft,
    own: &Address,
) -> Result<StoredDraft, MailboxError> {
    let from = draft.from.as_ref().unwrap_or(own);
    let id = mime::new_message_id(from).map_err(|_| MailboxError::Unreadable)?;
    let date = now();
    let raw = mime::build(draft, own, &id, date, true).map_err(|_| MailboxError::Unreadable)?;
    let flags = Flags { system: vec![Flag::Draft, Flag::Seen], keywords: Vec::new() };
    let drafts = store.with_use(SpecialUse::Drafts)?;
    let id = store.insert(drafts, Arc::new(Stored::new(&raw, date, flags)))?.id()?.as_draft();
    let fingerprint = Fingerprint::of(&fetch(store, &id)?);
    Ok(StoredDraft { id, fingerprint })
}

pub(super) fn fetch(store: &Store, id: &DraftRef) -> Result<DraftFields, MailboxError> {
    let (_, stored) = draft(store, id)?;
    mime::draft_fields(&stored.raw, id).ok_or(MailboxError::Unreadable)
}

/// The draft with an id, which must be in Drafts: what stands elsewhere was never meant to be sent.
pub(super) fn draft<'a>(store: &'a Store, id: &DraftRef) -> Result<(Place, &'a Arc<Stored>), MailboxError> {
    let (place, stored) = store.message(&id.as_message()).map_err(|error| {
        let is_gone = matches!(error, MailboxError::NotFound(_));
        if is_gone { MailboxError::NotFound(NotFound::Draft) } else { error }
    })?;
    if place.folder == store.with_use(SpecialUse::Drafts)? {
        Ok((place, stored))
    } else {
        Err(MailboxError::NotADraft)
    }
}

pub(super) fn remove(store: &mut Store, id: &DraftRef) -> Result<(), MailboxError> {
    let (place, _) = draft(store, id)?;
    if store.faults.no_exact_removal {
        return Err(MailboxError::Unsupported("removal by exact identity"));
    }
    store.remove(place).map(drop)
}

pub(super) fn trash(store: &mut Store, id: &DraftRef) -> Result<Moved, MailboxError> {
    draft(store, id)?;
    let moved = store.move_to(&[id.as_message()], &Destination::Use(SpecialUse::Trash))?;
    moved.into_iter().next().ok_or(MailboxError::NotFound(NotFound::Draft))
}

pub(super) fn original(
    store: &Store,
    id: &MessageRef,
    with_attachments: bool,
) -> Result<Original, MailboxError> {
    let (place, stored) = store.message(id)?;
    let parts: &[Attachment] = if with_attachments { &stored.parsed().attachments } else { &[] };
    let attachments: Vec<DraftAttachment> = parts.iter().cloned().map(mime::draft_attachment).collect();
    Ok(Original { message: stored.message(place)?, attachments })
}
