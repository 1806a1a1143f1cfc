//! Rule: what goes out as plain text is exactly what the person reads in the prompt.
//!
//! Formatted text can carry what nobody saw: hidden passages, look-alike spaces, a payload in a display name. To
//! someone new, therefore, a message is rebuilt from the text shown: invisible characters dropped, the rest in NFKC,
//! line ends without blanks before them, no attachment, bare addresses. It has to fit the prompt whole. `In-Reply-To`
//! and `References` stay only where they name messages of this mailbox, because a msg-id is free text too.

use countersign_confirm::inert;
use unicode_normalization::UnicodeNormalization as _;

use crate::{address::Address, fields::DraftFields, html, prompt::BODY_LIMIT, refusal::Refusal};

/// A draft as it goes out as plain text. `own` are the addresses that the account sends from, as its owner wrote them:
/// a sender's name stays where it is the owner's. `held` are msg-ids of messages of this mailbox.
pub(crate) fn of(fields: &DraftFields, own: &[Address], held: &[String]) -> Result<DraftFields, Refusal> {
    if !fields.attachments.is_empty() {
        return Err(Refusal::PlainAttachment);
    }
    let written = fields.text.as_deref().map(text).filter(|text| !text.is_empty());
    let formatted = || fields.html.as_deref().map(|html| text(&html::to_text(html)));
    let body = written.or_else(formatted).unwrap_or_default();
    if !inert::block(&body, BODY_LIMIT).whole {
        return Err(Refusal::PlainTooLong);
    }
    let kept = |ids: &[String]| ids.iter().filter(|id| held.contains(id)).cloned().collect();
    Ok(DraftFields {
        id: fields.id.clone(),
        claim_key: fields.claim_key.clone(),
        message_id: fields.message_id.clone(),
        from: if own.contains(&fields.from) { fields.from.clone() } else { bare(&fields.from) },
        to: fields.to.iter().map(bare).collect(),
        cc: fields.cc.iter().map(bare).collect(),
        bcc: fields.bcc.iter().map(bare).collect(),
        reply_to: fields.reply_to.iter().map(bare).collect(),
        subject: line(&fields.subject),
        in_reply_to: kept(&fields.in_reply_to),
        references: kept(&fields.references),
        text: Some(body),
        html: None,
        attachments: Vec::new(),
    })
}

/// What ends a line somewhere.
const BREAKS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

fn bare(address: &Address) -> Address {
    Address::bare(&address.addr_spec)
}

/// Several lines: whatever ends a line somewhere ends one here.
pub(crate) fn text(written: &str) -> String {
    let written = written.replace("\r\n", "\n");
    let lines: Vec<String> = written.split(BREAKS).map(line).collect();
    lines.join("\n").trim_end().to_owned()
}

