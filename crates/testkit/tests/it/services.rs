//! Dovecot and Postfix start, keep users apart, show what came by the wire, and leave nothing behind.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::Result;
use countersign_testkit::services::{Mail, MailConfig, Put, mail};
use countersign_testkit::{Need, require};

use crate::smtp::submit;

const NAMES: [&str; 8] =
    ["With space", "Quo\"te", "R&D", "Entwürfe", "日本語", "Back\\slash", "&Jjo-", "Über & \"unter\""];

#[test]
fn a_message_submitted_to_postfix_arrives_in_dovecot_as_it_was_sent() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let (anna, ben) = (mail.user("anna")?, mail.user("ben")?);
    let sent = b"Message-ID: <one@kit.test>\r\nFrom: a\r\nBcc: seen@leak.test\r\nSubject: hi\r\n\r\nText\r\n";
    let body = sent.strip_suffix(b"\r\n").unwrap();
    let answer = submit(mail.smtp.plain, &anna.address, &anna.password, &[&ben.address], body)?;
    assert!(answer.starts_with("250"), "{answer}");
    let got = ben.wait_received(1)?;
    assert_eq!(got.len(), 1);
    assert_eq!(String::from_utf8_lossy(&got[0].on_the_wire), String::from_utf8_lossy(sent));
    assert_eq!((&got[0].envelope_from, &got[0].envelope_to), (&anna.address, &ben.address));
    assert_eq!(anna.count("INBOX")?, 0, "users are apart");
    let deliveries = mail.wait_deliveries(&ben.address, 1)?;
    assert_eq!(deliveries.len(), 1);
    assert_eq!((deliveries[0].status.as_str(), &deliveries[0].sender), ("sent", &anna.address));
    assert_eq!(mail.accepted("one@kit.test")?, 1);
    Ok(())
}

#[test]
fn wrong_passwords_and_refused_recipients_are_refused() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let mut anna = mail.user("anna")?;
    let to = anna.address.clone();
    let bad = submit(mail.smtp.plain, &anna.address, "wrong", &[&to], b"\r\n")?;
    assert!(bad.starts_with("535"), "{bad}");
    let bad = submit(mail.smtp.plain, &anna.address, &anna.password, &["refused@mail.test"], b"\r\n")?;
    assert!(bad.starts_with("550"), "{bad}");
    let old = anna.password.clone();
    anna.set_password("another")?;
    let bad = submit(mail.smtp.plain, &anna.address, &old, &[&to], b"\r\n")?;
    assert!(bad.starts_with("535"), "{bad}");
    let good = submit(mail.smtp.plain, &anna.address, "another", &[&to], b"Subject: x\r\n\r\n")?;
    assert!(good.starts_with("250"), "{good}");
    Ok(())
}

#[test]
fn messages_are_put_with_date_flags_and_keywords() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("put")?;
    let how = Put {
        internal_date: Some(UNIX_EPOCH + Duration::from_secs(1_000_000_000)),
        flags: &["\\Seen", "\\Flagged", "$Forwarded"],
    };
    let first = user.put("INBOX", b"Subject: \xff raw\n\nBody\n", &how)?;
    let second = user.put("INBOX", b"Subject: two\r\n\r\n", &Put::default())?;
    assert!(second > first);
    assert_eq!(user.put_all("Archive", [&b"Subject: a\n\n"[..], b"Subject: b\n\n"], &Put::at(5))?, 2);
    let found = user.messages("INBOX")?;
    assert_eq!(found.iter().map(|m| m.uid).collect::<Vec<_>>(), [first, second]);
    assert_eq!(found[0].raw, b"Subject: \xff raw\r\n\r\nBody\r\n");
    assert_eq!(found[0].internal_date, 1_000_000_000);
    let mut flags = found[0].flags.clone();
    flags.sort();
    assert_eq!(flags, ["$Forwarded", "\\Flagged", "\\Seen"]);
    assert_eq!(found[1].flags, [""; 0]);
    assert_eq!(user.messages("Archive")?.last().map(|m| m.raw.clone()), Some(b"Subject: b\r\n\r\n".to_vec()));
    Ok(())
}

#[test]
fn folders_have_any_name_with_either_separator() -> Result<()> {
    for separator in ['/', '.'] {
        let config = MailConfig { separator, smtp: false, ..MailConfig::default() };
        let Some(mail) = Mail::start(&config)? else { return Ok(()) };
        let user = mail.user("names")?;
        for name in NAMES {
            let nested = format!("{name}{separator}inner");
            user.create_folder(name)?;
            user.create_folder(&nested)?;
            let uid = user.put(&nested, b"Subject: in\n\n", &Put::default())?;
            assert_eq!(user.messages(&nested)?[0].uid, uid);
            let folders = user.folders()?;
            assert!(folders.iter().any(|f| f == name) && folders.contains(&nested), "{name}: {folders:?}");
        }
    }
    Ok(())
}

#[test]
fn a_stopped_pair_leaves_no_process_and_no_file() -> Result<()> {
    let Some(mail) = Mail::start(&MailConfig::default())? else { return Ok(()) };
    let user = mail.user("end")?;
    submit(mail.smtp.plain, &user.address, &user.password, &[&user.address], b"Subject: x\r\n\r\n")?;
    user.wait_received(1)?;
    let dir = mail.dir().to_owned();
    let needle = dir.to_string_lossy().into_owned();
    assert!(
        !mentioning(&needle)?.is_empty(),
        "the servers are processes that can be found by their directory"
    );
    let group = mail.supervisor_id();
    drop(mail);
    assert_eq!(mentioning(&needle)?, [""; 0]);
    assert_eq!(members(group)?, [""; 0]);
    assert!(!dir.exists());
    Ok(())
}

#[test]
fn a_killed_test_process_leaves_no_process_and_no_file() -> Result<()> {
    if !require(&[Need::Dovecot, Need::Postfix])? {
        return Ok(());
    }
    let mut holder = Command::new(env!("CARGO_BIN_EXE_testkit-mail"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line)?;
    let facts: serde_json::Value = serde_json::from_str(&line)?;
    let dir = facts["dir"].as_str().unwrap();
    assert!(mentioning(dir)?.len() > 2, "the servers run");
    holder.kill()?;
    holder.wait()?;
    let started = Instant::now();
    while !mentioning(dir)?.is_empty() || Path::new(dir).exists() {
        assert!(started.elapsed() < Duration::from_secs(20), "still there: {:?}", mentioning(dir)?);
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The processes whose command line or environment names a directory.
fn mentioning(needle: &str) -> Result<Vec<String>> {
    processes(|proc| {
        ["cmdline", "environ"].iter().any(|file| {
            std::fs::read(proc.join(file)).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(needle))
        })
    })
}

/// The living processes of a process group.
fn members(group: u32) -> Result<Vec<String>> {
    processes(|proc| {
        let stat = std::fs::read_to_string(proc.join("stat")).unwrap_or_default();
        let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let mut fields = after.split(' ');
        fields.next() != Some("Z") && fields.nth(1) == Some(group.to_string().as_str())
    })
}

fn processes(matches: impl Fn(&Path) -> bool) -> Result<Vec<String>> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let path = entry?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if name.bytes().all(|b| b.is_ascii_digit()) && name != own && matches(&path) {
            let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
            found.push(format!("{name} {}", String::from_utf8_lossy(&line).replace('\0', " ")));
        }
    }
    Ok(found)
}
