//! The encoding is injective: two drafts share a fingerprint only when they are the same draft.

use proptest::{collection::vec, option, prelude::*};

use super::*;

/// What a fingerprint holds of a draft: everything, with the recipients of a field in any order.
fn canonical(fields: &DraftFields) -> DraftFields {
    let mut fields = fields.clone();
    for list in [&mut fields.to, &mut fields.cc, &mut fields.bcc, &mut fields.reply_to] {
        list.sort_by(|a, b| (&a.addr_spec, &a.display_name).cmp(&(&b.addr_spec, &b.display_name)));
    }
    fields
}

/// Short strings over few letters, so that two drafts often differ only in where a letter stands. Among them are
/// bytes that an encoding without lengths would take for its own.
fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[aN@\u{0}\u{1}]{0,3}").unwrap()
}

fn address() -> impl Strategy<Value = Address> {
    (option::of(text()), text()).prop_map(|(display_name, addr_spec)| Address { display_name, addr_spec })
}

fn attachment() -> impl Strategy<Value = DraftAttachment> {
    let bytes = vec(0..2_u8, 0..2);
    (text(), text(), option::of(text()), any::<bool>(), text(), 0..3_u64, bytes).prop_map(
        |(name, media_type, content_id, inline, identity, size, bytes)| DraftAttachment {
            name,
            media_type,
            content_id,
            inline,
            identity,
            size,
            bytes,
        },
    )
}

fn draft() -> impl Strategy<Value = DraftFields> {
    let ids = (text(), text(), option::of(text()), text());
    let people =
        (address(), vec(address(), 0..3), vec(address(), 0..3), vec(address(), 0..2), vec(address(), 0..2));
    let rest = (
        vec(text(), 0..3),
        vec(text(), 0..3),
        option::of(text()),
        option::of(text()),
        vec(attachment(), 0..3),
    );
    (ids, people, rest).prop_map(|(ids, people, rest)| {
        let (id, claim_key, message_id, subject) = ids;
        let (from, to, cc, bcc, reply_to) = people;
        let (in_reply_to, references, text, html, attachments) = rest;
        DraftFields {
            id,
            claim_key,
            message_id,
            from,
            to,
            cc,
            bcc,
            reply_to,
            subject,
            in_reply_to,
            references,
            text,
            html,
            attachments,
        }
    })
}

/// Something small done to a draft.
type Change = fn(&mut DraftFields);

/// One change of each field, and the moves between neighbours.
const CHANGES: &[(&str, Change)] = &[
    ("id", |f| f.id.push('a')),
    ("claim key", |f| f.claim_key.push('a')),
    ("id to claim key", |f| f.claim_key = std::mem::take(&mut f.id) + &f.claim_key),
    ("message id", |f| f.message_id = f.message_id.take().map_or(Some(String::new()), |id| Some(id + "a"))),
    ("from", |f| f.from.addr_spec.push('a')),
    ("from name", |f| f.from.display_name = f.from.display_name.take().map_or(Some(String::new()), |_| None)),
    ("to", |f| f.to.push(Address::default())),
    ("cc", |f| f.cc.push(Address::default())),
    ("bcc", |f| f.bcc.push(Address::default())),
    ("reply-to", |f| f.reply_to.push(Address::default())),
    ("to: name split", |f| name_split(&mut f.to)),
    ("bcc: name split", |f| name_split(&mut f.bcc)),
    ("to moved to cc", |f| f.cc.extend(f.to.pop())),
    ("cc moved to bcc", |f| f.bcc.extend(f.cc.pop())),
    ("bcc moved to reply-to", |f| f.reply_to.extend(f.bcc.pop())),
    ("subject", |f| f.subject.push('a')),
    ("subject to in-reply-to", |f| f.in_reply_to.insert(0, std::mem::take(&mut f.subject))),
    ("in-reply-to", |f| f.in_reply_to.push(String::new())),
    ("references", |f| f.references.push(String::new())),
    ("in-reply-to moved to references", |f| {
        if let Some(id) = f.in_reply_to.pop() {
            f.references.insert(0, id);
        }
    }),
    ("references joined", |f| {
        if let [a, b] = f.references.as_slice() {
            f.references = vec![format!("{a}{b}")];
        }
    }),
    ("references reversed", |f| f.references.reverse()),
    ("text", |f| f.text = f.text.take().map_or(Some(String::new()), |t| Some(t + "a"))),
    ("html", |f| f.html = f.html.take().map_or(Some(String::new()), |t| Some(t + "a"))),
    ("text and html swapped", |f| std::mem::swap(&mut f.text, &mut f.html)),
    ("text's end to html", |f| {
        if let (Some(text), Some(html)) = (&mut f.text, &mut f.html) {
            html.extend(text.pop());
        }
    }),
    ("attachments", |f| f.attachments.push(DraftAttachment::default())),
    ("attachments reversed", |f| f.attachments.reverse()),
    ("attachment name", |f| each(f, |a| a.name.push('a'))),
    ("attachment type", |f| each(f, |a| a.media_type.push('a'))),
    ("attachment name to type", |f| each(f, |a| a.media_type = std::mem::take(&mut a.name) + &a.media_type)),
    ("attachment content id", |f| {
        each(f, |a| a.content_id = a.content_id.take().map_or(Some(String::new()), |_| None));
    }),
    ("attachment inline", |f| each(f, |a| a.inline = !a.inline)),
    ("attachment identity", |f| each(f, |a| a.identity.push('a'))),
    ("attachment size", |f| each(f, |a| a.size += 1)),
    ("attachment bytes", |f| each(f, |a| a.bytes.push(0))),
];

