//! The token rail: a preview first, then the nine steps, and a fresh preview where what would happen has changed.

use super::*;
use crate::{
    Key,
    token::{Claims, Expected, verify},
};

fn caller() -> Caller {
    Caller::new(Prompting::Cannot, settings())
}

fn with_token(mut caller: Caller, token: &str) -> Caller {
    caller.arguments.insert(CONFIRM_TOKEN.to_owned(), json!(token));
    caller
}

fn text(preview: &Preview) -> Value {
    serde_json::from_str(&preview.text()).unwrap()
}

#[test]
fn the_first_call_shows_and_the_second_does_it_once() {
    let caller = caller();
    let preview = caller.come(None, None).preview();
    assert_eq!(
        text(&preview),
        json!({
            "status": "confirmation-required", "confirmed": false, "dispatched": false, "action": "thing.delete",
            "preview": {"willSend": {"id": "item-42"}}, "confirmToken": preview.token(),
            "expiresAt": "2027-01-15T08:10:00.123Z", "ttlSeconds": 600, "instruction": preview.instruction(),
        })
    );
    assert_eq!(preview.shown(), &arguments(json!({"willSend": {"id": "item-42"}})));
    assert_eq!((preview.changed(), preview.lifetime()), (None, Duration::from_mins(10)));
    let token = preview.token().to_owned();
    let caller = with_token(caller, &token);
    assert!(matches!(caller.come(None, None), Came::Done));
    assert_eq!(caller.come(None, None).no(), Declined::TokenReused);
}

#[test]
fn the_fields_stand_in_the_specification_s_order() {
    let preview = caller().come(None, None).preview().text();
    let at = |name: &str| preview.find(&format!("\n  \"{name}\": ")).unwrap();
    let order = [
        "confirmed",
        "dispatched",
        "action",
        "preview",
        "confirmToken",
        "expiresAt",
        "ttlSeconds",
        "instruction",
    ];
    assert!(preview.starts_with("{\n  \"status\": \"confirmation-required\","));
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{preview}");
}

#[test]
fn the_token_is_what_the_specification_says() {
    let preview = caller().come(None, None).preview();
    let key = Key::from_secret(&Secret::new("correct horse battery staple"));
    let bound = concat!(
        r#"{"account":"me@example.com","args":{"id":"item-42"},"payload":{"id":"item-42"},"#,
        r#""revision":"etag-7","shown":{"willSend":{"id":"item-42"}},"target":"item-42"}"#
    );
    let hashed: Value = serde_json::from_str(&format!("{{\"payload\":{bound},\"args\":{bound}}}")).unwrap();
    let expected = Expected {
        tool: "thing_delete",
        account: Some("me@example.com"),
        target: "item-42",
        revision: Some("etag-7"),
        hash: &Payload::from(&hashed).hash(),
    };
    verify(&key, &Spent::memory(), preview.token(), &expected, 1_800_000_600_123).unwrap();
    let claims = Claims::open(&key, preview.token()).unwrap();
    assert_eq!((claims.expires, claims.nonce.len()), (1_800_000_600_123, 22));
}

#[test]
fn a_token_for_another_write_does_nothing() {
    let mut all = others();
    all.push(("tool", |c| c.tool = "thing_erase"));
    for (what, change) in all {
        let caller = caller();
        let token = caller.come(None, None).preview().token().to_owned();
        let mut caller = with_token(caller, &token);
        change(&mut caller);
        caller.arguments.insert(CONFIRM_TOKEN.to_owned(), json!(token));
        let foreign = ["account", "no account", "target", "tool"].contains(&what);
        if foreign {
            assert_eq!(caller.come(None, None).no(), Declined::TokenInvalid, "{what}");
            continue;
        }
        let fresh = caller.come(None, None).preview();
        let changed = if what.contains("revision") { Changed::Revision } else { Changed::Payload };
        assert_eq!(fresh.changed(), Some(changed), "{what}");
        let said = text(&fresh);
        assert_eq!(said["status"], "confirmation-rejected", "{what}");
        assert_eq!(said["error"], "DRAFT_CHANGED", "{what}");
        assert_eq!(said["reason"], changed.reason(), "{what}");
        assert_eq!(said["note"], changed.note(), "{what}");
        assert_eq!((&said["confirmed"], &said["dispatched"]), (&json!(false), &json!(false)), "{what}");
        assert_eq!(said["confirmToken"], fresh.token(), "{what}");
        // The fresh token is good for what is there now.
        assert!(matches!(with_token(caller, fresh.token()).come(None, None), Came::Done), "{what}");
    }
}

