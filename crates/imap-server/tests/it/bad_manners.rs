//! A scripted server with bad manners: it stalls, floods, lies about lengths, hangs up, and says OK to what it did not do. Each
//! ends in a clear error in bounded time, the next call works, and no change is ever asked for twice.

use std::time::{Duration, Instant};

use anyhow::Result;
use countersign_core::{
    mailbox::{ConnectFault, Mailbox, MailboxError, NotFound, Peer},
    model::{Cursor, Destination, Flag, FlagChange, FolderScope, MessageRef, Search, SpecialUse, Window},
};
use countersign_imap::{Endpoint, FileSent, ImapSettings, Security, Timeouts};
use countersign_testkit::services::scripted_imap::{Script, ScriptedImap, Step};

use crate::{
    account::{Account, BUDGET},
    drafts::draft,
};

const STRUCTURE: &str = r#"("text" "plain" ("charset" "utf-8") NIL NIL "7bit" 7 1)"#;
/// INBOX under UIDVALIDITY 7, UID 5.
const ID: &str = "SU5CT1g.7.5";
/// Drafts likewise.
const DRAFT: &str = "RHJhZnRz.7.5";

pub(crate) fn head(structure: &str) -> String {
    let header = "Subject: here\r\nMessage-ID: <here@x.test>\r\n\r\n";
    format!(
        "* 1 FETCH (UID 5 FLAGS (\\Seen) INTERNALDATE \"17-Jul-2026 02:44:25 +0000\" RFC822.SIZE 90 \
         BODYSTRUCTURE {structure} BODY[HEADER.FIELDS (SUBJECT MESSAGE-ID)]<0> {{{}}}\r\n{header})\r\n",
        header.len()
    )
}

/// A server whose one message is read without trouble, but for what the script says first.
fn decent(script: Script) -> Script {
    let head = Step::say(&format!("{}{{tag}} OK done\r\n", head(STRUCTURE)));
    let text = Step::say("* 1 FETCH (UID 5 BODY[1]<0> {7}\r\nhello\r\n)\r\n{tag} OK done\r\n");
    script
        .always("UID FETCH 5 (UID FLAGS INTERNALDATE", vec![head.clone()])
        .always("FETCH 1:1 (UID FLAGS INTERNALDATE", vec![head])
        .always("UID FETCH 5 (UID BODY.PEEK[1]", vec![text])
        .always("UID FETCH 5 (UID)", vec![Step::say("* 1 FETCH (UID 5)\r\n{tag} OK done\r\n")])
}

pub(crate) fn settings(server: &ScriptedImap) -> ImapSettings {
    let endpoint = Endpoint {
        host: "127.0.0.1".to_owned(),
        port: server.address.port(),
        security: Security::PlainTextAllowed,
    };
    ImapSettings {
        imap: endpoint.clone(),
        smtp: endpoint,
        user: "me".to_owned(),
        ca_file: None,
        addresses: vec![countersign_core::model::Address::bare("me@x.test")],
        file_sent: FileSent::Auto,
        timeouts: Timeouts {
            connect: Duration::from_secs(5),
            silence: Duration::from_millis(400),
            call: Duration::from_secs(20),
            ..Timeouts::default()
        },
    }
}

fn id(text: &str) -> MessageRef {
    MessageRef::parse(text).unwrap()
}

