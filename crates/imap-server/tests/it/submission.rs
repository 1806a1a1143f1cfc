//! The way out, where it fails: told apart from the store's faults, in bounded time, before anything is claimed, and without a
//! word of the password to a server that can't be trusted.

use std::time::{Duration, Instant};

use anyhow::Result;
use countersign_core::mailbox::{CertificateFault, ConnectFault, Mailbox, MailboxError, Peer};
use countersign_imap::{ImapSettings, Security, Timeouts};
use countersign_testkit::{
    faults::{Action, Place, Protocol, Proxy, bad_certificate},
    services::{mail, tls::Shown},
};
use tokio::net::TcpListener;

use crate::{
    account::{Account, settings},
    drafts::draft,
};

fn fault(fault: ConnectFault) -> MailboxError {
    MailboxError::Connect(Peer::Submission, fault)
}

async fn refusal(settings: ImapSettings, password: &str) -> MailboxError {
    let account = Account::with(settings, password);
    let stored = account.mailbox.create_draft(&draft("z@mail.test")).await.unwrap();
    let started = Instant::now();
    let outcome = account.mailbox.ready(&stored.id).await.err().unwrap();
    assert!(started.elapsed() < Duration::from_secs(15), "bounded time");
    assert!(account.mailbox.fetch_draft(&stored.id).await.is_ok(), "the store goes on");
    outcome
}

#[tokio::test]
async fn certificates_and_ports_are_told_apart() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("way-out")?;
    for (shown, expected) in [
        (Shown::Expired, CertificateFault::Expired),
        (Shown::WrongHost, CertificateFault::WrongName),
        (Shown::UnknownAuthority, CertificateFault::UnknownIssuer),
    ] {
        let proxy = bad_certificate(mail, Protocol::Smtp, shown)?;
        let mut settings = settings(mail, &user);
        settings.smtp.port = proxy.address.port();
        assert_eq!(refusal(settings, &user.password).await, fault(ConnectFault::Certificate(expected)));
        assert_eq!(proxy.tally().commands, Vec::<String>::new(), "{shown:?}");
    }
    let unused = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    let mut refused = settings(mail, &user);
    refused.smtp.port = unused;
    assert_eq!(refusal(refused, &user.password).await, fault(ConnectFault::Refused));
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    let mut waits = settings(mail, &user);
    waits.smtp.port = silent.local_addr()?.port();
    waits.smtp.security = Security::StartTls;
    waits.timeouts = Timeouts { connect: Duration::from_secs(2), ..Timeouts::default() };
    assert_eq!(refusal(waits, &user.password).await, fault(ConnectFault::TimedOut));
    Ok(())
}

#[tokio::test]
async fn starttls_that_was_taken_away_ends_it_before_the_password() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("way-out-strip")?;
    for (command, answer) in [("EHLO", "250 mail.test"), ("STARTTLS", "454 not now")] {
        let proxy = Proxy::plain(Protocol::Smtp, mail.smtp.submission_starttls)?;
        proxy.at(Place::Before(command.to_owned()), 1, Action::Answer(answer.to_owned()));
        let mut settings = settings(mail, &user);
        settings.smtp.port = proxy.address.port();
        settings.smtp.security = Security::StartTls;
        assert_eq!(refusal(settings, &user.password).await, fault(ConnectFault::NoStartTls));
        let commands = proxy.tally().commands;
        assert!(!commands.iter().any(|line| line.starts_with("AUTH")), "{commands:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_store_behind_a_proxy_that_strips_starttls_gets_no_password() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("store-strip")?;
    for (command, answer) in
        [("CAPABILITY", "{tag} OK nothing to announce"), ("STARTTLS", "{tag} NO not now")]
    {
        let proxy = Proxy::plain(Protocol::Imap, mail.imap.plain_starttls)?;
        proxy.at(Place::Before(command.to_owned()), 1, Action::Answer(answer.to_owned()));
        let mut settings = settings(mail, &user);
        settings.imap.port = proxy.address.port();
        settings.imap.security = Security::StartTls;
        let outcome = Account::with(settings, &user.password).mailbox.check().await;
        assert_eq!(outcome, Err(MailboxError::Connect(Peer::Store, ConnectFault::NoStartTls)));
        let commands = proxy.tally().commands;
        let signs_in = |line: &String| line.starts_with("AUTHENTICATE") || line.starts_with("LOGIN");
        assert!(!commands.iter().any(signs_in), "{commands:?}");
    }
    Ok(())
}
