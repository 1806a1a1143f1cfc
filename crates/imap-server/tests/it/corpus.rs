//! Real mail and hostile mail, stored in a real Dovecot and read through every way that leads to a result.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::Result;
use countersign_core::model::{
    Address, FolderScope, Headers, Message, MessageRow, Search, SpecialUse, Window,
};
use countersign_testkit::{
    corpus::{self, Case},
    services::{Put, User, mail},
};
use serde_json::Value;

use crate::account::{Account, BUDGET};

/// Puts a message under a UID of its own and returns the row of each by UID.
fn put(user: &User<'_>, raw: &[u8]) -> Result<u32> {
    user.put("INBOX", raw, &Put::default())
}

async fn rows(account: &Account) -> BTreeMap<u32, MessageRow> {
    let scope = FolderScope::Use(SpecialUse::Inbox);
    let listing = account.list(&scope, &Window::first(200, BUDGET)).await.unwrap();
    assert_eq!((listing.unreadable, listing.next), (0, None));
    listing.rows.into_iter().map(|row| (uid(&row), row)).collect()
}

fn uid(row: &MessageRow) -> u32 {
    row.id.as_str().rsplit('.').next().unwrap().parse().unwrap()
}

fn shown(address: &Address) -> String {
    match &address.display_name {
        Some(name) => format!("{name} <{}>", address.addr_spec),
        None => address.addr_spec.clone(),
    }
}

fn check_headers(case: &Case, headers: &Headers, way: &str, failures: &mut Vec<String>) {
    let from: Vec<String> = headers.from.iter().map(shown).collect();
    if headers.subject != case.subject || from != [case.from] {
        failures.push(format!("{} by {way}: {:?} from {from:?} ({})", case.name, headers.subject, case.why));
    }
}

fn check_message(case: &Case, message: &Message, way: &str, failures: &mut Vec<String>) {
    check_headers(case, &message.row.headers, way, failures);
    let text = message.body.plain.as_deref().unwrap_or_default();
    for piece in &case.text_contains {
        if !text.contains(piece) {
            failures.push(format!("{} by {way}: no {piece:?} in {text:?} ({})", case.name, case.why));
        }
    }
    let names: Vec<&str> = message.attachments.iter().map(|a| a.name.as_deref().unwrap_or("-")).collect();
    if names != case.attachments {
        failures.push(format!("{} by {way}: attachments {names:?} ({})", case.name, case.why));
    }
}

#[tokio::test]
async fn the_whole_corpus_reads_as_it_was_meant() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("corpus")?;
    let mut cases = BTreeMap::new();
    for case in corpus::all() {
        cases.insert(put(&user, &case.raw)?, case);
    }
    let account = Account::of(&user);
    let mut failures = Vec::new();
    let rows = rows(&account).await;
    assert_eq!(rows.len(), cases.len());
    let everything = Search::everything(FolderScope::Use(SpecialUse::Inbox));
    let found = account.search(&everything, &Window::first(200, BUDGET)).await.unwrap();
    assert_eq!(found.rows.len(), cases.len());
    for row in &found.rows {
        check_headers(&cases[&uid(row)], &row.headers, "search", &mut failures);
    }
    for (uid, case) in &cases {
        let row = &rows[uid];
        check_headers(case, &row.headers, "list", &mut failures);
        if row.has_attachments.is_some_and(|has| has != (case.attachments.iter().any(|n| *n != "logo.png"))) {
            failures.push(format!("{} by list: attachments {:?}", case.name, row.has_attachments));
        }
        let message = account.message(&row.id).await.unwrap();
        check_message(case, &message, "message", &mut failures);
        let thread = account.thread(&row.id, &Window::first(5, BUDGET)).await.unwrap();
        assert_eq!(thread.messages.len(), 1, "{}", case.name);
        check_message(case, &thread.messages[0], "thread", &mut failures);
        for info in &message.attachments {
            let bytes = account.attachment(&row.id, info.section.as_str(), 1 << 20).await.unwrap();
            let expected: Option<&[u8]> = match info.name.as_deref() {
                Some("dot.png" | "logo.png") => Some(corpus::PNG),
                Some("prices.csv") => Some(corpus::CSV.as_bytes()),
                Some("visit.ics") => Some(corpus::ICS.as_bytes()),
                _ if info.media_type == "application/octet-stream" => Some(&[0, 1, 2]),
                _ => None,
            };
            if expected.is_some_and(|expected| expected != bytes) || bytes.is_empty() {
                failures.push(format!("{}: {:?} holds {} bytes", case.name, info.name, bytes.len()));
            }
        }
    }
    assert!(user.messages("INBOX")?.iter().all(|stored| stored.flags.is_empty()), "reading marks nothing");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// Cases about codes that protection hides, which without protection are to be seen.
