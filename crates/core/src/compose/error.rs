//! Why a draft can't be composed. The words name a field and a position, never what stood there: an address or a
//! subject may be other people's text.

use countersign_send_policy::AddressError;

use super::recipients::Field;

/// Why a draft can't be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComposeError {
    /// An entry of a recipient field isn't exactly one address.
    #[error("entry {entry} of `{}`: {why}", field.name())]
    Recipient {
        /// The field.
        field: Field,
        /// Which entry, counted from 1.
        entry: usize,
        /// What is wrong with it.
        why: AddressError,
    },
    /// The sender isn't exactly one address.
    #[error("the sender: {0}")]
    Sender(AddressError),
    /// More recipients than a draft may have.
    #[error("{given} recipients, and a draft may have {most}")]
    TooManyRecipients {
        /// How many were given.
        given: usize,
        /// How many are taken.
        most: usize,
    },
    /// The original names nobody who could be answered.
    #[error("the message names no valid address to answer to")]
    NobodyToAnswer,
    /// The subject holds a line break or another control character.
    #[error("the subject holds a line break or another control character")]
    SubjectControl,
    /// The subject is too long.
    #[error("the subject is longer than {most} bytes")]
    SubjectTooLong {
        /// Bytes that are taken.
        most: usize,
    },
    /// More attachments than a draft may have.
    #[error("{given} attachments, and a draft may have {most}")]
    TooManyAttachments {
        /// How many there would be.
        given: usize,
        /// How many are taken.
        most: usize,
    },
    /// The attachments are too large.
    #[error("the attachments are larger than {most} bytes in all, which is what the owner allows")]
    AttachmentsTooLarge {
        /// Bytes that are taken.
        most: u64,
    },
    /// The text holds a control character.
    #[error("the text holds a control character other than tabs and line ends")]
    TextControl,
    /// The text is too long.
    #[error("the text is longer than {most} bytes")]
    TextTooLong {
        /// Bytes that are taken.
        most: usize,
    },
}
