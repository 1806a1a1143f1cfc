//! The ids that are handed out: `folder.uidvalidity.uid`, the folder being its wire name in base64url (RFC 4648 §5). They
//! come back from a model, so they are read strictly: one spelling, nothing left over. The UIDVALIDITY is compared with
//! the opened folder's at each use (RFC 9051 §2.3.1.1).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_core::{
    mailbox::MailboxError,
    model::{FolderRef, MessageRef},
};

use crate::session::Selected;

/// A folder by its name on the wire.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FolderName(Vec<u8>);

impl FolderName {
    /// A name as a server sent it; `None` where no command could carry it. INBOX has one spelling (RFC 9051 §5.1).
    pub(crate) fn new(raw: Vec<u8>) -> Option<Self> {
        if raw.is_empty() || raw.iter().any(|b| matches!(b, 0 | b'\r' | b'\n')) {
            return None;
        }
        Some(Self(if raw.eq_ignore_ascii_case(b"INBOX") { b"INBOX".to_vec() } else { raw }))
    }

    /// The folder that a model named.
    pub(crate) fn parse(folder: &FolderRef) -> Result<Self, MailboxError> {
        Self::decode(folder.as_str())
    }

    fn decode(text: &str) -> Result<Self, MailboxError> {
        let raw = URL_SAFE_NO_PAD.decode(text).map_err(|_| MailboxError::InvalidRef)?;
        let name = Self::new(raw).ok_or(MailboxError::InvalidRef)?;
        if name.encode() == text { Ok(name) } else { Err(MailboxError::InvalidRef) }
    }

    fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.0)
    }

    /// The name for a command.
    pub(crate) fn wire(&self) -> &[u8] {
        &self.0
    }

    /// The id to hand out; `None` where the name is too long for one.
    pub(crate) fn id(&self) -> Option<FolderRef> {
        FolderRef::parse(&self.encode()).ok()
    }
}

/// A message by folder, UIDVALIDITY and UID.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Its folder.
    pub(crate) folder: FolderName,
    /// The folder's UIDVALIDITY when the id was handed out.
    pub(crate) uidvalidity: u32,
    /// Its UID.
    pub(crate) uid: u32,
}

impl Place {
    /// The message that a model named.
    pub(crate) fn parse(id: &MessageRef) -> Result<Self, MailboxError> {
        let mut fields = id.as_str().split('.');
        let (folder, uidvalidity, uid) = (fields.next(), fields.next(), fields.next());
        let (Some(folder), Some(uidvalidity), Some(uid), None) = (folder, uidvalidity, uid, fields.next())
        else {
            return Err(MailboxError::InvalidRef);
        };
        Ok(Self { folder: FolderName::decode(folder)?, uidvalidity: number(uidvalidity)?, uid: number(uid)? })
    }

    /// The id to hand out.
    pub(crate) fn id(&self) -> Result<MessageRef, MailboxError> {
        let text = format!("{}.{}.{}", self.folder.encode(), self.uidvalidity, self.uid);
        MessageRef::parse(&text).map_err(|_| MailboxError::PeerMisbehaved("a folder name without end"))
    }

    /// Whether the id is from the folder as it now is.
    pub(crate) fn check(&self, open: &Selected) -> Result<(), MailboxError> {
        if self.uidvalidity == open.uidvalidity { Ok(()) } else { Err(MailboxError::Stale) }
    }
}

/// A positive number in its one spelling.
pub(crate) fn number(text: &str) -> Result<u32, MailboxError> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain).ok_or(MailboxError::InvalidRef)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Result<Place, MailboxError> {
        Place::parse(&MessageRef::parse(text).unwrap())
    }

    #[test]
    fn ids_read_back() {
        for raw in [&b"INBOX"[..], b"a \"b\" &AOk-", b"x.y/z\\", "\u{17e}".as_bytes(), &[0xff, 0xfe]] {
            let folder = FolderName::new(raw.to_vec()).unwrap();
            assert_eq!(FolderName::parse(&folder.id().unwrap()), Ok(folder.clone()));
            let made = Place { folder, uidvalidity: u32::MAX, uid: 1 };
            assert_eq!(Place::parse(&made.id().unwrap()), Ok(made));
        }
    }

    #[test]
    fn inbox_has_one_id() {
        assert_eq!(FolderName::new(b"inBox".to_vec()), FolderName::new(b"INBOX".to_vec()));
        // "inbox" spelt in lower case is not an id of ours.
        assert_eq!(place("aW5ib3g.1.1"), Err(MailboxError::InvalidRef));
    }

    #[test]
    fn other_spellings_are_refused() {
        assert!(place("SU5CT1g.7.9").is_ok());
        for bad in [
            "SU5CT1g",
            "SU5CT1g.7",
            "SU5CT1g.7.9.1",
            "SU5CT1g.07.9",
            "SU5CT1g.7.0",
            "SU5CT1g.7.+9",
            "SU5CT1g.7.4294967296",
            "SU5CT1g=.7.9",
            "SU5CT1h.7.9",
            ".7.9",
            "YQ0K.7.9",
            "YQA.7.9",
            "SU5CT1g..9",
            "*.7.9",
        ] {
            assert_eq!(place(bad), Err(MailboxError::InvalidRef), "{bad}");
        }
    }
}
