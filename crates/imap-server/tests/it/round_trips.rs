//! What goes over the wire, counted and listed by a proxy in front of a real Dovecot: round trips, and no command that
//! changes anything while reading.

use anyhow::Result;
use countersign_core::model::{FolderScope, Search, SpecialUse, Window};
use countersign_testkit::{
    corpus,
    faults::{Protocol, Proxy, Tally},
    services::{Put, User, mail},
};

use crate::account::{Account, BUDGET, plain, settings};

/// An account that reads through a proxy, connected and with the list of folders known.
pub(crate) async fn warm(user: &User<'_>) -> Result<(Account, Proxy)> {
    let mail = user.mail();
    let proxy = Proxy::tls(
        Protocol::Imap,
        mail.imap.plain_starttls,
        &mail.authority,
        countersign_testkit::services::tls::Shown::Good,
    )?;
    let mut settings = settings(mail, user);
    settings.imap.port = proxy.address.port();
    let account = Account::with(settings, &user.password);
    account.folders().await;
    proxy.reset();
    Ok((account, proxy))
}

pub(crate) fn take(proxy: &Proxy) -> Tally {
    let tally = proxy.tally();
    proxy.reset();
    for command in &tally.commands {
        let verb = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let reads = ["UID FETCH", "UID SEARCH", "NOOP"].contains(&verb.as_str())
            || ["EXAMINE", "FETCH", "LIST"].contains(&command.split(' ').next().unwrap_or_default());
        assert!(reads, "a read sent {command}");
        assert!(!command.contains("BODY[") && !command.contains("RFC822 "), "without PEEK: {command}");
    }
    tally
}

#[tokio::test]
async fn a_page_of_fifty_takes_two_round_trips() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("trips-list")?;
    let messages: Vec<Vec<u8>> = (0..60).map(|n| plain(&format!("n{n}"), &format!("n{n}"))).collect();
    user.put_all("INBOX", messages.iter().map(Vec::as_slice), &Put::default())?;
    let (account, proxy) = warm(&user).await?;
    let scope = FolderScope::Use(SpecialUse::Inbox);
    let mut window = Window::first(50, BUDGET);
    let page = account.list(&scope, &window).await.unwrap();
    let tally = take(&proxy);
    assert_eq!((page.rows.len(), tally.round_trips), (50, 2), "{tally:?}");
    window.cursor = page.next;
    let rest = account.list(&scope, &window).await.unwrap();
    let tally = take(&proxy);
    assert_eq!((rest.rows.len(), tally.round_trips), (10, 2), "{tally:?}");
    assert_eq!(tally.connections, 0, "still the first connection");
    Ok(())
}

#[tokio::test]
async fn a_message_is_its_structure_and_its_text_and_no_more() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("trips-message")?;
    user.put("INBOX", &corpus::large(25 * 1_024 * 1_024), &Put::default())?;
    let (account, proxy) = warm(&user).await?;
    let id = account.inbox().await.rows.remove(0).id;
    take(&proxy);
    let message = account.message(&id).await.unwrap();
    let tally = take(&proxy);
    assert!(message.body.plain.unwrap_or_default().contains("The text is short."));
    assert_eq!(tally.round_trips, 2, "{tally:?}");
    assert!(tally.from_server < 4_096, "{} bytes for a short text", tally.from_server);
    assert_eq!(account.thread(&id, &Window::first(5, BUDGET)).await.unwrap().messages.len(), 1);
    let tally = take(&proxy);
    assert!(tally.round_trips <= 4 && tally.from_server < 8_192, "{tally:?}");
    let whole = account.attachment(&id, "2", 30_000_000).await.unwrap();
    let tally = take(&proxy);
    assert_eq!(whole.len(), 25 * 1_024 * 1_024);
    // In pieces, so that no answer is longer than a few megabytes.
    assert!(tally.count("UID FETCH") >= 9, "{:?}", tally.commands);
    assert!(
        tally.commands.iter().skip(2).all(|command| command.contains("BODY.PEEK[2]<")),
        "{:?}",
        tally.commands
    );
    Ok(())
}

#[tokio::test]
async fn a_conversation_over_folders_takes_four_round_trips() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("trips-thread")?;
    for (folder, raw) in corpus::thread(&user.address) {
        user.put(folder, &raw, &Put::default())?;
    }
    user.put("INBOX", &plain("another", "another"), &Put::default())?;
    let (account, proxy) = warm(&user).await?;
    for row in account.inbox().await.rows.iter().filter(|row| row.headers.subject.contains("plan")) {
        take(&proxy);
        let thread = account.thread(&row.id, &Window::first(20, BUDGET)).await.unwrap();
        let tally = take(&proxy);
        let texts: Vec<String> = thread
            .messages
            .iter()
            .map(|message| message.body.plain.clone().unwrap_or_default().trim().to_owned())
            .collect();
        let expected: Vec<String> = (1..=5).map(|n| format!("Step {n} of the plan.")).collect();
        assert_eq!(
            texts, expected,
            "{:?} {:?} {:?} {:#?}",
            thread.missing, thread.gaps, thread.unread_rest, tally.commands
        );
        assert!(thread.missing.is_empty() && thread.gaps.is_empty() && thread.unread_rest.is_empty());
        assert!(tally.round_trips <= 4, "{} round trips: {:#?}", tally.round_trips, tally.commands);
    }
    Ok(())
}

#[tokio::test]
async fn a_search_of_everything_does_not_wait_for_each_folder() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("trips-search")?;
    for number in 0..12 {
        user.create_folder(&format!("Folder {number}"))?;
        user.put(
            &format!("Folder {number}"),
            &plain(&format!("apple {number}"), &format!("apple{number}")),
            &Put::default(),
        )?;
    }
    let (account, proxy) = warm(&user).await?;
    let search = Search { subject: Some("apple".to_owned()), ..Search::everything(FolderScope::All) };
    let found = account.search(&search, &Window::first(50, BUDGET)).await.unwrap();
    let tally = take(&proxy);
    assert_eq!(found.rows.len(), 12);
    // All folders searched, all arrivals, all rows.
    assert!(tally.round_trips <= 3, "{} round trips: {:#?}", tally.round_trips, tally.commands);
    Ok(())
}
