//! Whom answers go to, what they carry, and the limits that every draft keeps.

use countersign_send_policy::{AddressError, DraftAttachment};

use super::*;
use crate::model::{Body, Flags, FolderRef, Headers, Message, MessageRef, MessageRow, Original, Timestamp};

fn list(addresses: &[&str]) -> Vec<Address> {
    addresses.iter().map(|a| recipients::parse(a).unwrap()).collect()
}

fn own() -> Vec<Address> {
    list(&["Jana Nováková <jana@example.com>", "jana.work@example.com"])
}

fn original(from: &[&str], reply_to: &[&str], to: &[&str], cc: &[&str]) -> Original {
    let headers = Headers {
        subject: "Offer".into(),
        from: list(from),
        reply_to: list(reply_to),
        to: list(to),
        cc: list(cc),
        date: Some(Timestamp(1_700_000_000)),
        message_id: Some("b@example.org".into()),
        references: vec!["a@example.org".into()],
        ..Headers::default()
    };
    let row = MessageRow {
        id: MessageRef::parse("m").unwrap(),
        folder: FolderRef::parse("f").unwrap(),
        headers,
        received: None,
        flags: Flags::default(),
        size: 0,
        has_attachments: None,
    };
    let body = Body { plain: Some("Hello\n\n> earlier\nBye  \n".into()), ..Body::default() };
    Original { message: Message { row, body, attachments: Vec::new() }, attachments: Vec::new() }
}

fn specs(addresses: &[Address]) -> Vec<&str> {
    addresses.iter().map(|a| a.addr_spec.as_str()).collect()
}

fn edit(text: &str) -> DraftEdit {
    DraftEdit { text: text.into(), ..DraftEdit::default() }
}

#[track_caller]
fn answers(original: &Original, all: bool, to: &[&str], cc: &[&str], why: &str) {
    let draft = reply(original, edit("ok"), &own(), all, false).unwrap();
    assert_eq!((specs(&draft.to), specs(&draft.cc)), (to.to_vec(), cc.to_vec()), "{why}");
}

#[test]
fn an_answer_goes_to_whom_the_original_asks() {
    let mail = original(
        &["a@x.example"],
        &[],
        &["jana@example.com", "b@x.example"],
        &["C@x.example", "JANA.work@EXAMPLE.com"],
    );
    answers(&mail, false, &["a@x.example"], &[], "the author");
    answers(&mail, true, &["a@x.example"], &["b@x.example", "C@x.example"], "everyone but the own addresses");

    let asked = original(&["a@x.example"], &["list@x.example"], &["jana@example.com", "List@X.example"], &[]);
    answers(&asked, false, &["list@x.example"], &[], "Reply-To wins");
    answers(&asked, true, &["list@x.example"], &[], "nobody twice");

    let tagged = original(&["a@x.example"], &[], &["jana+shop@example.com"], &[]);
    answers(&tagged, true, &["a@x.example"], &["jana+shop@example.com"], "a plus tag is another address");

    let mine = original(
        &["jana@example.com"],
        &["jana@example.com"],
        &["b@x.example"],
        &["jana@example.com", "c@x.example"],
    );
    answers(&mine, false, &["b@x.example"], &[], "one's own message goes on to its recipients");
    answers(&mine, true, &["b@x.example"], &["c@x.example"], "all of them");

    let note = original(&["jana@example.com"], &[], &["jana@example.com"], &[]);
    answers(&note, true, &["jana@example.com"], &[], "a note to oneself");

    let form = original(&["robot@x.example"], &["jana@example.com"], &["jana@example.com"], &[]);
    answers(&form, false, &["robot@x.example"], &[], "a Reply-To of one's own asks for nobody");
}

#[test]
fn invalid_addresses_of_an_original_are_left_out() {
    let mut mail = original(&["a@x.example"], &[], &[], &[]);
    mail.message.row.headers.to =
        vec![Address::bare("undisclosed recipients"), Address::bare("b@x.example, c@x.example")];
    mail.message.row.headers.cc =
        vec![Address { display_name: Some("D\r\nBcc: e@x".into()), addr_spec: "d@x.example".into() }];
    let draft = reply(&mail, edit(""), &own(), true, false).unwrap();
    assert_eq!(specs(&draft.cc), ["d@x.example"]);
    assert_eq!(draft.cc[0].display_name.as_deref(), Some("D Bcc: e@x"));

    mail.message.row.headers.from = vec![Address::bare("nobody")];
    assert_eq!(reply(&mail, edit(""), &own(), false, false).err(), Some(ComposeError::NobodyToAnswer));
}

#[test]
fn an_answer_threads_quotes_and_comes_from_where_it_was_asked() {
    let mail = original(&["Robin Vale <a@x.example>"], &[], &["JANA.WORK@example.com"], &[]);
    let draft = reply(&mail, edit("Yes.\r\n"), &own(), false, true).unwrap();
    assert_eq!(draft.from, Some(Address::bare("jana.work@example.com")));
    assert_eq!(draft.subject, "Re: Offer");
    assert_eq!(draft.in_reply_to, ["b@example.org"]);
    assert_eq!(draft.references, ["a@example.org", "b@example.org"]);
    assert_eq!(
        draft.text,
        "Yes.\n\nOn 2023-11-14 22:13 UTC, Robin Vale <a@x.example> wrote:\n> Hello\n>\n>> earlier\n> Bye"
    );
    let silent = reply(&mail, edit("Yes."), &own(), false, false).unwrap();
    assert_eq!(silent.text, "Yes.");
    let elsewhere = original(&["a@x.example"], &[], &["list@x.example"], &[]);
    assert_eq!(reply(&elsewhere, edit(""), &own(), false, false).unwrap().from, None);
}

