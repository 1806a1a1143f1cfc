//! The token rail of irreversible acts: closed unless the owner opened it, and what it holds when they did.

use std::sync::Arc;

use countersign_confirm::{Declined, GateConfig, KeySource, Mode, Round, Settings, Terms, Writes};
use serde_json::{Value, json};

use crate::{
    client::{ALL, Client, Era},
    irreversible::{Shredder, World},
    notebook::settings,
};

/// A server whose gate has tokens, and whose owner allows them or not.
fn server(allowed: bool, settings: Settings) -> Shredder {
    let config =
        GateConfig { key: KeySource::Process, ttl: GateConfig::TTL, elicitation: settings.elicitation };
    let server = Shredder::over(config, Some(Arc::new(Writes::new(settings))));
    server.change(|world| world.tokens_allowed = allowed);
    server
}

async fn without_prompts(era: Era, server: &Shredder) -> Client {
    Client::with(era, json!({}), server).await
}

async fn preview(client: &mut Client) -> Value {
    serde_json::from_str(&client.shred("minutes").await.text()).unwrap()
}

async fn with_token(client: &mut Client, token: &Value) -> String {
    client.call("shred", json!({"paper": "minutes", "confirmToken": token})).await.text()
}

#[tokio::test(start_paused = true)]
async fn tokens_are_for_those_whose_owner_allows_them() {
    for era in ALL {
        let closed = server(false, settings());
        let mut client = without_prompts(era, &closed).await;
        let said = client.shred("minutes").await.text();
        assert!(said.ends_with(Declined::CannotPrompt.words()), "{era:?}: {said}");
        assert_eq!(closed.reads(), 0, "{era:?}");

        // Without the settings that tokens need, an owner's wish opens nothing.
        let bare = Shredder::new();
        bare.change(|world| world.tokens_allowed = true);
        let mut client = without_prompts(era, &bare).await;
        let said = client.shred("minutes").await.text();
        assert!(said.ends_with(Declined::CannotPrompt.words()), "{era:?}: {said}");
        assert_eq!(bare.change(|world| world.previews.clone()), [false], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_variables_can_close_it_again() {
    for era in ALL {
        for settings in
            [Settings { mode: Mode::Refuse, ..settings() }, Settings { lifetime: None, ..settings() }]
        {
            let server = server(true, settings);
            let mut client = without_prompts(era, &server).await;
            let said = client.shred("minutes").await.text();
            assert!(said.starts_with("confirmation-unsupported: "), "{era:?}: {said}");
            assert_eq!((server.reads(), server.shredded()), (0, vec![]), "{era:?}");
            assert_eq!(server.change(|world| world.previews.clone()), [false], "{era:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_preview_is_the_prompt_and_its_token_acts_once() {
    for era in ALL {
        let server = server(true, settings());
        let mut client = without_prompts(era, &server).await;
        let first = preview(&mut client).await;
        assert_eq!(
            first["preview"]["prompt"], r"Shred “minutes of\u{202e} May”? (one copy, terms 1)",
            "{era:?}"
        );
        assert_eq!((&first["action"], &first["status"]), (&json!("shred"), &json!("confirmation-required")));
        assert_eq!(server.shredded(), [], "{era:?}");
        assert_eq!(with_token(&mut client, &first["confirmToken"]).await, "shredded", "{era:?}");
        assert_eq!(server.shredded(), [("minutes".to_owned(), Terms(1))], "{era:?}");
        let said = with_token(&mut client, &first["confirmToken"]).await;
        assert!(said.ends_with(Declined::TokenReused.words()), "{era:?}: {said}");
        assert_eq!(server.change(|world| world.previews.clone()), [true; 3], "{era:?}");
        let next = Round::Next { subject: "minutes".to_owned() };
        assert_eq!(
            server.change(|world| world.rounds.clone()),
            [Round::First, next.clone(), next],
            "{era:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_can_be_prompted_is() {
    for era in ALL {
        let server = server(true, settings());
        let mut client = Client::able(era, &server).await;
        let prompt = client.shred("minutes").await.prompt();
        assert_eq!(client.accept(&prompt).await.text(), "shredded", "{era:?}");
        assert!(server.change(|world| !world.previews.contains(&true)), "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_is_no_one_else_s() {
    type Change = fn(&mut World);
    let changes: [(&str, Change); 3] = [
        ("account", |world| world.account = "home"),
        ("principal", |world| world.principal = "second sign-in"),
        ("origin", |world| world.origin = "other.example"),
    ];
    for era in ALL {
        for (what, change) in changes {
            let server = server(true, settings());
            let mut client = without_prompts(era, &server).await;
            let first = preview(&mut client).await;
            server.change(change);
            let said = with_token(&mut client, &first["confirmToken"]).await;
            assert!(said.ends_with(Declined::TokenInvalid.words()), "{era:?} {what}: {said}");
            assert_eq!(server.shredded(), [], "{era:?} {what}");
        }
        let server = server(true, settings());
        let mut client = without_prompts(era, &server).await;
        let token = preview(&mut client).await["confirmToken"].clone();
        for (tool, arguments) in [
            ("burn", json!({"paper": "minutes", "confirmToken": token})),
            ("shred", json!({"paper": "ledger", "confirmToken": token})),
            ("shred", json!({"paper": "minutes", "all": true, "confirmToken": token})),
            ("shred", json!({"paper": "minutes", "confirmToken": "made up"})),
            ("shred", json!({"paper": "minutes", "confirmToken": 7})),
        ] {
            let said = client.call(tool, arguments.clone()).await.text();
            assert!(said.ends_with(Declined::TokenInvalid.words()), "{era:?} {tool} {arguments}: {said}");
            if tool == "shred" {
                let round = server.change(|world| world.rounds.last().cloned());
                assert_eq!(round, Some(Round::Invalid), "{era:?} {arguments}");
            }
        }
        assert_eq!(server.shredded(), [], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_changed_since_the_preview_is_previewed_again() {
    type Change = fn(&mut World);
    let changes: [(&str, Change); 5] = [
        ("content", |w| w.papers.get_mut("minutes").unwrap().text = "minutes of June"),
        ("not shown", |w| w.papers.get_mut("minutes").unwrap().back = "signed"),
        ("shown only", |w| w.papers.get_mut("minutes").unwrap().note = "the only copy"),
        ("a term more", |w| w.papers.get_mut("minutes").unwrap().terms = Terms(0b11)),
        ("no terms", |w| w.papers.get_mut("minutes").unwrap().terms = Terms::NONE),
    ];
    for era in ALL {
        for (what, change) in changes {
            let server = server(true, settings());
            let mut client = without_prompts(era, &server).await;
            let first = preview(&mut client).await;
            server.change(change);
            let said = with_token(&mut client, &first["confirmToken"]).await;
            let fresh: Value = serde_json::from_str(&said).unwrap();
            assert_eq!(fresh["error"], "DRAFT_CHANGED", "{era:?} {what}");
            assert_eq!(server.shredded(), [], "{era:?} {what}");
            assert_eq!(with_token(&mut client, &fresh["confirmToken"]).await, "shredded", "{era:?} {what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_can_show_the_preview_in_a_result_of_its_own() {
    let server = server(true, settings());
    server.change(|world| world.own_preview = true);
    let mut client = without_prompts(ALL[0], &server).await;
    let said = client.shred("minutes").await.text();
    let token = said.strip_prefix("preview: ").unwrap();
    assert_eq!(with_token(&mut client, &json!(token)).await, "shredded");
    let mut client = Client::able(Era::Modern, &server).await;
    client.shred("minutes").await.prompt();
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_or_was_cancelled_is_not_done() {
    for era in ALL {
        let server = server(true, settings());
        let mut client = without_prompts(era, &server).await;
        assert_eq!(client.shred("nothing").await.text(), "no such paper", "{era:?}");

        let server = self::server(true, settings());
        let mut client = without_prompts(era, &server).await;
        let token = preview(&mut client).await["confirmToken"].clone();
        let slow = Arc::new(crate::irreversible::Slow::default());
        server.change(|world| world.slow = Some(Arc::clone(&slow)));
        let mut params = json!({"name": "shred", "arguments": {"paper": "minutes", "confirmToken": token}});
        client.sign(&mut params);
        let call = client.request("tools/call", params).await;
        crate::client::signalled(&slow.begun).await;
        client.cancel(call).await;
        client.settle().await;
        server.change(|world| world.slow = None);
        slow.go_on.notify_one();
        crate::client::signalled(&server.finished).await;
        let ended = server.change(|world| world.ended.last().cloned()).unwrap();
        assert!(ended.ends_with(Declined::Cancelled.words()), "{era:?}: {ended}");
        assert_eq!(server.shredded(), [], "{era:?}");
    }
}
