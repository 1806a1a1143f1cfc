//! Rule: what the person confirmed was as strict as what holds now.
//!
//! The prompt says when other people's mail was just read. If that happened only after the prompt, the person didn't
//! know it, and the send is refused. The other way round, the window having lapsed while the person read, what they
//! were shown stands.

use countersign_confirm::Terms;

use crate::{
    exposure::{EXPOSED, is_exposed},
    refusal::Refusal,
    state::Ledger,
};

/// Refuses a send that is exposed now and wasn't when the person was asked.
pub(super) fn not_since(ledger: &Ledger, signed: Terms, now: i64) -> Result<(), Refusal> {
    if is_exposed(ledger.exposed_at, now) && !EXPOSED.is_within(signed) {
        Err(Refusal::ExposedSince)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_exposure_that_was_not_shown_refuses() {
        let exposed = Ledger { exposed_at: Some(100), ..Ledger::default() };
        for (ledger, signed, now, expected) in [
            (&exposed, Terms(0), 101, Err(Refusal::ExposedSince)),
            (&exposed, EXPOSED, 101, Ok(())),
            (&exposed, Terms(u32::MAX), 101, Ok(())),
            (&exposed, Terms(!EXPOSED.0), 101, Err(Refusal::ExposedSince)),
            (&exposed, Terms(0), 700, Ok(())),
            (&Ledger::default(), Terms(0), 101, Ok(())),
            (&Ledger::default(), EXPOSED, 101, Ok(())),
        ] {
            assert_eq!(not_since(ledger, signed, now), expected);
        }
    }
}
