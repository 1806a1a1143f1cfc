//! Draft and send in one call, through the binary: each tool with an attachment, which is found byte for byte in what Postfix
//! delivered.

use std::fs;

use anyhow::Result;
use countersign_core::compose::mime::parse;
use countersign_testkit::{
    mcp::{Elicit, Era, RawClient},
    services::{Put, User, mail},
};
use serde_json::{Value, json};

use crate::home::{Home, header, ok};

/// Bytes that a careless transport would change.
const BYTES: &[u8] = b"%PDF-1.7\r\n\n.\r\n..\r\n\0\xff\x1a From here on\r";

const ORIGINAL: &[u8] = b"From: Jo <jo@sender.test>\r\nTo: me@mail.test\r\nSubject: Question\r\n\
    Message-ID: <q1@sender.test>\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nText of the question.\r\n--b\r\n\
    Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"raw.bin\"\r\n\
    Content-Transfer-Encoding: base64\r\n\r\nAP8NCg0KAC4NCg==\r\n--b--\r\n";

/// What `raw.bin` holds.
const RAW: &[u8] = b"\0\xff\r\n\r\n\0.\r\n";

/// A client of an owner who lets files of `outbox` be attached and to whom everybody here is known.
async fn talk(user: &User<'_>, era: Era) -> Result<(Home, RawClient)> {
    let home = Home::of(user)?;
    let outbox = home.path("outbox");
    fs::create_dir(&outbox)?;
    fs::write(outbox.join("smlouva č. 7.pdf"), BYTES)?;
    let allowed = format!("attachment_dirs = ['{}']", outbox.display());
    home.configure(&format!("[accounts.default]\nknown = ['mail.test']\n{allowed}\n"))?;
    let client = home.serve(era, Elicit::Accept).await?;
    Ok((home, client))
}

/// Calls a tool that sends to `person`, and returns what came there.
async fn delivered(client: &RawClient, person: &User<'_>, tool: &str, arguments: Value) -> Result<Vec<u8>> {
    let before = person.received()?.len();
    let sent = ok(client, tool, arguments).await?;
    assert_eq!((sent.at("/sent")?, sent.str_at("/draft_now")?), (&json!(true), "removed"), "{}", sent.text);
    Ok(person.wait_received(before.saturating_add(1))?.pop().map(|got| got.on_the_wire).unwrap_or_default())
}

fn names_and_bytes(wire: &[u8]) -> Vec<(String, Vec<u8>)> {
    let parts = parse(wire).attachments.into_iter();
    parts.map(|part| (part.info.name.unwrap_or_default(), part.bytes)).collect()
}

fn file() -> (String, Vec<u8>) {
    ("smlouva č. 7.pdf".to_owned(), BYTES.to_vec())
}

fn raw() -> (String, Vec<u8>) {
    ("raw.bin".to_owned(), RAW.to_vec())
}

#[tokio::test]
async fn each_tool_sends_its_attachments_as_they_are() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for era in Era::ALL {
        let (user, person) = (mail.user("author")?, mail.user("reader")?);
        let original = String::from_utf8_lossy(ORIGINAL).replace("jo@sender.test", &person.address);
        user.put("INBOX", original.as_bytes(), &Put::default())?;
        let (_home, client) = talk(&user, era).await?;
        let found = ok(&client, "list_messages", json!({})).await?;
        let message = found.str_at("/messages/0/id")?;
        let path = json!({ "path": "smlouva č. 7.pdf" });

        let new = json!({
            "to": [person.address], "subject": "Smlouva", "text": "Posílám.",
            "attachments": [path, { "name": "a.txt", "text": "řádek\n.\n" }],
        });
        let wire = delivered(&client, &person, "send_message", new).await?;
        let text = ("a.txt".to_owned(), "řádek\n.\n".as_bytes().to_vec());
        assert_eq!(names_and_bytes(&wire), [file(), text]);

        let answer = json!({
            "message": message, "text": "Yes.",
            "attachments": [{ "message": message, "attachment": "2" }, path],
        });
        let wire = delivered(&client, &person, "reply_send", answer).await?;
        assert_eq!(names_and_bytes(&wire), [raw(), file()]);
        assert_eq!(header(&wire, "In-Reply-To").as_deref(), Some("<q1@sender.test>"));

        let pass_on = json!({ "message": message, "to": [person.address], "attachments": [path] });
        let wire = delivered(&client, &person, "forward_message", pass_on).await?;
        assert_eq!(names_and_bytes(&wire), [raw(), file()]);

        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (0, 3));
        let asked = client.asked();
        assert_eq!(asked.len(), 3);
        assert!(asked.iter().all(|asked| asked.message.contains("smlouva č. 7.pdf")));
        client.clean()?;
    }
    Ok(())
}

#[tokio::test]
async fn a_no_leaves_the_draft_and_the_same_call_finds_it() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for era in Era::ALL {
        let (user, person) = (mail.user("author")?, mail.user("reader")?);
        let (_home, client) = talk(&user, era).await?;
        let new = json!({
            "to": [person.address], "subject": "Smlouva", "text": "Posílám.",
            "attachments": [{ "path": "smlouva č. 7.pdf" }],
        });
        client.elicit(Elicit::Decline);
        let declined = ok(&client, "send_message", new.clone()).await?;
        assert_eq!(declined.at("/sent")?, false);
        assert_eq!((user.count("Drafts")?, person.received()?.len()), (1, 0));
        client.elicit(Elicit::Accept);
        let wire = delivered(&client, &person, "send_message", new).await?;
        assert_eq!(names_and_bytes(&wire), [file()]);
        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (0, 1));
        client.clean()?;
    }
    Ok(())
}
