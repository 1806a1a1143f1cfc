//! The rules that a send passes, in order. Read this file first.
//!
//! `of_draft` looks at the draft alone. It runs each time the draft is read (before the person is asked and again
//! after the answer) and once more on what is claimed. `before_asking` and `of_claim` look at what the state
//! remembers: the first so that nobody is asked about a send that would be refused anyway, the second inside the
//! claim's own transaction, where it alone decides. Each rule is a file: a check, and the tests that fail without it.

mod address_list;
mod allowlist;
mod attachments;
mod caps;
mod choice;
mod clock;
mod exposure;
mod headers;
mod known_recipients;
mod markup;
mod once;
pub(crate) mod plain_text;
mod recipients;

use crate::{
    exposure::is_exposed,
    fields::DraftFields,
    mode::ConfirmMode,
    profile::RulesConfig,
    refusal::Refusal,
    state::{Acquaintance, Ledger},
    treatment::Case,
};
use address_list::AddressList;
pub(crate) use caps::{Caps, HOUR, SENDS_WINDOW};
pub(crate) use choice::{Choice, PLAIN};
pub(crate) use exposure::Approved;
use known_recipients::Knowing;
pub(crate) use once::{CLAIM_TERM, SENT_TERM};
pub(crate) use recipients::keys;

/// The rules as they are applied. A configuration that can't be applied refuses every send and says so.
pub(crate) struct Rules {
    config: RulesConfig,
    /// `None` where an entry can't be understood.
    allow: Option<AddressList>,
    known: Option<AddressList>,
}

/// What the rules of a claim look at besides the state.
#[derive(Clone, Debug)]
pub(crate) struct ClaimTerms {
    pub(crate) caps: Caps,
    /// Why the claim may be made.
    pub(crate) approved: Approved,
    /// How the draft may go out: while not exposed, and while exposed.
    pub(crate) calm: Result<Choice, Refusal>,
    pub(crate) exposed: Result<Choice, Refusal>,
    /// The new addresses on it, in comparable form.
    pub(crate) new: Vec<String>,
}

impl Rules {
    pub(crate) fn new(config: &RulesConfig) -> Self {
        let (allow, known) = (AddressList::parse(&config.allow), AddressList::parse(&config.known));
        Self { config: config.clone(), allow, known }
    }

    pub(crate) fn config(&self) -> &RulesConfig {
        &self.config
    }

    pub(crate) fn caps(&self) -> Caps {
        let RulesConfig { max_sends, sends_per_hour, max_new_addresses, .. } = self.config;
        Caps { max_sends, sends_per_hour, max_new_addresses }
    }

    /// The rules that look at the draft alone.
    pub(crate) fn of_draft(&self, fields: &DraftFields) -> Result<(), Refusal> {
        let allow = self.allow.as_ref().ok_or(Refusal::BadAllowlist)?;
        if self.known.is_none() {
            return Err(Refusal::BadKnownList);
        }
        if self.config.confirm == ConfirmMode::Never && allow.is_empty() {
            return Err(Refusal::NeverNeedsAllow);
        }
        once::identified(fields)?;
        recipients::valid(fields)?;
        headers::one_line(fields)?;
        attachments::identified(fields)?;
        markup::loads_nothing(fields, self.config.embedded_pictures)?;
        caps::recipients(fields, self.config.max_recipients)?;
        allowlist::inside(fields, allow)
    }

    /// Whether an address, in comparable form, is known by the owner's list or by what is recorded about it.
    pub(crate) fn knows(&self, key: &str, recorded: Option<&Acquaintance>, now: i64) -> bool {
        let none = AddressList::default();
        let knowing = Knowing {
            listed: self.known.as_ref().unwrap_or(&none),
            confirmed_become_known: self.config.confirmed_become_known,
        };
        // Nothing goes outside the allowlist here, and all of it counts as known.
        self.config.confirm == ConfirmMode::Never || knowing.knows(key, recorded, now)
    }

    /// How a draft may go out.
    pub(crate) fn choice(&self, case: Case) -> Result<Choice, Refusal> {
        choice::of(&self.config, case)
    }

    /// The rules of the claim that can already be told before the person is asked. Exposure isn't among them: here it
    /// makes the prompt stricter, at the claim it refuses a laxer one.
    pub(crate) fn before_asking(&self, ledger: &Ledger, new: &[String], now: i64) -> Result<(), Refusal> {
        of_state(ledger, new, &self.caps(), now)
    }
}

impl ClaimTerms {
    /// The rules that hold inside the claim's transaction.
    pub(crate) fn of_claim(&self, ledger: &Ledger, now: i64) -> Result<(), Refusal> {
        let exposed = is_exposed(ledger.exposed_at, now);
        let choice = if exposed { self.exposed } else { self.calm };
        of_state(ledger, &self.new, &self.caps, now)?;
        exposure::as_approved(self.approved, choice?, exposed)
    }
}

