//! What is particular to clients before 2026-07-28: the call waits for the person.

use std::time::Duration;

use countersign_confirm::{Declined, GateConfig};
use serde_json::{Value, json};

use crate::{
    client::{Client, LEGACY, Prompt, Way, signalled},
    irreversible::Shredder,
};

fn ids(prompt: &Prompt) -> (Value, u64) {
    match &prompt.way {
        Way::Legacy { prompt, call } => (prompt.clone(), *call),
        Way::Modern { .. } => panic!("an older client was expected"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_of_which_nothing_is_known_is_asked() {
    let server = Shredder::new();
    let mut client = Client::unknown(&server);
    let prompt = client.shred("minutes").await.prompt();
    assert_eq!(client.accept(&prompt).await.text(), "shredded");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_fails_to_ask_is_told_so() {
    let server = Shredder::new();
    let mut client = Client::unknown(&server);
    let (prompt, call) = ids(&client.shred("minutes").await.prompt());
    let error = json!({"code": -32601, "message": "Method not found"});
    client.send(json!({"jsonrpc": "2.0", "id": prompt, "error": error})).await;
    let answer = client.receive().await;
    assert_eq!(answer["id"], call);
    let said = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.ends_with(Declined::Unanswered.words()), "{said}");
    assert_eq!(server.shredded(), []);
}

#[tokio::test(start_paused = true)]
async fn the_request_s_own_declaration_comes_first() {
    for (connection, request, asked) in [
        (json!({"elicitation": {"form": {}}}), json!({}), false),
        (json!({"elicitation": {"form": {}}}), json!({"elicitation": true}), false),
        (json!({}), json!({"elicitation": {}}), true),
    ] {
        for era in LEGACY {
            let server = Shredder::new();
            let mut client = Client::with(era, connection.clone(), &server).await;
            let meta = json!({"io.modelcontextprotocol/clientCapabilities": request});
            let call = json!({"name": "shred", "arguments": {"paper": "minutes"}, "_meta": meta});
            let reply = client.call_with(call).await;
            if asked {
                reply.prompt();
            } else {
                assert!(reply.text().ends_with(Declined::CannotPrompt.words()), "{connection} {request}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_inside_the_call_counts_for_nothing() {
    for era in LEGACY {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let prompt = client
            .call_with(json!({
                "name": "shred",
                "arguments": {"paper": "minutes"},
                "requestState": "countersign.confirm.v1.e30.AA",
                "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
            }))
            .await
            .prompt();
        assert_eq!(server.shredded(), []);
        let said = client.answer(&prompt, json!({"action": "decline"})).await.text();
        assert!(said.ends_with(Declined::Refused.words()), "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_nobody_answers_ends_with_its_lifetime() {
    for era in LEGACY {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let (prompt, call) = ids(&client.shred("minutes").await.prompt());
        let withdrawn = client.receive().await;
        assert_eq!(withdrawn["method"], "notifications/cancelled");
        assert_eq!(withdrawn["params"]["requestId"], prompt);
        let answer = client.receive().await;
        assert_eq!(answer["id"], call);
        let said = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(said.ends_with(Declined::Unanswered.words()), "{said}");
        assert_eq!(server.change(|world| world.waited.clone()), [GateConfig::TTL]);
        // Too late.
        let yes = json!({"action": "accept", "content": {"confirm": true}});
        client.send(json!({"jsonrpc": "2.0", "id": prompt, "result": yes})).await;
        client.settle().await;
        assert_eq!(server.shredded(), []);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_that_the_person_took_is_measured() {
    let server = Shredder::new();
    let mut client = Client::able(LEGACY[1], &server).await;
    let prompt = client.shred("minutes").await.prompt();
    tokio::time::advance(Duration::from_secs(42)).await;
    assert_eq!(client.accept(&prompt).await.text(), "shredded");
    assert_eq!(server.change(|world| world.waited.clone()), [Duration::from_secs(42)]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_takes_its_prompt_away_and_does_nothing() {
    for era in LEGACY {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let (prompt, call) = ids(&client.shred("minutes").await.prompt());
        client
            .send(
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}}),
            )
            .await;
        let withdrawn = client.receive().await;
        assert_eq!(withdrawn["method"], "notifications/cancelled");
        assert_eq!(withdrawn["params"]["requestId"], prompt);
        let yes = json!({"action": "accept", "content": {"confirm": true}});
        client.send(json!({"jsonrpc": "2.0", "id": prompt, "result": yes})).await;
        client.settle().await;
        assert_eq!(server.shredded(), []);
        let ended = server.change(|world| world.ended.clone());
        assert!(matches!(&ended[..], [one] if one.ends_with(Declined::Cancelled.words())), "{ended:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_ends_the_wait() {
    for era in LEGACY {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        client.shred("minutes").await.prompt();
        drop(client);
        signalled(&server.finished).await;
        let (ended, waited) = server.change(|world| (world.ended.clone(), world.waited.clone()));
        assert!(ended[0].ends_with(Declined::Cancelled.words()), "{ended:?}");
        assert!(waited[0] < GateConfig::TTL, "{waited:?}");
    }
}
