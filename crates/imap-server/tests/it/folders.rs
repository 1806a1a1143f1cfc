//! Folder names of all kinds, both delimiters, and what folders are for.

use anyhow::Result;
use countersign_core::{
    mailbox::Mailbox,
    model::{FolderScope, SpecialUse, Window},
};
use countersign_testkit::services::{Mail, MailConfig, Put, mail};

use crate::account::{Account, BUDGET, plain, subjects};

const NAMES: [&str; 9] = [
    "With space",
    "Quo\"te",
    "R&D",
    "Entwürfe",
    "日本語",
    "Back\\slash",
    "&Jjo-",
    "Über & \"unter\" 😀",
    "(paren) {5} *%",
];

async fn every_name_works(mail: &Mail) -> Result<()> {
    let user = mail.user("names")?;
    for (at, name) in NAMES.iter().enumerate() {
        user.create_folder(name)?;
        user.put(name, &plain(&format!("in {at}"), &format!("in{at}")), &Put::default())?;
    }
    let nested = format!("Top{0}Mid dle{0}Böttom", mail.config.separator);
    user.create_folder(&nested)?;
    let account = Account::of(&user);
    let folders = account.folders().await;
    for (at, name) in NAMES.iter().enumerate() {
        let folder = folders
            .iter()
            .find(|folder| folder.name == *name)
            .unwrap_or_else(|| panic!("{name} in {folders:?}"));
        assert_eq!((folder.total, folder.unread, folder.special_use), (Some(1), Some(1), None), "{name}");
        let page =
            account.list(&FolderScope::One(folder.id.clone()), &Window::first(5, BUDGET)).await.unwrap();
        assert_eq!(subjects(&page), [format!("in {at}")], "{name}");
        assert_eq!(page.rows[0].folder, folder.id);
    }
    assert!(folders.iter().any(|folder| folder.name == "Top/Mid dle/Böttom"), "{folders:?}");
    Ok(())
}

#[tokio::test]
async fn every_name_works_with_a_slash() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    every_name_works(mail).await
}

#[tokio::test]
async fn every_name_works_with_a_dot() -> Result<()> {
    let config = MailConfig { separator: '.', smtp: false, ..MailConfig::default() };
    let Some(mail) = Mail::start(&config)? else { return Ok(()) };
    every_name_works(&mail).await
}

#[tokio::test]
async fn uses_are_those_that_the_server_tells() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("uses")?;
    // A name alone makes no Sent folder where the server says which one it is.
    user.create_folder("Gesendet")?;
    let account = Account::of(&user);
    let told: Vec<_> =
        account.folders().await.into_iter().filter_map(|f| Some((f.special_use?, f.name))).collect();
    for (special_use, name) in [
        (SpecialUse::Inbox, "INBOX"),
        (SpecialUse::Drafts, "Drafts"),
        (SpecialUse::Sent, "Sent"),
        (SpecialUse::Trash, "Trash"),
        (SpecialUse::Junk, "Junk"),
        (SpecialUse::Archive, "Archive"),
    ] {
        assert!(told.contains(&(special_use, name.to_owned())), "{name} in {told:?}");
    }
    assert_eq!(told.len(), 6);
    let id = account.folder("Sent").await;
    assert_eq!(account.mailbox.special_use(&id).await, Ok(Some(SpecialUse::Sent)));
    Ok(())
}

#[tokio::test]
async fn names_serve_where_the_server_tells_nothing() -> Result<()> {
    let config = MailConfig {
        special_use: false,
        imap_capability: Some("IMAP4rev1 UIDPLUS MOVE".to_owned()),
        smtp: false,
        ..MailConfig::default()
    };
    let Some(mail) = Mail::start(&config)? else { return Ok(()) };
    let user = mail.user("plain")?;
    user.put("Sent", &plain("sent", "sent"), &Put::default())?;
    let account = Account::of(&user);
    let folders = account.folders().await;
    let sent = folders.iter().find(|folder| folder.name == "Sent").unwrap();
    assert_eq!((sent.special_use, sent.total), (Some(SpecialUse::Sent), Some(1)));
    let page = account.list(&FolderScope::Use(SpecialUse::Sent), &Window::first(5, BUDGET)).await.unwrap();
    assert_eq!(subjects(&page), ["sent"]);
    Ok(())
}
