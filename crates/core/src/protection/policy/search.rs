//! Lists and searches. (Search must not be an oracle for what protection hides; at level `off` nothing is hidden.)

use super::{Judge, read};
use crate::{
    mailbox::MailboxError,
    model::Listing,
    protection::stage::{Foreign, sealed_foreign::Sealed},
};

impl Sealed for Listing {}
impl Foreign for Listing {
    fn screen(self, judge: &Judge) -> Result<Self, MailboxError> {
        judge.admits()?;
        let Listing { rows, next, total, unreadable, missing } = self;
        Ok(Listing { rows: rows.into_iter().map(read::row).collect(), next, total, unreadable, missing })
    }
}
