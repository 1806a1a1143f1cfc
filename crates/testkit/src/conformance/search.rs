//! Searching: each criterion by itself, and search text that tries to be more than text.

#![expect(
    clippy::missing_errors_doc,
    reason = "each promise fails with what was broken, in words for a person"
)]

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use countersign_core::{
    mailbox::{Mailbox, MailboxError},
    model::{Day, FolderScope, Search, SpecialUse, Timestamp},
    protection::Safe,
};
use countersign_send_policy::CallScope;

use super::{Bench, DAY, Put, message, window};

async fn found<M: Mailbox<Stage = Safe>>(bench: &Bench<M>, search: &Search) -> Result<BTreeSet<String>> {
    let call = CallScope::default();
    let listing = bench.mailbox.search_messages(search, &window(50), &bench.receipt(&call).await?).await?;
    Ok(listing.get().rows.iter().filter_map(|row| row.headers.message_id.clone()).collect())
}

/// What a criterion changes in a search.
type Criterion = fn(&mut Search);

/// Each criterion finds what it names and nothing else, in any letter case and script.
pub async fn every_criterion_finds_its_messages<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    let (_, folder) = bench.folder(SpecialUse::Inbox).await?;
    let put = |raw: &[u8], seen, flagged, days: i64| {
        let received = Timestamp(DAY.0.saturating_add(days.saturating_mul(86_400)));
        bench.fixture.put(&Put { folder: &folder, raw, seen, flagged, received })
    };
    put(&message("plain@x", "Subject: Invoice 7\r\n", "about the glazes"), true, false, -2)?;
    put(
        "From: =?utf-8?Q?=C5=BDofie_Mal=C3=A1?= <zofie@example.net>\r\nTo: team@example.org\r\n\
         Cc: Olga <olga@example.org>\r\nSubject: =?utf-8?B?xb1sdcWlb3XEjWvDvSBrxa/FiA==?=\r\nMessage-ID: <czech@x>\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n\
         UMWZw61sacWhIMW+bHXFpW91xI1rw70uDQo=\r\n"
            .as_bytes(),
        false,
        true,
        0,
    )?;
    put(ATTACHED, true, false, 1)?;
    let long = "padding padding padding padding padding padding padding\r\n".repeat(200);
    put(&message("long@x", "Subject: long\r\n", &long), true, false, -9)?;
    let day = |text: &str| Day::parse(text);
    ensure!(day("2026-11-20") == Some(DAY.day()), "the bench's day");
    let cases: [(&str, Criterion, &[&str]); 17] = [
        ("everything", |_| (), &["plain@x", "czech@x", "attached@x", "long@x"]),
        ("from a name", |s| s.from = Some("žofie".into()), &["czech@x"]),
        ("from an address", |s| s.from = Some("ZOFIE@example".into()), &["czech@x"]),
        ("to", |s| s.to = Some("team@".into()), &["czech@x"]),
        ("to includes cc", |s| s.to = Some("olga".into()), &["czech@x"]),
        ("subject", |s| s.subject = Some("invoice".into()), &["plain@x"]),
        ("subject not ascii", |s| s.subject = Some("ŽLUŤOUČKÝ".into()), &["czech@x"]),
        ("text in the body", |s| s.text = Some("glazes".into()), &["plain@x"]),
        ("text not ascii", |s| s.text = Some("příliš".into()), &["czech@x"]),
        ("since", |s| s.since = Day::parse("2026-11-20"), &["czech@x", "attached@x"]),
        ("before", |s| s.before = Day::parse("2026-11-18"), &["long@x"]),
        ("unread", |s| s.unread = Some(true), &["czech@x"]),
        ("read", |s| s.unread = Some(false), &["plain@x", "attached@x", "long@x"]),
        ("flagged", |s| s.flagged = Some(true), &["czech@x"]),
        ("with an attachment", |s| s.has_attachment = Some(true), &["attached@x"]),
        ("larger", |s| s.larger = Some(9_000), &["long@x"]),
        (
            "all must hold",
            |s| {
                s.unread = Some(false);
                s.has_attachment = Some(false);
                s.since = Day::parse("2026-11-18");
            },
            &["plain@x"],
        ),
    ];
    for (name, set, wanted) in cases {
        let mut search = Search::everything(FolderScope::Use(SpecialUse::Inbox));
        set(&mut search);
        let found = found(bench, &search).await?;
        let wanted: BTreeSet<String> = wanted.iter().map(ToString::to_string).collect();
        ensure!(found == wanted, "{name}: {found:?}");
    }
    Ok(())
}

/// Search text that holds commands, quotes, line breaks or wildcards finds itself or nothing; the mailbox goes on.
pub async fn criteria_are_text_and_nothing_else<M: Mailbox<Stage = Safe>>(bench: &Bench<M>) -> Result<()> {
    bench.put(SpecialUse::Inbox, &message("a@x", "Subject: one \"two\" (three)\r\n", "text")).await?;
    let before = bench.contents(SpecialUse::Inbox).await?;
    let tricks = [
        "x\r\na1 STORE 1 +FLAGS (\\Deleted)\r\na2 EXPUNGE",
        "x\" OR ALL",
        "\") ALL (\"",
        "{3}\r\nABC",
        "\\",
        "*",
        "%",
        "ALL",
        "x\0y",
        "NOT SEEN",
    ];
    for trick in tricks {
        let criteria: [fn(&mut Search, String); 4] = [
            |s, t| s.from = Some(t),
            |s, t| s.to = Some(t),
            |s, t| s.subject = Some(t),
            |s, t| s.text = Some(t),
        ];
        for set in criteria {
            let mut search = Search::everything(FolderScope::All);
            set(&mut search, trick.to_owned());
            let call = CallScope::default();
            let answer =
                bench.mailbox.search_messages(&search, &window(10), &bench.receipt(&call).await?).await;
            match answer {
                Ok(listing) => ensure!(listing.get().rows.is_empty(), "{trick:?} found something"),
                Err(error) => ensure!(error == MailboxError::SearchText, "{trick:?}: {error}"),
            }
        }
    }
    let mut quoted = Search::everything(FolderScope::All);
    quoted.subject = Some("\"two\" (".into());
    ensure!(found(bench, &quoted).await?.contains("a@x"), "a quote in the subject is text");
    ensure!(bench.contents(SpecialUse::Inbox).await? == before, "a search changed the folder");
    Ok(())
}

/// Everything means every folder but Junk and Trash, which are searched when they are named.
pub async fn junk_and_trash_are_left_out_of_everything<M: Mailbox<Stage = Safe>>(
    bench: &Bench<M>,
) -> Result<()> {
    let uses = [SpecialUse::Inbox, SpecialUse::Sent, SpecialUse::Junk, SpecialUse::Trash];
    for use_ in uses {
        bench.put(use_, &message(&format!("{}@x", use_.name()), "Subject: same\r\n", "text")).await?;
    }
    let mut search = Search::everything(FolderScope::All);
    search.subject = Some("same".into());
    let everywhere = found(bench, &search).await?;
    ensure!(everywhere == ["inbox@x", "sent@x"].map(String::from).into(), "{everywhere:?}");
    search.scope = FolderScope::Use(SpecialUse::Junk);
    ensure!(found(bench, &search).await?.contains("junk@x"), "Junk by name");
    Ok(())
}

const ATTACHED: &[u8] = b"From: a@example.org\r\nTo: jana@example.com\r\nSubject: papers\r\nMessage-ID: <attached@x>\r\n\
MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nsee below\r\n\
--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"a.pdf\"\r\n\
Content-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK\r\n--b--\r\n";
