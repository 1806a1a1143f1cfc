//! What can be confirmed: [`Subject`], how to read it anew ([`Fresh`]), and under which [`Terms`].
//!
//! The gate is given something that it can read, not a snapshot, so that "it was read again after the answer" is the
//! gate's doing and cannot be forgotten by a caller.

/// How strictly the subject was treated when it was shown, a bit for each restriction ("only the plain text goes
/// out", "other people's mail was read shortly before").
///
/// More bits are stricter. The bits' meaning is the subject's own; this crate only compares them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Terms(pub u32);

impl Terms {
    /// No restriction.
    pub const NONE: Self = Self(0);

    /// Whether these terms ask nothing that `signed` did not already ask.
    #[must_use]
    pub const fn is_within(self, signed: Self) -> bool {
        self.0 & !signed.0 == 0
    }
}

/// Something irreversible, complete: all that would happen, as it would happen.
pub trait Subject {
    /// A digest of everything that the act does. Two subjects with one digest must have the same effect, because the
    /// gate acts on the second reading when its digest is that of the first.
    fn digest(&self) -> [u8; 32];

    /// What the person is shown, complete and made inert ([`crate::inert`]).
    fn prompt(&self) -> String;

    /// The restrictions in force at this reading.
    fn terms(&self) -> Terms;

    /// Puts the subject under the terms that the person was shown, which ask at least as much as its own.
    ///
    /// Called when a restriction lapsed while the person read: what they agreed to stands.
    fn hold_to(&mut self, signed: Terms);
}

/// Where what is confirmed is read from, once to be shown and once more after the answer.
pub trait Fresh: Sync {
    /// What is read: a [`Subject`], or a write.
    type Subject: Send;
    /// Why it could not be read.
    type Error: Send;

    /// Reads the subject as it is now. Never answered from a cache.
    fn read(&self) -> impl Future<Output = Result<Self::Subject, Self::Error>> + Send;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_within_when_every_bit_was_signed() {
        for (now, signed, within) in [
            (0b00, 0b00, true),
            (0b00, 0b01, true),
            (0b01, 0b01, true),
            (0b01, 0b11, true),
            (0b01, 0b00, false),
            (0b10, 0b01, false),
            (0b11, 0b01, false),
        ] {
            assert_eq!(Terms(now).is_within(Terms(signed)), within, "{now:02b} in {signed:02b}");
        }
    }
}
