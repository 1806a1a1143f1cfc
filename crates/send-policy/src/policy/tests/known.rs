//! Who is new: what is looked up, what is remembered of it, and what a send leaves behind.

use super::*;

fn to(addresses: &[&str]) -> DraftFields {
    DraftFields { to: addresses.iter().map(|a| Address::bare(a)).collect(), ..fields() }
}

/// The new addresses of a reading.
async fn new(policy: &SendPolicy, source: &OneDraft) -> Vec<String> {
    policy.draft(source, "d1").read().await.unwrap().new_addresses().to_vec()
}

#[tokio::test]
async fn who_was_written_to_before_the_sign_in_is_known_and_stays_so() {
    let scratch = scratch();
    let source = OneDraft::of(to(&[
        "Old@Example.NET",
        "same-second@example.net",
        "later@example.net",
        "never@example.net",
    ]));
    *source.sent.lock().unwrap() = Ok(vec![
        (Address::bare("old@example.net"), START - 1),
        (Address::bare("same-second@example.net"), START),
        (Address::bare("later@example.net"), START + 1),
        // Not asked for: a look-up that answers loosely makes nobody known by that.
        (Address::bare("other@example.net"), START - 1),
    ]);
    let others = ["later@example.net", "never@example.net", "same-second@example.net"];
    assert_eq!(new(&scratch.policy, &source).await, others);
    let recorded = scratch.policy.status().await.unwrap();
    let addresses: Vec<&str> = recorded.known.iter().map(|known| known.address.as_str()).collect();
    assert_eq!(addresses, ["old@example.net"], "the positive answer is recorded and no other");
    assert_eq!(recorded.known[0].found_at, Some(from_seconds(START)));
    // The grant's time is when the state first saw the sign-in, however much later somebody looks.
    scratch.set_clock(START + 10 * DAY);
    assert_eq!(new(&scratch.policy, &source).await, others);
    // What was found isn't looked up again, also when it can't be any more.
    *source.sent.lock().unwrap() = Err(SourceError::Unreachable);
    assert_eq!(new(&scratch.policy, &source).await, others);
    let asked = source.look_ups()[0];
    source.set(Ok(to(&["old@example.net"])));
    assert!(new(&scratch.policy, &source).await.is_empty());
    assert_eq!(source.look_ups()[0], asked);
}

#[tokio::test]
async fn a_look_up_that_failed_found_nobody_and_is_made_again() {
    let scratch = scratch();
    let source = OneDraft::to_known(fields());
    let sent = source.sent.lock().unwrap().clone();
    *source.sent.lock().unwrap() = Err(SourceError::TimedOut);
    assert_eq!(new(&scratch.policy, &source).await, ["friend@example.net"]);
    *source.sent.lock().unwrap() = sent;
    assert!(new(&scratch.policy, &source).await.is_empty());
}

#[tokio::test]
async fn every_recipient_field_is_looked_at() {
    for (field, add) in crate::testing::RECIPIENT_FIELDS {
        let scratch = scratch();
        let source = OneDraft::to_known(fields());
        let mut with = fields();
        add(&mut with, Address::bare("x@evil.org"));
        source.set(Ok(with));
        assert_eq!(new(&scratch.policy, &source).await, ["x@evil.org"], "{field}");
    }
}

#[tokio::test]
async fn the_owner_says_who_is_known() {
    let config = RulesConfig { known: vec!["example.net".into()], ..RulesConfig::default() };
    let scratch = Scratch::new(&config);
    let source = OneDraft::of(to(&["friend@example.net", "x@example.net.evil.org", "y@sub.example.net"]));
    assert_eq!(new(&scratch.policy, &source).await, ["x@example.net.evil.org", "y@sub.example.net"]);
    source.set(Ok(fields()));
    let before = source.look_ups()[0];
    assert!(new(&scratch.policy, &source).await.is_empty());
    assert_eq!(source.look_ups()[0], before, "nothing has to be looked up");
    assert!(scratch.policy.status().await.unwrap().known.is_empty());
}

#[tokio::test]
async fn a_confirmed_send_makes_its_recipients_known_after_a_day() {
    for (profile, becomes_known) in
        [(Profile::Imap, true), (Profile::Graph, true), (Profile::Fmsg, true), (Profile::Hey, false)]
    {
        let scratch = Scratch::new(&RulesConfig { confirm: ConfirmMode::Always, ..RulesConfig::of(profile) });
        let source = OneDraft::of(named("a"));
        let everyone = ["cc@example.net", "friend@example.net"];
        source.set(Ok(DraftFields { cc: vec![Address::bare("Cc@example.net")], ..named("a") }));
        let snapshot = scratch.policy.draft(&source, "d1").read().await.unwrap();
        scratch.policy.claim(Approval::Shown(snapshot)).await.map(drop).unwrap();
        source.set(Ok(DraftFields { cc: vec![Address::bare("cc@example.net")], ..named("b") }));
        scratch.set_clock(START + DAY - 1);
        assert_eq!(new(&scratch.policy, &source).await, everyone, "{profile:?}");
        // A second confirmation doesn't start the day anew.
        let snapshot = scratch.policy.draft(&source, "d1").read().await.unwrap();
        scratch.policy.claim(Approval::Shown(snapshot)).await.map(drop).unwrap();
        source.set(Ok(DraftFields { cc: vec![Address::bare("cc@example.net")], ..named("c") }));
        scratch.set_clock(START + DAY);
        assert_eq!(new(&scratch.policy, &source).await.is_empty(), becomes_known, "{profile:?}");
        // Known people belong to the sign-in.
        let other = scratch.other("p2", &origin());
        assert_eq!(new(&other, &source).await, everyone);
        let recorded = scratch.policy.status().await.unwrap().known;
        let confirmed: Vec<_> =
            recorded.iter().map(|k| (k.address.as_str(), k.found_at, k.confirmed_at)).collect();
        let at = Some(from_seconds(START));
        assert_eq!(confirmed, [("cc@example.net", None, at), ("friend@example.net", None, at)]);
    }
}

