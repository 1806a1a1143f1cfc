//! Writing: new drafts, answers, forwards, and discarding drafts.

use countersign_core::{
    memory::Faults,
    tools::{Grant, Grants},
};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    talk::{Got, Person, Talk},
};

async fn sample() -> (Bench, Talk) {
    let bench = Bench::sample();
    let talk = bench.talk(Era::November2025, Person::Accepts).await;
    (bench, talk)
}

/// The newest draft as it is stored.
fn newest(bench: &Bench) -> String {
    bench.raw("Drafts").pop().unwrap()
}

fn addresses(got: &Got, field: &str) -> Vec<String> {
    let list = got.structured[field].as_array().unwrap();
    list.iter().map(|address| address["address"].as_str().unwrap().to_owned()).collect()
}

/// A header field of a raw message, folds undone.
fn header(raw: &str, name: &str) -> Option<String> {
    let head = raw.split_once("\r\n\r\n").unwrap().0.replace("\r\n ", " ").replace("\r\n\t", " ");
    head.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).map(str::to_owned)
}

#[tokio::test(start_paused = true)]
async fn a_new_draft_is_stored_as_written_and_nothing_is_sent() {
    let (bench, mut talk) = sample().await;
    let got = talk
        .call(
            "create_draft",
            json!({
                "to": ["Žofie Malá <zofie@example.org>", "b@example.org"],
                "cc": ["c@example.org"],
                "bcc": ["d@example.org"],
                "subject": "Příští týden",
                "text": "Dobrý den,\n\n> není to citát\n.\nJana",
            }),
        )
        .await
        .ok();
    assert!(got.text.contains("nothing was sent") && got.text.contains(&got.fact("draft")));
    assert_eq!(got.fact("fingerprint").len(), 64);
    let raw = newest(&bench);
    assert_eq!(header(&raw, "Cc").unwrap(), "<c@example.org>");
    assert_eq!(header(&raw, "Bcc").unwrap(), "<d@example.org>");
    assert!(header(&raw, "From").unwrap().contains("<jana@example.com>"), "{raw}");
    assert!(header(&raw, "Message-ID").is_some());
    let read = talk.call("get_message", json!({ "message": got.fact("draft") })).await.ok().text;
    for part in ["Příští týden", "Žofie Malá <zofie@example.org>", "> není to citát\n.\nJana", "draft"]
    {
        assert!(read.contains(part), "{part} is missing in:\n{read}");
    }
    assert_eq!(bench.mailbox().memory.sent().len(), 0);
    assert_eq!(bench.count("Drafts"), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_one_address_is_refused_by_its_place() {
    let (bench, mut talk) = sample().await;
    for bad in [
        "a@example.org, b@example.org",
        "a@example.org; b@example.org",
        "friends: a@example.org;",
        "a@example.org\r\nBcc: b@example.org",
        "a@example.org\nb@example.org",
        "nobody",
        "a@",
        "<a@example.org> <b@example.org>",
        "",
    ] {
        for field in ["to", "cc", "bcc"] {
            let mut arguments = json!({ "subject": "s", "text": "t" });
            arguments[field] = json!(["good@example.org", bad]);
            let text = talk.call("create_draft", arguments).await.error();
            assert!(text.contains(&format!("Entry 2 of `{field}`")), "{bad:?}: {text}");
            assert!(!text.contains("example.org"), "{bad:?}: {text}");
        }
    }
    let text = talk.call("create_draft", json!({ "subject": "a\r\nBcc: b@example.org", "text": "t" })).await;
    if !text.is_error {
        assert!(header(&newest(&bench), "Bcc").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_goes_to_the_sender_threaded_and_quoted() {
    let (bench, mut talk) = sample().await;
    let message = bench.id_of("INBOX", "Message-ID: <k3@vale-joinery.example>");
    let got = talk.call("reply_draft", json!({ "message": message, "text": "The 11th it is." })).await.ok();
    assert_eq!(addresses(&got, "to"), ["robin@vale-joinery.example"]);
    assert!(addresses(&got, "cc").is_empty());
    assert_eq!(got.fact("subject"), "Re: Kitchen: the quote as promised");
    let raw = newest(&bench);
    assert_eq!(header(&raw, "In-Reply-To").unwrap(), "<k3@vale-joinery.example>");
    assert_eq!(
        header(&raw, "References").unwrap().split_whitespace().collect::<Vec<_>>(),
        [
            "<site-visit@vale-joinery.example>",
            "<k1@vale-joinery.example>",
            "<k2@example.com>",
            "<k3@vale-joinery.example>"
        ]
    );
    let read = talk.call("get_message", json!({ "message": got.fact("draft") })).await.ok().text;
    assert!(read.contains("The 11th it is.") && read.contains("> 4 cm is possible"), "{read}");
    assert!(got.text.contains("> 4 cm is possible"), "the result shows what was stored:\n{}", got.text);
    let plain = json!({ "message": message, "text": "Yes.", "quote": false });
    let got = talk.call("reply_draft", plain).await.ok();
    assert!(!got.text.contains("4 cm"), "{}", got.text);
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_all_leaves_out_the_own_addresses() {
    let (bench, mut talk) = sample().await;
    let message = bench.id_of("INBOX", "Message-ID: <l3@example.net>");
    let all = json!({
        "message": message,
        "text": "Friday!",
        "all": true,
        "cc": ["sam.okafor@example.net", "extra@example.org"],
        "bcc": ["hidden@example.org"],
    });
    let got = talk.call("reply_draft", all).await.ok();
    assert_eq!(addresses(&got, "to"), ["mei.lin@example.net"]);
    assert_eq!(
        addresses(&got, "cc"),
        ["olga@brandt.example", "sam.okafor@example.net", "extra@example.org"],
        "each once, own addresses in any letter case left out"
    );
    assert_eq!(addresses(&got, "bcc"), ["hidden@example.org"]);
    let one = talk.call("reply_draft", json!({ "message": message, "text": "Friday!" })).await.ok();
    assert_eq!(addresses(&one, "to"), ["mei.lin@example.net"]);
    assert!(addresses(&one, "cc").is_empty());
    assert_eq!(one.fact("subject"), "Re: Lunch before the holidays", "prefixes do not pile up");
}

#[tokio::test(start_paused = true)]
async fn an_answer_follows_reply_to_and_ones_own_mail_goes_on() {
    let (bench, mut talk) = sample().await;
    let list = bench.id_of("Projects", "Message-ID: <t3@aubrey.example>");
    let got = talk.call("reply_draft", json!({ "message": list, "text": "x" })).await.ok();
    assert_eq!(addresses(&got, "to"), ["bookbinders@lists.example"]);
    let own = bench.id_of("Sent", "Message-ID: <k2@example.com>");
    let got = talk.call("reply_draft", json!({ "message": own, "text": "x" })).await.ok();
    assert_eq!(addresses(&got, "to"), ["robin@vale-joinery.example"]);
}

#[tokio::test(start_paused = true)]
async fn a_forward_brings_text_and_attachments_along() {
    let (bench, mut talk) = sample().await;
    let message = bench.id_of("Projects", "rozpocet-2027.csv");
    let forward = json!({ "message": message, "to": ["olga@brandt.example"], "text": "See below." });
    let got = talk.call("forward_draft", forward.clone()).await.ok();
    assert_eq!(got.fact("subject"), "Fwd: Rozpočet na příští rok");
    assert_eq!(addresses(&got, "to"), ["olga@brandt.example"]);
    assert_eq!(got.structured["attachments"], json!(["rozpocet-2027.csv"]));
    assert!(header(&newest(&bench), "In-Reply-To").is_none());
    let draft = got.fact("draft");
    let read = talk.call("get_message", json!({ "message": draft })).await.ok().text;
    assert!(read.contains("See below.") && read.contains("posílám návrh rozpočtu"), "{read}");
    let table = talk.call("get_attachment", json!({ "message": draft, "attachment": "2" })).await.ok();
    assert!(table.text.contains("licence;96000"), "{}", table.text);
    let mut without = forward;
    without["original_attachments"] = json!(false);
    let got = talk.call("forward_draft", without).await.ok();
    assert_eq!(got.structured["attachments"], json!([]));
    let alone = talk.call("get_message", json!({ "message": got.fact("draft") })).await.ok().text;
    assert!(!alone.contains("Attachments (number: name)"), "{alone}");
}

#[tokio::test(start_paused = true)]
async fn what_was_hidden_is_not_quoted() {
    let (bench, mut talk) = sample().await;
    let message = bench.id_of("INBOX", "Message-ID: <n47@slow.example>");
    for tool in ["reply_draft", "forward_draft"] {
        let arguments = json!({ "message": message, "to": ["a@example.org"], "text": "x" });
        let got = talk.call(tool, arguments).await.ok();
        let read = talk.call("get_message", json!({ "message": got.fact("draft") })).await.ok().text;
        assert!(read.contains("Three chapels") && !read.contains("soup and an early dark"), "{read}");
    }
}

async fn own_draft(talk: &mut Talk) -> String {
    talk.call("create_draft", json!({ "subject": "s", "text": "t" })).await.ok().fact("draft")
}

#[tokio::test(start_paused = true)]
async fn a_draft_of_ones_own_is_removed_and_any_other_moves_to_trash() {
    let (bench, mut talk) = sample().await;
    let trash = bench.count("Trash");
    let foreign = bench.id_of("Drafts", "Message-ID: <d1@example.com>");
    let own = own_draft(&mut talk).await;
    // A restart remembers which is which.
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let got = talk.call("delete_draft", json!({ "draft": own })).await.ok();
    assert_eq!(got.fact("outcome"), "removed");
    assert_eq!((bench.count("Drafts"), bench.count("Trash")), (1, trash));
    let got = talk.call("delete_draft", json!({ "draft": foreign })).await.ok();
    assert_eq!(got.fact("outcome"), "trashed");
    assert_eq!((bench.count("Drafts"), bench.count("Trash")), (0, trash + 1));
    let now = got.fact("now");
    assert!(got.text.contains(&now), "{}", got.text);
    let read = talk.call("get_message", json!({ "message": now })).await.ok();
    assert!(read.text.contains("Notes for the budget review"));
    let text = talk.call("delete_draft", json!({ "draft": own })).await.error();
    assert!(text.contains("no such draft"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn only_drafts_are_discarded() {
    let (bench, mut talk) = sample().await;
    let before: Vec<usize> = ["INBOX", "Sent", "Trash"].map(|folder| bench.count(folder)).into();
    for (folder, part) in [("INBOX", "<l3@example.net>"), ("Sent", "<k2@example.com>")] {
        let id = bench.id_of(folder, &format!("Message-ID: {part}"));
        let text = talk.call("delete_draft", json!({ "draft": id })).await.error();
        assert!(text.contains("not in the drafts folder"), "{text}");
    }
    let after: Vec<usize> = ["INBOX", "Sent", "Trash"].map(|folder| bench.count(folder)).into();
    assert_eq!(before, after);
}

#[tokio::test(start_paused = true)]
async fn a_foreign_draft_stays_where_trash_is_not_allowed() {
    let bench = Bench::sample().with(|account| account.grants = Grants::of(vec![Grant::Draft]));
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let foreign = bench.id_of("Drafts", "Message-ID: <d1@example.com>");
    let text = talk.call("delete_draft", json!({ "draft": foreign })).await.error();
    assert!(text.contains("owner does not allow"), "{text}");
    assert_eq!(bench.count("Drafts"), 1);
    let own = own_draft(&mut talk).await;
    talk.call("delete_draft", json!({ "draft": own })).await.ok();
    assert_eq!(bench.count("Drafts"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_own_draft_moves_to_trash_where_it_cannot_be_removed_by_itself() {
    let (bench, mut talk) = sample().await;
    let (own, trash) = (own_draft(&mut talk).await, bench.count("Trash"));
    bench.mailbox().memory.set_faults(Faults { no_exact_removal: true, ..Faults::default() });
    let got = talk.call("delete_draft", json!({ "draft": own })).await.ok();
    assert_eq!(got.fact("outcome"), "trashed");
    assert_eq!((bench.count("Drafts"), bench.count("Trash")), (1, trash + 1));
}

#[tokio::test(start_paused = true)]
async fn a_draft_is_stored_even_where_it_cannot_be_remembered() {
    let bench = Bench::sample();
    bench.spoil_state();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let own = own_draft(&mut talk).await;
    assert_eq!(bench.count("Drafts"), 2);
    let text = talk.call("delete_draft", json!({ "draft": own })).await.error();
    assert!(!text.is_empty());
    assert_eq!(bench.count("Drafts"), 2, "what can't be told to be ours is not removed");
}

#[tokio::test(start_paused = true)]
async fn equal_drafts_are_drafts_of_their_own() {
    let (_, mut talk) = sample().await;
    let same = json!({ "to": ["a@example.org"], "subject": "s", "text": "t" });
    let one = talk.call("create_draft", same.clone()).await.ok();
    let two = talk.call("create_draft", same).await.ok();
    assert_ne!(one.fact("draft"), two.fact("draft"));
    assert_ne!(one.fact("fingerprint"), two.fact("fingerprint"));
    assert_eq!(one.structured["notice"], Value::Null, "nothing foreign is in it");
}
