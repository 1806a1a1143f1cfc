//! What is written reads back as the same draft, and no field can add another.

use countersign_send_policy::{DraftAttachment, DraftFields, Fingerprint};
use proptest::prelude::*;

use super::*;
use crate::{
    compose::mime::read::identity,
    model::{Address, DraftRef, Timestamp},
};

/// Makes fields unwritable.
type Spoil = Box<dyn Fn(&mut DraftFields)>;

const DATE: Timestamp = Timestamp(1_796_000_000);

fn id() -> DraftRef {
    DraftRef::parse("draft-1").unwrap()
}

fn fields() -> DraftFields {
    DraftFields {
        id: id().as_str().to_owned(),
        claim_key: "m1@example.com".into(),
        message_id: Some("m1@example.com".into()),
        from: Address { display_name: Some("Jana Nováková".into()), addr_spec: "jana@example.com".into() },
        to: vec![Address::bare("robin@example.org")],
        text: Some(String::new()),
        ..DraftFields::default()
    }
}

fn part(name: &str, media_type: &str, bytes: &[u8]) -> DraftAttachment {
    DraftAttachment {
        name: name.into(),
        media_type: media_type.into(),
        content_id: None,
        inline: false,
        identity: identity(bytes),
        size: bytes.len() as u64,
        bytes: bytes.to_vec(),
    }
}

#[track_caller]
fn check(fields: &DraftFields) {
    let raw = build_fields(fields, DATE, true).unwrap();
    let read = draft_fields(&raw, &id()).unwrap();
    if read != *fields {
        let (mut a, mut b) = (fields.clone(), read.clone());
        a.attachments.clear();
        b.attachments.clear();
        assert!(
            a == b,
            "{}\n{:?}\n{:?}\n{:?}\n{:?}",
            String::from_utf8_lossy(&raw),
            (&a.subject, &a.text, &a.html, &a.references),
            (&b.subject, &b.text, &b.html, &b.references),
            (&a.from, &a.to, &a.cc, &a.bcc, &a.reply_to),
            (&b.from, &b.to, &b.cc, &b.bcc, &b.reply_to)
        );
        for (a, b) in fields.attachments.iter().zip(&read.attachments) {
            assert_eq!(
                (&a.name, &a.media_type, &a.content_id, a.inline),
                (&b.name, &b.media_type, &b.content_id, b.inline)
            );
            assert!(
                a.bytes == b.bytes,
                "{}: {:?} {:?}",
                a.name,
                String::from_utf8_lossy(&a.bytes),
                String::from_utf8_lossy(&b.bytes)
            );
        }
        panic!("{} attachments became {}", fields.attachments.len(), read.attachments.len());
    }
    assert_eq!(Fingerprint::of(&read), Fingerprint::of(fields));
    let longest = raw.split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
    assert!(longest <= 999, "a line of {longest} bytes");
}

