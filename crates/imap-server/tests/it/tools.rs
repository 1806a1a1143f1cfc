//! Every tool through the binary, over TLS and STARTTLS; what it did is asked of the servers' own tools.

use std::fs;

use anyhow::Result;
use countersign_testkit::{
    mcp::{Elicit, Era, RawClient},
    services::{Put, User, mail},
};
use serde_json::{Value, json};

use crate::home::{Home, Wire, by_id, error, header, ok};

/// In the order of the list. Each is called in one of the tests below.
const TOOLS: [&str; 20] = [
    "list_accounts",
    "list_folders",
    "list_messages",
    "search_messages",
    "get_message",
    "get_thread",
    "get_attachment",
    "save_attachment",
    "create_draft",
    "reply_draft",
    "forward_draft",
    "delete_draft",
    "send_draft",
    "send_message",
    "reply_send",
    "forward_message",
    "modify_message",
    "move_message",
    "archive_message",
    "trash_message",
];

/// How many are listed where there is no directory to save attachments to.
pub(crate) const WITHOUT_SAVING: usize = TOOLS.len().saturating_sub(1);

const WIRES: [Wire; 2] = [Wire::Tls, Wire::StartTls];

/// A client of a server that may save attachments, over this wire.
async fn talk(user: &User<'_>, wire: Wire, era: Era) -> Result<(Home, RawClient)> {
    let home = Home::over(user, wire)?;
    let saved = home.path("saved");
    fs::create_dir(&saved)?;
    home.configure(&format!("[accounts.default]\nattachment_dir = '{}'\n", saved.display()))?;
    let client = home.serve(era, Elicit::Accept).await?;
    Ok((home, client))
}

fn message(subject: &str, id: &str, more: &str) -> Vec<u8> {
    format!(
        "From: Jo Field <jo@sender.test>\r\nTo: me@mail.test, Third <third@other.test>\r\nSubject: {subject}\r\n\
         Message-ID: <{id}@sender.test>\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\n{more}\r\nText of {subject}.\r\n"
    )
    .into_bytes()
}

fn with_attachment(subject: &str, id: &str) -> Vec<u8> {
    let head = message(subject, id, "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n");
    let head = String::from_utf8_lossy(&head).replace("\r\nText of", "\r\n--b\r\n\r\nText of");
    format!(
        "{head}--b\r\nContent-Type: text/plain; charset=utf-8; name=\"notes.txt\"\r\n\
         Content-Disposition: attachment; filename=\"notes.txt\"\r\nContent-Transfer-Encoding: base64\r\n\r\n\
         bGluZSBvbmUKbGluZSB0d28K\r\n--b--\r\n"
    )
    .into_bytes()
}

/// The rows of a list by their subjects.
fn row<'v>(rows: &'v Value, subject: &str) -> &'v Value {
    let found = rows.as_array().and_then(|rows| rows.iter().find(|row| row["subject"] == subject));
    found.unwrap_or_else(|| panic!("no {subject:?} in {rows}"))
}

/// The flags of the messages of a folder, by subject.
fn flags(user: &User<'_>, folder: &str, subject: &str) -> Result<Vec<String>> {
    let stored = user.messages(folder)?;
    let found = stored.iter().find(|stored| header(&stored.raw, "Subject").as_deref() == Some(subject));
    let mut flags = found.unwrap_or_else(|| panic!("no {subject:?} in {folder}")).flags.clone();
    flags.sort();
    Ok(flags)
}

/// The subjects in a folder, sorted.
fn subjects(user: &User<'_>, folder: &str) -> Result<Vec<String>> {
    let stored = user.messages(folder)?;
    let mut subjects: Vec<String> =
        stored.iter().filter_map(|stored| header(&stored.raw, "Subject")).collect();
    subjects.sort();
    Ok(subjects)
}

