//! The whole path: read, approve, claim, settle; and what refuses on it.

mod known;
mod processes;
mod table;
mod unasked;

use countersign_confirm::{Subject, Terms};

use super::*;
use crate::{
    Address, Profile, SentOutcome, SourceError, StateFault, Treatment, Treatments,
    exposure::EXPOSED,
    rules::PLAIN,
    testing::{OneDraft, START, Scratch, fields, origin},
};

const DAY: i64 = 24 * 60 * 60;

fn named(key: &str) -> DraftFields {
    DraftFields { claim_key: key.into(), message_id: Some(format!("{key}@id")), ..fields() }
}

/// Reads a draft to known people as the gate does, and approves without a person.
async fn approved(policy: &SendPolicy, fields: DraftFields) -> Result<Approval, Refusal> {
    let source = OneDraft::to_known(fields);
    policy.draft(&source, "d1").read().await.map(Approval::Shown)
}

async fn send(policy: &SendPolicy, fields: DraftFields) -> Result<(SendPermit, ClaimTicket), Refusal> {
    policy.claim(approved(policy, fields).await?).await
}

fn scratch() -> Scratch {
    Scratch::new(&RulesConfig::default())
}

#[tokio::test]
async fn a_claimed_draft_is_redeemed_for_what_was_read() {
    let scratch = scratch();
    let (permit, ticket) = send(&scratch.policy, fields()).await.unwrap();
    assert!(permit.redeem(&origin()).unwrap() == fields());
    scratch.policy.settle(ticket, SendSettled::Accepted).await.unwrap();
    let record = scratch.policy.sent_before(&fields().claim_key).await.unwrap().unwrap();
    assert_eq!((record.outcome, record.at), (SentOutcome::Accepted, crate::clock::from_seconds(START)));
}

#[tokio::test]
async fn a_permit_is_for_its_own_account() {
    let (permit, _ticket) = send(&scratch().policy, fields()).await.unwrap();
    let other = Origin::new("imap", "mail.example.org", "other");
    assert_eq!(permit.redeem(&other).err(), Some(Refusal::WrongOrigin));
}

#[tokio::test]
async fn a_draft_is_claimed_by_the_policy_of_its_account() {
    let scratch = scratch();
    let approval = approved(&scratch.policy, fields()).await.unwrap();
    let other = scratch.other("p1", &Origin::new("imap", "mail.example.org", "other"));
    assert_eq!(other.claim(approval).await.err(), Some(Refusal::WrongOrigin));
    let source = OneDraft::of(fields());
    assert_eq!(other.draft(&source, "d1").read().await.err(), Some(Refusal::WrongOrigin));
    assert_eq!(other.fingerprint(&source, "d1").await.err(), Some(Refusal::WrongOrigin));
}

#[tokio::test]
async fn a_draft_is_sent_once_whatever_came_of_it() {
    for (outcome, after, later) in [
        (Some(SendSettled::Accepted), Refusal::AlreadySent, Err(Refusal::AlreadySent)),
        (Some(SendSettled::Unknown), Refusal::OutcomeUnknown, Err(Refusal::OutcomeUnknown)),
        (None, Refusal::OutcomeUnknown, Err(Refusal::OutcomeUnknown)),
        (Some(SendSettled::RefusedByServer), Refusal::Claimed, Ok(())),
    ] {
        let scratch = scratch();
        let twice = approved(&scratch.policy, fields()).await.unwrap();
        let (_permit, ticket) = send(&scratch.policy, fields()).await.unwrap();
        if let Some(outcome) = outcome {
            scratch.policy.settle(ticket, outcome).await.unwrap();
        }
        // Before anyone is asked again, and at the claim of a second confirmation that was already under way.
        assert_eq!(send(&scratch.policy, fields()).await.err(), Some(after), "{outcome:?}");
        assert_eq!(scratch.policy.claim(twice).await.err(), Some(after), "{outcome:?}");
        // A clock set back reopens nothing.
        scratch.set_clock(0);
        assert_eq!(send(&scratch.policy, fields()).await.err(), Some(after), "{outcome:?}");
        // The claim ends after a day, the sent record doesn't.
        scratch.set_clock(START + DAY);
        assert_eq!(send(&scratch.policy, fields()).await.map(drop), later, "{outcome:?}");
        scratch.set_clock(START + 401 * DAY);
        assert_eq!(send(&scratch.policy, fields()).await.map(drop), Ok(()), "{outcome:?}");
    }
}

