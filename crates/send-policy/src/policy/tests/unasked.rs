//! Sends that nobody is asked about, and the plain text on its way through the policy.

use super::*;
use crate::fields::DraftAttachment;

fn unasked(profile: Profile) -> Scratch {
    Scratch::new(&RulesConfig { confirm: ConfirmMode::NewRecipients, ..RulesConfig::of(profile) })
}

async fn waiver(policy: &SendPolicy, source: &OneDraft) -> Approval {
    match policy.prepare(source, "d1").await.unwrap() {
        Prepared::Waived(waiver) => Approval::Waived(*waiver),
        Prepared::Asks => panic!("nobody had to be asked"),
    }
}

#[tokio::test]
async fn an_unasked_send_passes_the_same_claim_once() {
    let scratch = unasked(Profile::Imap);
    let source = OneDraft::to_known(fields());
    let (first, second) = (waiver(&scratch.policy, &source).await, waiver(&scratch.policy, &source).await);
    let (permit, ticket) = scratch.policy.claim(first).await.unwrap();
    assert!(permit.redeem(&origin()).unwrap() == fields());
    assert_eq!(scratch.policy.claim(second).await.err(), Some(Refusal::OutcomeUnknown));
    scratch.policy.settle(ticket, SendSettled::Accepted).await.unwrap();
    assert_eq!(scratch.policy.prepare(&source, "d1").await.err(), Some(Refusal::AlreadySent));
    assert_eq!(scratch.policy.status().await.unwrap().sends, 1);
}

#[tokio::test]
async fn an_unasked_send_makes_nobody_known() {
    let config = RulesConfig {
        confirm: ConfirmMode::Never,
        allow: vec!["example.net".into()],
        ..RulesConfig::default()
    };
    let scratch = Scratch::new(&config);
    let source = OneDraft::of(fields());
    scratch.policy.claim(waiver(&scratch.policy, &source).await).await.map(drop).unwrap();
    let status = scratch.policy.status().await.unwrap();
    assert!(status.known.is_empty() && status.new_addresses.is_empty(), "{status:?}");
}

/// Mail read between the reading and the claim: where that would have asked or refused, the claim does.
#[tokio::test]
async fn an_exposure_before_the_claim_holds_for_unasked_sends_too() {
    for (profile, expected) in [
        (Profile::Imap, None),
        (Profile::Graph, None),
        (Profile::Fmsg, None),
        (Profile::Hey, Some(Refusal::PromptNeeded)),
    ] {
        let scratch = unasked(profile);
        let waived = waiver(&scratch.policy, &OneDraft::to_known(fields())).await;
        let call = CallScope::default();
        scratch.policy.expose(&call).await.map(drop).unwrap();
        assert_eq!(scratch.policy.claim(waived).await.err(), expected, "{profile:?}");
    }
}

#[tokio::test]
async fn an_exposure_before_the_claim_refuses_what_the_table_refuses() {
    let scratch = Scratch::new(&RulesConfig::of(Profile::Hey));
    let source = OneDraft::of(fields());
    let shown = Approval::Shown(scratch.policy.draft(&source, "d1").read().await.unwrap());
    let call = CallScope::default();
    scratch.policy.expose(&call).await.map(drop).unwrap();
    let case = Case { new: true, exposed: true };
    assert_eq!(scratch.policy.claim(shown).await.err(), Some(Refusal::NotTo(case)));
    assert_eq!(scratch.policy.draft(&source, "d1").read().await.err(), Some(Refusal::NotTo(case)));
    assert_eq!(scratch.policy.status().await.unwrap().sends, 0);
}

#[tokio::test]
async fn where_every_send_asks_nothing_is_read_to_find_that_out() {
    let scratch = scratch();
    let source = OneDraft::of(fields());
    source.set(Err(SourceError::NotFound));
    assert!(matches!(scratch.policy.prepare(&source, "d1").await, Ok(Prepared::Asks)));
    assert_eq!(
        unasked(Profile::Imap).policy.prepare(&source, "d1").await.err(),
        Some(SourceError::NotFound.into())
    );
}

