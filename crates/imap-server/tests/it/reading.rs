//! Lists, messages, attachments and threads.

use anyhow::Result;
use countersign_core::{
    mailbox::MailboxError,
    model::{Cursor, FolderScope, MessageRef, SpecialUse, Window},
};
use countersign_testkit::services::{Put, mail};

use crate::account::{Account, BUDGET, plain, subjects};

#[tokio::test]
async fn pages_go_from_the_newest_to_the_oldest_and_miss_none() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("pages")?;
    for number in 0..25 {
        user.put("INBOX", &plain(&format!("n{number}"), &format!("n{number}")), &Put::default())?;
    }
    // Gaps between UIDs, as in any folder that is tidied.
    user.doveadm(&["expunge", "-u", &user.address, "mailbox", "INBOX", "UID", "3,7:9,20"])?;
    let account = Account::of(&user);
    let scope = FolderScope::Use(SpecialUse::Inbox);
    let mut window = Window::first(7, BUDGET);
    let mut seen = Vec::new();
    loop {
        let page = account.list(&scope, &window).await.unwrap();
        assert_eq!((page.total, page.unreadable), (Some(20), 0));
        seen.extend(subjects(&page).into_iter().map(str::to_owned));
        // What arrives meanwhile does not move the next page.
        user.put("INBOX", &plain("late", &format!("late{}", seen.len())), &Put::default())?;
        user.doveadm(&["expunge", "-u", &user.address, "mailbox", "INBOX", "subject", "late"])?;
        let Some(next) = page.next else { break };
        window.cursor = Some(next);
    }
    let expected: Vec<String> =
        (0..25).rev().filter(|n| ![2, 6, 7, 8, 19].contains(n)).map(|n| format!("n{n}")).collect();
    assert_eq!(seen, expected);
    Ok(())
}

#[tokio::test]
async fn reading_never_marks_as_read() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("peek")?;
    let raw = b"Subject: s\r\nMessage-ID: <peek@x.test>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n--b\r\n\
        Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--\r\n";
    user.put("INBOX", raw, &Put::default())?;
    let account = Account::of(&user);
    let row = account.inbox().await.rows.remove(0);
    assert_eq!(row.has_attachments, Some(true));
    let message = account.message(&row.id).await.unwrap();
    assert_eq!(message.attachments[0].name.as_deref(), Some("a.pdf"));
    assert_eq!(account.attachment(&row.id, "2", 100).await.unwrap(), b"%PDF-");
    account.thread(&row.id, &Window::first(10, BUDGET)).await.unwrap();
    assert_eq!(user.messages("INBOX")?[0].flags, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn text_of_ten_charsets_reads_as_it_was_written() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("charsets")?;
    let cases: [(&str, &[u8], &str); 10] = [
        ("utf-8", "žluťoučký".as_bytes(), "žluťoučký"),
        ("iso-8859-1", &[0x66, 0xfc, 0x72], "für"),
        ("iso-8859-2", &[0xbe, 0x6c, 0x75, 0xbb], "žluť"),
        ("iso-8859-15", &[0xa4], "€"),
        ("windows-1250", &[0x9e, 0x9d], "žť"),
        ("windows-1251", &[0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2], "Привет"),
        ("koi8-r", &[0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4], "Привет"),
        ("shift_jis", &[0x93, 0xfa, 0x96, 0x7b], "日本"),
        ("gb18030", &[0xc4, 0xe3, 0xba, 0xc3], "你好"),
        ("euc-kr", &[0xc7, 0xd1, 0xb1, 0xdb], "한글"),
    ];
    for (charset, bytes, _) in cases {
        let mut raw = format!(
            "Subject: {charset}\r\nMessage-ID: <{charset}@x.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset={charset}\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n"
        )
        .into_bytes();
        raw.extend_from_slice(bytes);
        user.put("INBOX", &raw, &Put::default())?;
    }
    let account = Account::of(&user);
    for row in account.inbox().await.rows {
        let expected = cases.iter().find(|(charset, ..)| *charset == row.headers.subject).unwrap().2;
        let message = account.message(&row.id).await.unwrap();
        assert_eq!(message.body.plain.unwrap_or_default().trim_end(), expected, "{}", row.headers.subject);
    }
    Ok(())
}

