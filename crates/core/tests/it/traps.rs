//! What goes wrong around a call: handlers that panic or stall, calls that are cancelled, requests that make no sense,
//! clients that leave. Whatever happens, an answer goes back and the next call works.

use std::{collections::BTreeSet, time::Duration};

use countersign_core::{
    account::Account,
    tools::{
        Answered, Hints, Needs, ToolDef, Work, get_message, list_folders, list_messages, modify_message,
    },
};
use countersign_testkit::mcp::Era;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    talk::{Person, Talk},
    watched::Watched,
};

const READS: Hints = Hints { read_only: true, destructive: false, idempotent: true, open_world: false };
const WRITES: Hints = Hints { read_only: false, destructive: true, idempotent: false, open_world: false };

const fn broken(
    name: &'static str,
    hints: Hints,
    run: for<'a> fn(&'a Account<Watched>, JsonObject, Work) -> Answered<'a>,
) -> ToolDef<Watched> {
    ToolDef {
        name,
        title: "Goes wrong",
        description: "Goes wrong.",
        hints,
        needs: Needs::NOTHING,
        input: JsonObject::new,
        output: None,
        handler: countersign_core::tools::Handler::Own(run),
    }
}

/// Tools that go wrong, and some that don't.
static BROKEN: &[ToolDef<Watched>] = &[
    list_folders::row(),
    list_messages::row(),
    get_message::row(),
    modify_message::row(),
    broken("panic_at_once", READS, panic_at_once),
    broken("panic_reading", READS, panic_later),
    broken("panic_writing", WRITES, panic_later),
    broken("stall_reading", READS, stall),
    broken("stall_writing", WRITES, stall),
];

fn panic_at_once(_: &Account<Watched>, _: JsonObject, _: Work) -> Answered<'_> {
    panic!("jana's secret")
}

fn panic_later(_: &Account<Watched>, _: JsonObject, _: Work) -> Answered<'_> {
    Box::pin(async {
        tokio::task::yield_now().await;
        panic!("jana's secret")
    })
}

fn stall(_: &Account<Watched>, _: JsonObject, _: Work) -> Answered<'_> {
    Box::pin(std::future::pending())
}

fn bench() -> Bench {
    let mut bench = Bench::sample();
    bench.table = BROKEN;
    bench
}

