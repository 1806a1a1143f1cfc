//! Header fields: unencoded 8-bit text, encoded words (RFC 2047) and parameters (RFC 2231) as real programs write them.

use super::Case;
use super::build::{message, multipart, part};

const PLAIN: &str = "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n";

/// A case whose oddity is in its subject.
fn subject(name: &'static str, why: &'static str, wire: &str, subject: &'static str) -> Case {
    let fields = format!("From: Ana <ana@corpus.test>\r\nSubject: {wire}\r\n{PLAIN}");
    Case {
        name,
        why,
        raw: message(&fields, b"Body."),
        subject,
        from: "Ana <ana@corpus.test>",
        text_contains: vec!["Body."],
        attachments: vec![],
    }
}

/// A case whose oddity is in its sender.
fn sender(name: &'static str, why: &'static str, wire: &str, from: &'static str) -> Case {
    let fields = format!("From: {wire}\r\nSubject: Sender\r\n{PLAIN}");
    Case {
        name,
        why,
        raw: message(&fields, b"Body."),
        subject: "Sender",
        from,
        text_contains: vec!["Body."],
        attachments: vec![],
    }
}

/// A case whose oddity is in an attachment's name.
fn named(name: &'static str, why: &'static str, kind: &str, disposition: &str, file: &'static str) -> Case {
    let fields = format!("Content-Disposition: {disposition}\r\nContent-Transfer-Encoding: base64\r\n");
    let body = multipart("b", &[&part("text/plain", "", b"See the file."), &part(kind, &fields, b"AAEC")]);
    let head = "From: ana@corpus.test\r\nSubject: Named\r\nMIME-Version: 1.0\r\n\
                Content-Type: multipart/mixed; boundary=b\r\n";
    Case {
        name,
        why,
        raw: message(head, &body),
        subject: "Named",
        from: "ana@corpus.test",
        text_contains: vec!["See the file."],
        attachments: vec![file],
    }
}

pub(super) fn cases() -> Vec<Case> {
    let mut all = subjects();
    all.extend(names());
    all.push(raw_latin1());
    all
}

/// ISO 8859-1 bytes in the header, in the charset that the body names.
fn raw_latin1() -> Case {
    let mut raw = b"From: Ana <ana@corpus.test>\r\nSubject: Gr\xfc\xdfe aus K\xf6ln\r\n".to_vec();
    raw.extend(message("Content-Type: text/plain; charset=iso-8859-1\r\n", b"Sch\xf6n."));
    Case {
        name: "raw-8bit-latin1",
        why: "8-bit bytes in a header that are no UTF-8 are read in the body's charset, or a guess",
        raw,
        subject: "Grüße aus Köln",
        from: "Ana <ana@corpus.test>",
        text_contains: vec!["Schön."],
        attachments: vec![],
    }
}

fn subjects() -> Vec<Case> {
    vec![
        subject("raw-8bit-utf8", "UTF-8 in a header (RFC 6532)", "Žluťoučký kůň", "Žluťoučký kůň"),
        subject(
            "adjacent-words",
            "white space between encoded words is no part of the text (RFC 2047 §6.2)",
            "=?utf-8?B?xI0=?= =?iso-8859-2?Q?as?=\r\n =?utf-8?Q?_je?= teď",
            "čas je teď",
        ),
        subject(
            "split-character",
            "a character split over two words is joined, though RFC 2047 §5 forbids the split",
            "=?utf-8?B?UMWZw60=?= =?utf-8?B?bGnFoSDFvg==?= =?utf-8?B?bHXFpQ==?= =?utf-8?B?b3XEjQ==?= =?utf-8?Q?k=C3?= =?utf-8?Q?=BD?=",
            "Příliš žluťoučký",
        ),
        subject("unpadded-base64", "base64 without its padding", "=?utf-8?B?SGVsbG8?=", "Hello"),
        subject("q-with-spaces", "spaces inside a Q word", "=?utf-8?Q?Hello w=C3=B6rld?=", "Hello wörld"),
        subject(
            "unknown-charset",
            "ASCII stays readable in a charset nobody knows",
            "=?x-none?Q?Hello?=",
            "Hello",
        ),
        subject("language", "a language tag (RFC 2231 §5)", "=?utf-8*de?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        subject("lower-case", "encoding letters in lower case", "=?UTF-8?q?caf=c3=a9?=", "café"),
        subject(
            "folded",
            "a folded field is one line (RFC 5322 §2.2.3)",
            "One\r\n two\r\n\tthree",
            "One two three",
        ),
        subject(
            "not-encoded",
            "what only looks like an encoded word",
            "=?utf-8?X?abc?= and =?",
            "=?utf-8?X?abc?= and =?",
        ),
        sender(
            "quoted-word",
            "an encoded word inside quotes, which RFC 2047 §5 forbids and programs write",
            "\"=?utf-8?Q?J=C3=BCrgen?=\" <j@corpus.test>",
            "Jürgen <j@corpus.test>",
        ),
        sender(
            "raw-name",
            "UTF-8 in a display name",
            "Jiří Novák <jiri@corpus.test>",
            "Jiří Novák <jiri@corpus.test>",
        ),
        sender("comment", "a comment after the address", "ana@corpus.test (Ana)", "Ana <ana@corpus.test>"),
        sender(
            "quoted-comma",
            "a comma inside quotes is no separator",
            "\"Novák, Jiří\" <jiri@corpus.test>",
            "Novák, Jiří <jiri@corpus.test>",
        ),
    ]
}

fn names() -> Vec<Case> {
    let octets = "application/octet-stream";
    vec![
        named(
            "rfc2231-charset",
            "charset and percent encoding (RFC 2231 §4)",
            octets,
            "attachment; filename*=iso-8859-1'de'Gr%FC%DFe.dat",
            "Grüße.dat",
        ),
        named(
            "rfc2231-continued",
            "pieces in any order, some of them encoded (RFC 2231 §3)",
            octets,
            "attachment;\r\n filename*1=\"b c\";\r\n filename*0*=utf-8''%C4%8D;\r\n filename*2*=%20d.dat",
            "čb c d.dat",
        ),
        named(
            "both-forms",
            "the extended form wins over the plain one (RFC 6266 §4.3)",
            octets,
            "attachment; filename=\"Ucet.dat\"; filename*=utf-8''%C3%9A%C4%8Det.dat",
            "Účet.dat",
        ),
        named(
            "word-in-filename",
            "an encoded word as a file name, which RFC 2047 §5 forbids and programs write",
            octets,
            "attachment; filename=\"=?utf-8?B?w5rEjWV0LmRhdA==?=\"",
            "Účet.dat",
        ),
        named(
            "name-of-type",
            "only the type names the file",
            "application/octet-stream; name=\"from type.dat\"",
            "attachment",
            "from type.dat",
        ),
        named(
            "quoted-pairs",
            "escapes inside a quoted name (RFC 5322 §3.2.4)",
            octets,
            "attachment; filename=\"a \\\"b\\\" c.dat\"",
            "a \"b\" c.dat",
        ),
    ]
}
