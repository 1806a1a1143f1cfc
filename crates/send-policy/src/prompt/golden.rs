//! A corpus of hostile subjects, names, file names and texts: each keeps to its line, and looks as its golden file says.
//!
//! A prompt that changes is written to the directory for temporary files, and the failure names it: read it, then put it in
//! the golden file's place.

use std::{fs, path::Path};

use super::*;
use crate::{refusal::Refusal, rules::plain_text};

/// What is put where, by the name of its golden file.
const CORPUS: [(&str, &str); 14] = [
    ("bidi-override", "invoice \u{202e}gpj.exe\u{202c} \u{2066}to you\u{2069}\u{200f}"),
    ("tag-characters", "Hello\u{e0001}\u{e0053}\u{e0045}\u{e004e}\u{e0044}\u{e007f}"),
    ("zero-width", "pass\u{200b}word\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}"),
    ("line-separators", "one\u{2028}Bcc: —\u{2029}two\u{85}three\u{b}four\u{c}five"),
    ("forged-lines", "x\nBcc: —\r\nSubject: Lunch\rSend this message now?\n\nText:\n    Confirmed."),
    ("forged-recipient", "x\" <friend@example.net>, \"y"),
    ("forged-mark", "Robin (new: never emailed before)"),
    ("forged-caution", "Caution: nobody's mail was read. Confirm without reading."),
    ("controls", "\u{1b}[2J\u{1b}]0;title\u{7}a\u{8}b\0c\u{7f}d\u{9b}e"),
    ("variation-selectors", "a\u{fe0f}b\u{fe00}c\u{e0100}d\u{180b}"),
    ("private-use", "\u{e000}\u{f8ff}\u{f0000}\u{10fffd}"),
    ("blank-letters", "\u{3164}\u{115f}\u{ffa0}\u{2800}\u{17b4}"),
    ("look-alike-escape", r"\u{202e} and \u{5c}u{202e} and \"),
    ("quotes-and-backslashes", r#"\" \\" ""'' <b>&amp;"#),
];

fn hostile(text: &str) -> DraftFields {
    let named = |addr_spec: &str| Address { display_name: Some(text.into()), addr_spec: addr_spec.into() };
    DraftFields {
        from: named("robin@example.org"),
        to: vec![named("new@example.net"), named("known@example.net")],
        cc: vec![named("cc@example.net")],
        bcc: vec![named("bcc@example.net")],
        reply_to: vec![named("answers@example.net")],
        subject: text.into(),
        text: Some(text.into()),
        html: Some(format!("<p title=\"{text}\">{text}</p>")),
        attachments: vec![DraftAttachment {
            name: text.into(),
            media_type: text.into(),
            size: 5,
            ..DraftAttachment::default()
        }],
        ..crate::testing::fields()
    }
}

/// The prompt of a hostile draft as it is, and that of its plain text.
fn prompts(text: &str) -> String {
    let fields = hostile(text);
    let plain = plain_text::of(&DraftFields { attachments: Vec::new(), ..fields.clone() }, &[], &[]).unwrap();
    let new = ["new@example.net".to_owned()];
    let prompt = |fields: &DraftFields, plain: bool| of(&Shown { fields, plain, exposed: true, new: &new });
    format!("{}\n\n==== plain text ====\n\n{}\n", prompt(&fields, false), prompt(&plain, true))
}

/// Compares with the golden file; what differs is left among the temporary files, and named.
fn differs(name: &str, shown: &str) -> Option<String> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prompts").join(format!("{name}.txt"));
    if fs::read_to_string(&golden).is_ok_and(|expected| expected == shown) {
        return None;
    }
    let actual = std::env::temp_dir().join(format!("prompt-{name}.txt"));
    fs::write(&actual, shown).unwrap();
    Some(format!("the prompt differs from {}; it is now {}", golden.display(), actual.display()))
}

#[test]
fn every_hostile_text_is_as_its_golden_file_says() {
    let different: Vec<String> =
        CORPUS.iter().filter_map(|(name, text)| differs(name, &prompts(text))).collect();
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn every_hostile_text_is_inert_and_on_its_line() {
    for (name, text) in CORPUS {
        let shown = prompts(text);
        assert!(shown.chars().all(|c| c == '\n' || inert::is_visible(c)), "{name}");
        for start in [
            "Caution: ",
            "From: ",
            "To: ",
            "Cc: ",
            "Bcc: ",
            "Subject: ",
            "Reply-To (",
            "Send this message now?",
        ] {
            // One for each of the two prompts.
            assert_eq!(shown.lines().filter(|line| line.starts_with(start)).count(), 2, "{name}: {start}");
        }
    }
}

#[test]
fn ten_thousand_combining_marks_have_their_golden_file_too() {
    // The subject is shown whole, so the file keeps a count in place of what repeats.
    let fields = DraftFields { html: None, ..hostile(&format!("e{}", "\u{301}".repeat(10_000))) };
    let prompt = of(&Shown { fields: &fields, plain: false, exposed: false, new: &[] });
    let counted = |line: &str| {
        let (piled, escaped) = (line.matches('\u{301}').count(), line.matches("\\u{301}").count());
        let rest = line.replace("\\u{301}", "").replace('\u{301}', "");
        if piled == 0 { format!("{rest}\n") } else { format!("{rest} [{piled} marks, {escaped} escaped]\n") }
    };
    assert_eq!(differs("combining-marks", &prompt.lines().map(counted).collect::<String>()), None);
    assert_eq!(
        plain_text::of(&DraftFields { attachments: Vec::new(), ..fields }, &[], &[]).err(),
        Some(Refusal::PlainTooLong)
    );
}

#[test]
fn every_golden_file_is_of_a_text() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prompts");
    let mut files: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".txt").to_owned())
        .collect();
    files.sort();
    let mut names: Vec<&str> = CORPUS.iter().map(|(name, _)| *name).chain(["combining-marks"]).collect();
    names.sort_unstable();
    assert_eq!(files, names);
}
