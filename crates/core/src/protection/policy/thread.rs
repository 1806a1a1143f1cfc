//! Conversations: each message as if read alone.

use super::{Judge, msg_ids, read};
use crate::{
    mailbox::MailboxError,
    model::Thread,
    protection::stage::{Foreign, sealed_foreign::Sealed},
};

impl Sealed for Thread {}
impl Foreign for Thread {
    fn screen(self, judge: &Judge) -> Result<Self, MailboxError> {
        judge.admits()?;
        let Thread { messages, missing, unread_rest, gaps } = self;
        Ok(Thread {
            messages: messages.into_iter().map(read::message).collect(),
            missing: msg_ids(&missing),
            unread_rest,
            gaps,
        })
    }
}
