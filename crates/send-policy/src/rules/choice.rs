//! Rule: how a draft may go out, and whether the person is asked, by who receives it and what was just read.
//!
//! The cells are the owner's ([`Treatments`](crate::Treatments)). `never` sends as is and without a question, to the
//! allowlist alone, whose addresses all count as known. `new-recipients` asks when someone is new, and also where only
//! the plain text goes out, because nobody would have seen otherwise what that is.

use countersign_confirm::Terms;

use crate::{
    exposure::EXPOSED,
    mode::ConfirmMode,
    profile::RulesConfig,
    refusal::Refusal,
    treatment::{Case, Treatment},
};

/// The term that says that only the plain text shown goes out.
pub(crate) const PLAIN: Terms = Terms(2);

/// How one draft may go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// As plain text only.
    pub(crate) plain: bool,
    /// Only once the person was asked.
    pub(crate) asks: bool,
}

impl Choice {
    /// The terms that the person is shown under this choice.
    pub(crate) fn terms(self, exposed: bool) -> Terms {
        let plain = if self.plain { PLAIN.0 } else { 0 };
        Terms(plain | if exposed { EXPOSED.0 } else { 0 })
    }
}

/// The choice in one case.
pub(super) fn of(config: &RulesConfig, case: Case) -> Result<Choice, Refusal> {
    let never = config.confirm == ConfirmMode::Never;
    let case = Case { new: case.new && !never, ..case };
    let treatment = config.treatments.of(case);
    if treatment == Treatment::Refused {
        return Err(Refusal::NotTo(case));
    }
    let plain = treatment == Treatment::PlainText && !never;
    let asks = match config.confirm {
        ConfirmMode::Always => true,
        ConfirmMode::NewRecipients => case.new || plain,
        ConfirmMode::Never => false,
    };
    Ok(Choice { plain, asks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{profile::Profile, treatment::Treatments};

    const CASES: [Case; 4] = [
        Case { new: true, exposed: false },
        Case { new: true, exposed: true },
        Case { new: false, exposed: false },
        Case { new: false, exposed: true },
    ];

    fn with(confirm: ConfirmMode, all: Treatment) -> RulesConfig {
        let treatments =
            Treatments { to_new: all, to_new_exposed: all, to_known: all, to_known_exposed: all };
        RulesConfig { confirm, treatments, ..RulesConfig::default() }
    }

    #[test]
    fn each_mode_asks_when_it_should() {
        use ConfirmMode::{Always, Never, NewRecipients};
        use Treatment::{AsIs, PlainText};
        for (mode, treatment, plain, asks) in [
            (Always, AsIs, false, [true, true, true, true]),
            (Always, PlainText, true, [true, true, true, true]),
            (NewRecipients, AsIs, false, [true, true, false, false]),
            (NewRecipients, PlainText, true, [true, true, true, true]),
            (Never, AsIs, false, [false, false, false, false]),
            (Never, PlainText, false, [false, false, false, false]),
        ] {
            for (case, asks) in CASES.into_iter().zip(asks) {
                assert_eq!(of(&with(mode, treatment), case), Ok(Choice { plain, asks }), "{mode} {case:?}");
            }
        }
    }

    #[test]
    fn a_cell_that_refuses_refuses_in_every_mode() {
        for mode in [ConfirmMode::Always, ConfirmMode::NewRecipients, ConfirmMode::Never] {
            for case in CASES {
                let seen = Case { new: case.new && mode != ConfirmMode::Never, ..case };
                assert_eq!(of(&with(mode, Treatment::Refused), case), Err(Refusal::NotTo(seen)));
            }
        }
        // Only the cell in question decides.
        let hey = RulesConfig::of(Profile::Hey);
        let refused = CASES.map(|case| of(&hey, case).is_err());
        assert_eq!(refused, [false, true, false, false]);
    }

    #[test]
    fn terms_say_what_is_restricted() {
        for (plain, exposed, terms) in [
            (false, false, 0),
            (true, false, PLAIN.0),
            (false, true, EXPOSED.0),
            (true, true, PLAIN.0 | EXPOSED.0),
        ] {
            assert_eq!(Choice { plain, asks: true }.terms(exposed), Terms(terms));
        }
        assert_eq!(PLAIN.0 & EXPOSED.0, 0);
    }
}
