//! Rule: a draft is sent once.
//!
//! A claim lasts 24 hours and nothing releases it, also not a refusal by the server. A sent record lasts 400 days, so
//! that a draft which stayed in Drafts (a crash between the server's answer and its removal, a server that can't
//! remove it exactly) isn't sent again. Only the server's definite refusal removes the record.

use super::in_force;
use crate::{
    fields::DraftFields,
    refusal::Refusal,
    state::{Ledger, SentOutcome},
};

/// How long a claim keeps its draft from being sent again, in seconds.
pub(crate) const CLAIM_TERM: i64 = 24 * 60 * 60;
/// How long a sent record does, in seconds.
pub(crate) const SENT_TERM: i64 = 400 * 24 * 60 * 60;

/// Refuses a draft without a claim key: all such drafts would share one claim, or none.
pub(super) fn identified(fields: &DraftFields) -> Result<(), Refusal> {
    if fields.claim_key.is_empty() { Err(Refusal::NoIdentity) } else { Ok(()) }
}

/// Refuses a draft that was sent, or may have been.
pub(super) fn unsent(ledger: &Ledger, now: i64) -> Result<(), Refusal> {
    match ledger.sent {
        Some((at, SentOutcome::Accepted)) if in_force(at, SENT_TERM, now) => Err(Refusal::AlreadySent),
        Some((at, SentOutcome::Unknown)) if in_force(at, SENT_TERM, now) => Err(Refusal::OutcomeUnknown),
        Some(_) | None => Ok(()),
    }
}

/// Refuses a draft whose send was begun within the claim's term.
pub(super) fn unclaimed(ledger: &Ledger, now: i64) -> Result<(), Refusal> {
    match ledger.claimed_at {
        Some(at) if in_force(at, CLAIM_TERM, now) => Err(Refusal::Claimed),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    #[test]
    fn a_claim_holds_for_a_day_and_under_a_clock_set_back() {
        let ledger = Ledger { claimed_at: Some(1_000 * DAY), ..Ledger::default() };
        for (now, expected) in [
            (1_000 * DAY, Err(Refusal::Claimed)),
            (1_001 * DAY - 1, Err(Refusal::Claimed)),
            (1_001 * DAY, Ok(())),
            (0, Err(Refusal::Claimed)),
        ] {
            assert_eq!(unclaimed(&ledger, now), expected, "{now}");
        }
    }

    #[test]
    fn a_sent_record_holds_for_400_days_and_says_what_is_known() {
        for (outcome, refusal) in
            [(SentOutcome::Accepted, Refusal::AlreadySent), (SentOutcome::Unknown, Refusal::OutcomeUnknown)]
        {
            let ledger = Ledger { sent: Some((1_000 * DAY, outcome)), ..Ledger::default() };
            assert_eq!(unsent(&ledger, 1_400 * DAY - 1), Err(refusal));
            assert_eq!(unsent(&ledger, 0), Err(refusal));
            assert_eq!(unsent(&ledger, 1_400 * DAY), Ok(()));
        }
    }

    #[test]
    fn a_draft_without_a_key_is_refused() {
        let mut fields = crate::testing::fields();
        assert_eq!(identified(&fields), Ok(()));
        fields.claim_key.clear();
        assert_eq!(identified(&fields), Err(Refusal::NoIdentity));
    }
}
