//! The inside of the ids that this backend hands out: folder, UIDVALIDITY and UID, as on IMAP (RFC 9051 §2.3.1). An id
//! comes back from a model, so only the one spelling that is handed out is taken.

use crate::{
    mailbox::MailboxError,
    model::{FolderRef, MessageRef},
};

/// Where a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The folder's number.
    pub(super) folder: u32,
    /// The folder's UIDVALIDITY when the id was made.
    pub(super) validity: u32,
    /// The message's UID in it.
    pub(super) uid: u32,
}

impl Place {
    pub(super) fn of(id: &MessageRef) -> Result<Self, MailboxError> {
        let numbers = id.as_str().strip_prefix('m').ok_or(MailboxError::InvalidRef)?;
        let mut numbers = numbers.split('.').map(number);
        match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
            (Some(Some(folder)), Some(Some(validity)), Some(Some(uid)), None) => {
                Ok(Self { folder, validity, uid })
            }
            _ => Err(MailboxError::InvalidRef),
        }
    }

    pub(super) fn id(self) -> Result<MessageRef, MailboxError> {
        let Self { folder, validity, uid } = self;
        MessageRef::parse(&format!("m{folder}.{validity}.{uid}")).map_err(|_| MailboxError::InvalidRef)
    }
}

pub(super) fn folder_number(id: &FolderRef) -> Result<u32, MailboxError> {
    id.as_str().strip_prefix('f').and_then(number).ok_or(MailboxError::InvalidRef)
}

pub(super) fn folder_id(number: u32) -> Result<FolderRef, MailboxError> {
    FolderRef::parse(&format!("f{number}")).map_err(|_| MailboxError::InvalidRef)
}

/// A number in its one spelling: no sign, no leading zero.
pub(super) fn number(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|number: &u32| number.to_string() == digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_spelling_that_is_handed_out_is_taken() {
        let place = Place { folder: 1, validity: 7, uid: 42 };
        assert_eq!(Place::of(&place.id().unwrap()), Ok(place));
        for bad in
            ["1.7.42", "m1.7", "m1.7.42.1", "m01.7.42", "m+1.7.42", "m1.7.-1", "m1.7.4294967296", "f1", "m"]
        {
            assert_eq!(Place::of(&MessageRef::parse(bad).unwrap()), Err(MailboxError::InvalidRef), "{bad}");
        }
        assert_eq!(folder_number(&FolderRef::parse("INBOX").unwrap()), Err(MailboxError::InvalidRef));
        assert_eq!(folder_number(&folder_id(3).unwrap()), Ok(3));
    }
}
