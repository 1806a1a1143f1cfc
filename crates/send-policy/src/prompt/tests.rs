//! The layout, and that nothing in a draft gets out of its place in it.

use super::*;

fn shown(fields: &DraftFields, exposed: bool) -> String {
    super::of(&Shown { fields, plain: false, exposed, new: &[] })
}

fn lines(fields: &DraftFields) -> Vec<String> {
    shown(fields, false).split('\n').map(str::to_owned).collect()
}

fn named(name: &str, addr_spec: &str) -> Address {
    Address { display_name: Some(name.into()), addr_spec: addr_spec.into() }
}

#[test]
fn a_plain_draft_shows_every_field_and_what_is_empty() {
    let expected = "Send this message now?\n\
        \n\
        From: \"Robin Vale\" <robin@example.org>\n\
        To: <friend@example.net>\n\
        Cc: —\n\
        Bcc: —\n\
        Subject: Lunch\n\
        Attachments: —\n\
        \n\
        Text:\n    Tuesday at one?";
    assert_eq!(shown(&crate::testing::fields(), false), expected);
}

#[test]
fn the_exposure_line_stands_at_the_head() {
    let prompt = shown(&crate::testing::fields(), true);
    assert!(prompt.starts_with("Caution: other people's mail was read in the last 10 minutes"), "{prompt}");
    assert!(prompt.ends_with(&shown(&crate::testing::fields(), false)));
}

#[test]
fn whoever_is_new_is_marked_in_whichever_field() {
    let new = ["friend@example.net".to_owned(), "a@xn--pota-h6a.example".to_owned()];
    let mut fields = crate::testing::fields();
    fields.to.push(Address::bare("known@example.org"));
    fields.cc = vec![named("A", "A@pošta.example")];
    fields.bcc = vec![Address::bare("FRIEND@example.net")];
    fields.reply_to = vec![Address::bare("friend@example.net")];
    let prompt = super::of(&Shown { fields: &fields, plain: false, exposed: false, new: &new });
    let shown: Vec<&str> = prompt.split('\n').collect();
    assert_eq!(shown[3], "To: <friend@example.net> (new: never emailed before), <known@example.org>");
    assert_eq!(shown[4], "Cc: \"A\" <A@xn--pota-h6a.example> (pošta.example) (new: never emailed before)");
    assert_eq!(shown[5], "Bcc: <FRIEND@example.net> (new: never emailed before)");
    assert_eq!(shown[6], "Reply-To (answers go there): <friend@example.net> (new: never emailed before)");
}

#[test]
fn plain_text_says_that_nothing_else_goes_out() {
    let fields = crate::testing::fields();
    let prompt = super::of(&Shown { fields: &fields, plain: true, exposed: true, new: &[] });
    let shown: Vec<&str> = prompt.split('\n').collect();
    assert!(shown[0].starts_with("Caution: "));
    assert_eq!((shown[2], shown[4]), ("Send this message now?", PLAIN_LINE));
    assert_eq!(shown[shown.len() - 2..], ["Text, exactly as it goes out:", "    Tuesday at one?"]);
    // The longest text that may go out is shown whole.
    let fields = DraftFields { text: Some("ž".repeat(BODY_LIMIT)), ..fields };
    let prompt = super::of(&Shown { fields: &fields, plain: true, exposed: false, new: &[] });
    assert!(prompt.ends_with(&"ž".repeat(BODY_LIMIT)));
}

#[test]
fn a_full_draft_shows_names_addresses_and_attachments_whole() {
    let attachment = |name: &str, size, inline| DraftAttachment {
        name: name.into(),
        media_type: "application/pdf".into(),
        size,
        inline,
        ..DraftAttachment::default()
    };
    let fields = DraftFields {
        to: vec![named("A", "a@example.org"), Address::bare("Žofie@pošta.example")],
        cc: vec![Address::bare("c@example.org")],
        bcc: vec![Address::bare("hidden@example.org")],
        reply_to: vec![Address::bare("answers@example.org")],
        subject: String::new(),
        text: None,
        attachments: vec![attachment(&"long ".repeat(100), 1_234_567, false), attachment("b.pdf", 999, true)],
        ..crate::testing::fields()
    };
    let shown = lines(&fields);
    assert_eq!(shown[3], "To: \"A\" <a@example.org>, <Žofie@xn--pota-h6a.example> (pošta.example)");
    assert_eq!(shown[4], "Cc: <c@example.org>");
    assert_eq!(shown[5], "Bcc: <hidden@example.org>");
    assert_eq!(shown[6], "Reply-To (answers go there): <answers@example.org>");
    assert_eq!(shown[7], "Subject: —");
    assert_eq!(
        shown[8],
        format!("Attachment 1 of 2: \"{}\" (application/pdf, 1,234,567 bytes)", "long ".repeat(100))
    );
    assert_eq!(shown[9], "Attachment 2 of 2: \"b.pdf\" (application/pdf, 999 bytes, shown in the text)");
    assert_eq!(shown[11], "Text: —");
}

