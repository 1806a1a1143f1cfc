//! Attachments: the facts are cleaned here; the bytes are turned into text, images or files by `attachment/`.

use super::{Judge, read};
use crate::{
    compose::Enclosure,
    mailbox::MailboxError,
    model::Attachment,
    protection::stage::{Foreign, sealed_foreign::Sealed},
    sanitise::header,
};

impl Sealed for Attachment {}
impl Foreign for Attachment {
    fn screen(self, judge: &Judge) -> Result<Self, MailboxError> {
        judge.admits()?;
        let Attachment { info, charset, bytes } = self;
        Ok(Attachment {
            info: read::attachment_info(info),
            charset: charset.map(|label| header::line(&label)),
            bytes,
        })
    }
}

/// An attachment that goes along with a draft. Its bytes go as they are; what can't be judged doesn't go.
pub(in crate::protection) fn enclosure(part: Attachment, judge: &Judge) -> Result<Enclosure, MailboxError> {
    judge.admits()?;
    Ok(Enclosure::of_mail(part))
}
