//! [`Confirmed`]: the proof that a person saw a subject and said yes to it.
//!
//! The only constructor is in this file and private to the crate; the gates alone call it, after the answer, on a
//! subject read anew and compared with what was shown. Nothing here is `Clone`, `Debug` or `Serialize`: one yes
//! acts once, and what was confirmed does not leak through a log line.

/// A subject that a person confirmed, read again after the answer and found unchanged.
///
/// Take it by value where the act is done, so that the compiler keeps "one confirmation, one act".
pub struct Confirmed<S> {
    subject: S,
}

impl<S> Confirmed<S> {
    /// Made by the gates only.
    #[cfg(feature = "token")]
    pub(crate) fn new(subject: S) -> Self {
        Self { subject }
    }

    /// Gives up the proof for the subject it was about.
    pub fn into_subject(self) -> S {
        self.subject
    }
}