#[test]
fn a_draft_with_everything_reads_back() {
    let png = b"\x89PNG\r\n\x1a\n\0\0";
    let mut all = fields();
    all.cc = vec![Address {
        display_name: Some("Vale, \"Bob\" \\ Robin".into()),
        addr_spec: "r@xn--pota-h6a.example".into(),
    }];
    all.bcc = vec![Address::bare("secret@example.org"), Address::bare("用户@example.org")];
    all.reply_to =
        vec![Address { display_name: Some("山田".into()), addr_spec: "office@example.com".into() }];
    all.subject = "Příloha: =?utf-8?Q?no?= 漢字 😀".into();
    all.in_reply_to = vec!["p@example.org".into()];
    all.references = (0..40).map(|n| format!("{n}.{}@example.org", "x".repeat(40))).collect();
    all.text = Some(".\n..dots\nFrom here\n  trailing  \n\ttab\nžluťoučký\n\n=41 =3D".into());
    all.html = Some("<p>žluť <img src=\"cid:logo@example.com\"></p>".into());
    all.attachments = vec![
        DraftAttachment {
            content_id: Some("logo@example.com".into()),
            inline: true,
            ..part("logo.png", "image/png", png)
        },
        part("Účet \"1\", 2026.pdf", "application/pdf", b"%PDF-1.4\n"),
        part("list.csv", "text/csv", "a;ž\r\nb;c\n".as_bytes()),
        part("unix.txt", "text/plain", b"a\nb\n"),
        part("page.html", "text/html", b"<p>\xff</p>"),
        part("", "application/octet-stream", b""),
        part("mail.eml", "message/rfc822", b"From: a@example.org\r\nSubject: x\r\n\r\nbody\r\n"),
        part("invite.ics", "text/calendar", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"),
    ];
    check(&all);
}

#[test]
fn bcc_is_kept_in_drafts_and_never_on_the_wire() {
    let hidden = DraftFields { bcc: vec![Address::bare("secret@example.org")], ..fields() };
    let kept = build_fields(&hidden, DATE, true).unwrap();
    let sent = build_fields(&hidden, DATE, false).unwrap();
    assert!(String::from_utf8(kept).unwrap().contains("Bcc: <secret@example.org>"));
    assert!(!String::from_utf8(sent).unwrap().to_lowercase().contains("secret"));
}

#[test]
fn threading_ids_have_their_angle_brackets() {
    let answer = DraftFields {
        in_reply_to: vec!["b@x".into()],
        references: vec!["a@x".into(), "b@x".into()],
        ..fields()
    };
    let raw = String::from_utf8(build_fields(&answer, DATE, false).unwrap()).unwrap();
    for line in ["Message-ID: <m1@example.com>\r\n", "In-Reply-To: <b@x>\r\n", "References: <a@x> <b@x>\r\n"]
    {
        assert!(raw.contains(line), "{raw}");
    }
}

#[test]
fn what_would_add_a_header_is_refused() {
    let evil = "x\r\nBcc: evil@example.net";
    let named = |name: &str| Address { display_name: Some(name.into()), addr_spec: "a@example.org".into() };
    let cases: Vec<(&str, Spoil)> = vec![
        ("subject", Box::new(|f| f.subject = evil.into())),
        ("name", Box::new(move |f| f.to = vec![named(evil)])),
        ("address", Box::new(|f| f.cc = vec![Address::bare("a@example.org>\r\nBcc: <e@example.net")])),
        ("two addresses", Box::new(|f| f.to = vec![Address::bare("a@example.org, e@example.net")])),
        ("sender", Box::new(|f| f.from = Address::bare(""))),
        ("message id", Box::new(|f| f.message_id = Some(evil.into()))),
        ("no message id", Box::new(|f| f.message_id = None)),
        ("references", Box::new(|f| f.references = vec!["a@x> <b@x".into()])),
        ("in reply to", Box::new(|f| f.in_reply_to = vec![evil.into()])),
        ("file name", Box::new(|f| f.attachments = vec![part(evil, "text/plain", b"")])),
        ("content id", Box::new(|f| f.attachments[0].content_id = Some(evil.into()))),
        ("bytes", Box::new(|f| f.attachments[0].size = 7)),
    ];
    for (what, spoil) in cases {
        let mut spoilt = fields();
        spoilt.attachments = vec![part("a.txt", "text/plain", b"abc")];
        spoil(&mut spoilt);
        assert!(build_fields(&spoilt, DATE, true).is_err(), "{what}");
    }
    let typed =
        DraftFields { attachments: vec![part("a", "text/plain\r\nBcc: e@example.net", b"")], ..fields() };
    assert!(!String::from_utf8(build_fields(&typed, DATE, true).unwrap()).unwrap().contains("Bcc"));
}

#[test]
fn a_draft_of_another_program_is_read_as_it_would_be_written() {
    let raw = "From: Jana <jana@example.com>\r\nTo: x@po\u{161}ta.example\r\nX-Secret: kept out\r\n\
        Subject: =?utf-8?Q?a=0D=0ABcc:_e@example.net?=\r\n\r\nhello\r\n\r\n";
    let read = draft_fields(raw.as_bytes(), &id()).unwrap();
    assert_eq!(read.text.as_deref(), Some("hello"));
    assert_eq!(read.to, [Address::bare("x@xn--pota-h6a.example")]);
    assert!(!read.subject.contains(['\r', '\n']));
    assert_eq!(read.message_id, None);
    assert!(read.claim_key.starts_with("draft-1 ") && read.claim_key.len() > 64, "{}", read.claim_key);
    let written =
        build_fields(&DraftFields { message_id: Some("n@example.com".into()), ..read }, DATE, true).unwrap();
    let written = String::from_utf8(written).unwrap();
    assert!(!written.contains("X-Secret") && !written.contains("\nBcc"), "{written}");
}

#[test]
fn message_ids_are_random_and_at_the_senders_domain() {
    let from = Address::bare("x@pošta.example");
    let (a, b) = (new_message_id(&from).unwrap(), new_message_id(&from).unwrap());
    assert_ne!(a, b);
    assert!(a.ends_with("@xn--pota-h6a.example") && a.len() == 43, "{a}");
    assert!(new_message_id(&Address::bare("nobody")).is_err());
}

fn body() -> impl Strategy<Value = String> {
    proptest::collection::vec("[^\\x00-\\x08\\x0b-\\x1f\\x7f\\u{80}-\\u{9f}\n]{0,40}|\\.{1,3}|[a-z ]{60,200}| {1,4}|=[0-9A-F]{2}|--", 0..12)
        .prop_map(|lines| lines.join("\n").trim_start_matches('\u{feff}').trim_end_matches('\n').to_owned())
}

fn header_text() -> impl Strategy<Value = String> {
    "([^\\x00-\\x1f\\x7f\\u{80}-\\u{9f}\\u{2028}\\u{2029}\\u{feff}]{0,60}|[a-zA-Z ,.\"\\\\<>()@=?_]{0,120})"
        .prop_map(|text| text.trim().to_owned())
}

fn address() -> impl Strategy<Value = Address> {
    ("[a-z0-9+._ž]{0,8}[a-z]", header_text()).prop_filter_map("no address", |(local, name)| {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let address = Address {
            display_name: Some(name).filter(|name| !name.is_empty()),
            addr_spec: format!("{local}@example.org"),
        };
        address.path().is_ok().then_some(address)
    })
}

fn attachments() -> impl Strategy<Value = Vec<DraftAttachment>> {
    let types = prop_oneof![
        Just("application/pdf"),
        Just("text/plain"),
        Just("text/html"),
        Just("image/png"),
        Just("text/csv")
    ];
    let one = (header_text(), types, proptest::collection::vec(any::<u8>(), 0..200), "[a-z]{1,8}").prop_map(
        |(name, media_type, bytes, stem)| {
            // A name that would be lost or changed in a file name parameter is a matter of its own.
            let name = format!("{stem}{}", name.replace(['"', '\\', '/'], ""));
            part(name.trim(), media_type, &bytes)
        },
    );
    proptest::collection::vec(one, 0..3)
}

proptest! {
    #[test]
    fn whatever_is_written_reads_back(
        text in body(),
        html in proptest::option::of("<p>[^\\x00-\\x1f\\x7f\\u{80}-\\u{9f}]{0,80}</p>"),
        subject in header_text(),
        lists in (
            proptest::collection::vec(address(), 0..3), proptest::collection::vec(address(), 0..3),
            proptest::collection::vec(address(), 0..2), proptest::collection::vec(address(), 0..2),
        ),
        attachments in attachments(),
    ) {
        let (to, cc, bcc, reply_to) = lists;
        let text = Some(text).filter(|text| html.is_none() || !text.is_empty());
        check(&DraftFields { text, html, subject, to, cc, bcc, reply_to, attachments, ..fields() });
    }
}
