//! Rule: what was approved is as strict as what holds now, exposure read anew under the claim's lock.
//!
//! The prompt says when other people's mail was just read, and when only the plain text goes out. If either holds only
//! since the prompt, the person didn't know it, and the send is refused. The other way round, the window having lapsed
//! while the person read, what they were shown stands. A send that nobody was asked about goes only where nobody has to
//! be asked now either.

use countersign_confirm::Terms;

use super::choice::{Choice, PLAIN};
use crate::{exposure::EXPOSED, refusal::Refusal};

/// Why a claim may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approved {
    /// A person was shown these terms.
    Shown(Terms),
    /// The owner's rules asked nobody.
    Unasked,
}

/// Refuses a send for which more holds now than was approved.
pub(super) fn as_approved(approved: Approved, now: Choice, exposed: bool) -> Result<(), Refusal> {
    match approved {
        Approved::Unasked if now.asks => Err(Refusal::PromptNeeded),
        Approved::Shown(signed) if exposed && !EXPOSED.is_within(signed) => Err(Refusal::ExposedSince),
        Approved::Shown(signed) if now.plain && !PLAIN.is_within(signed) => Err(Refusal::PlainSince),
        Approved::Unasked | Approved::Shown(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_shown_refuses() {
        let both = Terms(EXPOSED.0 | PLAIN.0);
        for (plain, exposed, signed, expected) in [
            (false, false, Terms(0), Ok(())),
            (false, false, both, Ok(())),
            (false, true, Terms(0), Err(Refusal::ExposedSince)),
            (false, true, EXPOSED, Ok(())),
            (false, true, PLAIN, Err(Refusal::ExposedSince)),
            (true, false, Terms(0), Err(Refusal::PlainSince)),
            (true, false, EXPOSED, Err(Refusal::PlainSince)),
            (true, false, PLAIN, Ok(())),
            (true, true, both, Ok(())),
            (true, true, EXPOSED, Err(Refusal::PlainSince)),
            (true, true, PLAIN, Err(Refusal::ExposedSince)),
            (false, true, Terms(u32::MAX), Ok(())),
            (false, true, Terms(!EXPOSED.0), Err(Refusal::ExposedSince)),
        ] {
            let now = Choice { plain, asks: true };
            assert_eq!(
                as_approved(Approved::Shown(signed), now, exposed),
                expected,
                "{plain} {exposed} {signed:?}"
            );
        }
    }

    #[test]
    fn what_nobody_was_asked_about_must_need_no_asking_now() {
        for exposed in [false, true] {
            for (asks, expected) in [(true, Err(Refusal::PromptNeeded)), (false, Ok(()))] {
                assert_eq!(as_approved(Approved::Unasked, Choice { plain: false, asks }, exposed), expected);
            }
        }
    }
}