/// Nobody is asked about a send that would be refused anyway: the reading itself refuses.
#[tokio::test]
async fn nobody_is_asked_in_vain() {
    let scratch = Scratch::new(&RulesConfig { max_sends: 1, ..RulesConfig::default() });
    let (_permit, ticket) = send(&scratch.policy, named("a")).await.unwrap();
    for (key, refusal) in [("a", Refusal::OutcomeUnknown), ("b", Refusal::TooManySends { max: 1 })] {
        assert_eq!(approved(&scratch.policy, named(key)).await.err(), Some(refusal));
    }
    scratch.policy.settle(ticket, SendSettled::RefusedByServer).await.unwrap();
    assert_eq!(approved(&scratch.policy, named("a")).await.err(), Some(Refusal::Claimed));
}

#[tokio::test]
async fn the_same_message_under_another_draft_id_is_the_same_message() {
    let scratch = scratch();
    let (_permit, _ticket) = send(&scratch.policy, named("a")).await.unwrap();
    let copy = DraftFields { claim_key: "b".into(), ..named("a") };
    assert_eq!(send(&scratch.policy, copy).await.err(), Some(Refusal::OutcomeUnknown));
    // Two drafts without a Message-ID are two drafts.
    let without = |key: &str| DraftFields { message_id: None, ..named(key) };
    assert_eq!(send(&scratch.policy, without("c")).await.map(drop), Ok(()));
    assert_eq!(send(&scratch.policy, without("d")).await.map(drop), Ok(()));
    for key in ["a", "a@id", "c"] {
        assert_eq!(
            scratch.policy.sent_before(key).await.unwrap().map(|r| r.outcome),
            Some(SentOutcome::Unknown),
            "{key}"
        );
    }
    for key in ["", "nothing"] {
        assert_eq!(scratch.policy.sent_before(key).await.unwrap(), None, "{key}");
    }
}

#[tokio::test]
async fn claims_belong_to_the_account_and_caps_to_the_sign_in() {
    let scratch = scratch();
    let again = scratch.other("p2", &origin());
    let elsewhere = scratch.other("p1", &Origin::new("imap", "mail.example.org", "other"));
    send(&scratch.policy, named("a")).await.map(drop).unwrap();
    assert_eq!(send(&again, named("a")).await.err(), Some(Refusal::OutcomeUnknown));
    assert_eq!(again.status().await.unwrap().sends, 0);
    assert_eq!(elsewhere.sent_before("a").await.unwrap(), None);
    assert_eq!(elsewhere.status().await.unwrap().sends, 1);
}

#[tokio::test]
async fn sends_are_capped_over_a_rolling_day() {
    let scratch = Scratch::new(&RulesConfig { max_sends: 2, ..RulesConfig::default() });
    let late = approved(&scratch.policy, named("late")).await.unwrap();
    let (_permit, ticket) = send(&scratch.policy, named("a")).await.unwrap();
    // A refusal by the server gives nothing back.
    scratch.policy.settle(ticket, SendSettled::RefusedByServer).await.unwrap();
    scratch.set_clock(START + 10);
    send(&scratch.policy, named("b")).await.map(drop).unwrap();
    let full = Some(Refusal::TooManySends { max: 2 });
    assert_eq!(send(&scratch.policy, named("c")).await.err(), full);
    assert_eq!(scratch.policy.claim(late).await.err(), full, "the cap holds in the claim itself");
    scratch.set_clock(0);
    assert_eq!(send(&scratch.policy, named("c")).await.err(), full, "a clock set back frees nothing");
    scratch.set_clock(START + DAY - 1);
    assert_eq!(send(&scratch.policy, named("c")).await.err(), full);
    scratch.set_clock(START + DAY);
    assert_eq!(send(&scratch.policy, named("c")).await.map(drop), Ok(()));
    assert_eq!(send(&scratch.policy, named("d")).await.err(), full);
}

