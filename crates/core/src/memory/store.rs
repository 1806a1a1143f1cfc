//! Folders and the messages in them. Every change is one call under the lock, and checks all that it was given before
//! it changes anything.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    ids::{Place, folder_id, folder_number},
    parsed::Stored,
    send::{Faults, Sent},
};
use crate::{
    mailbox::{MailboxError, NotFound},
    model::{
        Attachment, AttachmentRequest, Destination, Flag, FlagChange, Flags, Folder, FolderRef, FolderScope,
        Message, MessageRef, Moved, SpecialUse, Timestamp,
    },
};

/// The folders of a new mailbox, in the order in which they are listed.
const FOLDERS: [(&str, Option<SpecialUse>); 8] = [
    ("INBOX", Some(SpecialUse::Inbox)),
    ("Drafts", Some(SpecialUse::Drafts)),
    ("Sent", Some(SpecialUse::Sent)),
    ("Archive", Some(SpecialUse::Archive)),
    ("Junk", Some(SpecialUse::Junk)),
    ("Trash", Some(SpecialUse::Trash)),
    ("Projects", None),
    ("Účty/2026", None),
];

/// The first UIDVALIDITY of a folder; any number would do, an odd one is easier to tell from a UID.
const FIRST_VALIDITY: u32 = 1_700_001;

pub(super) struct Store {
    folders: BTreeMap<u32, StoredFolder>,
    pub(super) sent: Vec<Sent>,
    pub(super) faults: Faults,
}

/// One folder.
struct StoredFolder {
    name: &'static str,
    special_use: Option<SpecialUse>,
    validity: u32,
    next_uid: u32,
    messages: BTreeMap<u32, Arc<Stored>>,
}

impl Store {
    pub(super) fn new() -> Self {
        let folder = |(name, special_use)| StoredFolder {
            name,
            special_use,
            validity: FIRST_VALIDITY,
            next_uid: 1,
            messages: BTreeMap::new(),
        };
        let folders = (1..).zip(FOLDERS.map(folder)).collect();
        Self { folders, sent: Vec::new(), faults: Faults::default() }
    }

    pub(super) fn folders(&self) -> Vec<Folder> {
        let listed = self.folders.iter().filter_map(|(number, folder)| {
            let unread = folder.messages.values().filter(|message| !message.flags.has(Flag::Seen)).count();
            Some(Folder {
                id: folder_id(*number).ok()?,
                name: folder.name.to_owned(),
                special_use: folder.special_use,
                selectable: true,
                total: u64::try_from(folder.messages.len()).ok(),
                unread: u64::try_from(unread).ok(),
            })
        });
        listed.collect()
    }

    pub(super) fn special_use(&self, id: &FolderRef) -> Result<Option<SpecialUse>, MailboxError> {
        Ok(self.folder(folder_number(id)?)?.special_use)
    }

    /// The number of the folder with a use.
    pub(super) fn with_use(&self, use_: SpecialUse) -> Result<u32, MailboxError> {
        let found = self.folders.iter().find(|(_, folder)| folder.special_use == Some(use_));
        found.map(|(number, _)| *number).ok_or(MailboxError::NoFolder(use_))
    }

    /// The messages of a scope with the place of each.
    pub(super) fn in_scope(&self, scope: &FolderScope) -> Result<Vec<(Place, &Arc<Stored>)>, MailboxError> {
        let numbers = match scope {
            FolderScope::One(id) => vec![folder_number(id)?],
            FolderScope::Use(use_) => vec![self.with_use(*use_)?],
            FolderScope::All => {
                let kept = |folder: &StoredFolder| {
                    !matches!(folder.special_use, Some(SpecialUse::Junk | SpecialUse::Trash))
                };
                self.folders.iter().filter(|(_, folder)| kept(folder)).map(|(number, _)| *number).collect()
            }
        };
        let mut found = Vec::new();
        for number in numbers {
            let folder = self.folder(number)?;
            let place = |uid: &u32| Place { folder: number, validity: folder.validity, uid: *uid };
            found.extend(folder.messages.iter().map(|(uid, message)| (place(uid), message)));
        }
        Ok(found)
    }

    /// The message with an id.
    pub(super) fn message(&self, id: &MessageRef) -> Result<(Place, &Arc<Stored>), MailboxError> {
        let place = Place::of(id)?;
        Ok((place, self.at(place)?))
    }

    fn at(&self, place: Place) -> Result<&Arc<Stored>, MailboxError> {
        let folder = self.folder(place.folder)?;
        if folder.validity != place.validity {
            return Err(MailboxError::Stale);
        }
        folder.messages.get(&place.uid).ok_or(MailboxError::NotFound(NotFound::Message))
    }

