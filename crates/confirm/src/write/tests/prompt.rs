//! The rail of prompts: what comes back with the answer is for this write as it is now, and once.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::Mac as _;

use super::*;
use crate::Key;

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirm": true}})
}

fn caller() -> Caller {
    Caller::new(Prompting::Can, settings())
}

/// A state of any body under the right MAC.
fn signed(prefix: &str, body: &str) -> String {
    let body = URL_SAFE_NO_PAD.encode(body);
    let key = Key::from_secret(&Secret::new("correct horse battery staple"));
    let mac = key.mac().chain_update(prefix).chain_update(&body).finalize().into_bytes();
    format!("{prefix}{body}.{}", URL_SAFE_NO_PAD.encode(mac))
}

#[test]
fn a_ticked_form_with_its_state_is_a_yes_once() {
    let caller = caller();
    let (_, state) = caller.come(None, None).asked();
    assert!(matches!(caller.come(Some(&state), Some(&yes())), Came::Done));
    // Replayed, it is asked again.
    caller.come(Some(&state), Some(&yes())).asked();
    assert!(caller.writes.has_spent(&state));
}

#[test]
fn every_other_answer_is_a_no_whatever_its_state() {
    let caller = caller();
    let (_, state) = caller.come(None, None).asked();
    for state in [None, Some("forged"), Some(&*state)] {
        for (answer, declined) in [
            (json!({"action": "accept"}), Declined::Unticked),
            (json!({"action": "decline"}), Declined::Refused),
            (json!({"action": "cancel"}), Declined::Cancelled),
            (json!({"action": "?"}), Declined::Unanswered),
        ] {
            assert_eq!(caller.come(state, Some(&answer)).no(), declined, "{answer}");
        }
    }
    // None of these used the state up.
    assert!(matches!(caller.come(Some(&state), Some(&yes())), Came::Done));
}

#[test]
fn a_yes_without_its_state_is_refused() {
    assert_eq!(caller().come(None, Some(&yes())).no(), Declined::NoState);
}

#[test]
fn a_state_without_an_answer_asks_again() {
    let caller = caller();
    let (message, state) = caller.come(None, None).asked();
    assert_eq!(caller.come(Some(&state), None).asked().0, message);
    assert_eq!(caller.come(Some("forged"), None).asked().0, message);
}

#[test]
fn a_yes_to_another_write_is_asked_again() {
    let mut all = others();
    all.push(("action", |c| c.action = "thing.erase"));
    for (what, change) in all {
        let mut caller = caller();
        let (_, state) = caller.come(None, None).asked();
        let (unchanged, action, arguments) = (caller.plan.clone(), caller.action, caller.arguments.clone());
        let account = caller.account;
        change(&mut caller);
        let (_, fresh) = caller.come(Some(&state), Some(&yes())).asked();
        assert!(matches!(caller.come(Some(&fresh), Some(&yes())), Came::Done), "{what}");
        // Which left the first state as it was.
        (caller.plan, caller.action, caller.arguments, caller.account) =
            (unchanged, action, arguments, account);
        assert!(matches!(caller.come(Some(&state), Some(&yes())), Came::Done), "{what}");
    }
}

#[test]
fn a_token_argument_counts_for_nothing() {
    let mut caller = caller();
    let (_, state) = caller.come(None, None).asked();
    caller.arguments.insert(CONFIRM_TOKEN.to_owned(), json!("mcpu.token.v1.x.y"));
    assert!(matches!(caller.come(Some(&state), Some(&yes())), Came::Done));
    caller.come(None, None).asked();
}

