//! Opaque ids that the server hands out and takes back. Their inside belongs to the backend (on IMAP: folder, UIDVALIDITY
//! and UID); everything else passes them on unread. What comes back from a model is checked for length and characters
//! here and for meaning by the backend, so an id can never carry a command.

use std::fmt;

/// Longest id that is accepted, in bytes. Our own are under 300; Graph's immutable ids reach about 500.
pub(super) const MAX_REF_BYTES: usize = 1_024;

/// The text is not an id that this server hands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id that this server handed out")]
pub struct InvalidRef;

macro_rules! opaque_ref {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Takes an id as the model sent it.
            ///
            /// # Errors
            /// [`InvalidRef`] where it is empty, longer than 1,024 bytes or holds anything but visible ASCII.
            pub fn parse(text: &str) -> Result<Self, InvalidRef> {
                let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
                if text.is_empty() || text.len() > MAX_REF_BYTES || !visible {
                    return Err(InvalidRef);
                }
                Ok(Self(text.to_owned()))
            }

            /// The id as text, for the backend that made it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

opaque_ref!(
    /// One message of one account.
    MessageRef
);
opaque_ref!(
    /// One folder of one account (an IMAP mailbox, a Graph mail folder).
    FolderRef
);
opaque_ref!(
    /// One stored draft of one account.
    DraftRef
);

impl DraftRef {
    /// The draft seen as the message that it is, for reading it or moving it to Trash.
    pub fn as_message(&self) -> MessageRef {
        MessageRef(self.0.clone())
    }
}

impl MessageRef {
    /// The message seen as a draft; the backend checks that it is one.
    pub fn as_draft(&self) -> DraftRef {
        DraftRef(self.0.clone())
    }
}

/// A part's number within its message as IMAP counts parts ("1", "2.1"; RFC 9051 §6.4.5.1). Digits and dots only, so it
/// can stand in a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Section(String);

impl Section {
    /// Deepest part number that is accepted.
    pub const MAX_DEPTH: usize = 32;

    /// Takes a part number.
    ///
    /// # Errors
    /// [`InvalidRef`] where it is not dot-separated positive numbers, at most [`Self::MAX_DEPTH`] of them.
    pub fn parse(text: &str) -> Result<Self, InvalidRef> {
        let numbers: Vec<&str> = text.split('.').collect();
        let number = |part: &&str| {
            (1..=4).contains(&part.len())
                && part.bytes().all(|b| b.is_ascii_digit())
                && !part.starts_with('0')
        };
        if numbers.len() > Self::MAX_DEPTH || !numbers.iter().all(number) {
            return Err(InvalidRef);
        }
        Ok(Self(text.to_owned()))
    }

    /// The number as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_hold_visible_ascii_only() {
        assert!(MessageRef::parse("SU5CT1g.1700000000.42").is_ok());
        for bad in ["", "a b", "a\r\nb LOGOUT", "a\u{0}", "příloha", &"x".repeat(MAX_REF_BYTES + 1)] {
            assert_eq!(MessageRef::parse(bad), Err(InvalidRef), "{bad:?}");
        }
    }

    #[test]
    fn part_numbers_are_numbers() {
        for good in ["1", "2.1", "10.200.3"] {
            assert!(Section::parse(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "1.", "0", "01", "1.0", "1]", "TEXT", "1 2", "1.99999", &vec!["1"; 33].join(".")]
        {
            assert_eq!(Section::parse(bad), Err(InvalidRef), "{bad:?}");
        }
    }
}