/// One line of visible characters in NFKC, without blanks at its end. A tab becomes the space that it looks like, and so
/// does what would end the line, so that no two words run together.
pub(crate) fn line(written: &str) -> String {
    let spaced = written.chars().map(|c| if c == '\t' || BREAKS.contains(&c) { ' ' } else { c });
    let shown: String = spaced.filter(|c| inert::is_visible(*c)).nfkc().collect();
    shown.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fields::DraftAttachment;

    fn plain(fields: &DraftFields) -> DraftFields {
        of(fields, &[], &[]).unwrap()
    }

    fn named(name: &str, addr_spec: &str) -> Address {
        Address { display_name: Some(name.into()), addr_spec: addr_spec.into() }
    }

    #[test]
    fn text_is_what_it_looks_like() {
        for (written, expected) in [
            ("Dear Robin,\r\n\r\nTuesday?  \r\n", "Dear Robin,\n\nTuesday?"),
            ("a\u{200b}b\u{e0041}\u{202e}c\u{feff}\u{ad}", "abc"),
            ("a\u{a0}b\u{2003}c\td", "a b c d"),
            ("cafe\u{301} ﬁ Ｈｉ ①", "café fi Hi 1"),
            ("a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\rg", "a\nb\nc\nd\ne\nf\ng"),
            ("a \u{200b}\u{a0} \u{200b}", "a"),
            ("a\u{1b}[2Jb\0", "a[2Jb"),
            (" indented\n\n\n", " indented"),
            ("\u{200b}\n \u{200b}\n", ""),
        ] {
            assert_eq!(text(written), expected, "{written:?}");
        }
    }

    #[test]
    fn everything_else_is_left_behind() {
        let mut fields = crate::testing::fields();
        fields.html = Some("<p>Tuesday at <b>one</b>?<span hidden>secret</span></p>".into());
        fields.subject = "Lu\u{200b}nch\u{a0}①\u{2028}now".into();
        fields.to = vec![named("payload", "a@example.org")];
        fields.cc = vec![named("payload", "b@example.org")];
        fields.bcc = vec![named("payload", "c@example.org")];
        fields.reply_to = vec![named("payload", "d@example.org")];
        let out = plain(&fields);
        assert_eq!((out.text.as_deref(), out.html.as_deref()), (Some("Tuesday at one?"), None));
        assert_eq!(out.subject, "Lunch 1 now");
        assert_eq!(out.to, [Address::bare("a@example.org")]);
        assert_eq!(out.cc, [Address::bare("b@example.org")]);
        assert_eq!(out.bcc, [Address::bare("c@example.org")]);
        assert_eq!(out.reply_to, [Address::bare("d@example.org")]);
        assert_eq!((out.id, out.claim_key, out.message_id), (fields.id, fields.claim_key, fields.message_id));
    }

    #[test]
    fn a_draft_of_html_alone_goes_as_its_text() {
        let mut fields = crate::testing::fields();
        fields.html = Some("<p>Tuesday<p>at <a href='https://x.example/'>one</a>?".into());
        for text in [None, Some(String::new()), Some(" \u{200b}\r\n".to_owned())] {
            fields.text = text;
            assert_eq!(plain(&fields).text.as_deref(), Some("Tuesday\nat one <https://x.example/>?"));
        }
        (fields.text, fields.html) = (None, None);
        assert_eq!(plain(&fields).text.as_deref(), Some(""));
    }

    #[test]
    fn the_senders_name_stays_where_the_owner_wrote_it() {
        let fields = crate::testing::fields();
        let own = [Address::bare("robin@example.org"), fields.from.clone()];
        assert_eq!(of(&fields, &own, &[]).unwrap().from, fields.from);
        for own in [&[][..], &own[..1], &[named("Other Name", "robin@example.org")]] {
            assert_eq!(of(&fields, own, &[]).unwrap().from, Address::bare("robin@example.org"));
        }
    }

    #[test]
    fn only_ids_of_this_mailbox_go_with_it() {
        let mut fields = crate::testing::fields();
        fields.in_reply_to = vec!["a@x".into(), "payload@x".into()];
        fields.references = vec!["payload@x".into(), "b@x".into(), "a@x".into()];
        let out = of(&fields, &[], &["a@x".to_owned(), "b@x".to_owned()]).unwrap();
        assert_eq!(out.in_reply_to, ["a@x"]);
        assert_eq!(out.references, ["b@x", "a@x"]);
        let out = plain(&fields);
        assert!(out.in_reply_to.is_empty() && out.references.is_empty());
    }

    #[test]
    fn an_attachment_is_refused_shown_in_the_text_or_not() {
        for inline in [false, true] {
            let mut fields = crate::testing::fields();
            fields.attachments = vec![DraftAttachment { inline, ..DraftAttachment::default() }];
            assert_eq!(of(&fields, &[], &[]).err(), Some(Refusal::PlainAttachment));
        }
    }

    #[test]
    fn it_has_to_fit_the_prompt_whole() {
        let mut fields = crate::testing::fields();
        for (text, fits) in [
            ("ž".repeat(1_500), true),
            ("ž".repeat(1_501), false),
            // What is dropped doesn't count; what is written longer does.
            (format!("{}\u{200b}   \n\n", "a".repeat(1_500)), true),
            ("\u{fb03}".repeat(500), true),
            ("\u{fb03}".repeat(501), false),
            // A pile of marks is escaped where it is shown.
            (format!("e{}", "\u{336}".repeat(250)), false),
            ("\n".repeat(1_500) + "a", false),
        ] {
            fields.text = Some(text.clone());
            let expected = if fits { None } else { Some(Refusal::PlainTooLong) };
            assert_eq!(of(&fields, &[], &[]).err(), expected, "{text:.20}");
        }
    }

    #[test]
    fn nothing_invisible_comes_of_a_visible_character() {
        for c in '\0'..=char::MAX {
            let shown = line(&format!("a{c}b"));
            assert!(shown.chars().all(inert::is_visible), "U+{:04X}", u32::from(c));
        }
    }

    /// The corpus that the fuzz target starts from.
    #[test]
    fn the_corpus_comes_out_inert_and_stays_as_it_is() {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/plain");
        let mut seen = 0;
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            holds(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
            seen += 1;
        }
        assert!(seen >= 12, "{seen}");
    }

    /// What holds of every text: it is visible, in its form, and the prompt shows it as it is or escapes a pile.
    fn holds(written: &str) {
        let out = text(written);
        assert!(out.chars().all(|c| c == '\n' || inert::is_visible(c)), "{written:?}");
        assert_eq!(text(&out), out, "{written:?}");
        assert_eq!(out.nfkc().collect::<String>(), out, "{written:?}");
        assert!(out.split('\n').all(|line| line.trim_end() == line), "{written:?}");
    }

    proptest! {
        #[test]
        fn any_text_comes_out_inert_and_stays_as_it_is(written in any::<String>()) {
            holds(&written);
        }

        #[test]
        fn marks_and_invisibles_in_any_order_come_out_inert(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "e", "\u{301}", "\u{323}", "\u{200d}", "\u{34f}", " ", "\u{a0}", "\n", "\r", "\t", "ﬁ", "\u{1100}",
                    "\u{1161}", "\u{11a8}", "\u{2028}", "\u{fe0f}", "\u{1d165}", "\u{fdfa}", "\\u{41}",
                ]),
                0..40,
            ),
        ) {
            holds(&parts.concat());
        }
    }
}