/// The rules that look at what is recorded.
fn of_state(ledger: &Ledger, new: &[String], caps: &Caps, now: i64) -> Result<(), Refusal> {
    once::unsent(ledger, now)?;
    once::unclaimed(ledger, now)?;
    caps::sends(ledger, caps)?;
    caps::new_addresses(ledger, new, caps)?;
    clock::not_set_back(ledger, now)
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
        let never = |allow: &[&str]| RulesConfig {
            confirm: ConfirmMode::Never,
            allow: allow.iter().map(|&a| a.to_owned()).collect(),
            ..default()
        };
        check(default(), &|_| (), Ok(()));
        check(never(&[]), &|_| (), Err(Refusal::NeverNeedsAllow));
        check(never(&["example.net"]), &|_| (), Ok(()));
        check(never(&["example.com"]), &|_| (), Err(Refusal::NotAllowed(Field::To)));
        check(default(), &|f| f.claim_key.clear(), Err(Refusal::NoIdentity));
        check(default(), &|f| f.to.clear(), Err(Refusal::NoRecipients));
        check(default(), &|f| f.subject.push('\n'), Err(Refusal::BadHeader(Field::Subject)));
        check(
            default(),
            &|f| f.attachments.push(crate::fields::DraftAttachment { size: 1, ..Default::default() }),
            Err(Refusal::BadAttachment),
        );
        check(default(), &|f| f.html = Some("<!-- x -->".into()), Err(Refusal::Comment));
        let picture: &dyn Fn(&mut DraftFields) = &|f| {
            f.html = Some("<img src=cid:a@b>".into());
            let content_id = Some("a@b".to_owned());
            f.attachments = vec![crate::fields::DraftAttachment { content_id, ..Default::default() }];
        };
        check(default(), picture, Ok(()));
        check(RulesConfig { embedded_pictures: false, ..default() }, picture, Err(Refusal::LoadingMarkup));
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
        check(RulesConfig { known: vec!["*".into()], ..default() }, &|_| (), Err(Refusal::BadKnownList));
    }

    #[test]
    fn the_lists_apply_every_rule_to_the_state() {
        use crate::state::SentOutcome;
        let rules = Rules::new(&RulesConfig {
            sends_per_hour: Some(5),
            max_new_addresses: 1,
            ..RulesConfig::default()
        });
        let new = ["a@x".to_owned()];
        let choice = |case| rules.choice(case);
        let terms = ClaimTerms {
            caps: rules.caps(),
            approved: Approved::Shown(PLAIN),
            calm: choice(Case { new: true, exposed: false }),
            exposed: choice(Case { new: true, exposed: true }),
            new: new.to_vec(),
        };
        let fine = Ledger::default();
        for (ledger, both) in [
            (fine.clone(), Ok(())),
            (Ledger { sent: Some((9, SentOutcome::Accepted)), ..fine.clone() }, Err(Refusal::AlreadySent)),
            (Ledger { claimed_at: Some(9), ..fine.clone() }, Err(Refusal::Claimed)),
            (Ledger { sends: 50, ..fine.clone() }, Err(Refusal::TooManySends { max: 50 })),
            (Ledger { sends_in_hour: 5, ..fine.clone() }, Err(Refusal::TooManySendsInHour { max: 5 })),
            (Ledger { new_addresses: 1, ..fine.clone() }, Err(Refusal::TooManyNewAddresses { max: 1 })),
            (Ledger { last_charge: Some(1_000), ..fine.clone() }, Err(Refusal::ClockSetBack)),
        ] {
            assert_eq!(rules.before_asking(&ledger, &new, 10), both);
            assert_eq!(terms.of_claim(&ledger, 10), both);
        }
        let exposed = Ledger { exposed_at: Some(9), ..fine };
        assert_eq!(rules.before_asking(&exposed, &new, 10), Ok(()));
        assert_eq!(terms.of_claim(&exposed, 10), Err(Refusal::ExposedSince));
        assert_eq!(terms.of_claim(&exposed, 9 + 600), Ok(()));
        let refused = ClaimTerms { exposed: Err(Refusal::NotTo(Case { new: true, exposed: true })), ..terms };
        assert_eq!(
            refused.of_claim(&exposed, 10),
            Err(Refusal::NotTo(Case { new: true, exposed: true })),
            "exposure decides which choice holds"
        );
        assert_eq!(refused.of_claim(&exposed, 9 + 600), Ok(()));
    }

    #[test]
    fn with_never_everyone_allowed_is_known() {
        let of = |confirm| {
            Rules::new(&RulesConfig { confirm, known: vec!["example.org".into()], ..Default::default() })
        };
        for (rules, expected) in [
            (of(ConfirmMode::Never), [true, true]),
            (of(ConfirmMode::NewRecipients), [true, false]),
            (of(ConfirmMode::Always), [true, false]),
        ] {
            assert_eq!(["a@example.org", "a@example.net"].map(|key| rules.knows(key, None, 0)), expected);
        }
    }
}