#[tokio::test]
async fn a_refused_claim_makes_nobody_known() {
    let scratch = Scratch::new(&RulesConfig { max_sends: 1, ..RulesConfig::default() });
    let source = OneDraft::of(DraftFields { to: vec![Address::bare("x@example.net")], ..named("late") });
    let late = scratch.policy.draft(&source, "d1").read().await.unwrap();
    send(&scratch.policy, named("a")).await.map(drop).unwrap();
    assert!(scratch.policy.claim(Approval::Shown(late)).await.is_err());
    let known = scratch.policy.status().await.unwrap().known;
    assert!(known.iter().all(|known| known.address != "x@example.net"), "{known:?}");
}

#[tokio::test]
async fn new_addresses_are_capped_over_a_rolling_day() {
    let scratch = Scratch::new(&RulesConfig { max_new_addresses: 2, ..RulesConfig::default() });
    let reading = async |key: &str, addresses: &[&str]| {
        let source = OneDraft::of(DraftFields { to: to(addresses).to, ..named(key) });
        scratch.policy.draft(&source, "d1").read().await.map(Approval::Shown)
    };
    let send = async |key: &str, addresses: &[&str]| {
        scratch.policy.claim(reading(key, addresses).await?).await.map(drop)
    };
    let full = Err(Refusal::TooManyNewAddresses { max: 2 });
    assert_eq!(send("a", &["1@x.example", "2@x.example", "3@x.example"]).await, full);
    let late = reading("late", &["3@x.example", "4@x.example"]).await.unwrap();
    assert_eq!(send("b", &["1@x.example"]).await, Ok(()));
    assert_eq!(scratch.policy.claim(late).await.map(drop), full, "the cap holds in the claim itself");
    scratch.set_clock(START + 10);
    // An address counts once in its window, from its last send on.
    assert_eq!(send("c", &["1@x.example", "2@x.example"]).await, Ok(()));
    assert_eq!(send("d", &["3@x.example"]).await, full);
    assert_eq!(send("e", &["2@x.example"]).await, Ok(()));
    let status = scratch.policy.status().await.unwrap();
    assert_eq!((status.new_addresses_left, status.new_addresses.len()), (0, 2));
    assert_eq!(status.new_addresses[0], ("1@x.example".to_owned(), from_seconds(START + 10)));
    scratch.set_clock(START + 10 + DAY - 1);
    assert_eq!(send("f", &["3@x.example"]).await, full);
    scratch.set_clock(START + 10 + DAY);
    assert_eq!(send("f", &["3@x.example"]).await, Ok(()));
    assert_eq!(scratch.policy.status().await.unwrap().new_addresses_left, 1);
}

#[tokio::test]
async fn sends_are_capped_over_a_rolling_hour() {
    let scratch = Scratch::new(&RulesConfig { sends_per_hour: Some(1), ..RulesConfig::default() });
    assert_eq!(scratch.policy.status().await.unwrap().sends_left, 1);
    let late = approved(&scratch.policy, named("late")).await.unwrap();
    assert_eq!(send(&scratch.policy, named("a")).await.map(drop), Ok(()));
    assert_eq!(scratch.policy.status().await.unwrap().sends_left, 0);
    let full = Some(Refusal::TooManySendsInHour { max: 1 });
    assert_eq!(send(&scratch.policy, named("b")).await.err(), full);
    assert_eq!(scratch.policy.claim(late).await.err(), full);
    scratch.set_clock(START + 3_599);
    assert_eq!(send(&scratch.policy, named("b")).await.err(), full);
    scratch.set_clock(START + 3_600);
    assert_eq!(send(&scratch.policy, named("b")).await.map(drop), Ok(()));
}

#[tokio::test]
async fn a_clock_set_back_sends_nothing() {
    let scratch = scratch();
    let late = approved(&scratch.policy, named("late")).await.unwrap();
    send(&scratch.policy, named("a")).await.map(drop).unwrap();
    scratch.set_clock(START - 300);
    assert_eq!(approved(&scratch.policy, named("b")).await.err(), None);
    scratch.set_clock(START - 301);
    assert_eq!(approved(&scratch.policy, named("b")).await.err(), Some(Refusal::ClockSetBack));
    assert_eq!(scratch.policy.claim(late).await.err(), Some(Refusal::ClockSetBack));
}
