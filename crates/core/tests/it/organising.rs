//! Flags and moves: what changes, what stays, and where nothing moves to.

use countersign_core::{
    model::{Flag, Flags},
    tools::{Grant, Grants},
};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    talk::{Person, Talk},
};

async fn sample() -> (Bench, Talk) {
    let bench = Bench::sample();
    let talk = bench.talk(Era::November2025, Person::Accepts).await;
    (bench, talk)
}

fn flags(bench: &Bench, folder: &str, id: &str) -> Flags {
    let held = bench.mailbox().memory.contents(&bench.folder(folder)).unwrap();
    held.into_iter().find(|(held, ..)| held.as_str() == id).unwrap().1
}

/// Two messages of the inbox: one unread, one read and answered.
fn two(bench: &Bench) -> [String; 2] {
    [
        bench.id_of("INBOX", "Message-ID: <l3@example.net>"),
        bench.id_of("INBOX", "Message-ID: <k1@vale-joinery.example>"),
    ]
}

fn counts(bench: &Bench) -> Vec<usize> {
    ["INBOX", "Drafts", "Sent", "Archive", "Junk", "Trash", "Projects", "Účty/2026"]
        .map(|folder| bench.count(folder))
        .into()
}

#[tokio::test(start_paused = true)]
async fn flags_and_keywords_change_as_asked_and_nothing_else_does() {
    let (bench, mut talk) = sample().await;
    let [unread, answered] = two(&bench);
    let change = json!({
        "messages": [unread, answered, unread],
        "read": true,
        "flagged": true,
        "add_keywords": ["$Todo", "work"],
    });
    let got = talk.call("modify_message", change.clone()).await.ok();
    assert_eq!(got.structured["changed"], 2, "each message once");
    talk.call("modify_message", change).await.ok();
    let now = flags(&bench, "INBOX", &unread);
    assert!(now.has(Flag::Seen) && now.has(Flag::Flagged) && !now.has(Flag::Answered));
    assert_eq!(now.keywords.iter().map(ToString::to_string).collect::<Vec<_>>(), ["$Todo", "work"]);
    assert!(flags(&bench, "INBOX", &answered).has(Flag::Answered));
    let back = json!({ "messages": [unread], "read": false, "flagged": false, "remove_keywords": ["work"] });
    talk.call("modify_message", back).await.ok();
    let now = flags(&bench, "INBOX", &unread);
    assert!(!now.has(Flag::Seen) && !now.has(Flag::Flagged));
    assert_eq!(now.keywords.len(), 1);
    assert!(flags(&bench, "INBOX", &answered).has(Flag::Seen), "the other one stays as it was");
}

#[tokio::test(start_paused = true)]
async fn no_flag_that_deletes_or_makes_a_draft_can_be_set() {
    let (bench, mut talk) = sample().await;
    let [unread, _] = two(&bench);
    for keyword in ["\\Deleted", "\\Draft", "\\Seen", "a b", "", "příznak", "x)"] {
        for argument in ["add_keywords", "remove_keywords"] {
            let mut change = json!({ "messages": [unread] });
            change[argument] = json!([keyword]);
            let text = talk.call("modify_message", change).await.error();
            assert!(text.contains(argument), "{keyword:?}: {text}");
        }
    }
    assert_eq!(flags(&bench, "INBOX", &unread), Flags::default());
}

