//! Writes as clients of every era meet them: by a prompt, by a preview and a token, or refused.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_confirm::{Key, Mode, Secret, Settings, token::Claims};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    client::{ALL, Client, Era, LEGACY, Prompt, Way},
    notebook::{Notebook, SECRET, World, code, settings},
};

const RENAMED: &str = "n1: Notes";

fn arguments() -> Value {
    json!({"id": "n1", "title": "Notes"})
}

async fn without_prompts(era: Era, server: &Notebook) -> Client {
    Client::with(era, json!({}), server).await
}

/// The preview that a call without a token gets.
async fn preview(client: &mut Client) -> Value {
    let preview = client.call("rename", arguments()).await.text();
    let preview: Value = serde_json::from_str(&preview).unwrap();
    assert_eq!(preview["status"], "confirmation-required");
    preview
}

async fn with_token(client: &mut Client, token: &Value) -> String {
    let mut arguments = arguments();
    arguments["confirmToken"] = token.clone();
    client.call("rename", arguments).await.text()
}

fn with_state(prompt: &Prompt, state: &str) -> Prompt {
    let Way::Modern { call, .. } = &prompt.way else { panic!("a 2026-07-28 client was expected") };
    Prompt { way: Way::Modern { state: state.to_owned(), call: call.clone() }, ..prompt.clone() }
}

/// The claims of a token or state.
fn body(signed: &str) -> Value {
    let (head, _) = signed.rsplit_once('.').unwrap();
    let (_, body) = head.rsplit_once('.').unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).unwrap()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_ticked_form_renames_once() {
    for era in ALL {
        let server = Notebook::new();
        let mut client = Client::able(era, &server).await;
        let prompt = client.call("rename", arguments()).await.prompt();
        let shown = concat!(
            "note.rename\naccount: office\naction: Renames a note.\ntitle: Minutes\n",
            "willSend:\n    {\n      \"title\": \"Notes\"\n    }"
        );
        assert_eq!(prompt.message, shown, "{era:?}");
        assert_eq!(server.renamed(), [""; 0], "{era:?}: nothing before the answer");
        assert_eq!(client.accept(&prompt).await.text(), "renamed", "{era:?}");
        assert_eq!(server.renamed(), [RENAMED], "{era:?}");
        assert_eq!(server.reads(), 2, "{era:?}: once to show it, once after the answer");
    }
}

#[tokio::test(start_paused = true)]
async fn every_other_answer_is_a_no() {
    for era in ALL {
        for (answer, said) in [
            (json!({"action": "decline"}), "confirmation-declined"),
            (json!({"action": "cancel"}), "confirmation-cancelled"),
            (json!({"action": "accept", "content": {"confirm": false}}), "confirmation-unticked"),
            (json!({"action": "accept"}), "confirmation-unticked"),
            (json!({}), "confirmation-unanswered"),
        ] {
            let server = Notebook::new();
            let mut client = Client::able(era, &server).await;
            let prompt = client.call("rename", arguments()).await.prompt();
            assert_eq!(code(&client.answer(&prompt, answer.clone()).await.text()), said, "{era:?} {answer}");
            assert_eq!(server.renamed(), [""; 0], "{era:?} {answer}");
        }
    }
}

type Change = fn(&mut World);

const CHANGES: [(&str, Change); 3] = [
    ("revision", |world| world.notes.get_mut("n1").unwrap().revision = 8),
    ("what is shown", |world| world.notes.get_mut("n1").unwrap().title = "Ledger".to_owned()),
    ("account", |world| world.account = Some("home")),
];