#[tokio::test]
async fn mail_is_found_read_and_saved_and_stays_unread() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for (wire, era) in WIRES.into_iter().zip([Era::June2025, Era::Modern]) {
        let user = mail.user("reading")?;
        user.create_folder("Účty & \"smlouvy\"")?;
        user.put("Sent", &message("Offer", "m1", ""), &Put::at(1_772_445_600))?;
        user.put(
            "INBOX",
            &message("Re: Offer", "m2", "In-Reply-To: <m1@sender.test>\r\nReferences: <m1@sender.test>\r\n"),
            &Put::at(1_772_445_700),
        )?;
        user.put("INBOX", &with_attachment("Minutes", "m3"), &Put::at(1_772_445_800))?;
        user.put("INBOX", &message("Third", "m4", ""), &Put::at(1_772_445_900))?;
        user.put("Účty & \"smlouvy\"", &message("Invoice", "m5", ""), &Put::at(1_772_446_000))?;

        let (home, client) = talk(&user, wire, era).await?;
        let names: Vec<Value> = client.tools().await?.iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(names, TOOLS);

        let accounts = ok(&client, "list_accounts", json!({})).await?;
        assert_eq!(accounts.str_at("/accounts/0/address")?, user.address);
        assert_eq!(accounts.at("/accounts/0/usable")?, true);

        let folders = ok(&client, "list_folders", json!({})).await?;
        let listed = folders.at("/folders")?.as_array().unwrap();
        let mut names: Vec<&str> = listed.iter().filter_map(|folder| folder["name"].as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, user.folders()?);
        let special = listed.iter().find(|folder| folder["name"] == "Účty & \"smlouvy\"").unwrap();

        let first = ok(&client, "list_messages", json!({ "limit": 2 })).await?;
        assert_eq!((first.str_at("/messages/0/subject")?, first.at("/total")?), ("Third", &json!(3)));
        let cursor = first.str_at("/next_cursor")?;
        let rest = ok(&client, "list_messages", json!({ "limit": 2, "cursor": cursor })).await?;
        assert_eq!(rest.str_at("/messages/0/subject")?, "Re: Offer");
        assert_eq!(rest.at("/messages/0/unread")?, true);
        assert!(rest.at("/messages/1").is_err() && rest.at("/next_cursor").is_err());
        let there = ok(&client, "list_messages", json!({ "folder": special["id"] })).await?;
        assert_eq!(there.str_at("/messages/0/subject")?, "Invoice");

        let found = ok(&client, "search_messages", json!({ "text": "Text of Invoice" })).await?;
        assert_eq!(found.at("/messages")?.as_array().map(Vec::len), Some(1));
        let found = ok(&client, "search_messages", json!({ "from": "jo", "has_attachment": true })).await?;
        let minutes = row(found.at("/messages")?, "Minutes")["id"].clone();
        assert_eq!(found.at("/messages")?.as_array().map(Vec::len), Some(1));

        let read = ok(&client, "get_message", json!({ "message": minutes })).await?;
        assert!(read.text.contains("Text of Minutes.") && read.text.contains("notes.txt"), "{}", read.text);
        let reply = rest.str_at("/messages/0/id")?;
        let thread = ok(&client, "get_thread", json!({ "message": reply })).await?;
        assert!(
            thread.text.contains("Text of Offer.") && thread.text.contains("Text of Re: Offer."),
            "{}",
            thread.text
        );

        let which = json!({ "message": minutes, "attachment": "2" });
        let shown = ok(&client, "get_attachment", which.clone()).await?;
        assert!(shown.text.contains("line one\nline two"), "{}", shown.text);
        let saved = ok(&client, "save_attachment", which).await?;
        let path = std::path::PathBuf::from(saved.str_at("/path")?);
        assert_eq!(fs::read(&path)?, b"line one\nline two\n");
        assert!(path.starts_with(home.path("saved").canonicalize()?), "{path:?}");

        for folder in ["INBOX", "Sent", "Účty & \"smlouvy\""] {
            assert!(user.messages(folder)?.iter().all(|stored| stored.flags.is_empty()), "{folder}");
        }
        client.clean()?;
    }
    Ok(())
}