#[tokio::test]
async fn an_exposure_after_the_prompt_refuses_and_one_that_lapsed_does_not() {
    let scratch = scratch();
    let unaware = approved(&scratch.policy, named("a")).await.unwrap();
    let call = CallScope::default();
    let receipt = scratch.policy.expose(&call).await.unwrap();
    assert!(receipt.covers(&origin()));
    assert_eq!(scratch.policy.claim(unaware).await.err(), Some(Refusal::ExposedSince));
    // Asked again, the person is told, and the send stands, also when the window lapses while they read.
    let source = OneDraft::of(named("a"));
    let mut snapshot = scratch.policy.draft(&source, "d1").read().await.unwrap();
    assert_eq!(snapshot.terms(), EXPOSED);
    scratch.set_clock(START + 600);
    let lapsed = scratch.policy.draft(&source, "d1").read().await.unwrap();
    assert_eq!(lapsed.terms(), Terms(0));
    snapshot.hold_to(EXPOSED);
    assert_eq!(scratch.policy.claim(Approval::Shown(snapshot)).await.map(drop), Ok(()));
}

#[tokio::test]
async fn exposure_is_shared_by_the_processes_of_a_sign_in_and_outlives_a_clock_set_back() {
    let scratch = scratch();
    let same = scratch.other("p1", &origin());
    let other = scratch.other("p2", &origin());
    let call = CallScope::default();
    scratch.policy.expose(&call).await.map(drop).unwrap();
    let source = OneDraft::to_known(fields());
    let terms = async |policy: &SendPolicy| policy.draft(&source, "d1").read().await.unwrap().terms();
    assert_eq!((terms(&same).await, terms(&other).await), (EXPOSED, Terms(0)));
    scratch.set_clock(START - DAY);
    assert_eq!(terms(&same).await, EXPOSED);
    // A read under the clock that was set back doesn't shorten what stands.
    same.expose(&call).await.map(drop).unwrap();
    scratch.set_clock(START + 599);
    assert_eq!(terms(&same).await, EXPOSED);
    // Each read starts the window anew.
    same.expose(&call).await.map(drop).unwrap();
    scratch.set_clock(START + 599 + 599);
    assert_eq!(terms(&same).await, EXPOSED);
    scratch.set_clock(START + 599 + 600);
    assert_eq!(terms(&same).await, Terms(0));
}

#[tokio::test]
async fn every_reading_passes_the_rules_and_so_does_the_claim() {
    let strict = Scratch::new(&RulesConfig { allow: vec!["example.com".into()], ..RulesConfig::default() });
    assert_eq!(send(&strict.policy, fields()).await.err(), Some(Refusal::NotAllowed(crate::Field::To)));
    // An approval from under looser rules isn't good under stricter ones.
    let loose = strict.other("p1", &origin());
    let approval = approved(&loose, fields()).await.unwrap();
    assert_eq!(strict.policy.claim(approval).await.err(), Some(Refusal::NotAllowed(crate::Field::To)));
    assert_eq!(strict.policy.status().await.unwrap().sends, 0);
}

#[tokio::test]
async fn a_draft_that_cannot_be_read_says_why() {
    let scratch = scratch();
    let source = OneDraft::of(fields());
    for error in [SourceError::NotFound, SourceError::Kept, SourceError::TimedOut] {
        source.set(Err(error));
        assert_eq!(scratch.policy.draft(&source, "d1").read().await.err(), Some(Refusal::Draft(error)));
        assert_eq!(scratch.policy.fingerprint(&source, "d1").await.err(), Some(Refusal::Draft(error)));
    }
}

#[tokio::test]
async fn the_fingerprint_needs_no_sendable_draft_and_no_state() {
    let scratch = scratch();
    let unfinished = DraftFields { to: Vec::new(), ..fields() };
    let fingerprint = scratch.policy.fingerprint(&OneDraft::of(unfinished.clone()), "d1").await.unwrap();
    assert_eq!(fingerprint, Fingerprint::of(&unfinished));
    assert!(!scratch.directory.path().join("state.db").exists(), "the state opens when it is first needed");
    let source = OneDraft::of(fields());
    let snapshot = scratch.policy.draft(&source, "d1").read().await.unwrap();
    assert_eq!(
        (snapshot.fingerprint(), snapshot.digest()),
        (Fingerprint::of(&fields()), *Fingerprint::of(&fields()).as_bytes())
    );
}

