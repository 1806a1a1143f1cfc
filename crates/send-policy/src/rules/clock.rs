//! Rule: the clock is not behind what was recorded.
//!
//! Every cap and every term is counted from the machine's clock. What lies in the future stays in force, so a clock set
//! back frees nothing; but windows counted from a wrong time mean nothing either, so nothing is sent until it is right.

use crate::{refusal::Refusal, state::Ledger};

/// How far the clock may lie behind the last recorded send, in seconds: as much as a correction by NTP is.
const TOLERANCE: i64 = 5 * 60;

/// Refuses a send while the last recorded one lies in the future.
pub(super) fn not_set_back(ledger: &Ledger, now: i64) -> Result<(), Refusal> {
    match ledger.last_charge {
        Some(at) if at.saturating_sub(now) > TOLERANCE => Err(Refusal::ClockSetBack),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_passes_and_a_clock_set_back_does_not() {
        for (last, now, expected) in [
            (None, i64::MIN, Ok(())),
            (Some(1_000), 1_000, Ok(())),
            (Some(1_000), 700, Ok(())),
            (Some(1_000), 699, Err(Refusal::ClockSetBack)),
            (Some(1_000), 5_000, Ok(())),
            (Some(i64::MAX), i64::MIN, Err(Refusal::ClockSetBack)),
        ] {
            let ledger = Ledger { last_charge: last, ..Ledger::default() };
            assert_eq!(not_set_back(&ledger, now), expected, "{last:?} {now}");
        }
    }
}