#[tokio::test(start_paused = true)]
async fn messages_move_and_their_new_ids_work() {
    let (bench, mut talk) = sample().await;
    let projects = bench.folder("Projects").to_string();
    for (tool, folder, more) in [
        ("archive_message", "Archive", json!({})),
        ("trash_message", "Trash", json!({})),
        ("move_message", "Junk", json!({ "folder": "junk" })),
        ("move_message", "Projects", json!({ "folder": projects })),
        ("move_message", "INBOX", json!({ "folder": "inbox" })),
    ] {
        let id = talk.call("search_messages", json!({ "text": "noodle place", "folder": "all" })).await.ok();
        let id = match id.structured["messages"][0]["id"].as_str() {
            Some(id) => id.to_owned(),
            // Junk and Trash are left out of a search over everything.
            None => ["Trash", "Junk"]
                .iter()
                .find(|folder| bench.raw(folder).iter().any(|raw| raw.contains("<l3@example.net>")))
                .map(|folder| bench.id_of(folder, "Message-ID: <l3@example.net>"))
                .unwrap(),
        };
        let before = bench.count(folder);
        let mut arguments = more;
        arguments["messages"] = json!([id]);
        let got = talk.call(tool, arguments).await.ok();
        assert_eq!(bench.count(folder), before + 1, "{tool} {folder}");
        assert_eq!(got.structured["moved"][0]["message"], id);
        let now = got.structured["moved"][0]["now"].as_str().unwrap();
        assert!(got.text.contains(&id) && got.text.contains(now), "{}", got.text);
        let read = talk.call("get_message", json!({ "message": now })).await.ok();
        assert!(read.text.contains("noodle place"));
        let old = talk.call("get_message", json!({ "message": id })).await.error();
        assert!(old.contains("no such message"), "{old}");
    }
    assert_eq!(counts(&bench).iter().sum::<usize>(), 41, "nothing was lost or doubled");
}

#[tokio::test(start_paused = true)]
async fn nothing_moves_into_sent_or_drafts() {
    let (bench, mut talk) = sample().await;
    let before = counts(&bench);
    let [unread, _] = two(&bench);
    let (sent, drafts) = (bench.folder("Sent").to_string(), bench.folder("Drafts").to_string());
    for folder in ["sent", "drafts", "SENT", &sent, &drafts] {
        let text = talk.call("move_message", json!({ "messages": [unread], "folder": folder })).await.error();
        assert_eq!(
            text,
            "Nothing was done. Nothing moves into the Sent or Drafts folder through a tool. Choose another folder.",
            "{folder}"
        );
    }
    assert_eq!(counts(&bench), before);
}

#[tokio::test(start_paused = true)]
async fn junk_and_trash_need_the_trash_grant_however_they_are_named() {
    let bench = Bench::sample().with(|account| account.grants = Grants::of(vec![Grant::Modify]));
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let before = counts(&bench);
    let [unread, _] = two(&bench);
    let (junk, trash) = (bench.folder("Junk").to_string(), bench.folder("Trash").to_string());
    for folder in ["junk", "trash", "TRASH", &junk, &trash] {
        let text = talk.call("move_message", json!({ "messages": [unread], "folder": folder })).await.error();
        assert!(text.contains("owner does not allow moving to Junk or Trash"), "{folder}: {text}");
    }
    let answer = talk
        .rpc("tools/call", json!({ "name": "trash_message", "arguments": { "messages": [unread] } }))
        .await;
    assert_eq!(answer["error"]["message"], "tool not found");
    assert_eq!(counts(&bench), before);
    talk.call("archive_message", json!({ "messages": [unread] })).await.ok();
}

#[tokio::test(start_paused = true)]
async fn a_list_with_one_bad_id_changes_nothing() {
    let (bench, mut talk) = sample().await;
    let before = counts(&bench);
    let [unread, _] = two(&bench);
    for bad in ["m1.1700001.999", "m1.1.1", "m99.1700001.1"] {
        let messages = json!([unread, bad]);
        for (tool, arguments) in [
            ("modify_message", json!({ "messages": messages, "read": true })),
            ("archive_message", json!({ "messages": messages })),
            ("trash_message", json!({ "messages": messages })),
            ("move_message", json!({ "messages": messages, "folder": "archive" })),
        ] {
            let text = talk.call(tool, arguments).await.error();
            assert!(text.starts_with("Nothing was done."), "{tool} {bad}: {text}");
        }
    }
    assert_eq!(counts(&bench), before);
    assert_eq!(flags(&bench, "INBOX", &unread), Flags::default());
    let many: Vec<Value> = (1..=101).map(|n| json!(format!("m1.1700001.{n}"))).collect();
    let text = talk.call("trash_message", json!({ "messages": many })).await.error();
    assert!(text.contains("1 to 100 ids"), "{text}");
    let nowhere = json!({ "messages": [unread], "folder": "f99" });
    assert!(talk.call("move_message", nowhere).await.error().contains("no such folder"));
    let all = json!({ "messages": [unread], "folder": "all" });
    assert!(talk.call("move_message", all).await.error().starts_with("Nothing was done."));
}
