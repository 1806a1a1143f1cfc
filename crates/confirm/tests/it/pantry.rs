//! The example, driven as a client drives it.

use countersign_confirm::{Declined, env};
use serde_json::{Value, json};

use crate::{
    client::{ALL, Client, Era},
    example::Pantry,
};

fn pantry() -> Pantry {
    Pantry::new(&env::Variables::default())
}

async fn jars(client: &mut Client) -> String {
    client.call("list_jars", json!({})).await.text()
}

#[tokio::test(start_paused = true)]
async fn a_jar_is_emptied_when_the_cook_agreed() {
    for era in ALL {
        let server = pantry();
        let mut client = Client::able(era, &server).await;
        let prompt = client.call("empty_jar", json!({"jar": "red"})).await.prompt();
        assert_eq!(prompt.message, "Empty the jar “red”? It holds: raspberries, last year's");
        assert_eq!(client.accept(&prompt).await.text(), "done", "{era:?}");
        assert_eq!(jars(&mut client).await, r#"{"blue":"plums"}"#);
    }
}

#[tokio::test(start_paused = true)]
async fn without_prompts_a_jar_is_relabelled_in_two_steps_and_never_emptied() {
    for era in ALL {
        let server = pantry();
        let mut client = Client::with(era, json!({}), &server).await;
        let said = client.call("empty_jar", json!({"jar": "red"})).await.text();
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["note"], Declined::CannotPrompt.words(), "{era:?}");
        let mut arguments = json!({"jar": "blue", "label": "green"});
        let preview = client.call("relabel_jar", arguments.clone()).await.text();
        let preview: Value = serde_json::from_str(&preview).unwrap();
        assert_eq!(preview["preview"]["content"], "plums", "{era:?}");
        arguments["confirmToken"] = preview["confirmToken"].clone();
        assert_eq!(client.call("relabel_jar", arguments).await.text(), "done", "{era:?}");
        assert_eq!(jars(&mut client).await, r#"{"green":"plums","red":"raspberries, last year's"}"#);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_is_said_to_be_missing() {
    let mut client = Client::able(Era::Modern, &pantry()).await;
    assert_eq!(client.call("empty_jar", json!({"jar": "black"})).await.text(), "no such jar");
    assert_eq!(client.call("relabel_jar", json!({"jar": "black"})).await.text(), "no such jar");
}
