//! The raw client against the fixture server, in every era and with every answer.

use std::process::Command;

use anyhow::Result;
use countersign_testkit::mcp::{Elicit, Era, RawClient, RpcError};
use serde_json::json;

fn fixture() -> Command {
    Command::new(env!("CARGO_BIN_EXE_testkit-fixture"))
}

#[tokio::test]
async fn every_era_lists_calls_and_asks() -> Result<()> {
    let answers = [
        (Elicit::Accept, "sent", 1),
        (Elicit::AcceptUnticked, "not sent", 1),
        (Elicit::AcceptWith(json!({ "confirm": true })), "sent", 1),
        (Elicit::Decline, "not sent", 1),
        (Elicit::Cancel, "not sent", 1),
        (Elicit::Unsupported, "cannot prompt", 0),
    ];
    for era in Era::ALL {
        for (elicit, expected, times) in &answers {
            let client = RawClient::spawn(fixture(), era, elicit.clone()).await?;
            let names: Vec<_> = client.tools().await?.iter().map(|tool| tool["name"].clone()).collect();
            assert_eq!(names, ["echo", "send_draft"]);
            let echo = client.call("echo", json!({ "text": "hä" })).await?;
            assert_eq!((echo.text.as_str(), echo.str_at("/said")?), ("hä", "hä"));
            let got = client.call("send_draft", json!({ "draft": "d1" })).await?;
            assert_eq!((got.text.as_str(), got.is_error), (*expected, *times == 0), "{era:?} {elicit:?}");
            let asked: Vec<String> = client.asked().into_iter().map(|asked| asked.message).collect();
            assert_eq!(asked, vec!["Send the draft d1?"; *times]);
            let error = client.call("nothing", json!({})).await.unwrap_err();
            assert_eq!(error.downcast_ref::<RpcError>().map(|error| error.code), Some(-32602));
            client.clean()?;
            assert!(client.close().await?.status.success());
        }
    }
    Ok(())
}

#[tokio::test]
async fn rounds_can_be_taken_apart_and_a_state_forged() -> Result<()> {
    let client = RawClient::spawn(fixture(), Era::Modern, Elicit::Accept).await?;
    let arguments = json!({ "draft": "d2" });
    let (requests, state) = client.first_round("send_draft", arguments.clone()).await?.ask()?;
    let answers = client.answer_all(&requests).await?;
    let forged = Some(json!("state of another"));
    let got = client.next_round("send_draft", arguments.clone(), answers.clone(), forged).await?.done()?;
    assert_eq!(got.text, "bad state");
    let got = client.next_round("send_draft", arguments, answers, state).await?.done()?;
    assert_eq!(got.text, "sent");
    Ok(())
}

#[tokio::test]
async fn a_script_acts_between_question_and_answer_and_a_kill_ends_the_wait() -> Result<()> {
    for era in Era::ALL {
        let client = RawClient::spawn(fixture(), era, Elicit::Accept).await?;
        client.elicit(Elicit::script(|asked| async move {
            tokio::task::yield_now().await;
            asked.message.contains("d3").then(|| asked.accept(true))
        }));
        assert_eq!(client.call("send_draft", json!({ "draft": "d3" })).await?.text, "sent");
    }
    let client = RawClient::spawn(fixture(), Era::November2025, Elicit::Silence).await?;
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call("send_draft", json!({ "draft": "d4" })).await }
    });
    client.wait_asked(1).await?;
    client.kill().await?;
    let words = call.await?.unwrap_err().to_string();
    assert!(words.contains("went away"), "{words}");
    Ok(())
}

#[tokio::test]
async fn what_is_not_json_rpc_on_standard_output_is_reported() -> Result<()> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "echo hello; echo '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}'; echo oops >&2; cat >/dev/null"]);
    let client = RawClient::bare(shell, Era::Modern, Elicit::Accept)?;
    assert!(client.close().await?.status.success());
    assert!(client.clean().unwrap_err().to_string().contains("hello"));
    assert_eq!(client.notifications().len(), 1);
    assert_eq!(client.stderr(), "oops\n");
    Ok(())
}
