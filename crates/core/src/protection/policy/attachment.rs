//! Attachments: the facts are cleaned here; the bytes are turned into text, images or files by `attachment/`.

use super::{Judge, read};
use crate::{
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