#[tokio::test]
async fn mail_is_marked_moved_archived_and_trashed() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for (wire, era) in WIRES.into_iter().zip([Era::November2025, Era::June2025]) {
        let user = mail.user("sorting")?;
        user.create_folder("Projects/Žižkov & co")?;
        for (number, subject) in ["Keep", "Move", "Archive", "Trash", "Mark"].iter().enumerate() {
            user.put("INBOX", &message(subject, &format!("s{number}"), ""), &Put::default())?;
        }
        // Another client wants it gone; that is no business of this server's.
        user.put("INBOX", &message("Marked", "s9", ""), &Put { flags: &["\\Deleted"], ..Put::default() })?;
        let (_home, client) = talk(&user, wire, era).await?;
        let list = ok(&client, "list_messages", json!({})).await?;
        let id = |subject: &str| row(list.at("/messages").unwrap(), subject)["id"].clone();

        let change =
            json!({ "messages": [id("Mark")], "read": true, "flagged": true, "add_keywords": ["todo"] });
        let changed = ok(&client, "modify_message", change).await?;
        assert_eq!(changed.at("/changed")?, 1);
        assert_eq!(flags(&user, "INBOX", "Mark")?, ["\\Flagged", "\\Seen", "todo"]);
        let back = json!({ "messages": [id("Mark")], "read": false, "remove_keywords": ["todo"] });
        ok(&client, "modify_message", back).await?;
        assert_eq!(flags(&user, "INBOX", "Mark")?, ["\\Flagged"]);

        let folders = ok(&client, "list_folders", json!({})).await?;
        let folders = folders.at("/folders")?.as_array().unwrap();
        let target = folders.iter().find(|folder| folder["name"] == "Projects/Žižkov & co").unwrap();
        let asked = json!({ "messages": [id("Move")], "folder": target["id"] });
        let moved = ok(&client, "move_message", asked).await?;
        let now = moved.str_at("/moved/0/now")?;
        let read = ok(&client, "get_message", json!({ "message": now })).await?;
        assert!(read.text.contains("Text of Move."), "{}", read.text);
        assert_eq!(subjects(&user, "Projects/Žižkov & co")?, ["Move"]);
        ok(&client, "archive_message", json!({ "messages": [id("Archive")] })).await?;
        assert_eq!(subjects(&user, "Archive")?, ["Archive"]);
        ok(&client, "trash_message", json!({ "messages": [id("Trash")] })).await?;
        assert_eq!(subjects(&user, "Trash")?, ["Trash"]);

        for folder in ["sent", "drafts"] {
            let asked = json!({ "messages": [id("Keep")], "folder": folder });
            assert!(error(&client, "move_message", asked).await?.starts_with("Nothing was done."));
        }
        assert_eq!(subjects(&user, "INBOX")?, ["Keep", "Mark", "Marked"]);
        assert_eq!(flags(&user, "INBOX", "Marked")?, ["\\Deleted"]);
        client.clean()?;
    }
    Ok(())
}

