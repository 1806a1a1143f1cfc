//! The clients that people use, each driving the binary over stdio through the main job: list, read, draft, and a send that
//! is confirmed, declined, closed, or can't be asked about.

use anyhow::Result;
use countersign_testkit::{
    clients::{Inspector, Job, Person, Published},
    services::{Put, User, mail},
};
use serde_json::{Value, json};

use crate::{account::plain, home::Home, tools::WITHOUT_SAVING};

/// The main job. The later calls take their ids from the results of the earlier ones.
fn calls(to: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("list_messages", json!({ "folder": "inbox" })),
        ("get_message", json!({ "message": "{{0/messages/0/id}}" })),
        ("create_draft", json!({ "to": [to], "subject": "Answer", "text": "Agreed." })),
        ("send_draft", json!({ "draft": "{{2/draft}}" })),
    ]
}

/// Nothing went out, the draft is where it was, and the result says both.
#[track_caller]
fn kept(user: &User<'_>, structured: &Value, text: &str, reason: &str) {
    assert_eq!((&structured["sent"], &structured["reason"]), (&json!(false), &json!(reason)), "{text}");
    assert!(text.contains("sent: false") && text.contains("The draft stays in Drafts"), "{text}");
    assert_eq!((user.count("Drafts").unwrap(), user.count("Sent").unwrap()), (1, 0));
}

fn check(client: Published) -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for (person, reason) in [
        (Person::Accepts, None),
        (Person::Declines, Some("confirmation-declined")),
        (Person::Cancels, Some("confirmation-cancelled")),
        (Person::CannotBeAsked, Some("confirmation-unsupported")),
    ] {
        let (user, other) = (mail.user("client")?, mail.user("other")?);
        user.put("INBOX", &plain("Question", "question"), &Put::default())?;
        let home = Home::of(&user)?;
        let job = Job { person, calls: calls(&other.address) };
        let Some(played) = client.play(&home.command(&["serve"]), &job)? else { return Ok(()) };
        assert_eq!(played.version, client.version());
        assert_eq!(played.server.as_deref(), Some("countersign-imap"));
        assert!(
            played.tools.len() == WITHOUT_SAVING && played.tools.contains(&"send_draft".to_owned()),
            "{:?}",
            played.tools
        );
        let [list, read, _, send] = played.results.as_slice() else { panic!("{played:?}") };
        assert_eq!(list.structured["messages"][0]["subject"], "Question");
        assert!(read.text.contains("Text of Question."), "{}", read.text);
        if let Some(reason) = reason {
            kept(&user, &send.structured, &send.text, reason);
            assert_eq!(mail.deliveries(&other.address)?, []);
        } else {
            assert_eq!(send.structured["sent"], true, "{}", send.text);
            assert_eq!(other.wait_received(1)?.len(), 1);
            assert_eq!((user.count("Drafts")?, user.count("Sent")?), (0, 1));
        }
        let asked = played.asked.iter().map(|question| question.message.as_str()).collect::<Vec<_>>();
        assert_eq!(asked.len(), usize::from(person != Person::CannotBeAsked), "{asked:?}");
        for message in asked {
            assert!(message.contains(&other.address) && message.contains("Agreed."), "{message}");
        }
    }
    Ok(())
}

#[test]
fn the_npm_sdk_1_does_the_whole_job() -> Result<()> {
    check(Published::TypeScript1)
}

#[test]
fn the_npm_sdk_2_does_the_whole_job() -> Result<()> {
    check(Published::TypeScript2Legacy)?;
    check(Published::TypeScript2Auto)
}

#[test]
fn the_python_sdk_does_the_whole_job() -> Result<()> {
    check(Published::PythonLegacy)?;
    check(Published::PythonAuto)
}

#[test]
fn the_inspector_reads_and_drafts_and_sends_nothing() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for modern in [false, true] {
        let (user, other) = (mail.user("inspector")?, mail.user("other")?);
        user.put("INBOX", &plain("Question", "question"), &Put::default())?;
        let home = Home::of(&user)?;
        let command = home.command(&[]);
        let inspector = if modern { Inspector::modern(&command) } else { Inspector::legacy(&command) };
        let Some(tools) = inspector.tools()? else { return Ok(()) };
        assert_eq!(tools["tools"].as_array().map(Vec::len), Some(WITHOUT_SAVING));
        let call = |tool: &str, arguments: Value| -> Result<Value> {
            Ok(inspector.call(tool, &arguments)?.unwrap_or_default())
        };
        let list = call("list_messages", json!({}))?;
        let id = &list["structuredContent"]["messages"][0]["id"];
        let read = call("get_message", json!({ "message": id }))?;
        assert!(read["content"][0]["text"].as_str().unwrap().contains("Text of Question."), "{read}");
        let new = json!({ "to": [other.address], "subject": "Answer", "text": "Agreed." });
        let draft = call("create_draft", new)?;
        let sent = call("send_draft", json!({ "draft": draft["structuredContent"]["draft"] }))?;
        let text = sent["content"][0]["text"].as_str().unwrap();
        kept(&user, &sent["structuredContent"], text, "confirmation-unsupported");
        assert_eq!(mail.deliveries(&other.address)?, []);
    }
    Ok(())
}
