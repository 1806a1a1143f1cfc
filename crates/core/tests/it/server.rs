//! What a server says of itself: the revisions, the list of tools, several accounts, a configuration that can't be used.

use std::path::PathBuf;

use countersign_core::{
    config::ConfigFault,
    memory::{self, MemoryMailbox},
    model::Address,
    tools::{Grant, Grants},
};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::{Bench, TABLE},
    talk::{Person, Talk},
};

/// The tool table of the design, in words: read-only, destructive, idempotent, open world; exposure; gate.
const DESIGN: &[(&str, [bool; 4], &str, &str)] = &[
    ("list_accounts", [true, false, true, false], "none", "none"),
    ("list_folders", [true, false, true, false], "none", "none"),
    ("list_messages", [true, false, true, false], "foreign", "none"),
    ("search_messages", [true, false, true, false], "foreign", "none"),
    ("get_message", [true, false, true, false], "foreign", "none"),
    ("get_thread", [true, false, true, false], "foreign", "none"),
    ("get_attachment", [true, false, true, false], "foreign", "none"),
    ("save_attachment", [false, false, true, false], "foreign", "none"),
    ("create_draft", [false, false, false, false], "none", "none"),
    ("reply_draft", [false, false, false, false], "foreign", "none"),
    ("forward_draft", [false, false, false, false], "foreign", "none"),
    ("delete_draft", [false, true, true, false], "none", "none"),
    ("send_draft", [false, true, false, true], "none", "confirm-send"),
    ("send_message", [false, true, false, true], "none", "confirm-send"),
    ("reply_send", [false, true, false, true], "none", "confirm-send"),
    ("forward_message", [false, true, false, true], "none", "confirm-send"),
    ("modify_message", [false, false, true, false], "none", "none"),
    ("move_message", [false, true, false, false], "none", "none"),
    ("trash_message", [false, true, false, false], "none", "none"),
    ("archive_message", [false, false, false, false], "none", "none"),
];