    pub(super) fn read(&self, id: &MessageRef) -> Result<Message, MailboxError> {
        let (place, stored) = self.message(id)?;
        stored.message(place)
    }

    pub(super) fn attachment(&self, request: &AttachmentRequest) -> Result<Attachment, MailboxError> {
        let (_, stored) = self.message(&request.message)?;
        let found = stored.attachment(&request.section)?;
        if found.info.size > request.max_bytes {
            return Err(MailboxError::TooLarge(request.max_bytes));
        }
        Ok(found)
    }

    pub(super) fn append(
        &mut self,
        folder: &FolderRef,
        raw: &[u8],
        received: Timestamp,
        flags: Flags,
    ) -> Result<MessageRef, MailboxError> {
        self.insert(folder_number(folder)?, Arc::new(Stored::new(raw, received, flags)))?.id()
    }

    pub(super) fn insert(&mut self, number: u32, message: Arc<Stored>) -> Result<Place, MailboxError> {
        let folder = self.folder_mut(number)?;
        let uid = folder.next_uid;
        folder.next_uid = uid.checked_add(1).ok_or(MailboxError::OverQuota)?;
        folder.messages.insert(uid, message);
        Ok(Place { folder: number, validity: folder.validity, uid })
    }

    pub(super) fn remove(&mut self, place: Place) -> Result<Arc<Stored>, MailboxError> {
        self.at(place)?;
        let removed = self.folder_mut(place.folder)?.messages.remove(&place.uid);
        removed.ok_or(MailboxError::NotFound(NotFound::Message))
    }

    pub(super) fn move_to(
        &mut self,
        ids: &[MessageRef],
        to: &Destination,
    ) -> Result<Vec<Moved>, MailboxError> {
        let target = match to {
            Destination::Folder(id) => folder_number(id)?,
            Destination::Use(use_) => self.with_use(*use_)?,
        };
        self.folder(target)?;
        let places =
            ids.iter().map(|id| Ok((id, self.message(id)?.0))).collect::<Result<Vec<_>, MailboxError>>()?;
        let mut moved = Vec::new();
        for (id, place) in places {
            let to = if place.folder == target { place } else { self.relocate(place, target)? };
            moved.push(Moved { from: id.clone(), to: Some(to.id()?) });
        }
        Ok(moved)
    }

    fn relocate(&mut self, place: Place, target: u32) -> Result<Place, MailboxError> {
        let message = self.remove(place)?;
        self.insert(target, message)
    }

    pub(super) fn change_flags(
        &mut self,
        ids: &[MessageRef],
        change: &FlagChange,
    ) -> Result<(), MailboxError> {
        let places =
            ids.iter().map(|id| Ok(self.message(id)?.0)).collect::<Result<Vec<_>, MailboxError>>()?;
        for place in places {
            if let Some(message) = self.folder_mut(place.folder)?.messages.get_mut(&place.uid) {
                changed(&mut Arc::make_mut(message).flags, change);
            }
        }
        Ok(())
    }

    pub(super) fn contents(
        &self,
        folder: &FolderRef,
    ) -> Result<Vec<(MessageRef, Flags, Vec<u8>)>, MailboxError> {
        let all = self.in_scope(&FolderScope::One(folder.clone()))?;
        all.into_iter()
            .map(|(place, stored)| Ok((place.id()?, stored.flags.clone(), stored.raw.to_vec())))
            .collect()
    }

    pub(super) fn clear(&mut self, folder: &FolderRef) -> Result<(), MailboxError> {
        self.folder_mut(folder_number(folder)?)?.messages.clear();
        Ok(())
    }

    pub(super) fn rebuild(&mut self, folder: &FolderRef) -> Result<(), MailboxError> {
        let folder = self.folder_mut(folder_number(folder)?)?;
        folder.validity = folder.validity.wrapping_add(1);
        Ok(())
    }

    fn folder(&self, number: u32) -> Result<&StoredFolder, MailboxError> {
        self.folders.get(&number).ok_or(MailboxError::NotFound(NotFound::Folder))
    }

    fn folder_mut(&mut self, number: u32) -> Result<&mut StoredFolder, MailboxError> {
        self.folders.get_mut(&number).ok_or(MailboxError::NotFound(NotFound::Folder))
    }
}

fn changed(flags: &mut Flags, change: &FlagChange) {
    let FlagChange { seen, flagged, add, remove } = change;
    for (flag, wanted) in [(Flag::Seen, seen), (Flag::Flagged, flagged)] {
        if let Some(wanted) = wanted {
            flags.system.retain(|set| *set != flag);
            if *wanted {
                flags.system.push(flag);
            }
        }
    }
    flags.keywords.retain(|keyword| !remove.contains(keyword));
    for keyword in add {
        if !flags.keywords.contains(keyword) {
            flags.keywords.push(keyword.clone());
        }
    }
}