#[tokio::test]
async fn status_shows_what_is_recorded() {
    let scratch = scratch();
    let at = crate::clock::from_seconds;
    let blank = scratch.policy.status().await.unwrap();
    assert_eq!(
        (blank.first_seen, blank.exposed_until, blank.sends, blank.sends_left, blank.unsettled),
        (None, None, 0, 50, 0)
    );
    assert_eq!(
        (blank.new_addresses_left, blank.new_addresses, blank.known, blank.claims),
        (10, vec![], vec![], vec![])
    );
    let call = CallScope::default();
    scratch.policy.expose(&call).await.map(drop).unwrap();
    scratch.set_clock(START + 60);
    send(&scratch.policy, named("a")).await.map(drop).unwrap();
    scratch.set_clock(START + 61);
    let (_permit, ticket) = send(&scratch.policy, named("b")).await.unwrap();
    scratch.policy.settle(ticket, SendSettled::Accepted).await.unwrap();
    let (_permit, ticket) = send(&scratch.policy, named("c")).await.unwrap();
    scratch.policy.settle(ticket, SendSettled::RefusedByServer).await.unwrap();
    let status = scratch.policy.status().await.unwrap();
    assert_eq!(status.first_seen, Some(at(START)));
    assert_eq!(status.exposed_until, Some(at(START + 600)));
    assert_eq!((status.sends, status.sends_left, status.unsettled), (3, 47, 1));
    let claims: Vec<_> = status.claims.iter().map(|c| (c.key.as_str(), c.at, c.outcome)).collect();
    assert_eq!(
        claims,
        [
            ("b", at(START + 61), Some(SentOutcome::Accepted)),
            ("c", at(START + 61), None),
            ("a", at(START + 60), Some(SentOutcome::Unknown)),
        ]
    );
    scratch.set_clock(START + 600);
    assert_eq!(scratch.policy.status().await.unwrap().exposed_until, None);
    // Claims that have ended aren't shown, though they are still in the file.
    scratch.set_clock(START + 60 + DAY);
    assert_eq!(scratch.policy.status().await.unwrap().claims.len(), 2);
}

#[tokio::test]
async fn a_state_that_cannot_be_used_refuses_everything() {
    let scratch = scratch();
    let approval = approved(&scratch.policy, fields()).await.unwrap();
    let (_permit, ticket) = send(&scratch.policy, named("b")).await.unwrap();
    let path = scratch.directory.path().join("state.db");
    std::fs::write(
        &path,
        "not a database, and longer than a header of one hundred bytes would need to be. ".repeat(9),
    )
    .unwrap();
    let fresh = scratch.other("p1", &origin());
    let fault = Refusal::StateUnavailable(StateFault::Corrupt);
    assert_eq!(fresh.claim(approval).await.err(), Some(fault));
    assert_eq!(fresh.settle(ticket, SendSettled::RefusedByServer).await.err(), Some(fault));
    assert_eq!(approved(&fresh, fields()).await.err(), Some(fault));
    assert_eq!(fresh.sent_before("b").await.err(), Some(fault));
    assert_eq!(fresh.status().await.err(), Some(fault));
    let call = CallScope::default();
    assert_eq!(fresh.expose(&call).await.err(), Some(Refusal::MarkerUnwritten(StateFault::Corrupt)));
}

#[test]
fn what_crosses_an_await_can_be_sent_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let scratch = scratch();
    let source = OneDraft::of(DraftFields { cc: vec![Address::bare("c@example.org")], ..fields() });
    let call = CallScope::default();
    is_send(&scratch.policy.draft(&source, "d1").read());
    is_send(&scratch.policy.expose(&call));
    is_send(&scratch.policy.status());
}

#[tokio::test]
async fn only_what_this_program_wrote_is_its_own_draft() {
    let scratch = scratch();
    assert!(!scratch.policy.is_own_draft("d1").await.unwrap());
    scratch.policy.wrote_draft("d1").await.unwrap();
    assert!(scratch.policy.is_own_draft("d1").await.unwrap());
    assert!(!scratch.policy.is_own_draft("d2").await.unwrap());
    // Another account's draft with the same id is another draft.
    let elsewhere = scratch.other("p1", &Origin::new("imap", "mail.example.net", "robin"));
    assert!(!elsewhere.is_own_draft("d1").await.unwrap());
}