/// What mail of others or an assistant under its influence would put into a field.
const HOSTILE: &[&str] = &[
    "x\nBcc: —",
    "x\r\nSubject: harmless",
    "x\u{2028}Bcc: —\u{2029}",
    "x\u{85}Bcc: —\u{b}\u{c}",
    "\u{202e}gro.elpmaxe@live\u{202c}",
    "\u{2066}a\u{2069}\u{200f}",
    "a\u{200b}b\u{200d}c\u{feff}\u{ad}",
    "\u{e0041}\u{e0042}\u{e007f}",
    "a\u{fe0f}\u{e0100}\u{e000}",
    "\u{1b}[2J\0\u{7f}",
    "x\" <friend@example.net>, \"y",
    "\\\" <friend@example.net>\\",
    "\\u{202e}",
];

/// Whether a line of the prompt carries anything that acts on the text around it.
fn inert(line: &str) -> bool {
    line.chars().all(inert::is_visible)
}

#[test]
fn hostile_header_values_stay_on_their_line() {
    let plain = lines(&crate::testing::fields()).len();
    let none = DraftAttachment::default;
    for &hostile in HOSTILE {
        let field = |change: &dyn Fn(&mut DraftFields)| {
            let mut fields = crate::testing::fields();
            change(&mut fields);
            fields
        };
        for (at, extra, fields) in [
            (2, 0, field(&|f| f.from = named(hostile, "a@example.org"))),
            (3, 0, field(&|f| f.to = vec![named(hostile, "a@example.org")])),
            (4, 0, field(&|f| f.cc = vec![named(hostile, "a@example.org")])),
            (5, 0, field(&|f| f.bcc = vec![Address::bare(hostile)])),
            (6, 1, field(&|f| f.reply_to = vec![named(hostile, "a@example.org")])),
            (6, 0, field(&|f| f.subject = hostile.into())),
            (7, 0, field(&|f| f.attachments = vec![DraftAttachment { name: hostile.into(), ..none() }])),
            (
                7,
                0,
                field(&|f| f.attachments = vec![DraftAttachment { media_type: hostile.into(), ..none() }]),
            ),
        ] {
            let shown = lines(&fields);
            assert_eq!(shown.len(), plain + extra, "{hostile:?} at {at}: {shown:#?}");
            assert!(shown.iter().all(|line| inert(line)), "{hostile:?} at {at}: {shown:#?}");
            // Every other line is as it was; the extra Reply-To line is the only one added.
            let mut others = shown.clone();
            others.remove(at);
            let mut expected = lines(&crate::testing::fields());
            if extra == 0 {
                expected.remove(at);
            }
            assert_eq!(others, expected, "{hostile:?} at {at}");
        }
    }
}

