//! What a token holds against: other calls, changed content, time, a second use, other keys, changed bytes.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::Mac as _;
use proptest::prelude::*;

use super::*;
use crate::{
    Payload, Spent,
    key::{Key, Secret},
};

const NOW: u64 = 1_800_000_000_000;
/// The specification's test vector.
const VECTOR: &str = "mcpu.token.v1.eyJ0IjoidGhpbmdfZGVsZXRlIiwiYSI6Im1lQGV4YW1wbGUuY29tIiwiZyI6Iml0ZW0tNDIiLCJyIjoiZXRhZy03IiwiaCI6Im1wU2dTUWZCM0pCSVJMaDJCNjJuLThjNksyaEUyMUtfV0pXaF9jdlpjUWciLCJleHAiOjE4MDAwMDA2MDAwMDAsIm4iOiJBQUVDQXdRRkJnY0lDUW9MREEwT0R3In0.ANZcZ7foSdJBxLJWv0vHhbcpf8G3-1JhMe4SEc4zyd4";

fn key() -> Key {
    Key::from_secret(&Secret::new("correct horse battery staple"))
}

fn payload() -> String {
    Payload::from(&serde_json::json!({"tags": ["a", "b"], "id": "item-42", "note": "bye"})).hash()
}

fn claims() -> Claims {
    Claims {
        tool: "thing_delete".to_owned(),
        account: Some("me@example.com".to_owned()),
        target: "item-42".to_owned(),
        revision: Some("etag-7".to_owned()),
        hash: payload(),
        expires: NOW + 600_000,
        nonce: "AAECAwQFBgcICQoLDA0ODw".to_owned(),
    }
}

fn expected(hash: &str) -> Expected<'_> {
    Expected {
        tool: "thing_delete",
        account: Some("me@example.com"),
        target: "item-42",
        revision: Some("etag-7"),
        hash,
    }
}

