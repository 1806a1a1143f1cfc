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
    model::{Address, DraftEdit, SpecialUse, Timestamp},
    protection::Safe,
};

use super::{Bench, DAY, Put, message};

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

/// Somebody was written to when a message in Sent from before the moment names them as a recipient and is from one of the
/// account's own addresses. A search that matches loosely, another folder, another sender or a later arrival is not that.
pub async fn whom_it_wrote_to_before_is_told_from_sent<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    let own = bench.mailbox.own_addresses().first().context("No own address")?.addr_spec.clone();
    let (_, sent) = bench.folder(SpecialUse::Sent).await?;
    let (_, inbox) = bench.folder(SpecialUse::Inbox).await?;
    let put = |folder: &str, received: Timestamp, from: &str, recipients: &str| {
        let raw = format!("From: {from}\r\n{recipients}\r\nSubject: x\r\nMessage-ID: <x@x>\r\n\r\nx\r\n");
        bench.fixture.put(&Put { folder, raw: raw.as_bytes(), seen: true, flagged: false, received })
    };
    let before = DAY;
    let earlier = Timestamp(DAY.0.saturating_sub(1));
    let own_upper = own.to_uppercase();
    put(&sent, earlier, &own, "To: Olga <Olga@Brandt.example>\r\nCc: \"a, b\" <cc@brandt.example>")?;
    put(&sent, earlier, &format!("Me <{own_upper}>"), "Bcc: bcc@brandt.example")?;
    put(&sent, earlier, "someone@else.example", "To: planted@brandt.example")?;
    put(&sent, before, &own, "To: same-second@brandt.example")?;
    put(&sent, Timestamp(DAY.0.saturating_add(90_000)), &own, "To: later@brandt.example")?;
    put(&sent, earlier, &own, "To: \"quoted@brandt.example\" <other@else.example>")?;
    put(&inbox, earlier, &own, "To: inbox@brandt.example")?;
    let asked: Vec<Address> = [
        "olga@brandt.example",
        "CC@brandt.example",
        "bcc@brandt.example",
        "planted@brandt.example",
        "same-second@brandt.example",
        "later@brandt.example",
        "quoted@brandt.example",
        "inbox@brandt.example",
        // What a search for parts would find.
        "lga@brandt.example",
        "c@brandt.example",
        "olga@brandt.exampl",
        "never@brandt.example",
        "\u{17e}ofie@brandt.example",
    ]
    .into_iter()
    .map(Address::bare)
    .collect();
    let mut found: Vec<String> =
        bench.mailbox.wrote_to(&asked, before).await?.into_iter().map(|address| address.addr_spec).collect();
    found.sort();
    ensure!(found == ["CC@brandt.example", "bcc@brandt.example", "olga@brandt.example"], "{found:?}");
    for (alone, expected) in [(0, 1), (11, 0)] {
        let alone = asked.get(alone..).and_then(|rest| rest.get(..1)).context("No such address")?;
        ensure!(bench.mailbox.wrote_to(alone, before).await?.len() == expected, "{alone:?} by itself");
    }
    ensure!(bench.mailbox.wrote_to(&[], before).await?.is_empty(), "nobody was asked for");
    Ok(())
}

/// A msg-id is that of a message here when a message in INBOX, Sent or Archive has it, whole.
pub async fn messages_are_told_by_their_ids<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("in.box+1@example.org", "", "x")).await?;
    bench
        .put(SpecialUse::Sent, &message("sent@example.com", "References: <named@example.org>\r\n", "x"))
        .await?;
    bench.put(SpecialUse::Trash, &message("trashed@example.org", "", "x")).await?;
    let asked: Vec<String> = [
        "in.box+1@example.org",
        "sent@example.com",
        "trashed@example.org",
        "named@example.org",
        "box+1@example.org",
        "nowhere@example.org",
        "quote\"d@example.org",
        "",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut held = bench.mailbox.holds(&asked).await?;
    held.sort();
    ensure!(held == ["in.box+1@example.org", "sent@example.com"], "{held:?}");
    ensure!(bench.mailbox.holds(&[]).await?.is_empty(), "nothing was asked for");
    Ok(())
}
