//! What holds for clients of every era alike.

use std::sync::Arc;

use countersign_confirm::{Declined, GateConfig, KeySource, Terms};
use serde_json::json;

use crate::{
    client::{ALL, Client, signalled},
    irreversible::{Shredder, Slow, World},
};

const YES: Terms = Terms(0b01);

#[tokio::test(start_paused = true)]
async fn a_ticked_form_does_what_was_shown() {
    for era in ALL {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let prompt = client.shred("minutes").await.prompt();
        assert_eq!(prompt.message, r"Shred “minutes of\u{202e} May”? (one copy, terms 1)", "{era:?}");
        assert_eq!(server.shredded(), [], "{era:?}: nothing before the answer");
        assert_eq!(client.accept(&prompt).await.text(), "shredded", "{era:?}");
        assert_eq!(server.shredded(), [("minutes".to_owned(), YES)], "{era:?}");
        assert_eq!(server.reads(), 2, "{era:?}: once to show it, once after the answer");
    }
}

#[tokio::test(start_paused = true)]
async fn the_form_has_one_required_box_without_a_default() {
    for era in ALL {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let schema = client.shred("minutes").await.prompt().schema;
        assert_eq!(schema["type"], "object", "{era:?}");
        assert_eq!(schema["required"], json!(["confirm"]), "{era:?}");
        assert_eq!(schema["properties"].as_object().unwrap().len(), 1, "{era:?}");
        assert_eq!(schema["properties"]["confirm"]["type"], "boolean", "{era:?}");
        assert_eq!(schema["properties"]["confirm"].get("default"), None, "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_other_answer_is_a_no() {
    let answers = [
        (json!({"action": "decline"}), Declined::Refused),
        (json!({"action": "decline", "content": {"confirm": true}}), Declined::Refused),
        (json!({"action": "cancel"}), Declined::Cancelled),
        (json!({"action": "accept"}), Declined::Unticked),
        (json!({"action": "accept", "content": {}}), Declined::Unticked),
        (json!({"action": "accept", "content": {"confirm": false}}), Declined::Unticked),
        (json!({"action": "accept", "content": {"confirm": "true"}}), Declined::Unticked),
        (json!({"action": "accept", "content": {"confirmed": true}}), Declined::Unticked),
        (json!({"action": "yes", "content": {"confirm": true}}), Declined::Unanswered),
        (json!({"confirm": true}), Declined::Unanswered),
        (json!({}), Declined::Unanswered),
    ];
    for era in ALL {
        for (answer, declined) in &answers {
            let server = Shredder::new();
            let mut client = Client::able(era, &server).await;
            let prompt = client.shred("minutes").await.prompt();
            let said = client.answer(&prompt, answer.clone()).await.text();
            assert_eq!(said, format!("{}: {}", declined.code(), declined.words()), "{era:?} {answer}");
            assert_eq!(server.shredded(), [], "{era:?} {answer}");
            assert_eq!(server.reads(), 1, "{era:?} {answer}: a no needs no second look");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cannot_show_forms_is_not_asked() {
    for era in ALL {
        for capabilities in [json!({}), json!({"roots": {}}), json!({"elicitation": {"url": {}}})] {
            let server = Shredder::new();
            let mut client = Client::with(era, capabilities.clone(), &server).await;
            let said = client.shred("minutes").await.text();
            assert!(said.ends_with(Declined::CannotPrompt.words()), "{era:?} {capabilities}: {said}");
            assert_eq!(server.reads(), 0, "{era:?} {capabilities}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_names_no_mode_can_show_forms() {
    for era in ALL {
        let server = Shredder::new();
        let mut client = Client::with(era, json!({"elicitation": {}}), &server).await;
        let prompt = client.shred("minutes").await.prompt();
        assert_eq!(client.accept(&prompt).await.text(), "shredded", "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn with_prompts_off_nobody_is_asked_and_no_answer_counts() {
    for era in ALL {
        let config = GateConfig { key: KeySource::Process, ttl: GateConfig::TTL, elicitation: false };
        let server = Shredder::with(config);
        let mut client = Client::able(era, &server).await;
        let said = client.shred("minutes").await.text();
        assert!(said.ends_with(Declined::PromptsOff.words()), "{era:?}: {said}");
        let uninvited = json!({
            "name": "shred",
            "arguments": {"paper": "minutes"},
            "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
        });
        let said = client.call_with(uninvited).await.text();
        assert!(said.ends_with(Declined::PromptsOff.words()), "{era:?}: {said}");
        assert_eq!((server.reads(), server.shredded()), (0, vec![]), "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_changed_while_the_person_read_is_not_done() {
    type Change = fn(&mut World);
    let changes: [(&str, Change, Declined); 5] = [
        ("content", |w| w.papers.get_mut("minutes").unwrap().text = "minutes of June", Declined::Changed),
        ("not shown", |w| w.papers.get_mut("minutes").unwrap().back = "signed", Declined::Changed),
        ("shown only", |w| w.papers.get_mut("minutes").unwrap().note = "the only copy", Declined::Changed),
        ("a term more", |w| w.papers.get_mut("minutes").unwrap().terms = Terms(0b11), Declined::Stricter),
        ("another term", |w| w.papers.get_mut("minutes").unwrap().terms = Terms(0b10), Declined::Stricter),
    ];
    for era in ALL {
        for (what, change, declined) in changes {
            let server = Shredder::new();
            let mut client = Client::able(era, &server).await;
            let prompt = client.shred("minutes").await.prompt();
            server.change(change);
            let said = client.accept(&prompt).await.text();
            assert!(said.ends_with(declined.words()), "{era:?} {what}: {said}");
            assert_eq!(server.shredded(), [], "{era:?} {what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_term_that_lapsed_while_the_person_read_still_holds() {
    for era in ALL {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let prompt = client.shred("minutes").await.prompt();
        server.change(|world| world.papers.get_mut("minutes").unwrap().terms = Terms::NONE);
        assert_eq!(client.accept(&prompt).await.text(), "shredded", "{era:?}");
        assert_eq!(server.shredded(), [("minutes".to_owned(), YES)], "{era:?}: as it was shown");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_not_done() {
    for era in ALL {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        assert_eq!(client.shred("nothing").await.text(), "no such paper", "{era:?}");
        let prompt = client.shred("minutes").await.prompt();
        server.change(|world| world.papers.clear());
        assert_eq!(client.accept(&prompt).await.text(), "no such paper", "{era:?}");
        assert_eq!(server.shredded(), [], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_cancelled_during_the_second_look_does_nothing() {
    for era in ALL {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let prompt = client.shred("minutes").await.prompt();
        let slow = Arc::new(Slow::default());
        server.change(|world| world.slow = Some(Arc::clone(&slow)));
        let yes = json!({"action": "accept", "content": {"confirm": true}});
        let (call, _) = client.send_answer(&prompt, yes).await;
        signalled(&slow.begun).await;
        client.cancel(call).await;
        client.settle().await;
        slow.go_on.notify_one();
        signalled(&server.finished).await;
        let ended = server.change(|world| world.ended.clone());
        assert!(ended[0].ends_with(Declined::Cancelled.words()), "{era:?}: {ended:?}");
        assert_eq!(server.shredded(), [], "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_asked_for_progress_is_told() {
    for era in ALL {
        let server = Shredder::new();
        let mut client = Client::able(era, &server).await;
        let mut call =
            json!({"name": "shred", "arguments": {"paper": "nothing"}, "_meta": {"progressToken": "p1"}});
        client.sign(&mut call);
        client.request("tools/call", call).await;
        let told = client.receive().await;
        assert_eq!(told["method"], "notifications/progress", "{era:?}");
        let params =
            json!({"progressToken": "p1", "progress": 1.0, "total": 2.0, "message": "looking for the paper"});
        assert_eq!(told["params"], params, "{era:?}");
        client.settle().await;
        assert_eq!(server.change(|world| world.client.clone()).as_deref(), Some("script"), "{era:?}");
    }
}
