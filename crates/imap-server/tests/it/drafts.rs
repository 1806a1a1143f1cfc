//! Drafts: stored, read back, removed.

use anyhow::Result;
use countersign_core::{
    mailbox::{Mailbox, MailboxError, NotFound},
    model::{Address, FolderScope, NewDraft, SpecialUse, Window},
};
use countersign_send_policy::{DraftSource, Fingerprint};
use countersign_testkit::services::{Mail, MailConfig, Put, mail};

use crate::account::{Account, BUDGET, plain};

pub(crate) fn draft(to: &str) -> NewDraft {
    NewDraft {
        from: None,
        to: vec![Address { display_name: Some("Žofie, \"Z\"".to_owned()), addr_spec: to.to_owned() }],
        cc: Vec::new(),
        bcc: vec![Address::bare("hidden@mail.test")],
        reply_to: Vec::new(),
        subject: "Příliš žluťoučký".to_owned(),
        text: "Hello\n.\nFrom here\n".to_owned(),
        in_reply_to: vec!["one@x.test".to_owned()],
        references: vec!["zero@x.test".to_owned(), "one@x.test".to_owned()],
        attachments: Vec::new(),
    }
}

#[tokio::test]
async fn a_draft_is_stored_with_its_bcc_and_reads_back_the_same() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("draft")?;
    let account = Account::of(&user);
    let stored = account.mailbox.create_draft(&draft("z@mail.test")).await.unwrap();
    let on_disk = user.messages("Drafts")?;
    assert_eq!(on_disk.len(), 1);
    let raw = String::from_utf8(on_disk[0].raw.clone())?;
    assert!(raw.contains("Bcc: <hidden@mail.test>") || raw.contains("Bcc: hidden@mail.test"), "{raw}");
    assert!(raw.contains("References: <zero@x.test> <one@x.test>"), "{raw}");
    assert!(raw.contains("Message-ID: <"), "{raw}");
    let mut flags = on_disk[0].flags.clone();
    flags.sort();
    assert_eq!(flags, ["\\Draft", "\\Seen"]);
    let fields = countersign_core::compose::mime::draft_fields(&on_disk[0].raw, &stored.id).unwrap();
    assert_eq!(Fingerprint::of(&fields), stored.fingerprint);
    assert!(account.mailbox.read_draft(stored.id.as_str()).await.is_ok());
    Ok(())
}

#[tokio::test]
async fn what_lies_elsewhere_is_no_draft() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("nodraft")?;
    user.put("INBOX", &plain("fake", "fake"), &Put { flags: &["\\Draft"], ..Put::default() })?;
    let account = Account::of(&user);
    let id = account.inbox().await.rows.remove(0).id.as_draft();
    assert_eq!(account.mailbox.fetch_draft(&id).await.err(), Some(MailboxError::NotADraft));
    assert_eq!(account.mailbox.remove_draft(&id).await, Err(MailboxError::NotADraft));
    assert_eq!(account.mailbox.trash_draft(&id).await.err(), Some(MailboxError::NotADraft));
    assert_eq!(account.mailbox.ready(&id).await.err(), Some(MailboxError::NotADraft));
    assert_eq!(user.count("INBOX")?, 1);
    Ok(())
}

#[tokio::test]
async fn a_draft_is_removed_alone() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("remove")?;
    // Another client has marked a draft for removal; that is none of our business.
    user.put("Drafts", &plain("marked", "marked"), &Put { flags: &["\\Deleted"], ..Put::default() })?;
    let account = Account::of(&user);
    let first = account.mailbox.create_draft(&draft("a@mail.test")).await.unwrap();
    let second = account.mailbox.create_draft(&draft("b@mail.test")).await.unwrap();
    account.mailbox.remove_draft(&first.id).await.unwrap();
    assert_eq!(user.count("Drafts")?, 2);
    assert_eq!(account.mailbox.remove_draft(&first.id).await, Err(MailboxError::NotFound(NotFound::Draft)));
    account.mailbox.trash_draft(&second.id).await.unwrap();
    assert_eq!((user.count("Drafts")?, user.count("Trash")?), (1, 1));
    assert_eq!(
        account.mailbox.fetch_draft(&second.id).await.err(),
        Some(MailboxError::NotFound(NotFound::Draft))
    );
    Ok(())
}

#[tokio::test]
async fn without_uidplus_the_draft_is_found_again_and_never_removed() -> Result<()> {
    let config = MailConfig {
        imap_capability: Some("IMAP4rev1 SPECIAL-USE".to_owned()),
        smtp: false,
        ..MailConfig::default()
    };
    let Some(mail) = Mail::start(&config)? else { return Ok(()) };
    let user = mail.user("old")?;
    let account = Account::of(&user);
    let stored = account.mailbox.create_draft(&draft("a@mail.test")).await.unwrap();
    assert!(account.mailbox.fetch_draft(&stored.id).await.is_ok());
    assert!(matches!(account.mailbox.remove_draft(&stored.id).await, Err(MailboxError::Unsupported(_))));
    assert!(matches!(account.mailbox.trash_draft(&stored.id).await, Err(MailboxError::Unsupported(_))));
    let page = account.list(&FolderScope::Use(SpecialUse::Drafts), &Window::first(5, BUDGET)).await.unwrap();
    assert_eq!(page.rows.len(), 1);
    Ok(())
}
