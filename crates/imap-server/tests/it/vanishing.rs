//! Messages that another client removes while a call is under way, on a real Dovecot: a proxy holds the call between two of its
//! steps. What is gone costs itself and nothing else. Where the server still has the file open it may tell all of it; what
//! it tells of in part is never taken for the whole.

use anyhow::Result;
use countersign_core::{
    mailbox::{Mailbox, MailboxError, NotFound},
    model::{Destination, FlagChange, FolderScope, SpecialUse, Window},
};
use countersign_testkit::{
    corpus,
    faults::{Action, Place, Proxy},
    services::{Put, User, mail},
};

use crate::{
    account::{Account, BUDGET, plain, subjects},
    round_trips::warm,
};

/// Runs a call, and removes a message with this subject when the proxy sees a command for the `nth` time.
async fn meanwhile<T>(
    (user, proxy): (&User<'_>, &Proxy),
    (command, nth): (&str, usize),
    subject: &str,
    call: impl Future<Output = T>,
) -> Result<T> {
    let place = proxy.at(Place::Before(command.to_owned()), nth, Action::Hold);
    let remove = async {
        proxy.reached(place).await?;
        user.doveadm(&["expunge", "-u", &user.address, "mailbox", "INBOX", "subject", subject])?;
        proxy.release();
        anyhow::Ok(())
    };
    let (outcome, removed) = tokio::join!(call, remove);
    removed?;
    Ok(outcome)
}

async fn account(name: &str) -> Result<Option<(User<'static>, Account, Proxy)>> {
    let Some(mail) = mail()? else { return Ok(None) };
    let user = mail.user(name)?;
    for name in ["one", "two", "three"] {
        user.put("INBOX", &plain(name, name), &Put::default())?;
    }
    let (account, proxy) = warm(&user).await?;
    Ok(Some((user, account, proxy)))
}

fn is_whole_or_gone(outcome: Result<String, MailboxError>, text: &str) -> bool {
    match outcome {
        Ok(found) => found.trim() == text,
        Err(error) => error == MailboxError::NotFound(NotFound::Message),
    }
}

#[tokio::test]
async fn a_page_goes_on_without_it() -> Result<()> {
    let Some((user, account, proxy)) = account("vanish-list").await? else { return Ok(()) };
    let inbox = FolderScope::Use(SpecialUse::Inbox);
    let window = Window::first(10, BUDGET);
    let page = meanwhile((&user, &proxy), ("FETCH", 1), "two", account.list(&inbox, &window)).await?.unwrap();
    assert_eq!(page.unreadable, 0);
    let found = subjects(&page);
    // The server may still tell of it, or not any more.
    assert!(found == ["three", "one"] || found == ["three", "two", "one"], "{found:?}");
    assert_eq!(subjects(&account.inbox().await), ["three", "one"]);
    Ok(())
}

#[tokio::test]
async fn a_message_is_not_found_and_the_next_is() -> Result<()> {
    let Some((user, account, proxy)) = account("vanish-get").await? else { return Ok(()) };
    let rows = account.inbox().await.rows;
    let (one, two) = (rows[2].id.clone(), rows[1].id.clone());
    // Before the text: the second fetch of the call.
    let outcome = meanwhile((&user, &proxy), ("UID FETCH", 2), "one", account.message(&one)).await?;
    assert!(is_whole_or_gone(outcome.map(|message| message.body.plain.unwrap_or_default()), "Text of one."));
    let window = Window::first(5, BUDGET);
    let outcome = meanwhile((&user, &proxy), ("UID FETCH", 2), "two", account.thread(&two, &window)).await?;
    let text = |thread: countersign_core::model::Thread| thread.messages[0].body.plain.clone();
    assert!(is_whole_or_gone(outcome.map(|thread| text(thread).unwrap_or_default()), "Text of two."));
    let gone = Some(MailboxError::NotFound(NotFound::Message));
    assert_eq!(account.message(&one).await.err(), gone);
    assert_eq!(account.thread(&two, &window).await.err(), gone);
    assert!(account.message(&rows[0].id).await.is_ok());
    Ok(())
}

#[tokio::test]
async fn half_an_attachment_is_not_taken_for_all_of_it() -> Result<()> {
    let Some((user, account, proxy)) = account("vanish-part").await? else { return Ok(()) };
    user.put("INBOX", &corpus::large(8 * 1_024 * 1_024), &Put::default())?;
    let id = account.inbox().await.rows.remove(0).id;
    let call = account.attachment(&id, "2", 30_000_000);
    let outcome = meanwhile((&user, &proxy), ("UID FETCH", 3), "A large one", call).await?;
    match outcome {
        Ok(bytes) => assert_eq!(bytes.len(), 8 * 1_024 * 1_024),
        Err(error) => assert_eq!(error, MailboxError::NotFound(NotFound::Message)),
    }
    assert_eq!(subjects(&account.inbox().await), ["three", "two", "one"]);
    Ok(())
}

#[tokio::test]
async fn no_change_is_reported_of_what_is_gone() -> Result<()> {
    let Some((user, account, proxy)) = account("vanish-change").await? else { return Ok(()) };
    let rows = account.inbox().await.rows;
    let gone = Some(MailboxError::NotFound(NotFound::Message));
    let change = FlagChange { seen: Some(true), ..FlagChange::default() };
    let ids = [rows[2].id.clone()];
    let call = account.mailbox.store_flags(&ids, &change);
    assert_eq!(meanwhile((&user, &proxy), ("UID STORE", 1), "one", call).await?.err(), gone);
    let ids = [rows[1].id.clone()];
    let trash = Destination::Use(SpecialUse::Trash);
    let call = account.mailbox.move_messages(&ids, &trash);
    assert_eq!(meanwhile((&user, &proxy), ("UID MOVE", 1), "two", call).await?.err(), gone);
    assert_eq!((user.count("INBOX")?, user.count("Trash")?), (1, 0));
    Ok(())
}