fn each(fields: &mut DraftFields, change: fn(&mut DraftAttachment)) {
    fields.attachments.iter_mut().for_each(change);
}

/// Moves an address's name into its addr-spec.
fn name_split(list: &mut [Address]) {
    if let Some(address) = list.first_mut() {
        let name = address.display_name.take().unwrap_or_default();
        address.addr_spec.insert_str(0, &name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_change_and_move_changes_the_fingerprint(fields in draft()) {
        let before = Fingerprint::of(&fields);
        for (name, change) in CHANGES {
            let mut changed = fields.clone();
            change(&mut changed);
            let same = canonical(&changed) == canonical(&fields);
            prop_assert_eq!(Fingerprint::of(&changed) == before, same, "{}", name);
        }
    }

    #[test]
    fn two_drafts_share_a_fingerprint_only_when_they_are_one(a in draft(), b in draft()) {
        prop_assert_eq!(Fingerprint::of(&a) == Fingerprint::of(&b), canonical(&a) == canonical(&b));
    }

    #[test]
    fn the_order_of_recipients_is_not_in_it(fields in draft()) {
        let mut reversed = fields.clone();
        for list in [&mut reversed.to, &mut reversed.cc, &mut reversed.bcc, &mut reversed.reply_to] {
            list.reverse();
        }
        prop_assert_eq!(Fingerprint::of(&reversed), Fingerprint::of(&fields));
    }
}

#[test]
fn every_single_change_counts_on_a_full_draft() {
    let full = || {
        let two = |name: &str| {
            let address =
                |n| Address { display_name: Some(name.into()), addr_spec: format!("{name}{n}@example.org") };
            vec![address(1), address(2)]
        };
        let attachment = |n: u64| DraftAttachment {
            name: format!("{n}.pdf"),
            media_type: "a/b".into(),
            size: n,
            ..Default::default()
        };
        DraftFields {
            to: two("to"),
            cc: two("cc"),
            bcc: two("bcc"),
            reply_to: two("reply"),
            in_reply_to: vec!["i@x".into()],
            references: vec!["r@x".into(), "s@x".into()],
            html: Some("<p>Tuesday".into()),
            attachments: vec![attachment(1), attachment(2)],
            ..crate::testing::fields()
        }
    };
    let mut seen = std::collections::BTreeMap::from([(Fingerprint::of(&full()).0, "nothing")]);
    for (name, change) in CHANGES {
        let mut changed = full();
        change(&mut changed);
        assert_eq!(seen.insert(Fingerprint::of(&changed).0, name), None, "{name}");
    }
}

/// The version's own value. It changes only with the version: otherwise a confirmation under way during an update
/// would compare two encodings.
#[test]
fn the_encoding_is_pinned() {
    let fingerprint = Fingerprint::of(&crate::testing::fields());
    assert_eq!(fingerprint.to_string(), "963e4315a70ace637583569cfc42577915d031bb3f7853223ae8df938e0d95a6");
    assert_eq!(format!("{fingerprint:?}"), format!("Fingerprint({fingerprint})"));
}