#[tokio::test(start_paused = true)]
async fn what_changed_while_the_person_read_is_asked_about_again() {
    for (what, change) in CHANGES {
        let server = Notebook::new();
        let mut client = Client::able(Era::Modern, &server).await;
        let prompt = client.call("rename", arguments()).await.prompt();
        server.change(change);
        let again = client.accept(&prompt).await.prompt();
        assert_eq!(server.renamed(), [""; 0], "{what}");
        assert_eq!(client.accept(&again).await.text(), "renamed", "{what}");
    }
    // On the older rail the call has to end; the next one asks.
    for era in LEGACY {
        for (what, change) in &CHANGES[..2] {
            let server = Notebook::new();
            let mut client = Client::able(era, &server).await;
            let prompt = client.call("rename", arguments()).await.prompt();
            server.change(change);
            assert_eq!(code(&client.accept(&prompt).await.text()), "payload-changed", "{era:?} {what}");
            assert_eq!(server.renamed(), [""; 0], "{era:?} {what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_replayed_forged_foreign_or_expired_state_is_asked_again() {
    let server = Notebook::new();
    let mut client = Client::able(Era::Modern, &server).await;
    let used = client.call("rename", arguments()).await.prompt();
    assert_eq!(client.accept(&used).await.text(), "renamed");
    let elsewhere = Notebook::with(Settings { key: countersign_confirm::KeySource::Process, ..settings() });
    let other_key = Client::able(Era::Modern, &elsewhere).await.call("rename", arguments()).await.prompt();
    let other_call = client.call("rename", json!({"id": "n2", "title": "Notes"})).await.prompt();
    let late = {
        let mut late = body(&used.state());
        assert!(late["exp"].as_u64().unwrap() > 1_700_000_000);
        late["exp"] = json!(1_700_000_000);
        let late = format!("mcpu.confirm.v1.{}", URL_SAFE_NO_PAD.encode(late.to_string()));
        let mut mac = Hmac::<Sha256>::new_from_slice(&Sha256::digest(SECRET)).unwrap();
        mac.update(late.as_bytes());
        format!("{late}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
    };
    let forged = format!("{}A", used.state());
    for state in [used.state(), other_key.state(), other_call.state(), late, forged, String::new()] {
        client.accept(&with_state(&used, &state)).await.prompt();
        assert_eq!(server.renamed(), [RENAMED], "{state}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_without_its_state_is_refused() {
    let server = Notebook::new();
    let mut client = Client::able(Era::Modern, &server).await;
    let call = json!({
        "name": "rename", "arguments": arguments(),
        "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
    });
    assert_eq!(code(&client.call_with(call).await.text()), "confirmation-state-missing");
    assert_eq!(server.renamed(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn on_the_older_rail_nothing_that_comes_with_the_call_counts() {
    let state = {
        let mut client = Client::able(Era::Modern, &Notebook::new()).await;
        client.call("rename", arguments()).await.prompt().state()
    };
    for era in LEGACY {
        let server = Notebook::new();
        let mut client = Client::able(era, &server).await;
        let call = json!({
            "name": "rename", "arguments": arguments(), "requestState": state,
            "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
        });
        let prompt = client.call_with(call).await.prompt();
        assert_eq!(server.renamed(), [""; 0], "{era:?}");
        assert_eq!(
            code(&client.answer(&prompt, json!({"action": "decline"})).await.text()),
            "confirmation-declined"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_prompts_a_preview_comes_first_and_its_token_acts_once() {
    for era in ALL {
        let server = Notebook::new();
        let mut client = without_prompts(era, &server).await;
        let first = preview(&mut client).await;
        let shown = json!({"action": "Renames a note.", "title": "Minutes", "willSend": {"title": "Notes"}});
        assert_eq!(first["preview"], shown, "{era:?}");
        assert_eq!(server.renamed(), [""; 0], "{era:?}");
        assert_eq!(with_token(&mut client, &first["confirmToken"]).await, "renamed", "{era:?}");
        assert_eq!(code(&with_token(&mut client, &first["confirmToken"]).await), "TOKEN_REUSED", "{era:?}");
        assert_eq!(server.renamed(), [RENAMED], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_forged_foreign_or_expired_token_does_nothing() {
    for era in ALL {
        let server = Notebook::new();
        let mut client = without_prompts(era, &server).await;
        let first = preview(&mut client).await["confirmToken"].as_str().unwrap().to_owned();
        let claims: Claims = serde_json::from_value(body(&first)).unwrap();
        let key = Key::from_secret(&Secret::new(SECRET));
        assert_eq!(claims.sign(&key), first);
        let late = Claims { expires: 1_700_000_000_000, ..claims.clone() }.sign(&key);
        let other_key = claims.sign(&Key::from_secret(&Secret::new("another")));
        let other_target = Claims { target: "n2".to_owned(), ..claims.clone() }.sign(&key);
        let other_tool = Claims { tool: "erase".to_owned(), ..claims.clone() }.sign(&key);
        let other_account = Claims { account: Some("home".to_owned()), ..claims }.sign(&key);
        for (token, said) in [
            (late, "TOKEN_EXPIRED"),
            (other_key, "TOKEN_INVALID"),
            (other_target, "TOKEN_INVALID"),
            (other_tool, "TOKEN_INVALID"),
            (other_account, "TOKEN_INVALID"),
            (format!("{first}A"), "TOKEN_INVALID"),
            ("made up".to_owned(), "TOKEN_INVALID"),
        ] {
            assert_eq!(code(&with_token(&mut client, &json!(token)).await), said, "{era:?} {token}");
        }
        assert_eq!(server.renamed(), [""; 0], "{era:?}");
        assert_eq!(with_token(&mut client, &json!(first)).await, "renamed", "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_changed_since_the_preview_is_previewed_again() {
    for era in ALL {
        for (what, change) in &CHANGES[..2] {
            let server = Notebook::new();
            let mut client = without_prompts(era, &server).await;
            let first = preview(&mut client).await;
            server.change(change);
            let fresh: Value =
                serde_json::from_str(&with_token(&mut client, &first["confirmToken"]).await).unwrap();
            assert_eq!(fresh["error"], "DRAFT_CHANGED", "{era:?} {what}");
            assert_eq!(server.renamed(), [""; 0], "{era:?} {what}");
            assert_eq!(with_token(&mut client, &fresh["confirmToken"]).await, "renamed", "{era:?} {what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_refusals_are_error_results() {
    let server = Notebook::new();
    let mut client = without_prompts(LEGACY[1], &server).await;
    let mut call = async |token: Option<&Value>| {
        let mut params = json!({"name": "rename", "arguments": arguments()});
        if let Some(token) = token {
            params["arguments"]["confirmToken"] = token.clone();
        }
        client.request("tools/call", params).await;
        let result = client.receive().await["result"].clone();
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap_or_default();
        (result["isError"] == json!(true), text)
    };
    let (is_error, first) = call(None).await;
    assert!(!is_error);
    assert!(call(Some(&json!("made up"))).await.0);
    server.change(|world| world.notes.get_mut("n1").unwrap().revision = 8);
    let (is_error, changed) = call(Some(&first["confirmToken"])).await;
    assert!(is_error && changed["error"] == "DRAFT_CHANGED");
    assert!(!call(Some(&changed["confirmToken"])).await.0);
}

#[tokio::test(start_paused = true)]
async fn the_owner_s_settings_decide_where_nobody_can_be_prompted() {
    for era in ALL {
        for settings in
            [Settings { mode: Mode::Refuse, ..settings() }, Settings { lifetime: None, ..settings() }]
        {
            let server = Notebook::with(settings);
            let mut client = without_prompts(era, &server).await;
            let said = client.call("rename", arguments()).await.text();
            assert_eq!(code(&said), "confirmation-unsupported", "{era:?}");
            assert_eq!((server.reads(), server.renamed()), (0, vec![]), "{era:?}");
        }
        // With prompts turned off, a client that could show them takes the token rail, and its answer counts for nothing.
        let server = Notebook::with(Settings { elicitation: false, ..settings() });
        let mut client = Client::able(era, &server).await;
        preview(&mut client).await;
        let uninvited = json!({
            "name": "rename", "arguments": arguments(),
            "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
        });
        let said: Value = serde_json::from_str(&client.call_with(uninvited).await.text()).unwrap();
        assert_eq!(said["status"], "confirmation-required", "{era:?}");
        assert_eq!(server.renamed(), [""; 0], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_of_which_nothing_is_known_is_asked() {
    let server = Notebook::new();
    let mut client = Client::unknown(&server);
    let prompt = client.call("rename", arguments()).await.prompt();
    assert_eq!(client.accept(&prompt).await.text(), "renamed");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_not_done() {
    for era in ALL {
        let server = Notebook::new();
        let nothing = json!({"id": "n9", "title": "Notes"});
        let mut client = Client::able(era, &server).await;
        assert_eq!(client.call("rename", nothing.clone()).await.text(), "no such note", "{era:?}");
        let prompt = client.call("rename", arguments()).await.prompt();
        server.change(|world| world.notes.clear());
        assert_eq!(client.accept(&prompt).await.text(), "no such note", "{era:?}");
        let mut client = without_prompts(era, &server).await;
        assert_eq!(client.call("rename", nothing).await.text(), "no such note", "{era:?}");
        assert_eq!(server.renamed(), [""; 0], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_cancelled_while_it_read_does_nothing() {
    for era in ALL {
        let server = Notebook::new();
        let mut client = without_prompts(era, &server).await;
        let token = preview(&mut client).await["confirmToken"].clone();
        server.change(|world| world.cut = true);
        let mut params = json!({"name": "rename", "arguments": arguments()});
        params["arguments"]["confirmToken"] = token.clone();
        client.sign(&mut params);
        client.request("tools/call", params).await;
        client.settle().await;
        assert_eq!(server.renamed(), [""; 0], "{era:?}");
        server.change(|world| world.cut = false);
        assert_eq!(with_token(&mut client, &token).await, "renamed", "{era:?}: it is still unspent");
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_stands_for_as_long_as_it_counts() {
    for (lifetime, seconds) in [(Some(60), 60), (None, 300)] {
        let lifetime = lifetime.map(std::time::Duration::from_secs);
        let server = Notebook::with(Settings { lifetime, ..settings() });
        let mut client = Client::able(LEGACY[1], &server).await;
        client.call("rename", arguments()).await.prompt();
        let begun = tokio::time::Instant::now();
        assert_eq!(client.receive().await["method"], "notifications/cancelled");
        assert_eq!(begun.elapsed().as_secs(), seconds);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_without_a_name_confirms_nothing() {
    for era in ALL {
        let server = Notebook::new();
        let mut client = Client::able(era, &server).await;
        assert_eq!(code(&client.call("", arguments()).await.text()), "confirmation-incomplete", "{era:?}");
    }
}
