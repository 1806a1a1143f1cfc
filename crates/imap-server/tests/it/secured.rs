//! The whole suite of promises once more, over STARTTLS at both servers, on a Dovecot and a Postfix that take no password
//! without TLS. `conformance` runs it over TLS from the first byte.

use std::sync::OnceLock;

use anyhow::Result;
use countersign_core::protection::ProtectedMailbox;
use countersign_imap::{ImapMailbox, Security};
use countersign_testkit::{
    conformance::Bench,
    services::{Mail, MailConfig},
};

use crate::{account::settings, conformance::bench};

/// Servers without plain-text sign-in, started once.
fn strict() -> Result<Option<&'static Mail>> {
    static STRICT: OnceLock<Option<Mail>> = OnceLock::new();
    if let Some(started) = STRICT.get() {
        return Ok(started.as_ref());
    }
    let started = Mail::start(&MailConfig { plaintext_auth: false, ..MailConfig::default() })?;
    Ok(STRICT.get_or_init(|| started).as_ref())
}

#[expect(clippy::unused_async, reason = "the suite opens asynchronously")]
async fn open(promise: &str) -> Result<Option<Bench<ProtectedMailbox<ImapMailbox>>>> {
    let Some(mail) = strict()? else { return Ok(None) };
    let user = mail.user(&promise.replace('_', "-"))?;
    let mut settings = settings(mail, &user);
    settings.imap.port = mail.imap.plain_starttls.port();
    settings.imap.security = Security::StartTls;
    settings.smtp.port = mail.smtp.submission_starttls.port();
    settings.smtp.security = Security::StartTls;
    bench(&user, settings).map(Some)
}

countersign_testkit::conformance!(open);
