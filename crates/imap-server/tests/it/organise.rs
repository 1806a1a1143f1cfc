//! Flags and moves.

use anyhow::Result;
use countersign_core::{
    mailbox::{Mailbox, MailboxError, NotFound},
    model::{Destination, Flag, FlagChange, Keyword, MessageRef, SpecialUse},
};
use countersign_testkit::services::{Mail, MailConfig, Put, mail};

use crate::account::{Account, plain};

#[tokio::test]
async fn flags_and_keywords_change_alone() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("flags")?;
    user.put("INBOX", &plain("one", "one"), &Put { flags: &["\\Answered"], ..Put::default() })?;
    let account = Account::of(&user);
    let id = account.inbox().await.rows.remove(0).id;
    let change = FlagChange {
        seen: Some(true),
        flagged: Some(true),
        add: vec![Keyword::parse("follow-up").unwrap()],
        remove: Vec::new(),
    };
    account.mailbox.store_flags(std::slice::from_ref(&id), &change).await.unwrap();
    let flags = account.inbox().await.rows.remove(0).flags;
    assert_eq!(flags.system, [Flag::Seen, Flag::Answered, Flag::Flagged]);
    assert_eq!(flags.keywords, [Keyword::parse("follow-up").unwrap()]);
    let back = FlagChange { seen: Some(false), flagged: Some(false), add: Vec::new(), remove: change.add };
    account.mailbox.store_flags(std::slice::from_ref(&id), &back).await.unwrap();
    assert_eq!(user.messages("INBOX")?[0].flags, ["\\Answered"]);
    Ok(())
}

async fn moves(mail: &Mail) -> Result<()> {
    let user = mail.user("moves")?;
    user.create_folder("Kept & \"quoted\"")?;
    for name in ["one", "two", "three"] {
        user.put("INBOX", &plain(name, name), &Put { flags: &["\\Flagged"], ..Put::default() })?;
    }
    // Marked by another client: never removed by us.
    user.put("INBOX", &plain("marked", "marked"), &Put { flags: &["\\Deleted"], ..Put::default() })?;
    let account = Account::of(&user);
    let rows = account.inbox().await.rows;
    let id = |subject: &str| rows.iter().find(|row| row.headers.subject == subject).unwrap().id.clone();
    let folder = account.folder("Kept & \"quoted\"").await;
    let moved = account
        .mailbox
        .move_messages(&[id("one"), id("three")], &Destination::Folder(folder.clone()))
        .await
        .unwrap();
    assert_eq!(moved.iter().map(|m| m.from.clone()).collect::<Vec<_>>(), [id("one"), id("three")]);
    let there = account.message(moved[0].to.as_ref().unwrap()).await.unwrap();
    assert_eq!((there.row.headers.subject.as_str(), there.row.folder), ("one", folder));
    assert!(there.row.flags.has(Flag::Flagged) && !there.row.flags.has(Flag::Deleted));
    account.mailbox.move_messages(&[id("two")], &Destination::Use(SpecialUse::Trash)).await.unwrap();
    assert_eq!((user.count("INBOX")?, user.count("Trash")?, user.count("Kept & \"quoted\"")?), (1, 1, 2));
    // Nothing moves when one of them is not there.
    let gone = account
        .mailbox
        .move_messages(&[id("marked"), id("two")], &Destination::Use(SpecialUse::Archive))
        .await;
    assert_eq!(gone.err(), Some(MailboxError::NotFound(NotFound::Message)));
    assert_eq!(user.count("INBOX")?, 1);
    Ok(())
}

#[tokio::test]
async fn messages_move_with_move() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    moves(mail).await
}

#[tokio::test]
async fn messages_move_with_uidplus_alone() -> Result<()> {
    let config = MailConfig {
        imap_capability: Some("IMAP4rev1 UIDPLUS SPECIAL-USE".to_owned()),
        smtp: false,
        ..MailConfig::default()
    };
    let Some(mail) = Mail::start(&config)? else { return Ok(()) };
    moves(&mail).await
}

#[tokio::test]
async fn nothing_moves_without_either() -> Result<()> {
    let config = MailConfig {
        imap_capability: Some("IMAP4rev1 SPECIAL-USE".to_owned()),
        smtp: false,
        ..MailConfig::default()
    };
    let Some(mail) = Mail::start(&config)? else { return Ok(()) };
    let user = mail.user("stays")?;
    user.put("INBOX", &plain("one", "one"), &Put::default())?;
    let account = Account::of(&user);
    let id = account.inbox().await.rows.remove(0).id;
    let refused = account.mailbox.move_messages(&[id], &Destination::Use(SpecialUse::Trash)).await;
    assert!(matches!(refused, Err(MailboxError::Unsupported(_))));
    assert_eq!((user.count("INBOX")?, user.count("Trash")?), (1, 0));
    Ok(())
}

#[tokio::test]
async fn a_stale_id_changes_nothing() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("stale-move")?;
    user.put("INBOX", &plain("one", "one"), &Put::default())?;
    let account = Account::of(&user);
    let id = account.inbox().await.rows.remove(0).id;
    let fields: Vec<&str> = id.as_str().split('.').collect();
    let stale = MessageRef::parse(&format!("{}.7.{}", fields[0], fields[2])).unwrap();
    assert_ne!(stale, id);
    let moved = account
        .mailbox
        .move_messages(std::slice::from_ref(&stale), &Destination::Use(SpecialUse::Trash))
        .await;
    assert_eq!(moved.err(), Some(MailboxError::Stale));
    let change = FlagChange { seen: Some(true), ..FlagChange::default() };
    assert_eq!(account.mailbox.store_flags(&[stale], &change).await, Err(MailboxError::Stale));
    assert_eq!(user.messages("INBOX")?[0].flags, Vec::<String>::new());
    Ok(())
}
