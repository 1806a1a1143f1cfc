//! What every backend promises, kept by this one over a real Dovecot and a real Postfix.

use anyhow::Result;
use countersign_core::{model::Timestamp, protection::ProtectedMailbox};
use countersign_imap::{ImapMailbox, ImapSettings};
use countersign_testkit::{
    conformance::{Bench, Fixture, Put, Stored, protected},
    services::{self, User, mail},
};

use crate::account::{Password, settings};

struct Dovecot {
    user: User<'static>,
}

impl Fixture for Dovecot {
    fn put(&self, message: &Put<'_>) -> Result<()> {
        let flags = [(message.seen, "\\Seen"), (message.flagged, "\\Flagged")];
        let flags: Vec<&str> = flags.into_iter().filter_map(|(on, flag)| on.then_some(flag)).collect();
        let Timestamp(seconds) = message.received;
        let how = services::Put { flags: &flags, ..services::Put::at(u64::try_from(seconds)?) };
        self.user.put(message.folder, message.raw, &how).map(drop)
    }

    fn contents(&self, folder: &str) -> Result<Vec<Stored>> {
        let has = |flags: &[String], flag: &str| flags.iter().any(|found| found == flag);
        let stored = self.user.messages(folder)?.into_iter().map(|message| Stored {
            seen: has(&message.flags, "\\Seen"),
            flagged: has(&message.flags, "\\Flagged"),
            raw: message.raw,
        });
        Ok(stored.collect())
    }

    fn empty(&self, folder: &str) -> Result<()> {
        self.user.doveadm(&["expunge", "-u", &self.user.address, "mailbox", folder, "all"]).map(drop)
    }

    fn rebuild(&self, folder: &str) -> Result<()> {
        let update = ["mailbox", "update", "-u", &self.user.address, "--uid-validity", "4000000000", folder];
        self.user.doveadm(&update).map(drop)
    }

    fn plain_folder(&self) -> &'static str {
        "Plain folder"
    }
}

#[expect(
    clippy::unused_async,
    reason = "the suite opens asynchronously; here a connection is made at the first call"
)]
async fn open(promise: &str) -> Result<Option<Bench<ProtectedMailbox<ImapMailbox>>>> {
    let Some(mail) = mail()? else { return Ok(None) };
    let user = mail.user(&promise.replace('_', "-"))?;
    bench(&user, settings(mail, &user)).map(Some)
}

/// The backend for a user, with Dovecot's own tools beside it.
pub(crate) fn bench(
    user: &User<'static>,
    settings: ImapSettings,
) -> Result<Bench<ProtectedMailbox<ImapMailbox>>> {
    let fixture = Dovecot { user: user.clone() };
    user.create_folder(fixture.plain_folder())?;
    let mailbox = ImapMailbox::new(settings, Password::of(&user.password));
    Bench::new(protected(mailbox), Box::new(fixture))
}

countersign_testkit::conformance!(open);
