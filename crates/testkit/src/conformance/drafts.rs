//! Drafts: stored as written, read back as the same, and only ever touched by exact identity. What is in a draft can't
//! be looked at from here (it stays unscreened), so its server's copy is, and its fingerprint.

#![expect(
    clippy::missing_errors_doc,
    reason = "each promise fails with what was broken, in words for a person"
)]

use anyhow::{Context as _, Result, ensure};
use countersign_core::{
    compose::{self, recipients},
    mailbox::{Mailbox, MailboxError, NotFound},
    model::{DraftEdit, DraftRef, FolderScope, NewDraft, SpecialUse},
    protection::Safe,
};

use super::{Bench, message};

fn draft(subject: &str) -> Result<NewDraft> {
    let edit = DraftEdit {
        to: vec![recipients::parse("\"Vale, Robin\" <robin@example.org>")?],
        cc: vec![recipients::parse("Žofie <zofie@example.net>")?],
        bcc: vec![recipients::parse("hidden@example.net")?],
        subject: Some(subject.to_owned()),
        text: "Příliš žluťoučký kůň.\n.\n-- \nJana".to_owned(),
    };
    Ok(compose::new_draft(edit, None)?)
}

/// What stands in Drafts is the draft, Bcc included, with a Message-ID, and marked as a draft that was read.
pub async fn a_draft_reads_back_as_it_was_written<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    let stored = bench.mailbox.create_draft(&draft("Žádost")?).await?;
    let held = bench.contents(SpecialUse::Drafts).await?;
    ensure!(held.len() == 1 && held.iter().all(|message| message.seen), "{} in Drafts", held.len());
    let raw = String::from_utf8(held.into_iter().next().map(|message| message.raw).unwrap_or_default())?;
    for line in
        ["\"Vale, Robin\" <robin@example.org>", "Bcc: <hidden@example.net>", "Message-ID: <", "Date: "]
    {
        ensure!(raw.contains(line), "{line} is missing in {raw}");
    }
    let fields = compose::mime::draft_fields(raw.as_bytes(), &stored.id).context("Can't be read back")?;
    ensure!(fields.subject == "Žádost", "{}", fields.subject);
    ensure!(fields.text.as_deref() == Some("Příliš žluťoučký kůň.\n.\n-- \nJana"), "{:?}", fields.text);
    ensure!(countersign_send_policy::Fingerprint::of(&fields) == stored.fingerprint, "another fingerprint");
    ensure!(fields.message_id.as_deref() == Some(fields.claim_key.as_str()), "claimed by its Message-ID");
    bench.mailbox.fetch_draft(&stored.id).await?;
    Ok(())
}

/// Two drafts never share a fingerprint or an id, and listing and reading a draft leaves it as it is.
pub async fn the_fingerprint_is_stable_and_the_contents_change_it<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    let one = bench.mailbox.create_draft(&draft("one")?).await?;
    let two = bench.mailbox.create_draft(&draft("two")?).await?;
    ensure!(one.id != two.id && one.fingerprint != two.fingerprint, "two drafts are one");
    let before = bench.contents(SpecialUse::Drafts).await?;
    for _ in 0..3 {
        bench.mailbox.fetch_draft(&one.id).await?;
        bench.mailbox.fetch_original(&one.id.as_message(), true).await?;
    }
    ensure!(bench.contents(SpecialUse::Drafts).await? == before, "reading changed a draft");
    Ok(())
}

/// A message anywhere else is no draft, whatever it says of itself.
pub async fn a_message_outside_drafts_is_no_draft<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one\r\n", "text")).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?.as_draft();
    let read = bench.mailbox.fetch_draft(&id).await.map(|_| ());
    ensure!(read == Err(MailboxError::NotADraft), "read: {read:?}");
    let removed = bench.mailbox.remove_draft(&id).await;
    ensure!(removed == Err(MailboxError::NotADraft), "removed: {removed:?}");
    let trashed = bench.mailbox.trash_draft(&id).await.map(|_| ());
    ensure!(trashed == Err(MailboxError::NotADraft), "trashed: {trashed:?}");
    let opened = bench.mailbox.ready(&id).await.map(|_| ());
    ensure!(opened == Err(MailboxError::NotADraft), "opened: {opened:?}");
    ensure!(bench.contents(SpecialUse::Inbox).await?.len() == 1, "the message is gone");
    Ok(())
}

/// Removing or trashing a draft takes that draft and no other, and only once.
pub async fn a_draft_is_removed_or_trashed_alone<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    let mut ids: Vec<DraftRef> = Vec::new();
    for subject in ["one", "two", "three"] {
        ids.push(bench.mailbox.create_draft(&draft(subject)?).await?.id);
    }
    let [one, two, three] = ids.as_slice() else { anyhow::bail!("three drafts") };
    bench.mailbox.remove_draft(one).await?;
    let moved = bench.mailbox.trash_draft(two).await?;
    ensure!(moved.from == two.as_message(), "{moved:?}");
    for gone in [one, two] {
        let answer = bench.mailbox.fetch_draft(gone).await.map(|_| ());
        ensure!(answer == Err(MailboxError::NotFound(NotFound::Draft)), "{answer:?}");
        let answer = bench.mailbox.remove_draft(gone).await;
        ensure!(answer == Err(MailboxError::NotFound(NotFound::Draft)), "{answer:?}");
    }
    bench.mailbox.fetch_draft(three).await?;
    let left = bench.contents(SpecialUse::Drafts).await?;
    ensure!(left.len() == 1 && contains(&left, "Subject: three"), "{} in Drafts", left.len());
    let trash = bench.contents(SpecialUse::Trash).await?;
    ensure!(trash.len() == 1 && contains(&trash, "Subject: two"), "{} in Trash", trash.len());
    Ok(())
}

/// A message can be read for an answer or a forward without any receipt, and stays sealed.
pub async fn an_original_is_read_with_its_attachments<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one\r\n", "text")).await?;
    let id = bench.find(FolderScope::Use(SpecialUse::Inbox), "a@x").await?;
    bench.mailbox.fetch_original(&id, true).await?;
    bench.fixture.empty(&bench.folder(SpecialUse::Inbox).await?.1)?;
    let answer = bench.mailbox.fetch_original(&id, true).await.map(|_| ());
    ensure!(answer == Err(MailboxError::NotFound(NotFound::Message)), "{answer:?}");
    Ok(())
}

fn contains(messages: &[super::Stored], text: &str) -> bool {
    messages.iter().all(|message| String::from_utf8_lossy(&message.raw).contains(text))
}
