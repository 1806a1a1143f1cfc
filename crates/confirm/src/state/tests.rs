//! What a state holds against: other calls, other keys, time, changed bytes and noise.

use std::time::UNIX_EPOCH;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

const TTL: Duration = Duration::from_mins(5);

fn key() -> Key {
    Key::new([7; 32])
}

fn now() -> SystemTime {
    after(Duration::ZERO)
}

fn after(offset: Duration) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_hours(500_000)).unwrap().checked_add(offset).unwrap()
}

fn arguments(json: Value) -> Map<String, Value> {
    let Value::Object(map) = json else { panic!("an object") };
    map
}

fn binding(change: impl FnOnce(&mut Act<'_>)) -> Binding {
    let arguments = arguments(json!({"draft": "d1", "account": "work"}));
    let mut act = Act {
        tool: "send_draft",
        account: "work",
        principal: "k3y",
        origin: "imap.example.com/ann",
        subject: "s1",
        arguments: &arguments,
    };
    change(&mut act);
    Binding::of(&act)
}

fn shown() -> Shown {
    Shown { digest: [1; 32], terms: Terms(5), prompt: labelled("prompt", "Send this?") }
}

fn sealed() -> String {
    seal(&key(), binding(|_| ()), &shown(), now(), TTL).unwrap()
}

#[test]
fn a_state_opens_for_the_call_it_was_sealed_for() {
    assert_eq!(open(&key(), &binding(|_| ()), &sealed(), now()), Ok(shown()));
}

#[test]
fn a_state_is_foreign_to_every_other_call() {
    let other = arguments(json!({"draft": "d2", "account": "work"}));
    let cases: [(&str, Binding); 6] = [
        ("tool", binding(|act| act.tool = "delete_draft")),
        ("account", binding(|act| act.account = "home")),
        ("principal", binding(|act| act.principal = "0ther")),
        ("origin", binding(|act| act.origin = "imap.example.org/ann")),
        ("subject", binding(|act| act.subject = "s2")),
        ("arguments", Binding::of(&Act { arguments: &other, ..example(&Map::new()) })),
    ];
    for (what, other) in cases {
        assert_eq!(open(&key(), &other, &sealed(), now()), Err(StateError::Foreign), "{what}");
    }
    let mut other = binding(|_| ());
    other.method = "prompts/get".to_owned();
    assert_eq!(open(&key(), &other, &sealed(), now()), Err(StateError::Foreign), "method");
}

fn example(arguments: &Map<String, Value>) -> Act<'_> {
    Act {
        tool: "send_draft",
        account: "work",
        principal: "k3y",
        origin: "imap.example.com/ann",
        subject: "s1",
        arguments,
    }
}

#[test]
fn a_state_names_its_subject_to_its_own_call_alone() {
    let named = |binding: &Binding, state: &str| subject(&key(), binding, state);
    let unnamed = |act: &mut Act<'_>| act.subject = "";
    assert_eq!(named(&binding(unnamed), &sealed()).as_deref(), Some("s1"));
    let expired = seal(&key(), binding(|_| ()), &shown(), now(), Duration::ZERO).unwrap();
    assert_eq!(named(&binding(unnamed), &expired).as_deref(), Some("s1"), "a late answer still names it");
    for (what, other) in [
        ("tool", binding(|act| act.tool = "reply_send")),
        ("account", binding(|act| act.account = "home")),
        ("principal", binding(|act| act.principal = "0ther")),
        ("origin", binding(|act| act.origin = "imap.example.org/ann")),
        ("arguments", Binding::of(&example(&arguments(json!({"draft": "d2"}))))),
    ] {
        assert_eq!(named(&other, &sealed()), None, "{what}");
    }
    assert_eq!(named(&binding(unnamed), &format!("{}A", sealed())), None);
    assert_eq!(subject(&Key::new([8; 32]), &binding(unnamed), &sealed()), None);
}

