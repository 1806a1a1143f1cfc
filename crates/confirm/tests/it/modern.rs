//! What is particular to 2026-07-28: the confirmation travels through the client, who may do with it what it likes.

use std::time::Duration;

use countersign_confirm::{Declined, GateConfig, KeySource, Round};
use serde_json::{Value, json};

use crate::{
    client::{ALL, Client, Era, Prompt, Way},
    irreversible::{Shredder, World},
};

const ERA: Era = Era::Modern;

async fn asked() -> (Shredder, Client, Prompt) {
    let server = Shredder::new();
    let mut client = Client::able(ERA, &server).await;
    let prompt = client.shred("minutes").await.prompt();
    (server, client, prompt)
}

fn with_state(prompt: &Prompt, state: &str) -> Prompt {
    let Way::Modern { call, .. } = &prompt.way else { panic!("a 2026-07-28 client was expected") };
    Prompt { way: Way::Modern { state: state.to_owned(), call: call.clone() }, ..prompt.clone() }
}

fn with_call(prompt: &Prompt, call: Value) -> Prompt {
    Prompt { way: Way::Modern { state: prompt.state(), call }, ..prompt.clone() }
}

#[tokio::test(start_paused = true)]
async fn a_forged_state_is_refused_in_words() {
    let (server, mut client, prompt) = asked().await;
    let state = prompt.state();
    let swapped: String = state.chars().rev().collect();
    let (head, _) = state.rsplit_once('.').unwrap();
    for forged in
        ["", "x", &swapped, head, &format!("{head}."), &format!("{head}.AAAA"), &format!("{state}A")]
    {
        let said = client.accept(&with_state(&prompt, forged)).await.text();
        assert!(said.ends_with(Declined::BadState.words()), "{forged}: {said}");
    }
    assert_eq!((server.reads(), server.shredded()), (1, vec![]));
    // The call's own state still counts.
    assert_eq!(client.accept(&prompt).await.text(), "shredded");
}