#[tokio::test]
async fn drafts_are_written_answered_forwarded_and_removed() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for (wire, era) in WIRES.into_iter().zip([Era::Modern, Era::November2025]) {
        let user = mail.user("drafting")?;
        let references = "References: <root@sender.test>\r\n";
        user.put("INBOX", &message("Question", "d1", references), &Put::at(1_772_445_600))?;
        user.put("INBOX", &with_attachment("Minutes", "d2"), &Put::at(1_772_445_700))?;
        user.put("Drafts", &message("Their own", "d3", ""), &Put { flags: &["\\Draft"], ..Put::default() })?;
        let (_home, client) = talk(&user, wire, era).await?;
        let list = ok(&client, "list_messages", json!({})).await?;
        let id = |subject: &str| row(list.at("/messages").unwrap(), subject)["id"].clone();

        let new = json!({
            "to": ["Žofie <zofie@other.test>"], "bcc": ["hidden@other.test"], "subject": "Pozvánka", "text": "Ahoj.",
        });
        let written = ok(&client, "create_draft", new).await?;
        let stored = user.messages("Drafts")?.pop().unwrap();
        assert_eq!(header(&stored.raw, "Bcc").as_deref(), Some("<hidden@other.test>"));
        assert!(header(&stored.raw, "From").unwrap().contains(&format!("<{}>", user.address)));
        assert!(stored.flags.contains(&"\\Draft".to_owned()), "{stored:?}");

        let answer = json!({ "message": id("Question"), "text": "Yes.", "all": true });
        let answered = ok(&client, "reply_draft", answer).await?;
        assert_eq!(answered.str_at("/subject")?, "Re: Question");
        let reply = user.messages("Drafts")?.pop().unwrap().raw;
        assert_eq!(header(&reply, "In-Reply-To").as_deref(), Some("<d1@sender.test>"));
        assert_eq!(header(&reply, "References").as_deref(), Some("<root@sender.test> <d1@sender.test>"));
        assert!(header(&reply, "To").unwrap().contains("<jo@sender.test>"));
        let everyone = format!("{:?} {:?}", header(&reply, "To"), header(&reply, "Cc"));
        assert!(everyone.contains("third@other.test"), "{everyone}");

        let pass_on = json!({ "message": id("Minutes"), "to": ["else@other.test"], "text": "For you." });
        let passed_on = ok(&client, "forward_draft", pass_on).await?;
        assert_eq!(passed_on.str_at("/attachments/0")?, "notes.txt");
        let forward = String::from_utf8(user.messages("Drafts")?.pop().unwrap().raw)?;
        assert!(forward.contains("notes.txt") && forward.contains("Text of Minutes."), "{forward}");
        assert!(forward.contains("bGluZSBvbmUKbGluZSB0d28K"), "the attachment goes along: {forward}");

        for own in [written.str_at("/draft")?, passed_on.str_at("/draft")?] {
            let gone = ok(&client, "delete_draft", by_id(own)).await?;
            assert_eq!(gone.str_at("/outcome")?, "removed");
        }
        let drafts = ok(&client, "list_messages", json!({ "folder": "drafts" })).await?;
        let theirs = row(drafts.at("/messages")?, "Their own")["id"].as_str().unwrap().to_owned();
        let gone = ok(&client, "delete_draft", by_id(&theirs)).await?;
        assert_eq!(gone.str_at("/outcome")?, "trashed");
        assert_eq!(subjects(&user, "Drafts")?, ["Re: Question"]);
        assert_eq!(subjects(&user, "Trash")?, ["Their own"]);
        assert_eq!(user.count("INBOX")?, 2);
        client.clean()?;
    }
    Ok(())
}

