//! Forms of answers that other clients stumbled over, told by a scripted server: each is understood, or costs the message that
//! it is about and nothing else.

use anyhow::Result;
use countersign_core::model::{FolderScope, MessageRef, SpecialUse, Window};
use countersign_testkit::services::scripted_imap::{Script, ScriptedImap, Step};

use crate::{
    account::{Account, BUDGET},
    bad_manners::{head, settings},
};

const ID: &str = "SU5CT1g.7.5";
const PLAIN: &str = r#"("text" "plain" ("charset" "utf-8") NIL NIL "7bit" 7 1)"#;
const TEXT: &str = "* 1 FETCH (UID 5 BODY[1]<0> {7}\r\nhello\r\n)\r\n{tag} OK done\r\n";
const WHOLE: &str = "Subject: here\r\n\r\nhello\r\n";

fn ended(answer: &str) -> String {
    format!("{answer}{{tag}} OK done\r\n")
}

async fn account(script: Script) -> Result<(Account, ScriptedImap)> {
    let server = ScriptedImap::start(script).await?;
    Ok((Account::with(settings(&server), "secret"), server))
}

#[tokio::test]
async fn a_message_is_read_however_it_is_told() -> Result<()> {
    let header = "Subject: here\r\n\r\n";
    let size = header.len();
    let (id, fields) = ("UID 5 FLAGS ()", "BODY[HEADER.FIELDS (SUBJECT)]<0>");
    let forms = [
        ("as it should be", ended(&head(PLAIN))),
        (
            "a space before the end",
            ended(&format!("* 1 FETCH ({id} BODYSTRUCTURE {PLAIN} {fields} {{{size}}}\r\n{header} )\r\n")),
        ),
        (
            "in lower case",
            ended(&format!(
                "* 1 fetch (uid 5 flags () bodystructure {PLAIN} body[header.fields (subject)]<0> {{{size}}}\r\n{header})\r\n"
            )),
        ),
        (
            "items after the literal",
            ended(&format!("* 1 FETCH ({fields} {{{size}}}\r\n{header} BODYSTRUCTURE {PLAIN} {id})\r\n")),
        ),
        (
            "two literals in one",
            ended(&format!(
                "* 1 FETCH (UID {{1}}\r\n5 {fields} {{{size}}}\r\n{header} BODYSTRUCTURE {PLAIN})\r\n"
            )),
        ),
        (
            "in two answers",
            ended(&format!(
                "* 1 FETCH ({id} BODYSTRUCTURE {PLAIN})\r\n* 1 FETCH (UID 5 {fields} {{{size}}}\r\n{header})\r\n"
            )),
        ),
        (
            "a header without its range",
            ended(&format!(
                "* 1 FETCH ({id} BODYSTRUCTURE {PLAIN} BODY[HEADER.FIELDS (\"SUBJECT\")] {{{size}}}\r\n{header})\r\n"
            )),
        ),
        (
            "a quoted header",
            ended(&format!("* 1 FETCH ({id} BODYSTRUCTURE {PLAIN} {fields} \"Subject: here\")\r\n")),
        ),
        (
            "other news between",
            ended(&format!(
                "* OK [ALERT] {{3}}\r\n* 9 EXISTS\r\n* 4 EXPUNGE\r\n* 2 FETCH (FLAGS (\\Seen))\r\n* NO low on room\r\n{}* 8 RECENT\r\n* FLAGS (\\Seen)\r\n",
                head(PLAIN)
            )),
        ),
        ("no line count", ended(&head(r#"("text" "plain" NIL NIL NIL "7bit" 7)"#))),
        ("NIL for the encoding", ended(&head(r#"("TEXT" "PLAIN" NIL NIL NIL NIL 7 1)"#))),
        ("one part in a multipart", ended(&head(&format!("({PLAIN} \"mixed\")")))),
        (
            "8-bit parameters",
            ended(&head(r#"("text" "plain" ("x-name" "grüße") NIL NIL "7bit" 7 1 NIL NIL NIL NIL)"#)),
        ),
        ("a multipart without parts", ended(&head(r#"("mixed" ("boundary" "b") NIL NIL)"#))),
        ("no structure", ended(&head("NIL"))),
        ("a structure that ends early", ended(&head(r#"("text" "plain")"#))),
        ("structure refused", "{tag} NO can't\r\n".to_owned()),
        ("structure not understood", "{tag} BAD what\r\n".to_owned()),
    ];
    for (what, form) in forms {
        let whole =
            format!("* 1 FETCH (UID 5 BODY[]<0> {{{}}}\r\n{WHOLE})\r\n{{tag}} OK done\r\n", WHOLE.len());
        let without = head("NIL").replace("BODYSTRUCTURE NIL ", "");
        let script = Script::default()
            .always("UID FETCH 5 (UID FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE", vec![Step::say(&form)])
            .always(
                "UID FETCH 5 (UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK",
                vec![Step::say(&ended(&without))],
            )
            .always(
                "UID FETCH 5 (UID RFC822.SIZE)",
                vec![Step::say("* 1 FETCH (UID 5 RFC822.SIZE 24)\r\n{tag} OK\r\n")],
            )
            .always("UID FETCH 5 (UID BODY.PEEK[]", vec![Step::say(&whole)])
            .always("UID FETCH 5 (UID BODY.PEEK[1]", vec![Step::say(TEXT)]);
        let (account, _server) = account(script).await?;
        let message = account.message(&MessageRef::parse(ID).unwrap()).await;
        let message = message.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(message.row.headers.subject, "here", "{what}");
        assert_eq!(message.body.plain.as_deref(), Some("hello"), "{what}");
    }
    Ok(())
}

#[tokio::test]
async fn one_message_that_makes_no_sense_hides_no_other() -> Result<()> {
    let other = head(PLAIN).replace("UID 5", "UID 6").replace("* 1", "* 2").replace("here", "also");
    for odd in [
        "* 1 FETCH (UID 5 FLAGS (\\Seen) BODY[HEADER.FIELDS (SUBJECT)] NIL)\r\n",
        "* 1 FETCH (\"\r\n",
        "\u{fffd}\r\n",
    ] {
        let opened = Step::say("* 2 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n{tag} OK done\r\n");
        let script = Script::default()
            .always("EXAMINE", vec![opened])
            .always("FETCH 1:2", vec![Step::say(&ended(&format!("{odd}{other}")))]);
        let (account, _server) = account(script).await?;
        let page =
            account.list(&FolderScope::Use(SpecialUse::Inbox), &Window::first(5, BUDGET)).await.unwrap();
        assert_eq!((page.rows.len(), page.unreadable), (1, 1), "{odd:?}");
        assert_eq!(page.rows[0].headers.subject, "also");
    }
    // One that has gone since the folder was opened is not unreadable, and the rest is there, also after a NO.
    for end in ["{tag} OK done\r\n", "{tag} NO [EXPUNGEISSUED] some are gone\r\n"] {
        let opened = Step::say("* 2 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n{tag} OK done\r\n");
        let script = Script::default()
            .always("EXAMINE", vec![opened])
            .always("FETCH 1:2", vec![Step::say(&format!("{other}{end}"))]);
        let (account, _server) = account(script).await?;
        let page =
            account.list(&FolderScope::Use(SpecialUse::Inbox), &Window::first(5, BUDGET)).await.unwrap();
        assert_eq!((page.rows.len(), page.unreadable), (1, 0), "{end:?}");
    }
    Ok(())
}

#[tokio::test]
async fn folders_are_read_however_they_are_told() -> Result<()> {
    let list = "* list (\\hasnochildren) \"/\" inbox\r\n\
                * LIST (\\Drafts) \"/\" \"Entw&APw-rfe\"\r\n\
                * LIST () \"/\" {9}\r\nA \"b\" {5}\r\n\
                * LIST (\\HasNoChildren) \".\" Shared.Team.a/b\r\n\
                * LIST () NIL flat\r\n\
                * LIST (\\Noselect) \"/\" \"\"\r\n\
                * LIST () \"/\" \"a\\\\b\\\"c\"\r\n\
                * LIST broken\r\n\
                * LIST (\\NoSelect) \"/\" Parent\r\n\
                * STATUS {9}\r\nA \"b\" {5} (MESSAGES 3 UNSEEN 2)\r\n";
    let script = Script::default().always("LIST", vec![Step::say(&ended(list))]);
    let (account, _server) = account(script).await?;
    let folders = account.folders().await;
    let names: Vec<&str> = folders.iter().map(|folder| folder.name.as_str()).collect();
    assert_eq!(names, ["INBOX", "Entwürfe", "A \"b\" {5}", "Shared/Team/a/b", "flat", "a\\b\"c", "Parent"]);
    assert_eq!(folders[1].special_use, Some(SpecialUse::Drafts));
    assert_eq!((folders[2].total, folders[2].unread), (Some(3), Some(2)));
    assert_eq!(
        folders.iter().map(|folder| folder.selectable).collect::<Vec<_>>(),
        [true, true, true, true, true, true, false]
    );
    Ok(())
}

#[tokio::test]
async fn what_is_announced_and_refused_is_done_without() -> Result<()> {
    let capabilities = "* CAPABILITY  IMAP4rev1 auth=plain  Special-Use LIST-STATUS  LITERAL+ \r\n";
    let script = Script::default()
        .always("CAPABILITY", vec![Step::say(&ended(capabilities))])
        .always("LIST \"\" \"*\" RETURN", vec![Step::say("{tag} BAD no such thing\r\n")])
        .always(
            "LIST",
            vec![Step::say(&ended(
                "* LIST () \"/\" INBOX\r\n* LIST () \"/\" Sent\r\n* LIST () \"/\" Koncepty\r\n",
            ))],
        )
        .always("STATUS", vec![Step::say("{tag} NO\r\n")]);
    let (account, server) = account(script).await?;
    let folders = account.folders().await;
    let uses: Vec<_> = folders.iter().map(|folder| folder.special_use).collect();
    assert_eq!(uses, [Some(SpecialUse::Inbox), Some(SpecialUse::Sent), Some(SpecialUse::Drafts)]);
    assert!(server.commands().iter().any(|line| line.starts_with("AUTHENTICATE PLAIN")));
    Ok(())
}