#[tokio::test(start_paused = true)]
async fn a_state_of_another_installation_is_refused() {
    let (_, _, prompt) = asked().await;
    let server = Shredder::new();
    let mut client = Client::able(ERA, &server).await;
    let said = client.accept(&prompt).await.text();
    assert!(said.ends_with(Declined::BadState.words()), "{said}");
    assert_eq!((server.reads(), server.shredded()), (0, vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_state_is_refused_for_another_tool_or_other_arguments() {
    for call in [
        json!({"name": "burn", "arguments": {"paper": "minutes"}}),
        json!({"name": "shred", "arguments": {"paper": "ledger"}}),
        json!({"name": "shred", "arguments": {"paper": "minutes", "all": true}}),
        json!({"name": "shred", "arguments": {}}),
        json!({"name": "shred"}),
    ] {
        let (server, mut client, prompt) = asked().await;
        let said = client.accept(&with_call(&prompt, call.clone())).await.text();
        assert!(said.ends_with(Declined::BadState.words()), "{call}: {said}");
        assert_eq!((server.reads(), server.shredded()), (1, vec![]), "{call}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_is_refused_for_another_account_sign_in_or_origin() {
    type Change = fn(&mut World);
    let changes: [(&str, Change); 3] = [
        ("account", |world| world.account = "home"),
        ("principal", |world| world.principal = "second sign-in"),
        ("origin", |world| world.origin = "other.example"),
    ];
    for (what, change) in changes {
        let (server, mut client, prompt) = asked().await;
        server.change(change);
        let said = client.accept(&prompt).await.text();
        assert!(said.ends_with(Declined::BadState.words()), "{what}: {said}");
        assert_eq!((server.reads(), server.shredded()), (1, vec![]), "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_expired_state_is_refused_in_words() {
    let config = GateConfig { key: KeySource::Process, ttl: Duration::ZERO, elicitation: true };
    let server = Shredder::with(config);
    let mut client = Client::able(ERA, &server).await;
    let prompt = client.shred("minutes").await.prompt();
    let said = client.accept(&prompt).await.text();
    assert!(said.ends_with(Declined::Expired.words()), "{said}");
    assert_eq!((server.reads(), server.shredded()), (1, vec![]));
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_its_state_is_refused() {
    let (server, mut client, _) = asked().await;
    let said = client
        .call_with(json!({
            "name": "shred",
            "arguments": {"paper": "minutes"},
            "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
        }))
        .await
        .text();
    assert!(said.ends_with(Declined::BadState.words()), "{said}");
    assert_eq!(server.shredded(), []);
}

#[tokio::test(start_paused = true)]
async fn a_state_without_its_answer_asks_again() {
    let (server, mut client, first) = asked().await;
    for responses in
        [json!(null), json!({}), json!({"other": {"action": "accept", "content": {"confirm": true}}})]
    {
        let call = json!({
            "name": "shred",
            "arguments": {"paper": "minutes"},
            "requestState": first.state(),
            "inputResponses": responses,
        });
        let again = client.call_with(call).await.prompt();
        assert_eq!(again.message, first.message);
        assert_ne!(again.state(), first.state());
        assert_eq!(server.shredded(), []);
    }
    // Asked again, it shows what is there now.
    server.change(|world| world.papers.get_mut("minutes").unwrap().text = "minutes of June");
    let call = json!({"name": "shred", "arguments": {"paper": "minutes"}, "requestState": first.state()});
    let again = client.call_with(call).await.prompt();
    assert!(again.message.contains("June"), "{}", again.message);
    assert_eq!(client.accept(&again).await.text(), "shredded");
}

fn next() -> Round {
    Round::Next { subject: "minutes".to_owned() }
}

#[tokio::test(start_paused = true)]
async fn a_round_is_told_by_the_state_that_comes_back() {
    let (server, mut client, prompt) = asked().await;
    client.accept(&with_state(&prompt, "x")).await.text();
    let answer = json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    let call = json!({"name": "shred", "arguments": {"paper": "minutes"}});
    let with = |responses: &Value| {
        let mut call = call.clone();
        call["inputResponses"] = responses.clone();
        call
    };
    client.call_with(with(&answer)).await.text();
    client.call_with(with(&json!({"other": {}}))).await.prompt();
    client
        .accept(&with_call(&prompt, json!({"name": "burn", "arguments": {"paper": "minutes"}})))
        .await
        .text();
    assert_eq!(client.accept(&prompt).await.text(), "shredded");
    let rounds = server.change(|world| world.rounds.clone());
    assert_eq!(rounds, [Round::First, Round::Invalid, Round::Invalid, Round::First, Round::Invalid, next()]);
}

#[tokio::test(start_paused = true)]
async fn a_state_that_came_too_late_still_names_its_subject() {
    let config = GateConfig { key: KeySource::Process, ttl: Duration::ZERO, elicitation: true };
    let server = Shredder::with(config);
    let mut client = Client::able(ERA, &server).await;
    let prompt = client.shred("minutes").await.prompt();
    client.accept(&prompt).await.text();
    assert_eq!(server.change(|world| world.rounds.clone()), [Round::First, next()]);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_can_be_asked_each_round_is_the_first() {
    for era in ALL {
        let server =
            Shredder::with(GateConfig { key: KeySource::Process, ttl: GateConfig::TTL, elicitation: false });
        let mut client = Client::able(era, &server).await;
        let call = json!({"name": "shred", "arguments": {"paper": "minutes"}, "requestState": "x"});
        client.call_with(call).await.text();
        assert_eq!(server.change(|world| world.rounds.clone()), [Round::First], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_forged_state_without_an_answer_is_not_asked_again() {
    let (_, mut client, _) = asked().await;
    let call = json!({"name": "shred", "arguments": {"paper": "minutes"}, "requestState": "x"});
    let said = client.call_with(call).await.text();
    assert!(said.ends_with(Declined::BadState.words()), "{said}");
}

#[tokio::test(start_paused = true)]
async fn reordered_arguments_are_the_same_arguments() {
    let server = Shredder::new();
    let mut client = Client::able(ERA, &server).await;
    let prompt = client.call("shred", json!({"paper": "minutes", "copies": 1})).await.prompt();
    let call: Value =
        serde_json::from_str(r#"{"name":"shred","arguments":{"copies":1.0,"paper":"m\u0069nutes"}}"#)
            .unwrap();
    assert_eq!(client.accept(&with_call(&prompt, call)).await.text(), "shredded");
}

#[tokio::test(start_paused = true)]
async fn a_confirmation_outlives_a_restart_with_the_installations_key() {
    let dir = tempfile::tempdir().unwrap();
    let config = || GateConfig {
        key: KeySource::File(dir.path().join("confirm.key")),
        ttl: GateConfig::TTL,
        elicitation: true,
    };
    let prompt = Client::able(ERA, &Shredder::with(config())).await.shred("minutes").await.prompt();
    let server = Shredder::with(config());
    let mut client = Client::able(ERA, &server).await;
    assert_eq!(client.accept(&prompt).await.text(), "shredded");
}

#[tokio::test(start_paused = true)]
async fn without_a_usable_key_nobody_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let key = dir.path().join("confirm.key");
    std::fs::write(&key, "short").unwrap();
    let server =
        Shredder::with(GateConfig { key: KeySource::File(key), ttl: GateConfig::TTL, elicitation: true });
    let mut client = Client::able(ERA, &server).await;
    let said = client.shred("minutes").await.text();
    assert!(said.ends_with(Declined::KeyUnavailable.words()), "{said}");
    assert_eq!(server.reads(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_says_whether_it_brings_an_answer() {
    let (server, mut client, prompt) = asked().await;
    client.accept(&prompt).await.text();
    let bare = || json!({"name": "shred", "arguments": {"paper": "ledger"}});
    let mut only_state = bare();
    only_state["requestState"] = json!("x");
    let mut only_answer = bare();
    only_answer["inputResponses"] = json!({"confirm": {"action": "decline"}});
    for call in [only_state, only_answer] {
        client.call_with(call).await.text();
    }
    assert_eq!(server.change(|world| world.answers.clone()), [false, true, true, true]);
}