async fn works(talk: &mut Talk) {
    let got = talk.call("list_folders", json!({})).await.ok();
    assert!(got.text.contains("INBOX"), "{}", got.text);
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_one_call_with_an_answer() {
    for era in Era::ALL {
        let mut talk = bench().talk(era, Person::Accepts).await;
        let mut texts = BTreeSet::new();
        for tool in ["panic_at_once", "panic_reading", "panic_writing"] {
            let text = talk.call(tool, json!({})).await.error();
            assert!(text.contains("fault of its own") && !text.contains("secret"), "{tool}: {text}");
            works(&mut talk).await;
            texts.insert(text);
        }
        assert_eq!(texts.len(), 2, "a write that panicked may have been made: {texts:?}");
        assert!(texts.iter().any(|text| text.contains("do not repeat")), "{texts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_stalls_answers_at_the_deadline() {
    for era in Era::ALL {
        let bench = bench();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let before = tokio::time::Instant::now();
        let read = talk.call("stall_reading", json!({})).await.error();
        assert_eq!(before.elapsed().as_secs(), bench.deadline.as_secs(), "the clock is tokio's, and paused");
        let written = talk.call("stall_writing", json!({})).await.error();
        assert!(read.starts_with("Nothing was done.") && read.contains("ran out"), "{read}");
        assert!(written.contains("may or may not have been made"), "{written}");
        assert!(written.contains("do not repeat the call blindly"), "{written}");
        works(&mut talk).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_stalls_is_held_to_the_same_deadline() {
    let mut bench = bench();
    bench.deadline = Duration::from_secs(3);
    let inbox = bench.id_of("INBOX", "Message-ID: <l1@brandt.example>");
    let (_read, _write) = (bench.mailbox().hold("get_message"), bench.mailbox().hold("store_flags"));
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let read = talk.call("get_message", json!({ "message": inbox })).await.error();
    assert!(read.starts_with("Nothing was done."), "{read}");
    let write = talk.call("modify_message", json!({ "messages": [inbox], "read": true })).await.error();
    assert!(write.contains("may or may not"), "{write}");
    works(&mut talk).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_stops_and_the_next_one_works() {
    for era in Era::ALL {
        let bench = bench();
        let hold = bench.mailbox().hold("list_messages");
        let mut talk = bench.talk(era, Person::Accepts).await;
        let (call, _) = talk.start("list_messages", json!({})).await;
        hold.reached(1).await;
        talk.cancel(call).await;
        works(&mut talk).await;
        // What the handler held is dropped with it: nobody is left to take what is released.
        hold.release(1);
        talk.call("list_messages", json!({})).await.ok();
    }
}

#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side() {
    let bench = bench();
    let hold = bench.mailbox().hold("list_messages");
    let mut talk = bench.talk(Era::November2025, Person::Accepts).await;
    let (slow, _) = talk.start("list_messages", json!({})).await;
    hold.reached(1).await;
    works(&mut talk).await;
    hold.release(1);
    assert!(talk.step(slow, Value::Null).await.done().ok().text.contains("shown of"));
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_are_named_and_never_repeated() {
    let bench = Bench::sample();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    for (tool, arguments, said) in [
        ("list_messages", json!({ "fodler": "secret" }), "Unknown argument `fodler`; known ones: "),
        ("get_message", json!({}), "The argument `message` is missing."),
        ("get_message", json!({ "message": null }), "The argument `message` is missing."),
        ("get_message", json!({ "message": { "secret": 1 } }), "The argument `message` must be a string."),
        (
            "get_message",
            json!({ "message": "a secret" }),
            "`message` is not an id that this server handed out",
        ),
        ("get_message", json!({ "message": "m1.1.1", "page": 0 }), "`page` must be a whole number from 1"),
        ("list_messages", json!({ "limit": "secret" }), "The argument `limit` must be a whole number"),
        ("list_messages", json!({ "limit": 1000 }), "`limit` must be a whole number from 1 to 100"),
        ("list_messages", json!({ "folder": "a secret" }), "`folder` is not an id"),
        ("search_messages", json!({ "unread": "secret" }), "`unread` must be true or false"),
        ("search_messages", json!({ "from": "secret\r\nA1 LOGOUT" }), "The argument `from`"),
        ("create_draft", json!({ "subject": "s" }), "The argument `text` is missing."),
        ("create_draft", json!({ "subject": "s", "text": "t", "to": "secret" }), "`to` must be a list"),
        (
            "create_draft",
            json!({ "subject": "s", "text": "t", "to": [{ "secret": 1 }] }),
            "each entry is a string",
        ),
        (
            "create_draft",
            json!({ "subject": "s", "text": "t", "to": ["a@b.example, secret@c.example"] }),
            "Entry 1 of `to`",
        ),
        (
            "create_draft",
            json!({ "subject": "s", "text": "t", "confirm": true }),
            "Unknown argument `confirm`",
        ),
        ("send_draft", json!({ "draft": "m1.1.1", "confirm": true }), "Unknown argument `confirm`"),
        ("modify_message", json!({ "messages": [] }), "1 to 100 ids"),
        ("modify_message", json!({ "messages": ["m1.1.1"] }), "Nothing to change"),
        (
            "modify_message",
            json!({ "messages": ["m1.1.1"], "add_keywords": ["\\Deleted secret"] }),
            "`add_keywords`",
        ),
        (
            "get_attachment",
            json!({ "message": "m1.1.1", "attachment": "1] secret" }),
            "The argument `attachment`",
        ),
    ] {
        let text = talk.call(tool, arguments.clone()).await.error();
        assert!(text.contains(said), "{tool} {arguments}: {text}");
        assert!(text.starts_with("Nothing was done."), "{tool} {arguments}: {text}");
        assert!(!text.contains("secret"), "{tool} {arguments}: {text}");
    }
    assert!(bench.mailbox().calls().is_empty(), "nothing was asked of the mailbox");
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_wrong_by_the_protocol_get_its_errors() {
    for era in Era::ALL {
        let mut talk = bench().talk(era, Person::Accepts).await;
        let code = |answer: Value| answer["error"]["code"].as_i64();
        let unknown = talk.rpc("tools/call", json!({ "name": "delete_everything", "arguments": {} })).await;
        assert_eq!(unknown["error"]["message"], "tool not found");
        assert_eq!(code(unknown), Some(-32602));
        let nameless = talk.rpc("tools/call", json!({ "arguments": {} })).await;
        assert!(matches!(code(nameless), Some(-32601 | -32602)));
        let odd = talk.rpc("tools/call", json!({ "name": "list_folders", "arguments": [1] })).await;
        assert!(matches!(code(odd), Some(-32601 | -32602)));
        assert_eq!(code(talk.rpc("no/such/method", json!({})).await), Some(-32601));
        assert_eq!(code(talk.rpc("resources/read", json!({ "uri": "x:y" })).await), Some(-32601));
        works(&mut talk).await;
    }
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_no_request_are_passed_over() {
    for era in Era::ALL {
        let mut talk = bench().talk(era, Person::Accepts).await;
        for line in [
            "",
            "{",
            "not json",
            "\u{0}",
            "\"text\"",
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            r#"[{"jsonrpc":"2.0","id":900,"method":"ping"},{"jsonrpc":"2.0","id":901,"method":"ping"}]"#,
            r#"{"jsonrpc":"2.0","id":77777,"result":{"action":"accept","content":{"confirm":true}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/no_such_thing"}"#,
        ] {
            talk.line(line).await;
            let id = talk.request("tools/call", params(era)).await;
            let answer = loop {
                let message = talk.receive().await;
                if message["id"] == id {
                    break message;
                }
                // A line that is JSON but no request may be refused; there is nothing else to say about it.
                assert_eq!(message["error"]["code"], -32600, "{line}: {message}");
            };
            assert_eq!(answer["result"]["isError"], false, "{line}: {answer}");
        }
    }
}

/// `JSON.stringify` writes half an emoji as an escape that is no text in UTF-8.
#[tokio::test(start_paused = true)]
async fn half_a_character_in_an_argument_does_not_leave_the_call_without_an_answer() {
    for era in Era::ALL {
        let mut talk = Bench::sample().talk(era, Person::Accepts).await;
        let mut call = params(era);
        call["name"] = json!("create_draft");
        call["arguments"] = json!({ "to": ["a@b.example"], "subject": "s", "text": "HALF" });
        let request = json!({ "jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": call });
        talk.line(&request.to_string().replace("HALF", r"cut \ud83d")).await;
        let answer = talk.answer_to(900).await;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
}

fn params(era: Era) -> Value {
    let mut params = json!({ "name": "list_folders", "arguments": {} });
    if era == Era::Modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": era.version(),
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    params
}

#[tokio::test(start_paused = true)]
async fn a_line_of_any_length_does_not_end_the_conversation() {
    let mut talk = bench().talk(Era::November2025, Person::Accepts).await;
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":900,"method":"ping","params":{{"x":"{}"}}}}"#,
        "x".repeat(17 * 1_024 * 1_024)
    );
    talk.line(&line).await;
    works(&mut talk).await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_request_without_its_meta_is_refused() {
    let mut talk = Talk::silent(bench().server(), Era::Modern, Person::Accepts);
    works(&mut talk).await;
    let id = talk.request("tools/call", json!({ "name": "list_folders", "arguments": {} })).await;
    assert_eq!(talk.answer_to(id).await["error"]["code"], -32602);
    works(&mut talk).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_is_no_error() {
    for era in Era::ALL {
        let mut before = Talk::silent(bench().server(), era, Person::Accepts);
        before.leave().await;
        assert!(before.is_over().await);
        before.serving.await.unwrap().unwrap();

        let mut after = bench().talk(era, Person::Accepts).await;
        works(&mut after).await;
        after.leave().await;
        assert!(after.is_over().await);
        after.serving.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_begin_with_a_request_is_not_served() {
    let mut talk = Talk::silent(bench().server(), Era::November2025, Person::Accepts);
    talk.line(r#"{"jsonrpc":"2.0","method":"notifications/other","params":{"text":"canary"}}"#).await;
    assert!(talk.is_over().await, "and nothing waits for ever");
    let error = format!("{:#}", talk.serving.await.unwrap().unwrap_err());
    assert!(error.contains("initialize") && !error.contains("canary"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_read_in_flight_is_dropped_when_the_client_leaves() {
    let bench = bench();
    let hold = bench.mailbox().hold("list_messages");
    let mut talk = bench.talk(Era::November2025, Person::Accepts).await;
    talk.start("list_messages", json!({})).await;
    hold.reached(1).await;
    let before = tokio::time::Instant::now();
    talk.leave().await;
    talk.serving.await.unwrap().unwrap();
    assert!(before.elapsed().is_zero(), "nothing was waited for");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_logged_to_the_client_and_nothing_announced() {
    let mut talk = bench().talk(Era::November2025, Person::Accepts).await;
    talk.call("panic_reading", json!({})).await.error();
    talk.call("list_messages", json!({})).await.ok();
    let id = talk.request("ping", json!({})).await;
    assert_eq!(talk.receive().await["id"], id, "no notification stands in between");
    let answer = talk.rpc("logging/setLevel", json!({ "level": "debug" })).await;
    assert_eq!(answer["error"]["code"], -32601);
}
