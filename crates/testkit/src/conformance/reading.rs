//! Reading: folders, pages, messages, attachments, threads, and ids that don't fit.

#![expect(
    clippy::missing_errors_doc,
    reason = "each promise fails with what was broken, in words for a person"
)]

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use countersign_core::{
    mailbox::{Mailbox, MailboxError, NotFound},
    model::{
        AttachmentRequest, Cursor, FolderRef, FolderScope, MessageRef, Origin, Section, SpecialUse, Window,
    },
    protection::Safe,
};
use countersign_send_policy::CallScope;

use super::{Bench, DAY, Desk, Put, message, window};

/// Every folder is listed once, with distinct ids, and the standard uses are recognised.
pub async fn folders_are_listed_once_with_their_uses<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one\r\n", "text")).await?;
    let folders = bench.mailbox.list_folders().await?;
    let ids: BTreeSet<_> = folders.iter().map(|folder| folder.id.clone()).collect();
    ensure!(ids.len() == folders.len(), "an id is listed twice: {folders:?}");
    for use_ in [SpecialUse::Inbox, SpecialUse::Drafts, SpecialUse::Sent, SpecialUse::Junk, SpecialUse::Trash]
    {
        let (id, _) = bench.folder(use_).await?;
        ensure!(bench.mailbox.special_use(&id).await? == Some(use_), "{}", use_.name());
    }
    let plain = bench.named(bench.fixture.plain_folder()).await?;
    ensure!(bench.mailbox.special_use(&plain).await?.is_none(), "the plain folder has a use");
    let (inbox, _) = bench.folder(SpecialUse::Inbox).await?;
    let counts = folders.iter().find(|folder| folder.id == inbox).map(|folder| (folder.total, folder.unread));
    ensure!(counts == Some((Some(1), Some(1))), "the inbox counts {counts:?}");
    Ok(())
}

/// Pages of any size cover a folder once, newest first.
pub async fn pages_cover_everything_once<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    let (_, folder) = bench.folder(SpecialUse::Inbox).await?;
    for (n, received) in (0..11).zip(DAY.0..) {
        let raw = message(&format!("{n:02}@x"), "Subject: page\r\n", "text");
        let received = countersign_core::model::Timestamp(received);
        bench.fixture.put(&Put { folder: &folder, raw: &raw, seen: false, flagged: false, received })?;
    }
    let newest_first: Vec<String> = (0..11).rev().map(|n| format!("{n:02}@x")).collect();
    for limit in [1, 3, 11, 50] {
        let mut page = window(limit);
        let mut seen = Vec::new();
        for _ in 0..20 {
            let listing = bench.list(FolderScope::Use(SpecialUse::Inbox), &page).await?;
            ensure!(listing.rows.len() <= limit, "a page of {limit} has {}", listing.rows.len());
            seen.extend(listing.rows.into_iter().filter_map(|row| row.headers.message_id));
            let Some(next) = listing.next else { break };
            page = Window { cursor: Some(next), ..page };
        }
        ensure!(seen == newest_first, "pages of {limit}: {seen:?}");
    }
    Ok(())
}

/// A cursor that was made up, or that belongs to another list, is refused rather than read as something else.
pub async fn a_cursor_of_another_list_is_refused<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    for n in 0..3 {
        bench.put(SpecialUse::Inbox, &message(&format!("{n}@x"), "Subject: c\r\n", "text")).await?;
    }
    let call = CallScope::default();
    let receipt = bench.receipt(&call).await?;
    for made_up in ["", "0", "-1", "x y", "a\r\nb LOGOUT", "99999999999999999999", "1:*"] {
        let window = Window { cursor: Some(Cursor(made_up.to_owned())), ..window(1) };
        let scope = FolderScope::Use(SpecialUse::Inbox);
        let answer = bench.mailbox.list_messages(&scope, &window, &receipt).await.map(|_| ());
        ensure!(answer == Err(MailboxError::Cursor), "{made_up:?}: {answer:?}");
    }
    Ok(())
}

/// A message is read with its headers decoded, its text, and its attachments named.
pub async fn a_message_is_read_in_full<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, MIXED).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "mixed@x").await?;
    let call = CallScope::default();
    let read = bench.mailbox.get_message(&id, &bench.receipt(&call).await?).await?;
    let read = read.get();
    let headers = &read.row.headers;
    ensure!(headers.subject == "Žluťoučký kůň", "{}", headers.subject);
    let from: Vec<_> =
        headers.from.iter().map(|a| (a.display_name.as_deref(), a.addr_spec.as_str())).collect();
    ensure!(from == [(Some("Vale, Robin"), "robin@example.org")], "{from:?}");
    ensure!(headers.references == ["r1@x", "r2@x"] && headers.in_reply_to == ["r2@x"], "{headers:?}");
    ensure!(read.body.plain.as_deref().is_some_and(|text| text.contains("žluťoučký kůň")), "the text");
    let parts: Vec<_> = read.attachments.iter().map(|a| (a.name.as_deref(), a.media_type.as_str())).collect();
    ensure!(parts == [(Some("účet.csv"), "text/csv")], "{parts:?}");
    ensure!(read.row.size == u64::try_from(MIXED.len())?, "{}", read.row.size);
    Ok(())
}

