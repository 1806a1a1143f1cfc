//! Search by each criterion, over one folder and all.

use anyhow::Result;
use countersign_core::{
    mailbox::MailboxError,
    model::{Day, FolderScope, Search, SpecialUse, Window},
};
use countersign_testkit::services::{Put, User, mail};

use crate::account::{Account, BUDGET, plain, subjects};

/// 2026-03-01T12:00:00Z.
const MARCH: u64 = 1_772_366_400;
const DAY: u64 = 86_400;

fn fill(user: &User<'_>) -> Result<()> {
    user.put("INBOX", &plain("red apple", "a"), &Put::at(MARCH))?;
    let seen = Put { flags: &["\\Seen", "\\Flagged"], ..Put::at(MARCH + DAY) };
    user.put("INBOX", &plain("green pear", "b"), &seen)?;
    let czech = "From: =?utf-8?Q?Ji=C5=99=C3=AD?= <jiri@x.test>\r\nTo: you@x.test\r\nCc: other@x.test\r\nSubject: =?utf-8?B?xb5sdcWl?=\r\n\
                 Message-ID: <c@x.test>\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nPříliš\r\n";
    user.put("Archive", czech.as_bytes(), &Put::at(MARCH + 2 * DAY))?;
    let attached = b"Subject: with file\r\nMessage-ID: <d@x.test>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n--b\r\n\
        Content-Type: application/pdf; name=a.pdf\r\n\r\n0123456789\r\n--b--\r\n";
    user.put("INBOX", attached, &Put::at(MARCH + 3 * DAY))?;
    user.put("Trash", &plain("red thrown", "e"), &Put::at(MARCH + 4 * DAY))?;
    user.put("Junk", &plain("red spam", "f"), &Put::at(MARCH + 4 * DAY))?;
    Ok(())
}

fn all() -> Search {
    Search::everything(FolderScope::All)
}

#[tokio::test]
async fn every_criterion_finds_what_it_should() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("criteria")?;
    fill(&user)?;
    let account = Account::of(&user);
    let day = |text| Day::parse(text);
    let text = |text: &str| Some(text.to_owned());
    let cases: [(Search, &[&str]); 16] = [
        (all(), &["with file", "žluť", "green pear", "red apple"]),
        (Search { subject: text("RED"), ..all() }, &["red apple"]),
        (
            Search { subject: text("red"), scope: FolderScope::Use(SpecialUse::Trash), ..all() },
            &["red thrown"],
        ),
        (Search { subject: text("žlu"), ..all() }, &["žluť"]),
        (Search { text: text("příliš"), ..all() }, &["žluť"]),
        (Search { from: text("Jiří"), ..all() }, &["žluť"]),
        (Search { from: text("jo@sender"), ..all() }, &["green pear", "red apple"]),
        (Search { to: text("other@x.test"), ..all() }, &["žluť"]),
        (Search { since: day("2026-03-03"), ..all() }, &["with file", "žluť"]),
        (Search { before: day("2026-03-02"), ..all() }, &["red apple"]),
        (Search { unread: Some(false), ..all() }, &["green pear"]),
        (Search { flagged: Some(true), ..all() }, &["green pear"]),
        (Search { has_attachment: Some(true), ..all() }, &["with file"]),
        (Search { has_attachment: Some(false), ..all() }, &["žluť", "green pear", "red apple"]),
        (Search { larger: Some(100_000), ..all() }, &[]),
        (Search { text: text("\" ALL \"\\"), ..all() }, &[]),
    ];
    for (search, expected) in cases {
        let found = account.search(&search, &Window::first(20, BUDGET)).await.unwrap();
        assert_eq!(subjects(&found), expected, "{search:?}");
        assert!(found.missing.is_empty() && found.next.is_none(), "{search:?}: {found:?}");
    }
    let bad = Search { text: text("a\r\nx LOGOUT"), ..all() };
    assert_eq!(account.search(&bad, &Window::first(20, BUDGET)).await, Err(MailboxError::SearchText));
    Ok(())
}

#[tokio::test]
async fn pages_of_a_search_over_folders_follow_each_other() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("search-pages")?;
    for number in 0..12_u64 {
        let folder = ["INBOX", "Archive", "Sent"][usize::try_from(number % 3)?];
        user.put(
            folder,
            &plain(&format!("m{number}"), &format!("m{number}")),
            &Put::at(MARCH + number * DAY),
        )?;
    }
    let account = Account::of(&user);
    let mut window = Window::first(5, BUDGET);
    let mut seen = Vec::new();
    loop {
        let page = account.search(&all(), &window).await.unwrap();
        seen.extend(subjects(&page).into_iter().map(str::to_owned));
        let Some(next) = page.next else { break };
        assert!(seen.len() < 12);
        window.cursor = Some(next);
    }
    assert_eq!(seen, (0..12).rev().map(|n| format!("m{n}")).collect::<Vec<_>>());
    Ok(())
}