#[tokio::test]
async fn odd_headers_are_read() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("headers")?;
    let mut raw = b"From: =?iso-8859-2?Q?Ji=F8=ED?= <jiri@x.test>\r\nTo: undisclosed-recipients:;\r\nSubject: =?utf-8?B?xb5sdcWl?= =?utf-8?Q?ou=C4=8Dk=C3=BD?=\r\nMessage-ID: <odd@x.test>\r\nCc: \"Last, First\" <a@x.test>,\r\n b@x.test\r\nContent-Type: application/pdf; name*0*=utf-8''%C5%BE; name*1=\"lu.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n".to_vec();
    user.put("INBOX", &raw, &Put::default())?;
    raw = b"From: J\xfcrgen <j@x.test>\r\nSubject: gr\xfc\xdfe\r\nMessage-ID: <eight@x.test>\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nx\r\n".to_vec();
    user.put("INBOX", &raw, &Put::default())?;
    let account = Account::of(&user);
    let listing = account.inbox().await;
    assert_eq!(listing.unreadable, 0);
    let (eight_bit, odd) = (&listing.rows[0], &listing.rows[1]);
    assert_eq!(odd.headers.subject, "žluťoučký");
    assert_eq!(odd.headers.from[0].display_name.as_deref(), Some("Jiří"));
    assert_eq!(
        odd.headers.cc.iter().map(|a| a.addr_spec.as_str()).collect::<Vec<_>>(),
        ["a@x.test", "b@x.test"]
    );
    let message = account.message(&odd.id).await.unwrap();
    assert_eq!(message.attachments[0].name.as_deref(), Some("žlu.pdf"));
    let message = account.message(&eight_bit.id).await.unwrap();
    assert_eq!(message.row.headers.subject, "grüße");
    Ok(())
}

#[tokio::test]
async fn a_large_attachment_costs_nothing_until_it_is_asked_for() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("large")?;
    let mut raw = b"Subject: large\r\nMessage-ID: <large@x.test>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nshort text\r\n--b\r\n\
        Content-Type: application/octet-stream; name=big.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        .to_vec();
    let line = [&[b'A'; 76][..], b"\r\n"].concat();
    for _ in 0..(25 * 1_024 * 1_024 / 57) {
        raw.extend_from_slice(&line);
    }
    raw.extend(b"--b--\r\n");
    user.put("INBOX", &raw, &Put::default())?;
    let account = Account::of(&user);
    let id = account.inbox().await.rows.remove(0).id;
    let before = out_bytes(&mail.dovecot_log()?, &user.address);
    let message = account.message(&id).await.unwrap();
    assert_eq!(message.body.plain.as_deref().map(str::trim_end), Some("short text"));
    assert_eq!(account.attachment(&id, "2", 1_000_000).await, Err(MailboxError::TooLarge(1_000_000)));
    let whole = account.attachment(&id, "2", 30_000_000).await.unwrap();
    assert_eq!(whole.len(), 25 * 1_024 * 1_024 / 57 * 57);
    assert_eq!(before, 0, "no session ended before");
    Ok(())
}

/// What Dovecot says that it sent to a user in sessions that ended.
fn out_bytes(log: &str, user: &str) -> u64 {
    log.lines()
        .filter(|line| line.contains(user) && line.contains(" out="))
        .filter_map(|line| line.split(" out=").nth(1)?.split(' ').next()?.parse::<u64>().ok())
        .sum()
}