#[test]
fn changed_content_that_is_changed_back_is_what_was_approved() {
    let caller = caller();
    let token = caller.come(None, None).preview().token().to_owned();
    let mut caller = with_token(caller, &token);
    caller.plan = plan().at_revision(Some("etag-8".to_owned()));
    caller.come(None, None).preview();
    caller.plan = plan();
    assert!(matches!(caller.come(None, None), Came::Done));
}

#[test]
fn a_token_that_is_none_is_invalid_and_null_is_no_token() {
    for token in [json!("x"), json!(""), json!(true), json!(1), json!({}), json!([])] {
        let mut caller = caller();
        caller.arguments.insert(CONFIRM_TOKEN.to_owned(), token.clone());
        assert_eq!(caller.come(None, None).no(), Declined::TokenInvalid, "{token}");
    }
    let mut caller = caller();
    caller.arguments.insert(CONFIRM_TOKEN.to_owned(), Value::Null);
    assert_eq!(caller.come(None, None).preview().changed(), None);
}

#[test]
fn a_token_of_another_process_is_invalid() {
    let other = Settings { key: KeySource::Process, ..settings() };
    let token = Caller::new(Prompting::Cannot, other).come(None, None).preview().token().to_owned();
    assert_eq!(with_token(caller(), &token).come(None, None).no(), Declined::TokenInvalid);
}

#[test]
fn a_token_expires() {
    let caller =
        Caller::new(Prompting::Cannot, Settings { lifetime: Some(Duration::from_mins(1)), ..settings() });
    let preview = caller.come(None, None).preview();
    assert_eq!(text(&preview)["ttlSeconds"], 60);
    let mut caller = with_token(caller, preview.token());
    caller.after = Duration::from_millis(60_001);
    assert_eq!(caller.come(None, None).no(), Declined::TokenExpired);
    caller.after = Duration::from_mins(1);
    assert!(matches!(caller.come(None, None), Came::Done));
}

#[test]
fn the_instruction_follows_the_mode() {
    for (mode, word) in [(Mode::AskUser, "explicit approval"), (Mode::Auto, "MCP_CONFIRM_MODE=auto")] {
        let caller = Caller::new(Prompting::Cannot, Settings { mode, ..settings() });
        let preview = caller.come(None, None).preview();
        assert!(preview.instruction().contains(word), "{mode:?}");
    }
}

#[test]
fn a_token_is_not_taken_where_tokens_are_off() {
    let caller = caller();
    let token = caller.come(None, None).preview().token().to_owned();
    let refusing = Caller::new(Prompting::Cannot, Settings { mode: Mode::Refuse, ..settings() });
    let declined = with_token(refusing, &token).come(None, None).no();
    assert_eq!(declined, Declined::ModeRefuses(Prompts::Undeclared));
}

#[test]
fn an_answer_to_a_prompt_counts_for_nothing() {
    let yes = json!({"action": "accept", "content": {"confirm": true}});
    let state = Caller::new(Prompting::Can, settings()).come(None, None).asked().1;
    for prompting in [Prompting::Can, Prompting::Cannot, Prompting::Unknown] {
        let caller = Caller::new(prompting, Settings { elicitation: false, ..settings() });
        caller.come(Some(&state), Some(&yes)).preview();
    }
}

#[test]
fn a_store_that_fails_lets_nothing_through() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let spent = Spent::directory(dir.path().join("file").join("spent"));
    let caller = Caller::new(Prompting::Cannot, Settings { spent, ..settings() });
    let token = caller.come(None, None).preview().token().to_owned();
    assert_eq!(with_token(caller, &token).come(None, None).no(), Declined::StoreUnavailable);
}

#[test]
fn a_token_outlives_a_restart_under_a_secret_and_is_spent_there_too() {
    let dir = tempfile::tempdir().unwrap();
    let data_dir = dir.path().to_str();
    let variables = env::Variables { secret: Some("horse"), data_dir, ..env::Variables::default() };
    let start = || Caller::new(Prompting::Cannot, env::settings(&variables).0);
    let token = start().come(None, None).preview().token().to_owned();
    assert!(matches!(with_token(start(), &token).come(None, None), Came::Done));
    assert_eq!(with_token(start(), &token).come(None, None).no(), Declined::TokenReused);
    assert!(dir.path().join(".mcp-confirm").join("spent").is_dir());
}
