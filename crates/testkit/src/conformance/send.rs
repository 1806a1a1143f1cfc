//! The way out. A permit to send comes from a person's confirmation alone, so what happens after one is tested where
//! confirmations are: through a server and a client. Here is what must hold before: the transport opens for a draft that
//! is there, and not for one that was sent.

#![expect(
    clippy::missing_errors_doc,
    reason = "each promise fails with what was broken, in words for a person"
)]

use anyhow::{Context as _, Result, ensure};
use countersign_core::{
    compose,
    mailbox::{Mailbox, MailboxError, NotFound},
    model::{DraftEdit, SpecialUse},
    protection::Safe,
};

use super::Bench;

fn edit() -> Result<DraftEdit> {
    let to = vec![compose::recipients::parse("robin@example.org")?];
    Ok(DraftEdit { to, subject: Some("out".into()), text: "text".into(), ..DraftEdit::default() })
}

/// Opening the way out changes nothing, can be done again, and needs a draft that is there.
pub async fn the_way_out_opens_for_a_draft_that_is_there<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    let stored = bench.mailbox.create_draft(&compose::new_draft(edit()?, None)?).await?;
    let before = bench.contents(SpecialUse::Drafts).await?;
    for _ in 0..2 {
        drop(bench.mailbox.ready(&stored.id).await?);
    }
    ensure!(bench.contents(SpecialUse::Drafts).await? == before, "opening changed the draft");
    ensure!(bench.contents(SpecialUse::Sent).await?.is_empty(), "opening sent something");
    bench.mailbox.remove_draft(&stored.id).await?;
    let gone = bench.mailbox.ready(&stored.id).await.map(|_| ());
    ensure!(gone == Err(MailboxError::NotFound(NotFound::Draft)), "{gone:?}");
    Ok(())
}

/// A draft whose message stands in Sent was sent, however it came to stay in Drafts.
pub async fn a_draft_that_is_in_sent_already_is_not_sent<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    let stored = bench.mailbox.create_draft(&compose::new_draft(edit()?, None)?).await?;
    let held = bench.contents(SpecialUse::Drafts).await?;
    let copy = held.into_iter().next().context("No draft")?.raw;
    bench.put(SpecialUse::Sent, &copy).await?;
    let answer = bench.mailbox.ready(&stored.id).await.map(|_| ());
    ensure!(answer == Err(MailboxError::AlreadySent), "{answer:?}");
    Ok(())
}
