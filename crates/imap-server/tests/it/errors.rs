//! Connections that fail, each told apart and in bounded time; and those that should work.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Result;
use countersign_core::mailbox::{CertificateFault, ConnectFault, Mailbox, MailboxError, Peer};
use countersign_imap::{ImapSettings, Security, Timeouts};
use countersign_testkit::services::{Put, mail, tls::Shown};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

use crate::account::{Account, plain, settings};

async fn check(settings: ImapSettings, password: &str) -> Result<(), MailboxError> {
    let started = Instant::now();
    let outcome = Account::with(settings, password).mailbox.check().await;
    assert!(started.elapsed() < Duration::from_secs(10), "bounded time");
    outcome
}

fn store(fault: ConnectFault) -> MailboxError {
    MailboxError::Connect(Peer::Store, fault)
}

#[tokio::test]
async fn every_kind_of_connection_works() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user_named("kinds@mail.test", "p\u{e4}ss \"w\\ord\"")?;
    for host in ["127.0.0.1", "localhost"] {
        let mut settings = settings(mail, &user);
        settings.imap.host = host.to_owned();
        assert_eq!(check(settings.clone(), &user.password).await, Ok(()), "TLS at {host}");
        settings.imap.port = mail.imap.plain_starttls.port();
        settings.imap.security = Security::StartTls;
        assert_eq!(check(settings.clone(), &user.password).await, Ok(()), "STARTTLS at {host}");
        settings.imap.security = Security::PlainTextAllowed;
        assert_eq!(check(settings, &user.password).await, Ok(()), "plain at {host}");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_is_told_apart() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("wrong")?;
    let good = settings(mail, &user);
    let with = |change: &dyn Fn(&mut ImapSettings)| {
        let mut settings = good.clone();
        change(&mut settings);
        settings
    };
    let unused = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
    let starttls = mail.imap.plain_starttls.port();
    let smtps = mail.smtp.smtps.port();
    let cases = [
        (
            with(&|s| s.imap.host = "no-such-host.invalid".into()),
            vec![store(ConnectFault::NoSuchHost), store(ConnectFault::Unreachable)],
        ),
        (with(&|s| s.imap.port = unused), vec![store(ConnectFault::Refused)]),
        (with(&|s| s.imap.port = starttls), vec![store(ConnectFault::Tls)]),
        (with(&|s| s.imap.port = smtps), vec![store(ConnectFault::NotThisProtocol)]),
        (
            with(&|s| s.ca_file = None),
            vec![store(ConnectFault::Certificate(CertificateFault::UnknownIssuer))],
        ),
        (
            with(&|s| s.ca_file = Some("/nonexistent/ca.pem".into())),
            vec![MailboxError::Configuration("ca_file")],
        ),
        (with(&|s| s.user = "nobody@mail.test".into()), vec![MailboxError::SignIn(Peer::Store)]),
    ];
    for (settings, expected) in cases {
        let found = check(settings.clone(), &user.password).await.unwrap_err();
        assert!(expected.contains(&found), "{found:?} instead of {expected:?} for {settings:?}");
    }
    assert_eq!(check(good.clone(), "wrong").await, Err(MailboxError::SignIn(Peer::Store)));
    let mut silent = good;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    silent.imap.port = listener.local_addr()?.port();
    silent.imap.security = Security::PlainTextAllowed;
    silent.timeouts = Timeouts { connect: Duration::from_millis(300), ..Timeouts::default() };
    assert_eq!(check(silent, "x").await, Err(store(ConnectFault::TimedOut)), "a server that says nothing");
    Ok(())
}

#[tokio::test]
async fn certificates_are_checked() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("certificates")?;
    for (shown, fault) in [
        (Shown::Expired, CertificateFault::Expired),
        (Shown::WrongHost, CertificateFault::WrongName),
        (Shown::UnknownAuthority, CertificateFault::UnknownIssuer),
    ] {
        let acceptor = TlsAcceptor::from(mail.authority.issue(shown)?.server_config()?);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let heard = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                if let Ok(mut tls) = acceptor.accept(tcp).await {
                    counter.fetch_add(tls.read(&mut [0; 64]).await.unwrap_or(0), Ordering::SeqCst);
                }
            }
        });
        let mut settings = settings(mail, &user);
        settings.imap.port = port;
        let expected = store(ConnectFault::Certificate(fault));
        assert_eq!(check(settings, &user.password).await, Err(expected), "{shown:?}");
        assert_eq!(heard.load(Ordering::SeqCst), 0, "nothing is said to such a server");
    }
    Ok(())
}

#[tokio::test]
async fn starttls_is_neither_skipped_nor_followed_by_what_came_before_it() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("strip")?;
    let greeting = "* OK hi\r\n";
    let (without, with) = (
        "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nS1 OK x\r\n",
        "* CAPABILITY IMAP4rev1 STARTTLS\r\nS1 OK x\r\n",
    );
    for (answers, expected) in [
        (vec![greeting, without], ConnectFault::NoStartTls),
        (vec![greeting, with, "S2 BAD no\r\n"], ConnectFault::NoStartTls),
        (vec![greeting, with, "S2 OK go\r\n* OK injected\r\n"], ConnectFault::Tls),
        (vec!["* PREAUTH hi\r\n"], ConnectFault::NoStartTls),
        (vec!["* BYE busy\r\n"], ConnectFault::Refused),
        (vec!["220 mail ESMTP\r\n"], ConnectFault::NotThisProtocol),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut settings = settings(mail, &user);
        settings.imap.port = listener.local_addr()?.port();
        settings.imap.security = Security::StartTls;
        let script = answers.clone();
        let heard = tokio::spawn(async move {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let mut heard = Vec::new();
            for (at, answer) in script.iter().enumerate() {
                let mut buffer = [0; 512];
                if at > 0 {
                    let read = tcp.read(&mut buffer).await.unwrap_or(0);
                    heard.extend_from_slice(&buffer[..read]);
                }
                tcp.write_all(answer.as_bytes()).await.ok();
            }
            tcp.read_to_end(&mut heard).await.ok();
            String::from_utf8_lossy(&heard).into_owned()
        });
        assert_eq!(check(settings, &user.password).await, Err(store(expected)), "{answers:?}");
        let heard = heard.await?;
        assert!(!heard.contains("AUTHENTICATE") && !heard.contains("LOGIN"), "{heard}");
    }
    Ok(())
}

#[tokio::test]
async fn a_connection_that_died_while_idle_is_replaced() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("idle")?;
    user.put("INBOX", &plain("one", "one"), &Put::default())?;
    let account = Account::of(&user);
    let id = account.inbox().await.rows.remove(0).id;
    user.doveadm(&["kick", &user.address])?;
    assert!(account.message(&id).await.is_ok());
    Ok(())
}

#[tokio::test]
async fn a_call_that_was_dropped_leaves_no_half_answer_behind() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("dropped")?;
    for number in 0..30 {
        user.put("INBOX", &plain(&format!("n{number}"), &format!("n{number}")), &Put::default())?;
    }
    let account = Account::of(&user);
    let first = account.inbox().await;
    for millis in [0, 1, 2, 5, 10] {
        let _ = tokio::time::timeout(Duration::from_millis(millis), account.inbox()).await;
        assert_eq!(account.inbox().await, first, "after {millis} ms");
    }
    Ok(())
}