#[tokio::test]
async fn a_confirmed_draft_is_delivered_once_and_filed_once() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for wire in WIRES {
        for era in Era::ALL {
            let user = mail.user("sending")?;
            let people = [mail.user("to")?, mail.user("cc")?, mail.user("bcc")?];
            let [to, cc, bcc] = people.each_ref().map(|person| person.address.as_str());
            let (_home, client) = talk(&user, wire, era).await?;
            let arguments = json!({
                "to": [format!("Příjemce <{to}>")], "cc": [cc], "bcc": [bcc], "subject": "Čtvrtek v deset",
                "text": "Platí.\n.\nFrom here on.\n..two dots",
            });
            let stored = ok(&client, "create_draft", arguments).await?;
            let draft = user.messages("Drafts")?.pop().unwrap().raw;
            let id = header(&draft, "Message-ID").unwrap();
            let id = id.trim_matches(['<', '>']);

            let sent = ok(&client, "send_draft", by_id(stored.str_at("/draft")?)).await?;
            let outcome = sent.structured.unwrap();
            assert_eq!((&outcome["sent"], &outcome["outcome"]), (&json!(true), &json!("sent")), "{outcome}");
            assert_eq!((&outcome["sent_copy"], &outcome["draft_now"]), (&json!("filed"), &json!("removed")));
            let [asked] = client.asked().try_into().unwrap();
            for shown in [to, cc, bcc, user.address.as_str(), "Čtvrtek v deset", "Platí."] {
                assert!(asked.message.contains(shown), "{shown} in {}", asked.message);
            }

            for person in &people {
                let [got] = person.wait_received(1)?.try_into().unwrap();
                assert_eq!((&got.envelope_from, &got.envelope_to), (&user.address, &person.address));
                let wire = String::from_utf8(got.on_the_wire)?;
                assert!(header(wire.as_bytes(), "Bcc").is_none() && !wire.contains(bcc), "{wire}");
                assert_eq!(
                    header(wire.as_bytes(), "Message-ID").as_deref(),
                    Some(format!("<{id}>").as_str())
                );
                let [delivery] = mail.wait_deliveries(&person.address, 1)?.try_into().unwrap();
                assert_eq!((delivery.status.as_str(), &delivery.sender), ("sent", &user.address));
            }
            assert_eq!(mail.accepted(id)?, 1);
            let [copy] = user.messages("Sent")?.try_into().unwrap();
            assert_eq!(header(&copy.raw, "Bcc"), Some(format!("<{bcc}>")));
            assert_eq!(header(&copy.raw, "Message-ID"), Some(format!("<{id}>")));
            assert_eq!(copy.flags, ["\\Seen"]);
            assert_eq!(user.count("Drafts")?, 0);
            client.clean()?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn new_mail_answers_and_forwards_go_out_in_one_confirmed_call() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for (wire, era) in WIRES.into_iter().zip([Era::Modern, Era::November2025]) {
        let (user, other) = (mail.user("direct")?, mail.user("other")?);
        let question = String::from_utf8(with_attachment("Question", "q1"))?;
        let question = question.replace("jo@sender.test", &other.address);
        user.put("INBOX", question.as_bytes(), &Put::default())?;
        let (_home, client) = talk(&user, wire, era).await?;
        let list = ok(&client, "list_messages", json!({})).await?;
        let id = list.at("/messages/0/id")?;
        let calls = [
            ("send_message", json!({ "to": [other.address], "subject": "New", "text": "Hello." }), "New"),
            ("reply_send", json!({ "message": id, "text": "Yes." }), "Re: Question"),
            (
                "forward_message",
                json!({ "message": id, "to": [other.address], "original_attachments": false }),
                "Fwd: Question",
            ),
        ];
        let mut wanted = Vec::new();
        for (tool, arguments, subject) in calls {
            // Declined, the message waits in Drafts; confirmed, it goes.
            client.elicit(Elicit::Decline);
            let declined = ok(&client, tool, arguments.clone()).await?;
            assert_eq!(declined.at("/sent")?, false, "{tool}: {}", declined.text);
            assert!(declined.text.contains("The draft stays in Drafts"), "{tool}: {}", declined.text);
            let waiting = user.count("Drafts")?;
            assert!(waiting > 0, "{tool}");
            client.elicit(Elicit::Accept);
            let sent = ok(&client, tool, arguments).await?;
            assert_eq!(sent.at("/sent")?, true, "{tool}: {}", sent.text);
            wanted.push(subject.to_owned());
            assert_eq!(other.wait_received(wanted.len())?.len(), wanted.len(), "{tool}");
        }
        wanted.sort();
        assert_eq!(subjects(&user, "Sent")?, wanted);
        assert_eq!(subjects(&other, "INBOX")?, wanted);
        client.clean()?;
    }
    Ok(())
}
