//! Messages as text: what is shown, what is attached, and under which section.

use super::*;

fn message(header: &str, body: &str) -> Vec<u8> {
    format!("From: a@x.example\r\n{header}\r\n\r\n{body}")
        .replace("\r\n", "\n")
        .replace('\n', "\r\n")
        .into_bytes()
}

struct Case {
    why: &'static str,
    header: &'static str,
    body: &'static str,
    text: &'static str,
    attachments: &'static str,
}

#[test]
fn bodies_and_attachments() {
    let cases = [
        Case { why: "a plain message", header: "", body: "hello\n", text: "hello", attachments: "" },
        Case {
            why: "the HTML wins over a stub",
            header: "Content-Type: multipart/alternative; boundary=b",
            body: "pre\n--b\n\nPlease see the HTML.\n--b\nContent-Type: text/html\n\n<p>Real</p>\n--b--\npost",
            text: "Real",
            attachments: "",
        },
        Case {
            why: "HTML that shows nothing loses to plain text",
            header: "Content-Type: multipart/alternative; boundary=b",
            body: "--b\n\nReal\n--b\nContent-Type: text/html\n\n<p style='display:none'>x</p>\n--b--",
            text: "Real",
            attachments: "",
        },
        Case {
            why: "texts of a mixed message are joined, named ones are attachments",
            header: "Content-Type: multipart/mixed; boundary=b",
            body: "--b\n\none\n--b\nContent-Type: text/plain; name=n.txt\n\nfile\n--b\nContent-Type: text/html\n\n<b>two</b>\n--b--",
            text: "one\n\ntwo",
            attachments: "2 n.txt text/plain 4",
        },
        Case {
            why: "pictures belong to the HTML",
            header: "Content-Type: multipart/mixed; boundary=a",
            body: "--a\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>x</p>\n--b\nContent-Type: image/png\nContent-ID: <i@x>\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n--a\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=\"r.pdf\"\n\n%PDF\n--a--",
            text: "x",
            attachments: "1.2 - image/png 3 inline|2 r.pdf application/pdf 4",
        },
        Case {
            why: "an attached message is an attachment",
            header: "Content-Type: multipart/mixed; boundary=b",
            body: "--b\n\nfwd\n--b\nContent-Type: message/rfc822\n\nSubject: in\n\ninner\n--b--",
            text: "fwd",
            attachments: "2 - message/rfc822 20 message",
        },
        Case {
            why: "an inner part that doesn't end ends with the outer one",
            header: "Content-Type: multipart/mixed; boundary=a",
            body: "--a\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\ntext\n--a\n\nmore\n--a--",
            text: "text\n\nmore",
            attachments: "",
        },
        Case {
            why: "a boundary that starts like the outer one",
            header: "Content-Type: multipart/mixed; boundary=a",
            body: "--a\nContent-Type: multipart/mixed; boundary=ab\n\n--ab\n\none\n--ab--\n--a\n\ntwo\n--a--",
            text: "one\n\ntwo",
            attachments: "",
        },
        Case {
            why: "no end at all, and a part without an empty line",
            header: "Content-Type: multipart/mixed; boundary=b",
            body: "--b\nContent-Type: text/plain\n--b\n\ntext",
            text: "text",
            attachments: "",
        },
        Case {
            why: "a boundary that isn't said",
            header: "Content-Type: multipart/mixed",
            body: "--x\n\ntext\n--x--",
            text: "--x\n\ntext\n--x--",
            attachments: "",
        },
        Case {
            why: "a single attachment is section 1",
            header: "Content-Type: application/pdf; name=\"=?utf-8?q?=C5=BD.pdf?=\"",
            body: "%PDF",
            text: "",
            attachments: "1 Ž.pdf application/pdf 4",
        },
        Case {
            why: "an unknown charset in base64",
            header: "Content-Type: text/plain; charset=x-unknown\nContent-Transfer-Encoding: BASE64",
            body: "xb1vZmll",
            text: "Žofie",
            attachments: "",
        },
    ];
    for case in cases {
        let raw = message(case.header, case.body);
        let parsed = parse(&raw);
        let listed: Vec<String> = parsed
            .attachments
            .iter()
            .map(|one| {
                let name = one.name.as_deref().unwrap_or("-");
                let inline = if one.inline { " inline" } else { "" };
                let message = if one.is_message { " message" } else { "" };
                format!("{} {name} {} {}{inline}{message}", one.section, one.media_type, one.size)
            })
            .collect();
        assert_eq!(parsed.body.text, case.text, "{}", case.why);
        assert_eq!(listed.join("|"), case.attachments, "{}", case.why);
        for one in &parsed.attachments {
            assert_eq!(parsed.section(&raw, &one.section).unwrap().len() as u64, one.size, "{}", case.why);
        }
    }
}

#[test]
fn fields() {
    let raw = message(
        "Subject: =?utf-8?q?=C5=BD=C3=A1dost?=\r\n =?utf-8?q?_o_n=C4=9Bco?=\nTo: B <b@x.example>,\r\n\tc@x.example\nDate: Tue, 10 Nov 2026 09:14:00 +0100\nMessage-ID: <m@x>\nReferences: <a@x>\r\n <b@x>\nIn-Reply-To: <b@x>\nList-Unsubscribe: <https://x.example/\r\n u>",
        "x",
    );
    let parsed = parse(&raw);
    assert_eq!(parsed.subject, "Žádost o něco");
    assert_eq!(parsed.to.len(), 2);
    assert_eq!(parsed.date, Some(1_794_298_440));
    assert_eq!(parsed.message_id.as_deref(), Some("m@x"));
    assert_eq!(parsed.references, ["a@x", "b@x"]);
    assert_eq!(parsed.in_reply_to, ["b@x"]);
    assert_eq!(parsed.list_unsubscribe.as_deref(), Some("<https://x.example/ u>"));
}

#[test]
fn a_message_without_anything_is_read() {
    for raw in [
        &b""[..],
        b"\n",
        b"\r\n\r\n",
        b"x",
        b":",
        b"\0",
        b"Content-Type: multipart/mixed; boundary=\"\"\n\n--\n",
        b"Date: Tue, 99 Nov 99999999999 99:99:99 +9999\n\n",
    ] {
        parse(raw);
    }
}

#[test]
fn deep_and_many_parts_end() {
    let open = |level| format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
    let nested = format!("{}\nBOTTOM", (0..500).map(open).collect::<Vec<_>>().concat());
    assert!(parse(nested.as_bytes()).attachments.len() <= 1);
    let many = format!("Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(50_000));
    assert!(parse(many.as_bytes()).body.parts.len() <= structure::PARTS);
}