#[test]
fn a_state_survives_reordered_arguments() {
    let same = arguments(serde_json::from_str(r#"{"account":"work","draft":"d1"}"#).unwrap());
    assert_eq!(open(&key(), &Binding::of(&example(&same)), &sealed(), now()), Ok(shown()));
}

#[test]
fn a_state_expires() {
    let state = sealed();
    let at = |offset| open(&key(), &binding(|_| ()), &state, after(offset));
    assert_eq!(at(TTL.saturating_sub(Duration::from_millis(1))), Ok(shown()));
    assert_eq!(at(TTL), Err(StateError::Expired));
    assert_eq!(at(TTL.saturating_mul(2)), Err(StateError::Expired));
}

#[test]
fn another_key_forges() {
    let theirs = seal(&Key::new([8; 32]), binding(|_| ()), &shown(), now(), TTL).unwrap();
    assert_eq!(open(&key(), &binding(|_| ()), &theirs, now()), Err(StateError::Forged));
}

#[test]
fn the_same_bytes_signed_for_another_purpose_forge() {
    let state = sealed();
    let body = state.strip_prefix(PREFIX).unwrap().split_once('.').unwrap().0;
    // As a token of another format would be signed with the same key.
    let bare = URL_SAFE_NO_PAD.encode(key().mac().chain_update(body).finalize().into_bytes());
    let token = URL_SAFE_NO_PAD
        .encode(key().mac().chain_update("mcpu.confirm.v1.").chain_update(body).finalize().into_bytes());
    for mac in [bare, token] {
        let forged = format!("{PREFIX}{body}.{mac}");
        assert_eq!(open(&key(), &binding(|_| ()), &forged, now()), Err(StateError::Forged));
    }
}

#[test]
fn a_mac_that_is_cut_short_forges() {
    let state = sealed();
    let (head, mac) = state.rsplit_once('.').unwrap();
    for mac in ["", "AA", mac.split_at(mac.len() - 1).0, &format!("{mac}="), &format!("{mac}A")] {
        let forged = format!("{head}.{mac}");
        assert_eq!(open(&key(), &binding(|_| ()), &forged, now()), Err(StateError::Forged), "{mac}");
    }
}

#[test]
fn half_a_mac_forges() {
    let state = sealed();
    let (head, mac) = state.rsplit_once('.').unwrap();
    let half = URL_SAFE_NO_PAD.encode(&URL_SAFE_NO_PAD.decode(mac).unwrap()[..16]);
    assert_eq!(open(&key(), &binding(|_| ()), &format!("{head}.{half}"), now()), Err(StateError::Forged));
}

#[test]
fn signed_claims_of_another_shape_forge() {
    for claims in ["", "{}", "[]", "null", r#"{"digest":"AA"}"#] {
        let body = URL_SAFE_NO_PAD.encode(claims);
        let mac = URL_SAFE_NO_PAD.encode(mac(&key(), &body).finalize().into_bytes());
        let state = format!("{PREFIX}{body}.{mac}");
        assert_eq!(open(&key(), &binding(|_| ()), &state, now()), Err(StateError::Forged), "{claims}");
    }
}

#[test]
fn a_state_can_be_read_and_does_not_hold_the_sign_in() {
    let state = sealed();
    let body = state.strip_prefix(PREFIX).unwrap().split_once('.').unwrap().0;
    let claims = String::from_utf8(URL_SAFE_NO_PAD.decode(body).unwrap()).unwrap();
    for readable in ["tools/call", "send_draft", "work", "imap.example.com/ann"] {
        assert!(claims.contains(readable), "{readable} in {claims}");
    }
    assert!(!claims.contains("k3y") && !claims.contains("d1\""), "{claims}");
}

#[test]
fn two_states_for_one_call_differ() {
    assert_ne!(sealed(), sealed());
}

#[test]
fn kinds_of_hash_are_kept_apart() {
    assert_ne!(labelled("prompt", "x"), labelled("principal", "x"));
    assert_ne!(labelled("a", "bc"), labelled("ab", "c"));
}

#[test]
fn input_without_end_is_not_looked_at() {
    let mut call = binding(|_| ());
    call.tool = "x".repeat(MAX_LENGTH);
    let long = seal(&key(), call.clone(), &shown(), now(), TTL).unwrap();
    assert_eq!(open(&key(), &call, &long, now()), Err(StateError::Forged));
}

proptest! {
    #[test]
    fn noise_is_refused(noise in ".{0,400}") {
        prop_assert_eq!(open(&key(), &binding(|_| ()), &noise, now()), Err(StateError::Forged));
    }

    #[test]
    fn noise_behind_the_prefix_is_refused(body in "[A-Za-z0-9_.=-]{0,400}") {
        let noise = format!("{PREFIX}{body}");
        prop_assert_eq!(open(&key(), &binding(|_| ()), &noise, now()), Err(StateError::Forged));
    }

    #[test]
    fn noise_with_a_right_mac_is_refused(claims in proptest::collection::vec(any::<u8>(), 0..300)) {
        let body = URL_SAFE_NO_PAD.encode(claims);
        let mac = URL_SAFE_NO_PAD.encode(mac(&key(), &body).finalize().into_bytes());
        let noise = format!("{PREFIX}{body}.{mac}");
        prop_assert_eq!(open(&key(), &binding(|_| ()), &noise, now()), Err(StateError::Forged));
    }

    #[test]
    fn a_change_of_any_byte_is_refused(at in any::<prop::sample::Index>(), to in 1_u8..128) {
        let mut bytes = sealed().into_bytes();
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        let changed = String::from_utf8(bytes).unwrap();
        prop_assert_eq!(open(&key(), &binding(|_| ()), &changed, now()), Err(StateError::Forged));
    }

    #[test]
    fn a_state_of_any_call_opens_for_it_alone(
        tool in ".{0,20}", account in ".{0,20}", principal in ".{0,20}", origin in ".{0,20}", subject in ".{0,20}",
        draft in ".{0,20}",
    ) {
        let arguments = arguments(json!({"draft": draft}));
        let act = Act {
            tool: &tool, account: &account, principal: &principal, origin: &origin, subject: &subject, arguments: &arguments,
        };
        let state = seal(&key(), Binding::of(&act), &shown(), now(), TTL).unwrap();
        prop_assert_eq!(open(&key(), &Binding::of(&act), &state, now()), Ok(shown()));
        // The fields can't run into one another.
        let longer = format!("{tool}{account}");
        let act = Act { tool: &longer, account: "", ..act };
        if !account.is_empty() {
            prop_assert_eq!(open(&key(), &Binding::of(&act), &state, now()), Err(StateError::Foreign));
        }
    }
}

/// Every position once, so that no draw of the property above is left to chance.
#[test]
fn a_flipped_bit_anywhere_is_refused() {
    let state = sealed();
    for at in 0..state.len() {
        for bit in 0..7 {
            let mut bytes = state.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(
                open(&key(), &binding(|_| ()), &changed, now()),
                Err(StateError::Forged),
                "byte {at} bit {bit}"
            );
        }
    }
}

#[test]
fn a_token_among_the_arguments_is_not_bound() {
    let with = arguments(json!({"draft": "d1", "account": "work", "confirmToken": "x"}));
    assert_eq!(open(&key(), &Binding::of(&example(&with)), &sealed(), now()), Ok(shown()));
}
