//! One fresh reading of a draft: what would go out now, and under which terms.
//!
//! Only the policy makes one, from a source it has read itself and after the rules. The gate compares two of them by
//! their fingerprint; the fields that go out are those of the second, which are then those of the first.

use countersign_confirm::{Subject, Terms};

use crate::{
    exposure::EXPOSED,
    fields::{DraftFields, Origin},
    fingerprint::Fingerprint,
    prompt,
};

/// A draft as it was read, for confirming and then for sending.
pub struct DraftSnapshot {
    origin: Origin,
    fields: DraftFields,
    fingerprint: Fingerprint,
    terms: Terms,
}

impl DraftSnapshot {
    pub(crate) fn new(origin: Origin, fields: DraftFields, terms: Terms) -> Self {
        let fingerprint = Fingerprint::of(&fields);
        Self { origin, fields, fingerprint, terms }
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

    pub(crate) fn signed_terms(&self) -> Terms {
        self.terms
    }

    pub(crate) fn into_fields(self) -> DraftFields {
        self.fields
    }
}

impl Subject for DraftSnapshot {
    fn digest(&self) -> [u8; 32] {
        *self.fingerprint.as_bytes()
    }

    fn prompt(&self) -> String {
        prompt::of(&self.fields, EXPOSED.is_within(self.terms))
    }

    fn terms(&self) -> Terms {
        self.terms
    }

    fn hold_to(&mut self, signed: Terms) {
        // What was shown stands, whatever holds now. The claim compares it with the state once more, so terms that
        // were never shown can't get in here by being laxer.
        self.terms = signed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exposure_line_follows_the_terms_that_were_signed() {
        let origin = Origin::new("imap", "mail.example.org", "robin");
        let mut snapshot = DraftSnapshot::new(origin, crate::testing::fields(), Terms(0));
        let calm = snapshot.prompt();
        assert_eq!(snapshot.terms(), Terms(0));
        snapshot.hold_to(EXPOSED);
        assert_eq!(snapshot.terms(), EXPOSED);
        assert_ne!(snapshot.prompt(), calm);
        assert!(snapshot.prompt().ends_with(&calm));
    }

    #[test]
    fn the_digest_is_the_fingerprint_and_not_the_terms() {
        let origin = Origin::new("imap", "mail.example.org", "robin");
        let fields = crate::testing::fields();
        let fingerprint = *Fingerprint::of(&fields).as_bytes();
        for terms in [Terms(0), EXPOSED] {
            assert_eq!(DraftSnapshot::new(origin.clone(), fields.clone(), terms).digest(), fingerprint);
        }
    }
}