/// How a token fares with a store of its own.
fn fares(token: &str, change: impl FnOnce(&mut Expected<'_>), now: u64) -> String {
    let hash = payload();
    let mut expected = expected(&hash);
    change(&mut expected);
    match verify(&key(), &Spent::memory(), token, &expected, now) {
        Ok(()) => "ok".to_owned(),
        Err(error) => format!("{error:?}"),
    }
}

/// A token of any body under the right MAC.
fn signed(body: &[u8]) -> String {
    let body = URL_SAFE_NO_PAD.encode(body);
    let mac = key().mac().chain_update(PREFIX).chain_update(&body).finalize().into_bytes();
    format!("{PREFIX}{body}.{}", URL_SAFE_NO_PAD.encode(mac))
}

#[test]
fn the_vector_of_the_specification_byte_for_byte() {
    assert_eq!(claims().sign(&key()), VECTOR);
    assert_eq!(fares(VECTOR, |_| (), NOW), "ok");
}

#[test]
fn absent_claims_are_left_out_and_match_absent_ones_only() {
    let bare = Claims { account: None, revision: None, ..claims() };
    let json = bare.json();
    assert!(json.starts_with(r#"{"t":"thing_delete","g":"item-42","h":"mp"#), "{json}");
    let token = bare.sign(&key());
    let absent = |e: &mut Expected<'_>| (e.account, e.revision) = (None, None);
    assert_eq!(fares(&token, absent, NOW), "ok");
    assert_eq!(fares(&token, |e| (e.account, e.revision) = (Some(""), None), NOW), "Invalid");
    assert_eq!(fares(&token, |e| (e.account, e.revision) = (None, Some("")), NOW), "RevisionChanged");
    assert_eq!(fares(VECTOR, |e| e.account = None, NOW), "Invalid");
    assert_eq!(fares(VECTOR, |e| e.revision = None, NOW), "RevisionChanged");
}

#[test]
fn a_token_is_for_its_own_call_content_and_time() {
    assert_eq!(fares(VECTOR, |e| e.tool = "thing_rename", NOW), "Invalid");
    assert_eq!(fares(VECTOR, |e| e.account = Some("you@example.com"), NOW), "Invalid");
    assert_eq!(fares(VECTOR, |e| e.target = "item-43", NOW), "Invalid");
    assert_eq!(fares(VECTOR, |e| e.revision = Some("etag-8"), NOW), "RevisionChanged");
    assert_eq!(fares(VECTOR, |e| e.hash = "other", NOW), "PayloadChanged");
    assert_eq!(fares(VECTOR, |_| (), NOW + 600_000), "ok");
    assert_eq!(fares(VECTOR, |_| (), NOW + 600_001), "Expired");
}

#[test]
fn the_first_step_that_fails_is_the_answer() {
    let late = NOW + 600_001;
    assert_eq!(fares("x", |e| e.tool = "other", late), "Invalid");
    assert_eq!(fares(VECTOR, |e| (e.tool, e.revision, e.hash) = ("o", None, "o"), late), "Invalid");
    assert_eq!(fares(VECTOR, |e| (e.revision, e.hash) = (None, "o"), late), "Expired");
    assert_eq!(fares(VECTOR, |e| (e.revision, e.hash) = (None, "o"), NOW), "RevisionChanged");
    // Spent comes before expired, but not before the call; once it is pruned, expired is what is left.
    let (hash, spent) = (payload(), Spent::memory());
    let fares = |change: fn(&mut Expected<'_>), now| {
        let mut expected = expected(&hash);
        change(&mut expected);
        verify(&key(), &spent, VECTOR, &expected, now).map_err(|error| format!("{error:?}"))
    };
    assert_eq!(fares(|_| (), NOW), Ok(()));
    assert_eq!(fares(|_| (), NOW), Err("Reused".to_owned()));
    assert_eq!(fares(|e| e.hash = "other", NOW), Err("Reused".to_owned()));
    assert_eq!(fares(|e| e.target = "other", NOW), Err("Invalid".to_owned()));
    assert_eq!(fares(|_| (), NOW + 600_000), Err("Reused".to_owned()));
    assert_eq!(fares(|_| (), late), Err("Expired".to_owned()));
}

#[test]
fn changed_content_leaves_the_token_unspent() {
    let (hash, spent) = (payload(), Spent::memory());
    let mut other = expected(&hash);
    (other.revision, other.hash) = (Some("etag-8"), "other");
    for changed in [Expected { hash: "other", ..expected(&hash) }, other] {
        verify(&key(), &spent, VECTOR, &changed, NOW).unwrap_err();
    }
    verify(&key(), &spent, VECTOR, &expected(&hash), NOW).unwrap();
}

#[test]
fn a_token_of_another_shape_is_invalid() {
    let (head, mac) = VECTOR.rsplit_once('.').unwrap();
    let (prefix, body) = head.rsplit_once('.').unwrap();
    let other_key = claims().sign(&Key::new([7; 32]));
    for token in [
        "",
        "x",
        PREFIX,
        head,
        &format!("{head}."),
        &format!("{prefix}..{mac}"),
        &format!("{VECTOR}A"),
        &format!("{VECTOR}."),
        &format!("{VECTOR}="),
        &format!(" {VECTOR}"),
        VECTOR.strip_suffix('4').unwrap(),
        &format!("mcpu.token.v2.{body}.{mac}"),
        &format!("mcpu.confirm.v1.{body}.{mac}"),
        &format!("{body}.{mac}"),
        &other_key,
    ] {
        assert_eq!(fares(token, |_| (), NOW), "Invalid", "{token}");
    }
}

#[test]
fn signed_claims_of_another_shape_are_invalid() {
    let good = claims().json();
    assert_eq!(fares(&signed(good.as_bytes()), |_| (), NOW), "ok");
    for body in [
        String::new(),
        "[]".to_owned(),
        r#"["thing_delete","me@example.com","item-42","etag-7","H",1800000600000,"n"]"#
            .replace('H', &payload()),
        "null".to_owned(),
        "{}".to_owned(),
        format!("{good} x"),
        good.replace("\"n\":", "\"m\":"),
        good.replace("1800000600000", "\"1800000600000\""),
        good.replace("1800000600000", "-1"),
        good.replace('}', ",\"only\":\"on Mondays\"}"),
        good.replace("AAECAwQFBgcICQoLDA0ODw", "../../etc/passwd"),
        good.replace("AAECAwQFBgcICQoLDA0ODw", ""),
    ] {
        assert_eq!(fares(&signed(body.as_bytes()), |_| (), NOW), "Invalid", "{body}");
    }
}

#[test]
fn a_store_that_fails_lets_nothing_through() {
    let dir = tempfile::tempdir().unwrap();
    let blocked = dir.path().join("a file");
    std::fs::write(&blocked, "").unwrap();
    let spent = Spent::directory(blocked.join("spent"));
    let hash = payload();
    let refused = verify(&key(), &spent, VECTOR, &expected(&hash), NOW).unwrap_err();
    assert!(matches!(refused, TokenError::Store(_)), "{refused:?}");
}

#[test]
fn of_two_that_come_at_once_one_is_let_through() {
    for spent in [Spent::memory(), Spent::directory(tempfile::tempdir().unwrap().keep().join("spent"))] {
        let passed = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| verify(&key(), &spent, VECTOR, &expected(&payload()), NOW).is_ok()))
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|passed| *passed).count()
        });
        assert_eq!(passed, 1);
    }
}

#[test]
fn nonces_are_22_characters_and_differ() {
    let (a, b) = (nonce().unwrap(), nonce().unwrap());
    assert_eq!(a.len(), 22);
    assert_ne!(a, b);
}

proptest! {
    #[test]
    fn whatever_the_claims_say_a_token_brings_back(
        tool in ".*", account in proptest::option::of(".*"), target in ".*",
        revision in proptest::option::of(".*"), hash in ".*", expires: u64, nonce in ".*",
    ) {
        let claims = Claims { tool, account, target, revision, hash, expires, nonce };
        prop_assert_eq!(Claims::open(&key(), &claims.sign(&key())), Some(claims));
    }

    #[test]
    fn a_token_with_a_character_changed_is_invalid(at in 0..VECTOR.len(), to in "[A-Za-z0-9_.-]") {
        let mut token = VECTOR.to_owned();
        token.replace_range(at..=at, &to);
        prop_assume!(token != VECTOR);
        prop_assert_eq!(fares(&token, |_| (), NOW), "Invalid");
    }
}