/// No read of any kind marks a message as read.
pub async fn reading_marks_nothing<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, MIXED).await?;
    let before = bench.contents(SpecialUse::Inbox).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "mixed@x").await?;
    let call = CallScope::default();
    let receipt = bench.receipt(&call).await?;
    let read = bench.mailbox.get_message(&id, &receipt).await?;
    let section = read.get().attachments.first().map(|part| part.section.clone());
    let section = section.context("The attachment is not listed")?;
    let request = AttachmentRequest { message: id.clone(), section, max_bytes: 1_000 };
    bench.mailbox.get_attachment(&request, &receipt).await?;
    bench.mailbox.get_thread(&id, &window(10), &receipt).await?;
    bench.mailbox.fetch_original(&id, true).await?;
    let mut search = countersign_core::model::Search::everything(FolderScope::All);
    search.text = Some("kůň".into());
    bench.mailbox.search_messages(&search, &window(10), &receipt).await?;
    let after = bench.contents(SpecialUse::Inbox).await?;
    ensure!(before == after && after.iter().all(|message| !message.seen), "reading changed {after:?}");
    Ok(())
}

/// What isn't an id of ours, and what tries to be a command, is refused as such, and the mailbox goes on.
pub async fn ids_that_were_not_handed_out_are_refused<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one\r\n", "text")).await?;
    let call = CallScope::default();
    let receipt = bench.receipt(&call).await?;
    for made_up in [
        "1",
        "1:*",
        "INBOX",
        "\"INBOX\"",
        "*",
        "{5}",
        "SU5CT1g.1.1",
        "a.b.c",
        "../x",
        "%00",
        &"9".repeat(900),
    ] {
        let id = MessageRef::parse(made_up)?;
        let answer = bench.mailbox.get_message(&id, &receipt).await.map(|_| ());
        let refused =
            matches!(answer, Err(MailboxError::InvalidRef | MailboxError::NotFound(_) | MailboxError::Stale));
        ensure!(refused, "message {made_up:?}: {answer:?}");
        let scope = FolderScope::One(FolderRef::parse(made_up)?);
        let answer = bench.mailbox.list_messages(&scope, &window(1), &receipt).await.map(|_| ());
        let refused = matches!(answer, Err(MailboxError::InvalidRef | MailboxError::NotFound(_)));
        ensure!(refused, "folder {made_up:?}: {answer:?}");
    }
    bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    Ok(())
}

/// Ids from before a folder was rebuilt are stale, not somebody else's message.
pub async fn a_rebuilt_folder_makes_its_ids_stale<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one\r\n", "text")).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    bench.fixture.rebuild(&bench.folder(SpecialUse::Inbox).await?.1)?;
    let call = CallScope::default();
    let answer = bench.mailbox.get_message(&id, &bench.receipt(&call).await?).await.map(|_| ());
    ensure!(answer == Err(MailboxError::Stale), "{answer:?}");
    bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    Ok(())
}

/// A message that was removed since it was listed is not found.
pub async fn a_message_that_went_is_not_found<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one\r\n", "text")).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    bench.fixture.empty(&bench.folder(SpecialUse::Inbox).await?.1)?;
    let call = CallScope::default();
    let answer = bench.mailbox.get_message(&id, &bench.receipt(&call).await?).await.map(|_| ());
    ensure!(answer == Err(MailboxError::NotFound(NotFound::Message)), "{answer:?}");
    Ok(())
}