#[tokio::test]
async fn a_plain_text_signed_before_someone_became_known_goes_out_plain() {
    let scratch = scratch();
    let source = OneDraft::of(fields());
    source.set(Ok(DraftFields { html: Some("<p>Tuesday at one?".into()), ..fields() }));
    let signed = scratch.policy.draft(&source, "d1").read().await.unwrap().terms();
    assert_eq!(signed, PLAIN);
    *source.sent.lock().unwrap() = Ok(vec![(Address::bare("friend@example.net"), START - 1)]);
    let mut again = scratch.policy.draft(&source, "d1").read().await.unwrap();
    assert_eq!(again.terms(), Terms(0));
    again.hold_to(signed);
    let (permit, _ticket) = scratch.policy.claim(Approval::Shown(again)).await.unwrap();
    assert!(permit.redeem(&origin()).unwrap().html.is_none());
}

/// A stricter choice at the claim: signed as it is, and by the claim's own rules only plain text may go.
#[tokio::test]
async fn a_plain_text_needed_only_now_refuses_the_claim() {
    let loose = RulesConfig {
        treatments: Treatments { to_new: Treatment::AsIs, ..RulesConfig::default().treatments },
        ..RulesConfig::default()
    };
    let scratch = Scratch::new(&loose);
    let source = OneDraft::of(fields());
    let shown = Approval::Shown(scratch.policy.draft(&source, "d1").read().await.unwrap());
    let strict = scratch.other("p1", &origin());
    assert_eq!(strict.claim(shown).await.err(), Some(Refusal::PlainSince));
    assert_eq!(strict.status().await.unwrap().sends, 0);
}

#[tokio::test]
async fn what_cannot_go_as_plain_text_asks_nobody() {
    let attachment = DraftFields { attachments: vec![DraftAttachment::default()], ..fields() };
    let long = DraftFields { text: Some("a".repeat(1_501)), ..fields() };
    for (draft, refusal) in [(attachment, Refusal::PlainAttachment), (long, Refusal::PlainTooLong)] {
        let scratch = self::scratch();
        let source = OneDraft::of(draft.clone());
        assert_eq!(scratch.policy.draft(&source, "d1").read().await.err(), Some(refusal));
        let source = OneDraft::to_known(draft);
        assert_eq!(scratch.policy.draft(&source, "d1").read().await.err(), None);
    }
}

#[tokio::test]
async fn messages_are_looked_up_only_for_the_plain_text() {
    let scratch = scratch();
    let answer = DraftFields {
        in_reply_to: vec!["held@x".into(), "payload@x".into()],
        references: vec!["payload@x".into()],
        ..fields()
    };
    let source = OneDraft::to_known(answer.clone());
    *source.held.lock().unwrap() = Ok(vec!["held@x".to_owned()]);
    let (permit, _) = send(&scratch.policy, answer.clone()).await.unwrap();
    assert!(permit.redeem(&origin()).unwrap() == answer);
    for (held, expected) in
        [(Ok(vec!["held@x".to_owned()]), vec!["held@x".to_owned()]), (Err(SourceError::TimedOut), Vec::new())]
    {
        let scratch = self::scratch();
        let source = OneDraft::of(answer.clone());
        *source.held.lock().unwrap() = held;
        let snapshot = scratch.policy.draft(&source, "d1").read().await.unwrap();
        assert_eq!(source.look_ups()[1], 1);
        let (permit, _) = scratch.policy.claim(Approval::Shown(snapshot)).await.unwrap();
        let out = permit.redeem(&origin()).unwrap();
        assert_eq!((out.in_reply_to, out.references), (expected, Vec::new()));
    }
    scratch.policy.draft(&OneDraft::of(named("b")), "d1").read().await.map(drop).unwrap();
    let unthreaded = OneDraft::of(named("c"));
    scratch.policy.draft(&unthreaded, "d1").read().await.map(drop).unwrap();
    assert_eq!(unthreaded.look_ups()[1], 0, "nothing is named, so nothing is looked up");
}

#[tokio::test]
async fn the_senders_own_name_goes_with_the_plain_text() {
    let scratch = scratch();
    let snapshot = scratch.policy.draft(&OneDraft::of(fields()), "d1").read().await.unwrap();
    let (permit, _) = scratch.policy.claim(Approval::Shown(snapshot)).await.unwrap();
    assert_eq!(permit.redeem(&origin()).unwrap().from, fields().from);
}
