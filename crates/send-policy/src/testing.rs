//! What the tests of this crate share: a sample draft.

use crate::{Address, DraftFields};

/// A draft that every rule lets pass.
pub(crate) fn fields() -> DraftFields {
    DraftFields {
        id: "d1".into(),
        claim_key: "m1@example.org".into(),
        message_id: Some("m1@example.org".into()),
        from: Address { display_name: Some("Robin Vale".into()), addr_spec: "robin@example.org".into() },
        to: vec![Address::bare("friend@example.net")],
        subject: "Lunch".into(),
        text: Some("Tuesday at one?\n".into()),
        ..DraftFields::default()
    }
}
