//! Nothing that a model says becomes a command: what went over the wire is listed by a proxy in front of a real Dovecot.

use anyhow::Result;
use countersign_core::{
    mailbox::MailboxError,
    model::{Cursor, FolderScope, Search, SpecialUse, Window},
};
use countersign_testkit::services::{Put, mail};

use crate::{
    account::{Account, BUDGET, plain},
    round_trips::{take, warm},
};

/// Texts that would end a string, a command or a literal if they were pasted into one.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "\"",
        "\\",
        "a\" OR ALL \"",
        "\\\" DELETED \"\\",
        "{5}",
        "x {3}",
        "x {3+}",
        "~{3}",
        "\"} LOGOUT {1}",
        "* % ? [ ] ( )",
        "NIL",
        "žluť\" ALL {4}",
        "žluť {9+}",
        "\u{202e}\u{200b}\u{feff}",
        "日本語 \\ \"",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("long \"{7}\\ ".repeat(1_000));
    texts.push("dlouhý {7}\" ".repeat(1_000));
    texts
}

async fn search(account: &Account, search: &Search) -> Result<usize, MailboxError> {
    account.search(search, &Window::first(5, BUDGET)).await.map(|found| found.rows.len())
}

#[tokio::test]
async fn a_search_text_is_a_text() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("inject")?;
    user.put("INBOX", &plain("here", "here"), &Put::default())?;
    let (account, proxy) = warm(&user).await?;
    let all = Search::everything(FolderScope::Use(SpecialUse::Inbox));
    for text in texts() {
        let text = Some(text);
        for criteria in [
            Search { subject: text.clone(), ..all.clone() },
            Search { text: text.clone(), ..all.clone() },
            Search { from: text.clone(), to: text.clone(), ..all.clone() },
        ] {
            // A text that is made of nothing visible may match everything or nothing; none is an error.
            let found = search(&account, &criteria).await;
            assert!(found.is_ok(), "{criteria:?}: {found:?}");
            let commands = take(&proxy).commands;
            let searches = commands.iter().filter(|line| line.starts_with("UID SEARCH ")).count();
            assert_eq!(searches, 1, "{commands:?}");
            let plain = text.as_ref().is_some_and(|text| text.is_ascii());
            let charset = commands.iter().any(|line| line.starts_with("UID SEARCH CHARSET UTF-8 "));
            assert_eq!(charset, !plain, "{commands:?}");
            for line in &commands {
                let known = ["EXAMINE \"INBOX\"", "UID SEARCH ", "UID FETCH 1 (UID "];
                assert!(known.iter().any(|begin| line.starts_with(begin)), "{line}");
            }
        }
    }
    for text in ["a\r\nC9 LOGOUT", "a\nb", "a\rb", "\0", "ž\r\nC9 NOOP"] {
        let criteria = Search { text: Some(text.to_owned()), ..all.clone() };
        assert_eq!(search(&account, &criteria).await, Err(MailboxError::SearchText), "{text:?}");
        assert!(take(&proxy).commands.iter().all(|line| !line.contains("SEARCH")), "{text:?} goes nowhere");
    }
    assert_eq!(search(&account, &Search { subject: Some("here".to_owned()), ..all }).await, Ok(1));
    Ok(())
}

#[tokio::test]
async fn a_cursor_is_two_numbers_or_nothing() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("inject-cursor")?;
    user.put("INBOX", &plain("here", "here"), &Put::default())?;
    let (account, proxy) = warm(&user).await?;
    for cursor in
        ["1.1:*", "1.1\r\nC9 LOGOUT", "s.1.SU5CT1g.7.1:*", "s.1.SU5CT1gNCkM5IExPR09VVA.7.1", "1.\u{661}"]
    {
        let window = Window { cursor: Some(Cursor(cursor.to_owned())), ..Window::first(5, BUDGET) };
        let inbox = FolderScope::Use(SpecialUse::Inbox);
        assert_eq!(account.list(&inbox, &window).await.err(), Some(MailboxError::Cursor), "{cursor:?}");
        let found = account.search(&Search::everything(inbox), &window).await;
        assert_eq!(found.err(), Some(MailboxError::Cursor), "{cursor:?}");
        assert_eq!(take(&proxy).commands, Vec::<String>::new(), "{cursor:?}");
    }
    Ok(())
}

#[tokio::test]
async fn ids_of_a_conversation_are_foreign_text() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("inject-thread")?;
    let hostile = "From: a@x.test\r\nSubject: hostile\r\nMessage-ID: <h\" OR ALL \"{3}@x.test>\r\n\
        References: <a\\\"b@x.test> <{5}@x.test> <\u{17e}@x.test> <a\"@x.test>\r\nIn-Reply-To: <)(@x.test>\r\n\r\nx\r\n";
    user.put("INBOX", hostile.as_bytes(), &Put::default())?;
    user.put("INBOX", &plain("innocent", "innocent"), &Put::default())?;
    let (account, proxy) = warm(&user).await?;
    let rows = account.inbox().await.rows;
    let id = &rows.iter().find(|row| row.headers.subject == "hostile").unwrap().id;
    take(&proxy);
    let thread = account.thread(id, &Window::first(5, BUDGET)).await.unwrap();
    assert_eq!(thread.messages.len(), 1, "the innocent one is not part of it");
    assert!(thread.gaps.is_empty());
    for line in take(&proxy).commands {
        assert!(
            line.starts_with("EXAMINE ") || line.starts_with("UID SEARCH ") || line.starts_with("UID FETCH "),
            "{line}"
        );
    }
    Ok(())
}