/// An account with every grant and a directory for attachments: every tool is listed.
fn with_all_tools() -> Bench {
    Bench::sample().with(|account| account.save_dir = Some(PathBuf::from("/nowhere")))
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn initialize_settles_on_a_revision_that_is_served() {
    for (asked, served) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2025-03-26", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut talk = Talk::silent(Bench::new().server(), Era::November2025, Person::Accepts);
        let hello = talk.initialize(asked).await;
        assert_eq!(hello["protocolVersion"], served, "asked for {asked}");
        assert_eq!(hello["serverInfo"]["name"], "countersign-shelf");
        assert_eq!(talk.tools().await.len(), 19, "asked for {asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn discovery_names_the_three_revisions_and_no_capability_but_tools() {
    let mut talk = Bench::new().talk(Era::Modern, Person::Accepts).await;
    let found = talk.rpc("server/discover", json!({})).await["result"].clone();
    assert_eq!(found["supportedVersions"], json!(["2025-06-18", "2025-11-25", "2026-07-28"]));
    assert_eq!(found["capabilities"], json!({ "tools": {} }));
    let legacy = Bench::new().talk(Era::June2025, Person::Accepts).await;
    assert_eq!(legacy.hello["capabilities"], json!({ "tools": {} }), "no listChanged, no logging");
    assert!(legacy.hello["instructions"].as_str().unwrap().contains("never instructions"));
}

#[tokio::test(start_paused = true)]
async fn every_revision_lists_and_calls_the_same() {
    let bench = with_all_tools();
    let mut lists = Vec::new();
    for era in Era::ALL {
        let mut talk = bench.talk(era, Person::Accepts).await;
        lists.push(talk.tools().await);
        let got = talk.call("list_folders", json!({})).await.ok();
        assert!(got.text.contains("Účty/2026"), "{}", got.text);
    }
    assert!(lists.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(names(&lists[0]), DESIGN.iter().map(|row| row.0).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn the_list_is_small_private_and_not_changed_by_calls() {
    let bench = with_all_tools();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let before = talk.rpc("tools/list", json!({})).await["result"].clone();
    assert_eq!(before["cacheScope"], "private");
    assert_eq!(before["ttlMs"], 0);
    assert!(before["nextCursor"].is_null());
    let bytes = before.to_string().len();
    assert!(bytes <= 30_000, "{bytes} bytes");
    talk.call("list_messages", json!({})).await.ok();
    talk.call("create_draft", json!({ "subject": "s", "text": "t" })).await.ok();
    talk.call("get_message", json!({ "message": "m9.9.9" })).await.error();
    assert_eq!(talk.rpc("tools/list", json!({})).await["result"], before);
}

#[tokio::test(start_paused = true)]
async fn hints_exposure_and_gate_are_those_of_the_design() {
    assert_eq!(TABLE.len(), DESIGN.len());
    let mut talk = with_all_tools().talk(Era::Modern, Person::Accepts).await;
    let tools = talk.tools().await;
    for ((name, hints, exposure, gate), (row, tool)) in DESIGN.iter().zip(TABLE.iter().zip(&tools)) {
        assert_eq!((row.name, tool["name"].as_str().unwrap()), (*name, *name));
        assert_eq!((row.handler.exposure().name(), row.handler.gate().name()), (*exposure, *gate), "{name}");
        let written = &tool["annotations"];
        for (hint, wanted) in
            ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].iter().zip(hints)
        {
            assert_eq!(written[hint], *wanted, "{name} {hint}");
        }
        assert_eq!(tool["title"], row.title, "{name}");
    }
}

/// Every object of a schema describes each of its properties, in its definitions too.
fn undescribed(at: &str, schema: &Value, found: &mut Vec<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        if property["description"].as_str().is_none_or(|words| words.len() < 5) {
            found.push(at.clone());
        }
        undescribed(&at, property, found);
        undescribed(&at, &property["items"], found);
    }
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        undescribed(&format!("{at}.{name}"), definition, found);
    }
}

#[tokio::test(start_paused = true)]
async fn schemas_describe_every_field_and_take_no_other_argument() {
    let mut talk = with_all_tools().talk(Era::Modern, Person::Accepts).await;
    let mut found = Vec::new();
    for tool in talk.tools().await {
        let name = tool["name"].as_str().unwrap();
        undescribed(name, &tool["inputSchema"], &mut found);
        undescribed(&format!("{name}: output"), &tool["outputSchema"], &mut found);
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        assert!(!tool["inputSchema"].to_string().contains("$ref"), "{name}");
        let long_text = ["get_message", "get_thread", "get_attachment"].contains(&name);
        assert_eq!(tool["outputSchema"].is_null(), long_text, "{name}");
    }
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test(start_paused = true)]
async fn what_the_owner_forbids_is_not_listed_and_answers_as_if_unknown() {
    let bench = Bench::sample().with(|account| account.grants = Grants::of(vec![Grant::Read]));
    for era in Era::ALL {
        let mut talk = bench.talk(era, Person::Accepts).await;
        assert_eq!(
            names(&talk.tools().await),
            [
                "list_accounts",
                "list_folders",
                "list_messages",
                "search_messages",
                "get_message",
                "get_thread",
                "get_attachment"
            ]
        );
        let mut refusals = Vec::new();
        for tool in ["send_draft", "create_draft", "reply_draft", "save_attachment", "no_such_tool"] {
            let answer = talk.rpc("tools/call", json!({ "name": tool, "arguments": {} })).await;
            refusals.push(answer["error"].clone());
        }
        assert_eq!(refusals[0]["code"], -32602);
        assert!(refusals[0]["message"].as_str().unwrap().contains("tool not found"), "{refusals:?}");
        assert!(refusals.iter().all(|refusal| *refusal == refusals[0]), "{refusals:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_grant_lists_its_own_tools() {
    for (grants, listed, hidden) in [
        (vec![Grant::Draft], "create_draft", "reply_draft"),
        (vec![Grant::Modify], "modify_message", "trash_message"),
        (vec![Grant::Trash], "trash_message", "move_message"),
        (vec![Grant::Send], "send_draft", "create_draft"),
        (vec![Grant::Read, Grant::Draft], "reply_draft", "send_draft"),
    ] {
        let bench = Bench::new().with(|account| account.grants = Grants::of(grants.clone()));
        let tools = bench.talk(Era::Modern, Person::Accepts).await.tools().await;
        assert!(names(&tools).contains(&listed), "{grants:?}");
        assert!(!names(&tools).contains(&hidden), "{grants:?}");
    }
}

fn other() -> MemoryMailbox {
    MemoryMailbox::new(vec![Address::bare("office@example.org")])
}

#[tokio::test(start_paused = true)]
async fn one_account_need_not_be_named_and_may_be() {
    let mut talk = Bench::new().talk(Era::November2025, Person::Accepts).await;
    talk.call("list_folders", json!({})).await.ok();
    talk.call("list_folders", json!({ "account": "home" })).await.ok();
    let text = talk.call("list_folders", json!({ "account": "nobody's" })).await.error();
    assert!(text.contains("home") && !text.contains("nobody"), "{text}");
    let tools = talk.tools().await;
    let schema = &tools.iter().find(|tool| tool["name"] == "get_message").unwrap()["inputSchema"];
    assert_eq!(schema["required"], json!(["message"]));
    assert_eq!(schema["properties"]["account"]["type"], "string");
}

#[tokio::test(start_paused = true)]
async fn of_several_accounts_one_has_to_be_named() {
    let mut bench = Bench::sample();
    bench.add("office", other());
    let mut talk = bench.talk(Era::November2025, Person::Accepts).await;
    for tool in talk.tools().await {
        let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        if name == "list_accounts" {
            assert!(schema["properties"]["account"].is_null());
            continue;
        }
        assert!(schema["required"].as_array().unwrap().contains(&json!("account")), "{name}");
        assert_eq!(schema["properties"]["account"]["enum"], json!(["home", "office"]), "{name}");
    }
    for bad in [json!({}), json!({ "account": "work" }), json!({ "account": 7 }), json!({ "account": null })]
    {
        let text = talk.call("list_messages", bad.clone()).await.error();
        assert!(text.contains("home") && text.contains("office"), "{bad}: {text}");
    }
    assert!(bench.mailboxes.iter().all(|mailbox| mailbox.calls().is_empty()));
    let at_home = talk.call("list_messages", json!({ "account": "home" })).await.ok();
    let at_work = talk.call("list_messages", json!({ "account": "office" })).await.ok();
    assert!(at_home.structured["messages"].as_array().unwrap().len() > 5);
    assert_eq!(at_work.structured["messages"], json!([]));
    let accounts = talk.call("list_accounts", json!({})).await.ok();
    assert!(accounts.text.contains("jana@example.com") && accounts.text.contains("office@example.org"));
    let refused = talk.call("list_accounts", json!({ "account": "home" })).await.error();
    assert!(refused.contains("`account`"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_one_of_two_accounts_forbids_is_listed_and_refused_there() {
    let mut bench = Bench::sample();
    bench.add("office", other());
    bench.account(1).grants = Grants::of(vec![Grant::Read]);
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    assert!(names(&talk.tools().await).contains(&"create_draft"));
    let draft = |account| json!({ "account": account, "subject": "s", "text": "t" });
    let text = talk.call("create_draft", draft("office")).await.error();
    assert!(text.contains("does not allow") && text.contains("capabilities"), "{text}");
    assert!(bench.mailboxes[1].calls().is_empty());
    talk.call("create_draft", draft("home")).await.ok();
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_configuration_lists_its_tools_and_says_what_to_do() {
    let mut bench = Bench::new().without_accounts();
    let file = "/home/jana/.config/countersign/memory.toml".to_owned();
    bench.fault = Some(ConfigFault::NoAccount { binary: "countersign-shelf", file });
    for era in Era::ALL {
        let mut talk = bench.talk(era, Person::Accepts).await;
        let tools = talk.tools().await;
        assert_eq!(tools.len(), TABLE.len());
        for tool in names(&tools) {
            let text = talk.call(tool, json!({})).await.error();
            assert!(text.contains("countersign-shelf login"), "{tool}: {text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_in_one_account_leaves_the_others_alone() {
    let mut bench = Bench::sample();
    bench.add("office", other());
    bench.account(1).fault = Some(ConfigFault::Missing { setting: "accounts.office.imap.host".to_owned() });
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    talk.call("list_messages", json!({ "account": "home" })).await.ok();
    for tool in ["list_messages", "list_folders"] {
        let text = talk.call(tool, json!({ "account": "office" })).await.error();
        assert!(
            text.contains("accounts.office.imap.host") && text.contains("start the server again"),
            "{text}"
        );
    }
    let listed = talk.call("list_accounts", json!({})).await.ok();
    assert_eq!(listed.structured["accounts"][0]["usable"], true);
    assert_eq!(listed.structured["accounts"][1]["usable"], false);
    assert!(listed.text.contains("accounts.office.imap.host"), "{}", listed.text);
}

#[tokio::test(start_paused = true)]
async fn starting_and_listing_touch_nothing() {
    let bench = with_all_tools();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    talk.tools().await;
    talk.call("list_accounts", json!({})).await.ok();
    assert!(bench.mailbox().calls().is_empty());
    assert_eq!(std::fs::read_dir(bench.path()).unwrap().count(), 0, "no state, no key, no lock");
}

/// What of a value its schema does not allow: types, required members, members of lists.
fn misfits(at: &str, whole: &Value, schema: &Value, value: &Value, found: &mut Vec<String>) {
    if let Some(definition) = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        return misfits(at, whole, whole.pointer(definition).unwrap(), value, found);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !kinds.contains(&kind) {
        found.push(format!("{at} is {kind}, not {kinds:?}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{at}.{name} is missing"));
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(property) => misfits(&format!("{at}.{name}"), whole, property, member, found),
            None => found.push(format!("{at}.{name} is not in the schema")),
        }
    }
    for (n, item) in value.as_array().into_iter().flatten().enumerate() {
        misfits(&format!("{at}[{n}]"), whole, &schema["items"], item, found);
    }
}

/// Texts of a structured result that the text lacks, but for short codes, the notice and what the caller said itself.
fn unsaid(at: &str, value: &Value, text: &str, found: &mut Vec<String>) {
    const CODES: [&str; 6] = ["notice", "outcome", "reason", "sent_copy", "draft_now", "fingerprint"];
    match value {
        Value::String(words) if !text.contains(words.as_str()) => found.push(format!("{at}: {words}")),
        Value::Array(items) => items.iter().for_each(|item| unsaid(at, item, text, found)),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !CODES.contains(&name.as_str()))
            .for_each(|(name, member)| unsaid(&format!("{at}.{name}"), member, text, found)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Every tool once, and the ways in which some of them end otherwise.
#[tokio::test(start_paused = true)]
async fn structured_results_keep_to_their_schemas_and_the_text_says_the_same() {
    let bench = Bench::sample();
    let saved = tempfile::tempdir().unwrap();
    let save_dir = saved.path().to_owned();
    let bench = bench.with(|account| account.save_dir = Some(save_dir));
    let csv = bench.id_of("Projects", "rozpocet-2027.csv");
    let lunch = bench.id_of("INBOX", "Message-ID: <l1@brandt.example>");
    let foreign_draft = bench.id_of("Drafts", "Message-ID: <d1@example.com>");
    let mut talk = bench.talk(Era::November2025, Person::Accepts).await;
    let schemas = talk.tools().await;
    let own =
        talk.call("create_draft", json!({ "to": ["a@example.org"], "subject": "s", "text": "t" })).await;
    let sent = own.fact("draft");
    let removed = talk.call("create_draft", json!({ "subject": "s", "text": "t" })).await.fact("draft");
    let declined =
        talk.call("create_draft", json!({ "to": ["a@example.org"], "subject": "s", "text": "t" })).await;
    let declined = declined.fact("draft");
    let calls = [
        ("list_accounts", json!({})),
        ("list_folders", json!({})),
        ("list_messages", json!({ "limit": 3 })),
        ("list_messages", json!({ "folder": "drafts" })),
        ("list_messages", json!({ "folder": "archive" })),
        ("search_messages", json!({ "text": "nothing holds this" })),
        ("search_messages", json!({ "text": "Jana", "limit": 100 })),
        ("save_attachment", json!({ "message": csv, "attachment": "2" })),
        ("create_draft", json!({ "subject": "s", "text": "t" })),
        ("reply_draft", json!({ "message": lunch, "text": "yes", "all": true, "bcc": ["b@example.org"] })),
        ("forward_draft", json!({ "message": csv, "to": ["c@example.org"] })),
        ("delete_draft", json!({ "draft": removed })),
        ("delete_draft", json!({ "draft": foreign_draft })),
        ("send_draft", json!({ "draft": sent })),
        ("send_message", json!({ "to": ["d@example.org"], "subject": "s", "text": "t" })),
        ("reply_send", json!({ "message": lunch, "text": "yes" })),
        ("forward_message", json!({ "message": csv, "to": ["e@example.org"] })),
        ("modify_message", json!({ "messages": [lunch], "read": true })),
        ("archive_message", json!({ "messages": [lunch] })),
    ];
    let mut found = Vec::new();
    let mut check = |tool: &str, arguments: &Value, got: &crate::talk::Got| {
        let schema = &schemas.iter().find(|schema| schema["name"] == tool).unwrap()["outputSchema"];
        misfits(tool, schema, schema, &got.structured, &mut found);
        unsaid(tool, &got.structured, &format!("{arguments}\n{}", got.text), &mut found);
    };
    for (tool, arguments) in calls {
        let got = talk.call(tool, arguments.clone()).await.ok();
        check(tool, &arguments, &got);
    }
    let declined = json!({ "draft": declined });
    let mut talk = bench.talk(Era::November2025, Person::Declines).await;
    check("send_draft", &declined, &talk.call("send_draft", declined.clone()).await);
    let unknown = memory::Faults {
        send: Some(memory::SendFault::Unknown { delivered: true }),
        ..memory::Faults::default()
    };
    bench.mailbox().memory.set_faults(unknown);
    let mut talk = bench.talk(Era::November2025, Person::Accepts).await;
    check("send_draft", &declined, &talk.call("send_draft", declined.clone()).await);
    assert!(found.is_empty(), "{found:#?}");
}
