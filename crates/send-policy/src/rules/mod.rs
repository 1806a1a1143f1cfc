//! The rules that a send passes, in order. Read this file first.
//!
//! `of_draft` looks at the draft alone. It runs each time the draft is read (before the person is asked and again
//! after the answer) and once more on what is claimed. `before_asking` and `of_claim` look at what the state
//! remembers: the first so that nobody is asked about a send that would be refused anyway, the second inside the
//! claim's own transaction, where it alone decides. Each rule is a file: a check, and the tests that fail without it.

mod allowlist;
mod attachments;
mod caps;
mod exposure;
mod headers;
mod once;
mod recipients;

use countersign_confirm::Terms;

use crate::{fields::DraftFields, mode::ConfirmMode, refusal::Refusal, state::Ledger};
use allowlist::Allowlist;
pub(crate) use caps::SENDS_WINDOW;
pub(crate) use once::{CLAIM_TERM, SENT_TERM};

/// The owner's rules for one account, from the configuration file alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesConfig {
    /// Distinct addresses that one message may name in `To`, `Cc`, `Bcc` and `Reply-To`.
    pub max_recipients: u32,
    /// Sends in a rolling 24 hours, over all processes of the sign-in.
    pub max_sends: u32,
    /// Addresses and domains; where there are any, nothing goes anywhere else. A domain doesn't include its subdomains.
    pub allow: Vec<String>,
    /// When the person is asked.
    pub confirm: ConfirmMode,
}

impl Default for RulesConfig {
    fn default() -> Self {
        Self { max_recipients: 20, max_sends: 50, allow: Vec::new(), confirm: ConfirmMode::Always }
    }
}

/// The rules as they are applied. A configuration that can't be applied refuses every send and says so.
pub(crate) struct Rules {
    max_recipients: u32,
    max_sends: u32,
    allow: Result<Option<Allowlist>, Refusal>,
    confirm: ConfirmMode,
}

/// What the rules of a claim look at besides the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimTerms {
    /// The cap on sends in a rolling 24 hours.
    pub(crate) max_sends: u32,
    /// The strictness that the person was shown.
    pub(crate) signed: Terms,
}

impl Rules {
    pub(crate) fn new(config: &RulesConfig) -> Self {
        let RulesConfig { max_recipients, max_sends, allow, confirm } = config;
        let allow = Allowlist::parse(allow);
        Self { max_recipients: *max_recipients, max_sends: *max_sends, allow, confirm: *confirm }
    }

    pub(crate) fn max_sends(&self) -> u32 {
        self.max_sends
    }

    /// The rules that look at the draft alone.
    pub(crate) fn of_draft(&self, fields: &DraftFields) -> Result<(), Refusal> {
        self.confirm.check()?;
        once::identified(fields)?;
        recipients::valid(fields)?;
        headers::one_line(fields)?;
        attachments::identified(fields)?;
        caps::recipients(fields, self.max_recipients)?;
        allowlist::inside(fields, self.allow.as_ref().map_err(|refusal| *refusal)?.as_ref())
    }

    /// The rules of the claim that can already be told before the person is asked. Exposure isn't among them: here it
    /// makes the prompt stricter, at the claim it refuses a laxer one.
    pub(crate) fn before_asking(&self, ledger: &Ledger, now: i64) -> Result<(), Refusal> {
        once::unsent(ledger, now)?;
        once::unclaimed(ledger, now)?;
        caps::sends(ledger, self.max_sends)
    }
}

impl ClaimTerms {
    /// The rules that hold inside the claim's transaction.
    pub(crate) fn of_claim(self, ledger: &Ledger, now: i64) -> Result<(), Refusal> {
        once::unsent(ledger, now)?;
        once::unclaimed(ledger, now)?;
        exposure::not_since(ledger, self.signed, now)?;
        caps::sends(ledger, self.max_sends)
    }
}

/// Whether something that was recorded at `at` and lasts for `term` seconds still holds. A time in the future, as
/// after a clock was set back, holds too: a clock must not reopen a claim or end an exposure.
pub(crate) fn in_force(at: i64, term: i64, now: i64) -> bool {
    now.saturating_sub(at) < term
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address::Address, refusal::Field};

    #[test]
    fn a_time_in_the_future_is_in_force() {
        for (at, now, expected) in [
            (100, 100, true),
            (100, 109, true),
            (100, 110, false),
            (100, 0, true),
            (i64::MAX, i64::MIN, true),
            (0, i64::MAX, false),
        ] {
            assert_eq!(in_force(at, 10, now), expected, "{at} {now}");
        }
    }

    #[test]
    fn the_defaults_are_those_of_a_mailbox_of_ones_own() {
        let config = RulesConfig::default();
        assert_eq!((config.max_recipients, config.max_sends, config.confirm), (20, 50, ConfirmMode::Always));
        assert!(config.allow.is_empty());
    }

    /// Each rule is in the list: what it refuses by itself, the list refuses for that reason.
    #[test]
    fn the_list_applies_every_rule_to_the_draft() {
        let fine = crate::testing::fields();
        let check =
            |config: RulesConfig, change: &dyn Fn(&mut DraftFields), expected: Result<(), Refusal>| {
                let mut fields = fine.clone();
                change(&mut fields);
                assert_eq!(Rules::new(&config).of_draft(&fields), expected);
            };
        let default = RulesConfig::default;
        check(default(), &|_| (), Ok(()));
        check(
            RulesConfig { confirm: ConfirmMode::Never, ..default() },
            &|_| (),
            Err(Refusal::ModeUnsupported(ConfirmMode::Never)),
        );
        check(default(), &|f| f.claim_key.clear(), Err(Refusal::NoIdentity));
        check(default(), &|f| f.to.clear(), Err(Refusal::NoRecipients));
        check(default(), &|f| f.subject.push('\n'), Err(Refusal::BadHeader(Field::Subject)));
        check(
            default(),
            &|f| f.attachments.push(crate::fields::DraftAttachment { size: 1, ..Default::default() }),
            Err(Refusal::BadAttachment),
        );
        check(
            RulesConfig { max_recipients: 1, ..default() },
            &|f| f.cc.push(Address::bare("c@example.org")),
            Err(Refusal::TooManyRecipients { count: 2, max: 1 }),
        );
        check(
            RulesConfig { allow: vec!["other.example".into()], ..default() },
            &|_| (),
            Err(Refusal::NotAllowed(Field::To)),
        );
        check(RulesConfig { allow: vec!["*".into()], ..default() }, &|_| (), Err(Refusal::BadAllowlist));
    }

    #[test]
    fn the_lists_apply_every_rule_to_the_state() {
        use crate::state::SentOutcome;
        let rules = Rules::new(&RulesConfig::default());
        let terms = ClaimTerms { max_sends: 50, signed: Terms(0) };
        let fine = Ledger::default();
        for (ledger, both) in [
            (fine.clone(), Ok(())),
            (Ledger { sent: Some((9, SentOutcome::Accepted)), ..fine.clone() }, Err(Refusal::AlreadySent)),
            (Ledger { claimed_at: Some(9), ..fine.clone() }, Err(Refusal::Claimed)),
            (Ledger { sends: 50, ..fine.clone() }, Err(Refusal::TooManySends { max: 50 })),
        ] {
            assert_eq!(rules.before_asking(&ledger, 10), both);
            assert_eq!(terms.of_claim(&ledger, 10), both);
        }
        let exposed = Ledger { exposed_at: Some(9), ..fine };
        assert_eq!(rules.before_asking(&exposed, 10), Ok(()));
        assert_eq!(terms.of_claim(&exposed, 10), Err(Refusal::ExposedSince));
    }
}
