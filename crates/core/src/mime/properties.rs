//! Properties that hold for any input: nothing panics, and what comes out is harmless.

use proptest::prelude::*;

use crate::mime;
use crate::sanitise::{charset, header, html, invisible, plain};

/// Pieces that markup, styles and messages are made of, so that random input gets somewhere.
const PIECES: &[&str] = &[
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "--!>",
    "<p",
    "<div style='",
    "<a href=\"",
    "<table><tr><td>",
    "<style>",
    "</style>",
    "{",
    "}",
    ";",
    ":",
    "'",
    "\"",
    "=",
    "display:none",
    "color:#fff",
    "\\",
    "/*",
    "*/",
    "@media(",
    "(",
    ")",
    "[",
    "]",
    "&#x202e;",
    "&",
    ".x",
    "x ",
    "\u{200d}",
    "\u{202e}",
    "\u{1b}",
    "\0",
    "\u{2028}",
    "é",
    "👩",
    "--b",
    "\r\n",
    "\n",
    "Content-Type: multipart/mixed; boundary=b",
    "Content-Type: text/html",
    "Content-Transfer-Encoding: base64",
    "Subject: =?utf-8?q?",
    "?=",
    "*0*=",
    "%",
    "+",
    "~{",
    "<b>",
    "<svg>",
    "<blockquote>",
    "<li>",
    "<ol start=9223372036854775807>",
    "<pre>",
    ":nth-child(-n-1)",
    "calc(",
    "1e9px",
    "hsl(1,2%,3%)",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![4 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,8}"],
        0..60,
    )
    .prop_map(|pieces| pieces.concat())
}

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()) && invisible::strip(text) == text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn html_is_harmless(input in soup()) {
        prop_assert!(is_harmless(&html::to_text(&input).text));
        html::to_text_keep_hidden(&input);
    }

    #[test]
    fn what_is_not_displayed_never_shows(input in soup()) {
        // Markup of the soup can't reach out of a comment that it doesn't close.
        let inner = input.replace('>', "");
        let text = html::to_text(&format!("<p>seen</p><!-- {inner} CANARY -->")).text;
        prop_assert_eq!(text, "seen");
    }

    #[test]
    fn plain_text_is_harmless(input in soup()) {
        prop_assert!(is_harmless(&plain::to_text(&input)));
    }

    #[test]
    fn header_text_is_one_harmless_line(input in soup()) {
        let line = header::line(&input);
        prop_assert!(is_harmless(&line) && !line.contains(['\n', '\t', '\r']));
    }

    #[test]
    fn any_bytes_decode_under_any_label(bytes in prop::collection::vec(any::<u8>(), 0..200), label in "[a-z0-9-]{0,12}") {
        charset::decode(&bytes, None);
        charset::decode(&bytes, Some(&label));
        for label in ["utf-7", "hz", "iso-2022-kr", "utf-16", "cp852", "iso-2022-jp", "us-ascii", "windows-1250", "gb18030"] {
            charset::decode(&bytes, Some(label));
        }
    }

    #[test]
    fn utf_8_stays_what_it_is(input in ".{0,60}") {
        let wanted = input.trim_start_matches('\u{feff}');
        prop_assume!(wanted == input);
        prop_assert_eq!(charset::decode(input.as_bytes(), Some("utf-8")).text, wanted);
    }

    #[test]
    fn any_message_is_read(input in soup(), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut raw = input.into_bytes();
        raw.extend(bytes);
        let message = mime::parse(&raw);
        prop_assert!(is_harmless(&message.body.text));
        prop_assert!(!message.subject.chars().any(char::is_control));
        for attachment in &message.attachments {
            let bytes = message.section(&raw, &attachment.section);
            prop_assert_eq!(bytes.map(|bytes| bytes.len() as u64), Some(attachment.size));
        }
    }
}
