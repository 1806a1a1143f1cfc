//! Attachments on their way into a draft.
//!
//! An [`Enclosure`] is opaque: a tool that got one from somebody's mail can ask for its size and put it into a draft, and
//! nothing else. That is why reading one takes no exposure receipt. Its name is a plain file name whoever chose it, its
//! type is judged by its bytes, and its identity is the SHA-256 of them.

use countersign_send_policy::DraftAttachment;

use super::{ComposeError, mime::identity};
use crate::{
    attachment::{jail::file_name, media_type},
    model::{Attachment, NewDraft},
};

/// Most attachments of one draft: a prompt that lists more is not read.
pub const MAX_ATTACHMENTS: usize = 50;

/// One attachment that is to go into a draft.
pub struct Enclosure(DraftAttachment);

impl Enclosure {
    /// Content with its name and, where there is one, its declared type.
    pub(crate) fn new(name: &str, declared: Option<&str>, bytes: Vec<u8>) -> Self {
        let name = file_name(name);
        Self(DraftAttachment {
            media_type: media_type::judged(declared, &name, &bytes),
            content_id: None,
            inline: false,
            identity: identity(&bytes),
            size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            name,
            bytes,
        })
    }

    /// A part of a message, as a file: it is nothing that the new text shows.
    pub(crate) fn of_mail(part: Attachment) -> Self {
        let Attachment { info, charset: _, bytes } = part;
        Self::new(info.name.as_deref().unwrap_or_default(), Some(&info.media_type), bytes)
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// What its content is: the SHA-256 of the bytes in hexadecimal.
    pub fn identity(&self) -> &str {
        &self.0.identity
    }
}

/// Puts attachments into a draft, after those that it has.
///
/// # Errors
/// [`ComposeError`] where there are too many, or where all of them together are larger than `most` bytes.
pub fn enclose(mut draft: NewDraft, enclosures: Vec<Enclosure>, most: u64) -> Result<NewDraft, ComposeError> {
    draft.attachments.extend(enclosures.into_iter().map(|Enclosure(part)| part));
    let given = draft.attachments.len();
    if given > MAX_ATTACHMENTS {
        return Err(ComposeError::TooManyAttachments { given, most: MAX_ATTACHMENTS });
    }
    let size = draft.attachments.iter().fold(0_u64, |sum, part| sum.saturating_add(part.size));
    if size > most {
        return Err(ComposeError::AttachmentsTooLarge { most });
    }
    Ok(draft)
}