#[test]
fn a_yes_that_comes_too_late_is_asked_again() {
    for (lifetime, seconds) in [(Some(60), 60), (None, 300)] {
        let lifetime = lifetime.map(Duration::from_secs);
        let mut caller = Caller::new(Prompting::Can, Settings { lifetime, ..settings() });
        assert_eq!(caller.writes.prompt_lifetime(), Duration::from_secs(seconds));
        let (_, state) = caller.come(None, None).asked();
        // It counts in whole seconds, from the second that it was made in.
        caller.after = Duration::from_millis(seconds * 1_000 - 123);
        caller.come(Some(&state), Some(&yes())).asked();
        caller.after = Duration::from_millis(seconds * 1_000 - 124);
        assert!(matches!(caller.come(Some(&state), Some(&yes())), Came::Done));
    }
}

#[test]
fn a_forged_state_is_asked_again() {
    let caller = caller();
    let (_, state) = caller.come(None, None).asked();
    let (head, _) = state.rsplit_once('.').unwrap();
    let (_, body) = head.rsplit_once('.').unwrap();
    let body = String::from_utf8(URL_SAFE_NO_PAD.decode(body).unwrap()).unwrap();
    assert_eq!(signed("mcpu.confirm.v1.", &body), state);
    let other = Settings { key: KeySource::Process, ..settings() };
    let foreign = Caller::new(Prompting::Can, other).come(None, None).asked().1;
    for forged in [
        "",
        "x",
        head,
        &format!("{head}."),
        &format!("{state}A"),
        &foreign,
        &signed("mcpu.token.v1.", &body),
        &signed("mcpu.confirm.v1.", "{}"),
        &signed("mcpu.confirm.v1.", "[]"),
        &signed("mcpu.confirm.v1.", &body.replace("{\"c\":", "[").replace("\"exp\":", "").replace('}', "]")),
        &signed("mcpu.confirm.v1.", &body.replace('}', ",\"x\":1}")),
        &signed("mcpu.confirm.v1.", &body.replace("\"exp\":1", "\"exp\":-1")),
        &signed(
            "mcpu.confirm.v1.",
            &body.replace("\"exp\":", "\"exp\":18446744073709551615").replace("5180", "5"),
        ),
    ] {
        caller.come(Some(forged), Some(&yes())).asked();
    }
    let far = body.split_once("\"exp\":").unwrap().0.to_owned() + "\"exp\":18446744073709551615}";
    caller.come(Some(&signed("mcpu.confirm.v1.", &far)), Some(&yes())).asked();
    assert!(matches!(caller.come(Some(&state), Some(&yes())), Came::Done));
}

#[test]
fn the_state_is_what_the_specification_says() {
    let (_, state) = caller().come(None, None).asked();
    let body = state.strip_prefix("mcpu.confirm.v1.").unwrap().split_once('.').unwrap().0;
    let body: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).unwrap()).unwrap();
    let bound = concat!(
        r#"{"account":"me@example.com","args":{"id":"item-42"},"payload":{"id":"item-42"},"#,
        r#""revision":"etag-7","shown":{"willSend":{"id":"item-42"}},"target":"item-42"}"#
    );
    let committed = format!("thing.delete\0{{\"account\":\"me@example.com\",\"args\":{bound}}}");
    let c = URL_SAFE_NO_PAD.encode(<sha2::Sha256 as sha2::Digest>::digest(committed));
    assert_eq!(body, json!({"c": c, "exp": 1_800_000_600}));
}

#[test]
fn a_store_that_fails_lets_nothing_through() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let spent = Spent::directory(dir.path().join("file").join("spent"));
    let caller = Caller::new(Prompting::Can, Settings { spent, ..settings() });
    let (_, state) = caller.come(None, None).asked();
    assert_eq!(caller.come(Some(&state), Some(&yes())).no(), Declined::StoreUnavailable);
}

#[test]
fn what_was_spent_is_forgotten_when_it_has_expired() {
    let mut caller = caller();
    let (_, state) = caller.come(None, None).asked();
    assert!(matches!(caller.come(Some(&state), Some(&yes())), Came::Done));
    caller.after = Duration::from_secs(601);
    let (_, fresh) = caller.come(None, None).asked();
    assert!(matches!(caller.come(Some(&fresh), Some(&yes())), Came::Done));
    assert!(!caller.writes.has_spent(&state));
}