#[test]
fn the_callers_recipients_and_subject_are_added() {
    let mail = original(&["a@x.example"], &[], &["b@x.example"], &[]);
    let more = DraftEdit {
        to: list(&["t@x.example", "A@x.example"]),
        cc: list(&["b@x.example", "c@x.example"]),
        bcc: list(&["c@x.example", "s@x.example"]),
        subject: Some("Another matter".into()),
        text: String::new(),
    };
    let draft = reply(&mail, more, &own(), true, false).unwrap();
    assert_eq!(specs(&draft.to), ["a@x.example", "t@x.example"]);
    assert_eq!(specs(&draft.cc), ["b@x.example", "c@x.example"]);
    assert_eq!(specs(&draft.bcc), ["s@x.example"]);
    assert_eq!(draft.subject, "Another matter");
}

#[test]
fn a_long_original_is_cut_and_the_cut_said() {
    let mut mail = original(&["a@x.example"], &[], &[], &[]);
    mail.message.body.plain = Some("žluť\n".repeat(200_000));
    for text in [
        reply(&mail, edit("x"), &own(), false, true).unwrap().text,
        forward(mail.clone(), edit("x"), &own(), false).unwrap().text,
    ] {
        assert!(
            text.len() < MAX_TEXT_BYTES && text.ends_with("[The rest of this message is left out.]"),
            "{}",
            text.len()
        );
    }
    let mut short = original(&["a@x.example"], &[], &[], &[]);
    short.message.body.truncated = true;
    assert!(reply(&short, edit(""), &own(), false, true).unwrap().text.ends_with("is left out.]"));
}

#[test]
fn a_forward_carries_the_headers_the_text_and_the_attachments() {
    let mut mail = original(&["Robin Vale <a@x.example>"], &[], &["jana@example.com"], &["c@x.example"]);
    let part = DraftAttachment {
        name: "logo.png".into(),
        media_type: "image/png".into(),
        content_id: Some("logo@x".into()),
        inline: true,
        identity: "abc".into(),
        size: 3,
        bytes: b"png".to_vec(),
    };
    mail.attachments = vec![part.clone()];
    let to = DraftEdit { to: list(&["d@x.example"]), text: "See below.".into(), ..DraftEdit::default() };
    let draft = forward(mail.clone(), to.clone(), &own(), true).unwrap();
    assert_eq!(draft.subject, "Fwd: Offer");
    assert_eq!(
        draft.text,
        "See below.\n\n---------- Forwarded message ----------\nFrom: Robin Vale <a@x.example>\nDate: 2023-11-14 22:13 UTC\n\
         Subject: Offer\nTo: jana@example.com\nCc: c@x.example\n\nHello\n\n> earlier\nBye"
    );
    assert_eq!(draft.in_reply_to, [""; 0], "a forward answers nothing");
    assert_eq!(draft.references, ["a@example.org", "b@example.org"]);
    assert_eq!(draft.from.as_ref().map(|from| from.addr_spec.as_str()), Some("jana@example.com"));
    assert!(draft.attachments == [DraftAttachment { content_id: None, inline: false, ..part }]);
    assert!(forward(mail, to, &own(), false).unwrap().attachments.is_empty());
}

#[test]
fn limits_are_kept_and_the_error_says_which() {
    let with = |change: &dyn Fn(&mut DraftEdit)| {
        let mut edit = DraftEdit { to: list(&["a@x.example"]), ..DraftEdit::default() };
        change(&mut edit);
        new_draft(edit, None).err()
    };
    assert_eq!(with(&|_| ()), None);
    assert_eq!(with(&|e| e.subject = Some("a\r\nBcc: b@x".into())), Some(ComposeError::SubjectControl));
    assert_eq!(with(&|e| e.subject = Some("a\u{2028}b".into())), Some(ComposeError::SubjectControl));
    assert_eq!(
        with(&|e| e.subject = Some("s".repeat(999))),
        Some(ComposeError::SubjectTooLong { most: 998 })
    );
    assert_eq!(with(&|e| e.text = "a\0b".into()), Some(ComposeError::TextControl));
    assert_eq!(with(&|e| e.text = "a\u{1b}[2J".into()), Some(ComposeError::TextControl));
    assert_eq!(with(&|e| e.text = "a\r\n\tb\n".into()), None);
    assert_eq!(
        with(&|e| e.text = "x".repeat(1_000_001)),
        Some(ComposeError::TextTooLong { most: 1_000_000 })
    );
    assert_eq!(
        with(&|e| e.bcc = vec![Address::bare("a@x.example"), Address::bare("b@x, c@x")]),
        Some(ComposeError::Recipient { field: Field::Bcc, entry: 2, why: AddressError::NotOne })
    );
    let many =
        |count: usize| (0..count).map(|n| Address::bare(&format!("r{n}@x.example"))).collect::<Vec<_>>();
    assert_eq!(with(&|e| e.cc = many(99)), None);
    assert_eq!(with(&|e| e.cc = many(100)), Some(ComposeError::TooManyRecipients { given: 101, most: 100 }));
    assert_eq!(with(&|e| e.cc = [many(99), many(99)].concat()), None);
    assert!(new_draft(DraftEdit::default(), None).is_ok(), "a draft may have no recipient yet");
}
