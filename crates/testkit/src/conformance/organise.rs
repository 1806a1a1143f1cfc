//! Flags and moves: exactly what was asked, to exactly the messages named.

#![expect(
    clippy::missing_errors_doc,
    reason = "each promise fails with what was broken, in words for a person"
)]

use anyhow::{Context as _, Result, ensure};
use countersign_core::{
    mailbox::{Mailbox, MailboxError, NotFound},
    model::{Destination, Flag, FlagChange, FolderScope, Keyword, SpecialUse},
    protection::Safe,
};
use countersign_send_policy::CallScope;

use super::{Bench, message, window};

/// Flags and keywords are set and cleared as asked; what isn't named stays.
pub async fn flags_and_keywords_change_as_asked<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    for id in ["a@x", "b@x"] {
        bench.put(SpecialUse::Inbox, &message(id, "Subject: one\r\n", "text")).await?;
    }
    let inbox = FolderScope::Use(SpecialUse::Inbox);
    let id = bench.find(inbox.clone(), "a@x").await?;
    let keyword = Keyword::parse("follow-up").context("A keyword")?;
    let set =
        FlagChange { seen: Some(true), flagged: Some(true), add: vec![keyword.clone()], remove: Vec::new() };
    bench.mailbox.store_flags(std::slice::from_ref(&id), &set).await?;
    let row = |wanted: &'static str| {
        let inbox = inbox.clone();
        async move {
            let rows = bench.list(inbox, &window(10)).await?.rows;
            let found = rows.into_iter().find(|row| row.headers.message_id.as_deref() == Some(wanted));
            found.with_context(|| format!("{wanted} is gone"))
        }
    };
    let flags = row("a@x").await?.flags;
    ensure!(
        flags.has(Flag::Seen) && flags.has(Flag::Flagged) && flags.keywords.contains(&keyword),
        "{flags:?}"
    );
    let other = row("b@x").await?.flags;
    ensure!(!other.has(Flag::Seen) && !other.has(Flag::Flagged) && other.keywords.is_empty(), "{other:?}");
    let clear =
        FlagChange { seen: Some(false), flagged: None, add: Vec::new(), remove: vec![keyword.clone()] };
    bench.mailbox.store_flags(&[id], &clear).await?;
    let flags = row("a@x").await?.flags;
    ensure!(
        !flags.has(Flag::Seen) && flags.has(Flag::Flagged) && !flags.keywords.contains(&keyword),
        "{flags:?}"
    );
    Ok(())
}

/// A move takes the message with its flags; its old id is gone and, where one is given, its new one reads it.
pub async fn messages_move_whole<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    let raw = message("a@x", "Subject: one\r\n", "text");
    bench.put(SpecialUse::Inbox, &raw).await?;
    bench.put(SpecialUse::Inbox, &message("b@x", "Subject: stays\r\n", "text")).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    let flag = FlagChange { flagged: Some(true), ..FlagChange::default() };
    bench.mailbox.store_flags(std::slice::from_ref(&id), &flag).await?;
    let plain = bench.fixture.plain_folder();
    let to = Destination::Folder(bench.named(plain).await?);
    let moved = bench.mailbox.move_messages(std::slice::from_ref(&id), &to).await?;
    let [moved] = moved.as_slice() else { anyhow::bail!("{moved:?}") };
    ensure!(moved.from == id, "{moved:?}");
    let call = CallScope::default();
    let receipt = bench.receipt(&call).await?;
    let old = bench.mailbox.get_message(&id, &receipt).await.map(|_| ());
    ensure!(old == Err(MailboxError::NotFound(NotFound::Message)), "the old id: {old:?}");
    if let Some(new) = &moved.to {
        let read = bench.mailbox.get_message(new, &receipt).await?;
        ensure!(
            read.get().row.headers.message_id.as_deref() == Some("a@x"),
            "the new id reads another message"
        );
    }
    let there = bench.fixture.contents(plain)?;
    ensure!(there.len() == 1 && there.iter().all(|held| held.raw == raw && held.flagged), "{there:?}");
    ensure!(bench.contents(SpecialUse::Inbox).await?.len() == 1, "another message moved too");
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "b@x").await?;
    bench.mailbox.move_messages(&[id], &Destination::Use(SpecialUse::Trash)).await?;
    ensure!(bench.contents(SpecialUse::Trash).await?.len() == 1, "Trash by its use");
    Ok(())
}

/// Sent makes addresses known and Drafts can be sent, so no tool moves anything into either.
pub async fn nothing_moves_into_sent_or_drafts<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one\r\n", "text")).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    for use_ in [SpecialUse::Sent, SpecialUse::Drafts] {
        let (folder, _) = bench.folder(use_).await?;
        for to in [Destination::Folder(folder), Destination::Use(use_)] {
            let moved = bench.mailbox.move_messages(std::slice::from_ref(&id), &to).await;
            ensure!(moved == Err(MailboxError::ReservedFolder(use_)), "{to:?}: {moved:?}");
        }
        ensure!(bench.contents(use_).await?.is_empty(), "{} holds something", use_.name());
    }
    bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    Ok(())
}

/// Where one of several ids doesn't fit, none of the messages is changed.
pub async fn one_bad_id_changes_nothing<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    for id in ["a@x", "b@x"] {
        bench.put(SpecialUse::Inbox, &message(id, "Subject: one\r\n", "text")).await?;
    }
    let inbox = FolderScope::Use(SpecialUse::Inbox);
    let good = bench.find(inbox.clone(), "a@x").await?;
    let bad = countersign_core::model::MessageRef::parse("no-id-of-ours")?;
    let ids = [good, bad];
    let flag = FlagChange { seen: Some(true), ..FlagChange::default() };
    let flagged = bench.mailbox.store_flags(&ids, &flag).await;
    ensure!(flagged == Err(MailboxError::InvalidRef), "{flagged:?}");
    let moved = bench.mailbox.move_messages(&ids, &Destination::Use(SpecialUse::Trash)).await.map(|_| ());
    ensure!(moved == Err(MailboxError::InvalidRef), "{moved:?}");
    let held = bench.contents(SpecialUse::Inbox).await?;
    ensure!(held.len() == 2 && held.iter().all(|message| !message.seen), "{held:?}");
    Ok(())
}