#[tokio::test]
async fn a_thread_is_gathered_across_folders_and_names_what_is_missing() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("thread")?;
    let message = |id: &str, refs: &str, day: u32| {
        let refs = if refs.is_empty() { String::new() } else { format!("References: {refs}\r\n") };
        format!("From: a@x.test\r\nSubject: {id}\r\nMessage-ID: <{id}@x.test>\r\n{refs}Date: {day} Mar 2026 10:00:00 +0000\r\n\r\n{id}\r\n")
            .into_bytes()
    };
    user.put("Archive", &message("one", "", 1), &Put::default())?;
    user.put("INBOX", &message("two", "<one@x.test>", 2), &Put::default())?;
    user.put("Sent", &message("three", "<one@x.test> <two@x.test>", 3), &Put::default())?;
    user.put("INBOX", &message("five", "<three@x.test> <four@x.test>", 5), &Put::default())?;
    user.put("INBOX", &message("other", "<else@x.test>", 5), &Put::default())?;
    // The same message twice counts once.
    user.put("Archive", &message("two", "<one@x.test>", 2), &Put::default())?;
    let account = Account::of(&user);
    for start in ["five", "two"] {
        let inbox = account.inbox().await;
        let id = &inbox.rows.iter().find(|row| row.headers.subject == start).unwrap().id;
        let thread = account.thread(id, &Window::first(20, BUDGET)).await.unwrap();
        let found: Vec<&str> = thread.messages.iter().map(|m| m.row.headers.subject.as_str()).collect();
        assert_eq!(found, ["one", "two", "three", "five"]);
        assert_eq!(thread.missing, ["four@x.test"]);
        assert!(thread.gaps.is_empty() && thread.unread_rest.is_empty());
        let short = account.thread(id, &Window::first(2, BUDGET)).await.unwrap();
        assert_eq!((short.messages.len(), short.unread_rest.len()), (2, 2));
        assert!(short.messages.iter().any(|m| m.row.id == *id), "the message that was asked for is read");
    }
    Ok(())
}

#[tokio::test]
async fn malformed_messages_neither_fail_the_list_nor_the_session() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("malformed")?;
    let odd: [&[u8]; 6] = [
        b"",
        b"no header at all",
        b"Subject: m\r\nContent-Type: multipart/mixed\r\n\r\nno boundary\r\n",
        b"Subject: m\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
        b"Subject: m\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n",
        b"Subject: m\r\nContent-Type: text/plain; charset=\"\x01\x02\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!",
    ];
    for raw in odd {
        // Dovecot takes no empty message.
        user.put("INBOX", if raw.is_empty() { b"\r\n" } else { raw }, &Put::default())?;
    }
    user.put("INBOX", &plain("last", "last"), &Put::default())?;
    let account = Account::of(&user);
    let listing = account.inbox().await;
    assert_eq!(listing.rows.len(), odd.len() + 1);
    for row in &listing.rows {
        account.message(&row.id).await.unwrap();
        account.thread(&row.id, &Window::first(5, BUDGET)).await.unwrap();
    }
    Ok(())
}

#[tokio::test]
async fn stale_and_forged_ids_are_refused_and_the_connection_lives_on() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("stale")?;
    user.put("INBOX", &plain("here", "here"), &Put::default())?;
    let account = Account::of(&user);
    let id = account.inbox().await.rows.remove(0).id;
    let [folder, uidvalidity, uid] = id.as_str().split('.').collect::<Vec<_>>()[..] else { panic!("{id}") };
    let other: u32 = uidvalidity.parse::<u32>()? + 1;
    let case = |text: String| MessageRef::parse(&text).unwrap();
    for (id, expected) in [
        (case(format!("{folder}.{other}.{uid}")), MailboxError::Stale),
        (
            case(format!("{folder}.{uidvalidity}.999")),
            MailboxError::NotFound(countersign_core::mailbox::NotFound::Message),
        ),
        (case(format!("{folder}.{uidvalidity}.{uid}.")), MailboxError::InvalidRef),
        (
            case(format!("Tm93aGVyZQ.{uidvalidity}.{uid}")),
            MailboxError::NotFound(countersign_core::mailbox::NotFound::Folder),
        ),
    ] {
        assert_eq!(account.message(&id).await.err(), Some(expected), "{id}");
    }
    let scope = FolderScope::Use(SpecialUse::Inbox);
    let mut window = Window::first(5, BUDGET);
    for cursor in ["x", "1.1", &format!("{other}.1")] {
        window.cursor = Some(Cursor(cursor.to_owned()));
        assert_eq!(account.list(&scope, &window).await, Err(MailboxError::Cursor), "{cursor}");
    }
    assert!(account.message(&id).await.is_ok());
    Ok(())
}