#[tokio::test]
async fn each_ends_in_a_clear_error_and_the_next_call_works() -> Result<()> {
    let lost = MailboxError::Connect(Peer::Store, ConnectFault::Lost);
    let endless = MailboxError::PeerMisbehaved("an answer without end");
    let begun = "* 1 FETCH (UID 5 BODY[HEADER.FIELDS (SUBJECT)]<0> ";
    let cases: Vec<(&str, Vec<Step>, MailboxError)> = vec![
        (
            "stalls within a literal",
            vec![Step::say(&format!("{begun}{{100}}\r\nabc")), Step::Stall],
            MailboxError::TimedOut,
        ),
        (
            "announces a gigabyte",
            vec![Step::say(&format!("{begun}{{1073741824}}\r\nabc")), Step::Stall],
            endless.clone(),
        ),
        (
            "announces more than can be counted",
            vec![Step::say(&format!("{begun}{{99999999999999999999}}\r\n")), Step::Stall],
            MailboxError::TimedOut,
        ),
        ("sends a line without end", vec![Step::Flood(vec![b'x'; 1 << 16])], endless.clone()),
        (
            "sends lines without end",
            vec![Step::Flood(b"* OK [ALERT] noise\r\n".repeat(1_000))],
            endless.clone(),
        ),
        (
            "sends answers without end",
            vec![Step::Flood(b"* 1 FETCH (UID 5 X ((((((()))))))\r\n".repeat(1_000))],
            endless,
        ),
        (
            "sends garbage and no end",
            vec![Step::Say(b"\xff\xfe\0)(\r\n* \r\n*\r\n+\r\n\r\n* 9\r\n".to_vec()), Step::Stall],
            MailboxError::TimedOut,
        ),
        (
            "sends garbage and says OK",
            vec![Step::Say(
                b"\xff\xfe\0)(\r\n* 1 FETCH (((\r\n* 1 FETCH (UID \xff)\r\n{tag} OK\r\n".to_vec(),
            )],
            MailboxError::NotFound(NotFound::Message),
        ),
        (
            "names the message and says nothing of it",
            vec![Step::say("* 1 FETCH (UID 5 BODY[] NIL)\r\n{tag} OK\r\n")],
            MailboxError::Unreadable,
        ),
        ("hangs up within an answer", vec![Step::say(begun), Step::Close], lost.clone()),
        ("says goodbye", vec![Step::say("* BYE later\r\n"), Step::Close], lost),
    ];
    for (what, steps, expected) in cases {
        let script = Script::default().once("UID FETCH 5 (UID FLAGS INTERNALDATE", steps);
        let server = ScriptedImap::start(decent(script)).await?;
        let account = Account::with(settings(&server), "secret");
        let started = Instant::now();
        assert_eq!(account.message(&id(ID)).await.err(), Some(expected), "a server that {what}");
        assert!(started.elapsed() < Duration::from_secs(20), "{what}: bounded time");
        let message = account.message(&id(ID)).await;
        assert_eq!(message.unwrap().body.plain.as_deref(), Some("hello"), "after a server that {what}");
    }
    Ok(())
}

