//! One fresh reading of a draft: what would go out now, and under which terms.
//!
//! Only the policy makes one, from a source it has read itself and after the rules. The gate compares two of them by
//! their fingerprint; what goes out is made from the fields of the second, which are then those of the first, and from
//! the terms that were shown: as it is, or the plain text.

use countersign_confirm::{Subject, Terms};

use crate::{
    address::Address,
    exposure::EXPOSED,
    fields::{DraftFields, Origin},
    fingerprint::Fingerprint,
    prompt,
    refusal::Refusal,
    rules::{Choice, PLAIN, plain_text},
};

/// A draft as it was read, for confirming and then for sending.
pub struct DraftSnapshot {
    origin: Origin,
    fields: DraftFields,
    fingerprint: Fingerprint,
    reading: Reading,
    terms: Terms,
    /// The plain text form, where the terms are for it.
    plain: Option<Result<DraftFields, Refusal>>,
}

/// What a reading found out beside the draft itself.
pub(crate) struct Reading {
    /// The addresses that are new, in comparable form.
    pub(crate) new: Vec<String>,
    /// Whether the sign-in is exposed.
    pub(crate) exposed: bool,
    /// How the draft may go out.
    pub(crate) choice: Choice,
    /// The addresses that the account sends from.
    pub(crate) own: Vec<Address>,
    /// The msg-ids it names that are those of messages of this mailbox. Looked up for the plain text only.
    pub(crate) held: Vec<String>,
}

impl DraftSnapshot {
    /// A snapshot. Refused where only the plain text may go out and the draft can't go out as that.
    pub(crate) fn new(origin: Origin, fields: DraftFields, reading: Reading) -> Result<Self, Refusal> {
        let fingerprint = Fingerprint::of(&fields);
        let terms = reading.choice.terms(reading.exposed);
        let mut snapshot = Self { origin, fields, fingerprint, reading, terms, plain: None };
        snapshot.make_plain();
        match snapshot.plain {
            Some(Err(refusal)) => Err(refusal),
            Some(Ok(_)) | None => Ok(snapshot),
        }
    }

    /// What would be sent, in 32 bytes.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn fields(&self) -> &DraftFields {
        &self.fields
    }

    pub(crate) fn choice(&self) -> Choice {
        self.reading.choice
    }

    pub(crate) fn new_addresses(&self) -> &[String] {
        &self.reading.new
    }

    pub(crate) fn signed_terms(&self) -> Terms {
        self.terms
    }

    /// What goes out under the terms: the plain text where they are for it, else the draft as it is.
    pub(crate) fn into_outgoing(self) -> Result<DraftFields, Refusal> {
        self.plain.unwrap_or(Ok(self.fields))
    }

    /// Makes the plain text form, where the terms are for it and there is none yet.
    fn make_plain(&mut self) {
        if PLAIN.is_within(self.terms) && self.plain.is_none() {
            self.plain = Some(plain_text::of(&self.fields, &self.reading.own, &self.reading.held));
        }
    }
}

impl Subject for DraftSnapshot {
    fn digest(&self) -> [u8; 32] {
        *self.fingerprint.as_bytes()
    }

    fn prompt(&self) -> String {
        let plain = self.plain.as_ref().and_then(|plain| plain.as_ref().ok());
        prompt::of(&prompt::Shown {
            fields: plain.unwrap_or(&self.fields),
            plain: plain.is_some(),
            exposed: EXPOSED.is_within(self.terms),
            new: &self.reading.new,
        })
    }

    fn terms(&self) -> Terms {
        self.terms
    }

    fn hold_to(&mut self, signed: Terms) {
        // What was shown stands, whatever holds now. The claim compares it with the state once more, so terms that
        // were never shown can't get in here by being laxer. A plain text that is made only now, because the reason for
        // it lapsed, names no other message: which of them are in the mailbox was not looked up.
        self.terms = signed;
        self.make_plain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::DraftAttachment;

    fn reading(plain: bool, exposed: bool) -> Reading {
        Reading {
            new: vec!["friend@example.net".into()],
            exposed,
            choice: Choice { plain, asks: true },
            own: Vec::new(),
            held: vec!["held@x".into()],
        }
    }

    fn snapshot(fields: DraftFields, plain: bool, exposed: bool) -> Result<DraftSnapshot, Refusal> {
        DraftSnapshot::new(crate::testing::origin(), fields, reading(plain, exposed))
    }

    fn formatted() -> DraftFields {
        DraftFields {
            html: Some("<p>Tuesday <b>at</b> one?".into()),
            in_reply_to: vec!["held@x".into(), "other@x".into()],
            ..crate::testing::fields()
        }
    }

    #[test]
    fn the_exposure_line_follows_the_terms_that_were_signed() {
        let mut snapshot = snapshot(crate::testing::fields(), false, false).unwrap();
        let calm = snapshot.prompt();
        assert_eq!(snapshot.terms(), Terms(0));
        snapshot.hold_to(EXPOSED);
        assert_eq!(snapshot.terms(), EXPOSED);
        assert_ne!(snapshot.prompt(), calm);
        assert!(snapshot.prompt().ends_with(&calm));
    }

    #[test]
    fn the_digest_is_the_fingerprint_of_the_draft_and_not_of_the_terms() {
        let fingerprint = *Fingerprint::of(&formatted()).as_bytes();
        for (plain, exposed) in [(false, false), (true, false), (false, true), (true, true)] {
            assert_eq!(snapshot(formatted(), plain, exposed).unwrap().digest(), fingerprint);
        }
    }

    #[test]
    fn what_goes_out_follows_the_terms() {
        assert!(snapshot(formatted(), false, true).unwrap().into_outgoing().unwrap() == formatted());
        let plain = snapshot(formatted(), true, false).unwrap();
        assert_eq!(plain.terms(), PLAIN);
        assert!(plain.prompt().contains("plain text"));
        let out = plain.into_outgoing().unwrap();
        assert_eq!((out.html, out.in_reply_to), (None, vec!["held@x".to_owned()]));
    }

    #[test]
    fn a_reason_for_plain_text_that_lapsed_leaves_it_plain() {
        let lapsed = Reading { held: Vec::new(), ..reading(false, false) };
        let mut snapshot = DraftSnapshot::new(crate::testing::origin(), formatted(), lapsed).unwrap();
        snapshot.hold_to(PLAIN);
        let out = snapshot.into_outgoing().unwrap();
        assert!(out.html.is_none() && out.in_reply_to.is_empty());
    }

    #[test]
    fn a_plain_text_that_was_made_is_not_made_anew() {
        let mut snapshot = snapshot(formatted(), true, false).unwrap();
        snapshot.reading.held.clear();
        snapshot.hold_to(Terms(PLAIN.0 | EXPOSED.0));
        assert_eq!(snapshot.into_outgoing().unwrap().in_reply_to, ["held@x"]);
    }

    #[test]
    fn a_draft_that_cannot_go_as_plain_text_is_refused_where_it_would_have_to() {
        let with_attachment =
            DraftFields { attachments: vec![DraftAttachment::default()], ..crate::testing::fields() };
        assert!(snapshot(with_attachment.clone(), false, false).is_ok());
        assert_eq!(snapshot(with_attachment.clone(), true, false).err(), Some(Refusal::PlainAttachment));
        // Were it held to plain text later, it would still not go out as it is.
        let mut held = snapshot(with_attachment, false, false).unwrap();
        held.hold_to(PLAIN);
        assert_eq!(held.into_outgoing().err(), Some(Refusal::PlainAttachment));
    }
}