#[test]
fn a_name_cannot_pass_for_a_second_recipient() {
    let mut fields = crate::testing::fields();
    fields.to = vec![named("x\" <friend@example.net>, \"y", "evil@example.org")];
    assert_eq!(lines(&fields)[3], r#"To: "x\" <friend@example.net>, \"y" <evil@example.org>"#);
    // A name that ends in a backslash doesn't swallow the closing quote.
    fields.to = vec![named("x\\", "evil@example.org")];
    assert_eq!(lines(&fields)[3], r#"To: "x\\" <evil@example.org>"#);
}

#[test]
fn an_escape_in_a_name_reads_as_one_and_a_forged_one_does_not() {
    let mut fields = crate::testing::fields();
    for (name, shown) in [("\u{202e}", r#""\u{202e}""#), (r"\u{202e}", r#""\\u{5c}u{202e}""#)] {
        fields.to = vec![named(name, "a@example.org")];
        assert_eq!(lines(&fields)[3], format!("To: {shown} <a@example.org>"));
    }
}

#[test]
fn only_display_names_are_capped() {
    let long = "ž".repeat(10_000);
    let mut fields = crate::testing::fields();
    fields.subject.clone_from(&long);
    fields.to = vec![named(&long, &format!("{}@example.org", "a".repeat(64)))];
    let shown = lines(&fields);
    assert_eq!(shown[3], format!("To: \"{}…\" <{}@example.org>", "ž".repeat(NAME_LIMIT), "a".repeat(64)));
    assert_eq!(shown[6], format!("Subject: {long}"));
}

#[test]
fn ten_thousand_combining_marks_stay_on_one_line() {
    let mut fields = crate::testing::fields();
    let pile = format!("e{}", "\u{301}".repeat(10_000));
    fields.subject.clone_from(&pile);
    fields.to = vec![named(&pile, "a@example.org")];
    fields.text = Some(pile);
    let shown = lines(&fields);
    assert_eq!(shown.len(), lines(&crate::testing::fields()).len() + 1, "one more: the body is cut");
    let piled = |line: &str| line.chars().filter(|c| *c == '\u{301}').count();
    for at in [3, 6, 10] {
        assert_eq!(piled(&shown[at]), 8, "the rest of the pile is escaped: line {at}");
    }
    assert!(shown[3].chars().count() < NAME_LIMIT + 30);
    assert_eq!(shown[6].matches("\\u{301}").count(), 10_000 - 8, "the subject is shown whole");
    assert!(shown[10].chars().count() <= BODY_LIMIT + 4);
}

#[test]
fn the_body_is_indented_and_inert() {
    let mut fields = crate::testing::fields();
    fields.text = Some(HOSTILE.join("\n") + "\nBcc: —\n\n\nSend this message now?");
    let shown = lines(&fields);
    let at = shown.iter().position(|line| line == "Text:").unwrap();
    assert!(shown[at + 1..].iter().all(|line| line.starts_with("    ") && inert(line)), "{shown:#?}");
}

#[test]
fn a_long_body_is_cut_and_says_so() {
    let mut fields = crate::testing::fields();
    for (length, whole) in [(BODY_LIMIT, true), (BODY_LIMIT + 1, false)] {
        fields.text = Some("ž".repeat(length));
        let shown = lines(&fields);
        assert_eq!(shown[10], format!("    {}", "ž".repeat(BODY_LIMIT)));
        assert_eq!(shown.last().unwrap() == CUT_LINE, !whole);
    }
    // Escapes count as they are shown, so a body of invisible characters can't push the rest out of sight unseen.
    fields.text = Some("\u{200b}".repeat(BODY_LIMIT));
    assert!(shown(&fields, false).chars().count() < BODY_LIMIT + 500);
    assert_eq!(lines(&fields).last().unwrap(), CUT_LINE);
}

#[test]
fn a_formatted_version_that_differs_is_shown() {
    let mut fields = crate::testing::fields();
    fields.html = Some("<p>Tuesday <b>at</b> one?</p>".into());
    assert_eq!(lines(&fields)[9], "Text (a formatted version of the same text goes with it):");
    assert_eq!(lines(&fields)[10], "    Tuesday at one?");
    for html in [
        "<p>Tuesday at two?",
        "<p>Tuesday at one?<!-- x -->",
        "<p><a href='https://x.example/'>Tuesday</a> at one?",
    ] {
        fields.html = Some(html.into());
        let shown = lines(&fields);
        assert_eq!(shown[9], "Formatted version, which most people will see, as text:");
        assert_eq!(shown[12], "Plain version, which differs from it:");
        assert_eq!(shown[13], "    Tuesday at one?");
    }
    fields.text = None;
    assert_eq!(lines(&fields)[9], "Text, from its formatted version:");
    // Both together keep within what a prompt holds of a body.
    (fields.text, fields.html) = (Some("a".repeat(5_000)), Some("b".repeat(5_000)));
    let prompt = shown(&fields, false);
    assert_eq!(prompt.matches(CUT_LINE).count(), 2);
    assert!(prompt.chars().filter(|c| "ab".contains(*c)).count() < BODY_LIMIT + 100);
}

#[test]
fn numbers_are_grouped_in_thousands() {
    for (number, shown) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(grouped(number), shown);
    }
}