#[tokio::test]
async fn a_change_is_asked_for_once() -> Result<()> {
    let change = FlagChange { seen: Some(true), ..FlagChange::default() };
    let trash = Destination::Use(SpecialUse::Trash);
    for end in [vec![Step::Close], vec![Step::Stall], vec![Step::say("* BYE\r\n"), Step::Close]] {
        for command in ["APPEND", "UID STORE", "UID MOVE"] {
            let server = ScriptedImap::start(decent(Script::default().always(command, end.clone()))).await?;
            let account = Account::with(settings(&server), "secret");
            // The connection is a warm one, which for a read would be replaced.
            account.mailbox.check().await.unwrap();
            let outcome = match command {
                "APPEND" => account.mailbox.create_draft(&draft("a@x.test")).await.map(drop),
                "UID STORE" => account.mailbox.store_flags(&[id(ID)], &change).await,
                _ => account.mailbox.move_messages(&[id(ID)], &trash).await.map(drop),
            };
            assert_eq!(outcome, Err(MailboxError::OutcomeUnknown), "{command} then {end:?}");
            account.mailbox.check().await.unwrap();
            let asked = server.commands();
            assert_eq!(asked.iter().filter(|line| line.starts_with(command)).count(), 1, "{asked:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_draft_that_was_stored_somewhere_is_not_stored_again() -> Result<()> {
    // No APPENDUID, and the connection ends before the draft can be looked for.
    let script = Script::default().always("EXAMINE", vec![Step::Close]);
    let server = ScriptedImap::start(script).await?;
    let account = Account::with(settings(&server), "secret");
    let outcome = account.mailbox.create_draft(&draft("a@x.test")).await;
    assert_eq!(outcome.err(), Some(MailboxError::OutcomeUnknown));
    assert_eq!(server.commands().iter().filter(|line| line.starts_with("APPEND")).count(), 1);
    Ok(())
}

#[tokio::test]
async fn ok_is_not_taken_for_done() -> Result<()> {
    let ok = |data: &str| vec![Step::say(&format!("{data}{{tag}} OK done\r\n"))];
    let flags = "UID FETCH 5 (UID FLAGS)";
    let seen = FlagChange { seen: Some(true), ..FlagChange::default() };
    let flagged = FlagChange { flagged: Some(true), ..FlagChange::default() };
    let other = "* 3 FETCH (UID 9 FLAGS ())\r\n* 2 EXISTS\r\n";
    for (script, change, expected) in [
        // Kept nothing, said or unsaid.
        (
            Script::default().always("UID STORE", ok("* 1 FETCH (UID 5 FLAGS ())\r\n")),
            &seen,
            Err(MailboxError::Refused),
        ),
        (
            Script::default().always("UID STORE", ok("* 1 FETCH (UID 5 FLAGS (\\Seen))\r\n")),
            &flagged,
            Err(MailboxError::Refused),
        ),
        (
            Script::default().always(flags, ok("* 1 FETCH (UID 5 FLAGS ())\r\n")),
            &seen,
            Err(MailboxError::Refused),
        ),
        // Kept, and another client changed another message.
        (
            Script::default()
                .always("UID STORE", ok(&format!("{other}* 1 FETCH (UID 5 FLAGS (\\seen))\r\n"))),
            &seen,
            Ok(()),
        ),
        (
            Script::default()
                .always("UID STORE", ok(other))
                .always(flags, ok("* 1 FETCH (FLAGS (\\Seen) UID 5)\r\n")),
            &seen,
            Ok(()),
        ),
        // Gone since it was looked for.
        (Script::default().always(flags, ok("")), &seen, Err(MailboxError::NotFound(NotFound::Message))),
    ] {
        let server = ScriptedImap::start(decent(script)).await?;
        let account = Account::with(settings(&server), "secret");
        assert_eq!(account.mailbox.store_flags(&[id(ID)], change).await, expected, "{:?}", server.commands());
    }
    let trash = Destination::Use(SpecialUse::Trash);
    for (answer, there_after, expected) in [
        ("* OK [COPYUID 8 5 77]\r\n* 1 EXPUNGE\r\n", true, Ok(true)),
        ("* 1 EXPUNGE\r\n", false, Ok(false)),
        ("", true, Err(MailboxError::Refused)),
        ("", false, Err(MailboxError::NotFound(NotFound::Message))),
    ] {
        let there = Script::default().once("UID FETCH 5 (UID)", ok("* 1 FETCH (UID 5)\r\n"));
        let after = ok(if there_after { "* 1 FETCH (UID 5)\r\n" } else { "" });
        let script = there.always("UID MOVE", ok(answer)).always("UID FETCH 5 (UID)", after);
        let server = ScriptedImap::start(script).await?;
        let account = Account::with(settings(&server), "secret");
        let moved = account.mailbox.move_messages(&[id(ID)], &trash).await;
        assert_eq!(moved.map(|moved| moved[0].to.is_some()), expected, "{answer:?}");
    }
    // A copy that is not confirmed is followed by no removal.
    let script = Script::default()
        .always("CAPABILITY", ok("* CAPABILITY IMAP4rev1 AUTH=PLAIN UIDPLUS SPECIAL-USE\r\n"));
    let server = ScriptedImap::start(decent(script)).await?;
    let account = Account::with(settings(&server), "secret");
    let moved = account.mailbox.move_messages(&[id(ID)], &trash).await;
    assert!(matches!(moved, Err(MailboxError::PeerMisbehaved(_))), "{moved:?}");
    let asked = server.commands();
    assert!(!asked.iter().any(|line| line.contains("STORE") || line.contains("EXPUNGE")), "{asked:?}");
    Ok(())
}

#[tokio::test]
async fn a_folder_that_was_rebuilt_makes_every_id_stale_and_nothing_is_changed() -> Result<()> {
    let rebuilt = || vec![Step::say("* 1 EXISTS\r\n* OK [UIDVALIDITY 8] new\r\n{tag} OK done\r\n")];
    let script = Script::default().always("EXAMINE", rebuilt()).always("SELECT", rebuilt());
    let server = ScriptedImap::start(decent(script)).await?;
    let account = Account::with(settings(&server), "secret");
    let stale = Some(MailboxError::Stale);
    let window = Window::first(5, BUDGET);
    assert_eq!(account.message(&id(ID)).await.err(), stale);
    assert_eq!(account.thread(&id(ID), &window).await.err(), stale);
    assert_eq!(account.attachment(&id(ID), "1", 9).await.err(), stale);
    let change = FlagChange { seen: Some(true), ..FlagChange::default() };
    assert_eq!(account.mailbox.store_flags(&[id(ID)], &change).await.err(), stale);
    let trash = Destination::Use(SpecialUse::Trash);
    assert_eq!(account.mailbox.move_messages(&[id(ID)], &trash).await.err(), stale);
    let of_draft = id(DRAFT).as_draft();
    assert_eq!(account.mailbox.fetch_draft(&of_draft).await.err(), stale);
    assert_eq!(account.mailbox.remove_draft(&of_draft).await.err(), stale);
    assert_eq!(account.mailbox.trash_draft(&of_draft).await.err(), stale);
    assert_eq!(account.mailbox.ready(&of_draft).await.err(), stale);
    assert_eq!(account.mailbox.fetch_original(&id(ID), true).await.err(), stale);
    let inbox = FolderScope::Use(SpecialUse::Inbox);
    let next = |cursor: &str| Window { cursor: Some(Cursor(cursor.to_owned())), ..window.clone() };
    assert_eq!(account.list(&inbox, &next("7.5")).await.err(), Some(MailboxError::Cursor));
    let search = Search::everything(inbox);
    assert_eq!(account.search(&search, &next("s.1.SU5CT1g.7.5")).await.err(), Some(MailboxError::Cursor));
    let changes = ["APPEND", "UID STORE", "UID MOVE", "UID COPY", "UID EXPUNGE"];
    let asked = server.commands();
    assert!(!asked.iter().any(|line| changes.iter().any(|verb| line.starts_with(verb))), "{asked:?}");
    Ok(())
}

#[tokio::test]
async fn one_folder_that_ends_the_connection_is_named_and_the_others_answer() -> Result<()> {
    let script = Script::default()
        .always("EXAMINE \"Drafts\"", vec![Step::Close])
        .always("UID SEARCH", vec![Step::say("* SEARCH 5\r\n{tag} OK done\r\n")])
        .always(
            "UID FETCH 5 (UID INTERNALDATE)",
            vec![Step::say("* 1 FETCH (UID 5 INTERNALDATE \"17-Jul-2026 02:44:25 +0000\")\r\n{tag} OK\r\n")],
        );
    let server = ScriptedImap::start(decent(script)).await?;
    let account = Account::with(settings(&server), "secret");
    let found =
        account.search(&Search::everything(FolderScope::All), &Window::first(9, BUDGET)).await.unwrap();
    // INBOX and Sent; Trash is never searched with everything.
    assert_eq!((found.rows.len(), found.missing.len()), (2, 1), "{found:?}");
    assert!(found.rows.iter().all(|row| row.flags.has(Flag::Seen)));
    Ok(())
}

#[tokio::test]
async fn what_goes_away_between_two_answers_is_not_found() -> Result<()> {
    let gone = Some(MailboxError::NotFound(NotFound::Message));
    for end in ["{tag} OK done\r\n", "{tag} NO [EXPUNGEISSUED] gone\r\n"] {
        let nothing = || vec![Step::say(end)];
        let structure = r#"("application" "pdf" ("name" "a.pdf") NIL NIL "8bit" 9000000)"#;
        let head = vec![Step::say(&format!("{}{{tag}} OK done\r\n", head(structure)))];
        let mut piece = b"* 1 FETCH (UID 5 BODY[1]<0> {4194304}\r\n".to_vec();
        piece.extend(vec![b'x'; 4_194_304]);
        piece.extend(b")\r\n{tag} OK done\r\n");
        let script = Script::default()
            .always("UID FETCH 5 (UID FLAGS INTERNALDATE", head)
            .always("UID FETCH 5 (UID BODY.PEEK[1]<0.", vec![Step::Say(piece)])
            .always("UID FETCH 5 (UID BODY.PEEK[1]<4194304.", nothing());
        let server = ScriptedImap::start(script).await?;
        let account = Account::with(settings(&server), "secret");
        assert_eq!(account.attachment(&id(ID), "1", 30_000_000).await.err(), gone, "{end}");
        let script = Script::default().always("UID FETCH 5 (UID BODY.PEEK[1]", nothing());
        let server = ScriptedImap::start(decent(script)).await?;
        let account = Account::with(settings(&server), "secret");
        assert_eq!(account.message(&id(ID)).await.err(), gone, "{end}");
        assert_eq!(account.thread(&id(ID), &Window::first(5, BUDGET)).await.err(), gone, "{end}");
    }
    Ok(())
}