const OF_PROTECTION: [&str; 2] = ["h13-html-entities-invisible", "h36-qp-abuse"];

/// Everything of a message that a result may show, each field apart.
fn seen(message: &Message) -> (String, Vec<String>) {
    let headers = &message.row.headers;
    let mut fields = vec![headers.subject.clone()];
    let lists = [&headers.from, &headers.sender, &headers.reply_to, &headers.to, &headers.cc, &headers.bcc];
    for address in lists.into_iter().flatten() {
        fields.extend(address.display_name.clone());
        fields.push(address.addr_spec.clone());
    }
    fields.extend(headers.message_id.iter().chain(&headers.in_reply_to).chain(&headers.references).cloned());
    for attachment in &message.attachments {
        fields.extend(attachment.name.clone());
        fields.push(attachment.media_type.clone());
        fields.extend(attachment.content_id.clone());
    }
    (format!("{}\n\n{}", fields.join("\n"), message.body.plain.as_deref().unwrap_or_default()), fields)
}

fn list<'a>(expect: &'a Value, name: &str) -> Vec<&'a str> {
    let all = expect.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter().filter_map(Value::as_str).collect()
}

#[tokio::test]
async fn hostile_mail_keeps_to_its_expectations_through_a_real_server() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("hostile")?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/cases/hostile");
    let mut cases = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "eml") {
            let expect: Value = serde_json::from_slice(&fs::read(path.with_extension("expect.json"))?)?;
            cases.insert(put(&user, &fs::read(&path)?)?, expect);
        }
    }
    assert!(cases.len() >= 28, "only {} cases", cases.len());
    let account = Account::of(&user);
    let rows = rows(&account).await;
    assert_eq!(rows.len(), cases.len());
    let mut failures = Vec::new();
    for (uid, expect) in &cases {
        let id = expect["id"].as_str().unwrap();
        let row = &rows[uid];
        let message = account.message(&row.id).await.unwrap();
        let thread = account.thread(&row.id, &Window::first(5, BUDGET)).await.unwrap();
        let of_thread = thread.messages.iter().find(|message| message.row.id == row.id).unwrap();
        assert_eq!((of_thread == &message, &message.row == row), (true, true), "{id}: one message, one look");
        let (text, fields) = seen(&message);
        let mut fail = |what: &str, value: &str| failures.push(format!("{id}: {what} {value:?} in {text:?}"));
        if OF_PROTECTION.contains(&id) {
            if !text.contains("482913") {
                fail("hides", "482913");
            }
            continue;
        }
        for value in list(expect, "must_reach_model").into_iter().chain(list(expect, "should_reach")) {
            if !text.contains(value) {
                fail("doesn't show", value);
            }
        }
        for value in list(expect, "must_not_reach_model").into_iter().chain(list(expect, "should_not_reach"))
        {
            if text.contains(value) {
                fail("shows", value);
            }
        }
        if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            fail("holds a control character", "");
        }
        if let Some(field) = fields.iter().find(|field| field.contains(char::is_control)) {
            fail("has a field that is not on one line", field);
        }
        for info in &message.attachments {
            let bytes = account.attachment(&row.id, info.section.as_str(), 1 << 24).await;
            if let Err(error) = bytes {
                fail("has an attachment that is not to be had", &format!("{info:?}: {error}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}
