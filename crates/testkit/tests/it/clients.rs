//! Each published client against the fixture server, with each answer a person may give.

use std::process::Command;

use anyhow::Result;
use countersign_testkit::clients::{Inspector, Job, Person, Published};
use serde_json::json;

#[test]
fn each_client_lists_calls_and_asks() -> Result<()> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_testkit-fixture"));
    server.env("COUNTERSIGN_FIXTURE", "handed on");
    for client in Published::ALL {
        for (person, said, times) in [
            (Person::Accepts, "sent", 1),
            (Person::Declines, "not sent", 1),
            (Person::Cancels, "not sent", 1),
            (Person::CannotBeAsked, "cannot prompt", 0),
        ] {
            let calls =
                vec![("echo", json!({ "text": "hä" })), ("send_draft", json!({ "draft": "{{0/said}}" }))];
            let Some(played) = client.play(&server, &Job { person, calls })? else { return Ok(()) };
            assert_eq!(played.version, client.version(), "{client:?}");
            assert_eq!(played.server.as_deref(), Some("testkit-fixture"));
            assert_eq!(played.tools, ["echo", "send_draft"]);
            assert_eq!(played.results[0].structured, json!({ "said": "hä" }));
            assert_eq!(played.results[1].text, said, "{client:?} {person:?}");
            assert_eq!(played.results[1].is_error, times == 0);
            let asked: Vec<_> = played.asked.iter().map(|question| question.message.as_str()).collect();
            assert_eq!(asked, vec!["Send the draft hä?"; times]);
            assert!(played.asked.iter().all(|question| question.schema["properties"]["confirm"].is_object()));
        }
    }
    Ok(())
}

#[test]
fn the_inspector_lists_and_calls_in_both_eras() -> Result<()> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_testkit-fixture"));
    server.env("COUNTERSIGN_FIXTURE", "handed on");
    for inspector in [Inspector::legacy(&server), Inspector::modern(&server)] {
        let Some(list) = inspector.tools()? else { return Ok(()) };
        assert_eq!(list["tools"][1]["name"], "send_draft");
        let Some(echo) = inspector.call("echo", &json!({ "text": "a b=c" }))? else { return Ok(()) };
        assert_eq!(echo["content"][0]["text"], "a b=c");
        let Some(sent) = inspector.call("send_draft", &json!({ "draft": "x" }))? else { return Ok(()) };
        assert_eq!(sent["isError"], true);
    }
    Ok(())
}
