//! Folders, flags and moves. Nothing moves into Sent or Drafts through a tool: what stands in Sent makes addresses
//! known, and what stands in Drafts can be sent (decisions.md §1).

use crate::{
    mailbox::{Mailbox, MailboxError},
    model::{Destination, Folder, SpecialUse},
    sanitise::header,
};

/// Cleans folder names: a name is the owner's, but a shared folder's owner may be someone else.
pub(in crate::protection) fn folders(folders: Vec<Folder>) -> Vec<Folder> {
    let clean = |folder: Folder| {
        let Folder { id, name, special_use, selectable, total, unread } = folder;
        Folder { id, name: header::line(&name), special_use, selectable, total, unread }
    };
    folders.into_iter().map(clean).collect()
}

/// Whether messages may be moved there.
pub(in crate::protection) async fn may_move_to<M: Mailbox>(
    inner: &M,
    to: &Destination,
) -> Result<(), MailboxError> {
    let use_ = match to {
        Destination::Use(use_) => Some(*use_),
        Destination::Folder(folder) => inner.special_use(folder).await?,
    };
    match use_ {
        Some(use_ @ (SpecialUse::Sent | SpecialUse::Drafts)) => Err(MailboxError::ReservedFolder(use_)),
        _ => Ok(()),
    }
}
