//! Rule: every attachment is what the fingerprint and the prompt say it is.
//!
//! Where the bytes are in the draft, their number is the size that the person reads; where the provider keeps them,
//! its identity is what the fingerprint holds, so there must be one.

use crate::{fields::DraftFields, refusal::Refusal};

/// Refuses an attachment whose size is untrue, or that nothing identifies.
pub(super) fn identified(fields: &DraftFields) -> Result<(), Refusal> {
    let sound = fields.attachments.iter().all(|attachment| {
        let held = u64::try_from(attachment.bytes.len()).is_ok_and(|length| length == attachment.size);
        held || (attachment.bytes.is_empty() && !attachment.identity.is_empty())
    });
    if sound { Ok(()) } else { Err(Refusal::BadAttachment) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::DraftAttachment;

    #[test]
    fn size_and_identity_are_held_to() {
        for (bytes, size, identity, expected) in [
            (&b"abc"[..], 3, "", Ok(())),
            (b"", 0, "", Ok(())),
            (b"", 3, "provider-7", Ok(())),
            (b"abc", 4, "provider-7", Err(Refusal::BadAttachment)),
            (b"", 3, "", Err(Refusal::BadAttachment)),
        ] {
            let mut fields = crate::testing::fields();
            let attachment = DraftAttachment {
                bytes: bytes.to_vec(),
                size,
                identity: identity.into(),
                ..DraftAttachment::default()
            };
            fields.attachments = vec![attachment];
            assert_eq!(identified(&fields), expected, "{bytes:?} {size} {identity}");
        }
    }
}