/// An attachment comes byte for byte; one over the caller's limit, or that isn't there, doesn't come at all.
pub async fn attachments_come_whole_and_within_the_limit<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    bench.put(SpecialUse::Inbox, MIXED).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "mixed@x").await?;
    let call = CallScope::default();
    let receipt = bench.receipt(&call).await?;
    let read = bench.mailbox.get_message(&id, &receipt).await?;
    let listed = read.get().attachments.first().cloned();
    let Some(listed) = listed else { anyhow::bail!("the attachment is not listed") };
    let request = |section: Section, max_bytes| AttachmentRequest { message: id.clone(), section, max_bytes };
    let whole = bench.mailbox.get_attachment(&request(listed.section.clone(), 100), &receipt).await?;
    ensure!(whole.get().bytes == "částka;Kč\r\n".as_bytes(), "{:?}", whole.get().bytes);
    ensure!(
        whole.get().charset.as_deref().is_some_and(|c| c.eq_ignore_ascii_case("utf-8")),
        "{:?}",
        whole.get().charset
    );
    let answer = bench.mailbox.get_attachment(&request(listed.section, 5), &receipt).await.map(|_| ());
    ensure!(answer == Err(MailboxError::TooLarge(5)), "{answer:?}");
    let answer =
        bench.mailbox.get_attachment(&request(Section::parse("9.9")?, 100), &receipt).await.map(|_| ());
    ensure!(answer == Err(MailboxError::NotFound(NotFound::Attachment)), "{answer:?}");
    Ok(())
}

/// A conversation is found over folders, oldest first, and names the messages that nobody has.
pub async fn a_thread_spans_folders_and_names_what_is_missing<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    let dated = |id: &str, hour: u32, more: &str| {
        format!(
            "From: a@example.org\r\nDate: Fri, 20 Nov 2026 {hour:02}:00:00 +0000\r\nMessage-ID: <{id}>\r\nSubject: t\r\n\
             {more}\r\ntext {id}\r\n"
        )
        .into_bytes()
    };
    let chain = |ids: &str| format!("References: {ids}\r\n");
    bench.put(SpecialUse::Inbox, &dated("t1@x", 1, &chain("<t0@x>"))).await?;
    bench.put(SpecialUse::Sent, &dated("t2@x", 2, &chain("<t0@x> <t1@x>"))).await?;
    bench.put(SpecialUse::Inbox, &dated("t3@x", 3, "In-Reply-To: <t2@x>\r\n")).await?;
    bench.put(SpecialUse::Inbox, &dated("other@x", 4, &chain("<elsewhere@x>"))).await?;
    let call = CallScope::default();
    let receipt = bench.receipt(&call).await?;
    for asked in ["t1@x", "t3@x"] {
        let id = bench.find(FolderScope::Use(SpecialUse::Inbox), asked).await?;
        let thread = bench.mailbox.get_thread(&id, &window(10), &receipt).await?;
        let thread = thread.get();
        let ids: Vec<_> =
            thread.messages.iter().filter_map(|m| m.row.headers.message_id.as_deref()).collect();
        ensure!(ids == ["t1@x", "t2@x", "t3@x"], "from {asked}: {ids:?}");
        ensure!(thread.missing == ["t0@x"], "from {asked}: {:?}", thread.missing);
        ensure!(thread.unread_rest.is_empty() && thread.gaps.is_empty(), "from {asked}: {:?}", thread.gaps);
    }
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "t1@x").await?;
    let short = bench.mailbox.get_thread(&id, &window(2), &receipt).await?;
    let counts = (short.get().messages.len(), short.get().unread_rest.len());
    ensure!(counts == (2, 1), "a window of two: {counts:?}");
    Ok(())
}

/// A receipt that was minted for another account opens nothing.
pub async fn a_receipt_for_another_account_reads_nothing<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    let elsewhere = Desk::new(&Origin::new("elsewhere", "host.example", "somebody"))?;
    let call = CallScope::default();
    let receipt = elsewhere.receipt(&call).await?;
    let answer = bench.mailbox.list_messages(&FolderScope::All, &window(1), &receipt).await.map(|_| ());
    ensure!(answer == Err(MailboxError::WrongOrigin), "{answer:?}");
    Ok(())
}

/// A message with encoded headers, a chain, 8-bit text and an attachment with an RFC 2231 name.
const MIXED: &[u8] = b"From: \"Vale, Robin\" <robin@example.org>\r\nTo: jana@example.com\r\n\
Subject: =?iso-8859-2?Q?=AElu=BBou=E8k=FD_k=F9=F2?=\r\nDate: Fri, 20 Nov 2026 11:59:00 +0000\r\n\
Message-ID: <mixed@x>\r\nIn-Reply-To: <r2@x>\r\nReferences: <r1@x>\r\n <r2@x>\r\nMIME-Version: 1.0\r\n\
Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=windows-1250\r\n\
Content-Transfer-Encoding: quoted-printable\r\n\r\n=9Elu=9Dou=E8k=FD k=F9=F2\r\n--b\r\n\
Content-Type: text/csv; charset=utf-8\r\nContent-Disposition: attachment; filename*=UTF-8''%C3%BA%C4%8Det.csv\r\n\
Content-Transfer-Encoding: base64\r\n\r\nxI3DoXN0a2E7S8SNDQo=\r\n--b--\r\n";
