//! What is shown is what would happen, and stays on its line.

use super::*;

fn request(query: Value, body: Option<Payload>) -> Plan {
    let (method, path) = ("PATCH".to_owned(), "/things/42".to_owned());
    Plan::request("item-42", Request { method, path, query: arguments(query), body })
}

fn shown(plan: Plan) -> Value {
    let mut caller = Caller::new(Prompting::Cannot, settings());
    caller.plan = plan;
    Value::Object(caller.come(None, None).preview().shown().clone())
}

#[test]
fn a_request_is_shown_whole() {
    let body = || Some(Payload::from(&json!({"name": "x"})));
    for (plan, expected) in [
        (
            request(json!({"force": true}), body()).summary("Renames it."),
            json!({
                "action": "Renames it.", "method": "PATCH", "path": "/things/42", "willSend": {"name": "x"},
                "willSendQuery": {"force": true},
            }),
        ),
        (request(json!({}), None), json!({"method": "PATCH", "path": "/things/42"})),
        (
            request(json!({}), None).with_payload(Payload::from("all of it")),
            json!({"method": "PATCH", "path": "/things/42", "willSend": "all of it"}),
        ),
        (
            request(json!({}), body()).with_payload(Payload::from("all of it")).showing("title", "Minutes"),
            json!({"method": "PATCH", "path": "/things/42", "willSend": {"name": "x"}, "title": "Minutes"}),
        ),
        (
            request(json!({}), body()).will_send("a new name"),
            json!({"method": "PATCH", "path": "/things/42", "willSend": "a new name"}),
        ),
    ] {
        assert_eq!(shown(plan), expected);
    }
}

#[test]
fn every_part_of_a_request_is_bound() {
    let body = |name: &str| Some(Payload::from(&json!({"name": name})));
    // Shown alike on purpose: what is bound does not rest on what is shown.
    let first = request(json!({"a": 1}), body("x")).will_send("it");
    let (method, path) = ("PUT".to_owned(), "/things/43".to_owned());
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = Request {
            method: "PATCH".to_owned(),
            path: "/things/42".to_owned(),
            query: arguments(json!({"a": 1})),
            body: body("x"),
        };
        change(&mut request);
        Plan::request("item-42", request).will_send("it")
    };
    let act = WriteAct { tool: "t", action: "a", account: None, arguments: &Map::new() };
    let bound = |plan: &Plan| plan.bound(&act).canonical();
    assert_eq!(bound(&first), bound(&with(&|_| ())));
    for other in [
        with(&|r| r.method.clone_from(&method)),
        with(&|r| r.path.clone_from(&path)),
        with(&|r| r.query = arguments(json!({"a": 2}))),
        with(&|r| r.query = Map::new()),
        with(&|r| r.body = body("y")),
        with(&|r| r.body = None),
        first.clone().with_payload(Payload::Null),
    ] {
        assert_ne!(bound(&first), bound(&other), "{other:?}");
    }
    assert_eq!(
        bound(&first),
        concat!(
            r#"{"args":{},"request":{"body":{"name":"x"},"method":"PATCH","path":"/things/42","query":{"a":1}},"#,
            r#""shown":{"method":"PATCH","path":"/things/42","willSend":"it","willSendQuery":{"a":1}},"#,
            r#""target":"item-42"}"#
        )
    );
}

#[test]
fn the_prompt_stays_in_its_lines() {
    let mut caller = Caller::new(Prompting::Can, settings());
    caller.account = Some("me\u{202e}@example.com");
    caller.plan = Plan::payload("item-42", Payload::from("first line\r\naction: none\u{200b}"))
        .summary("Deletes it.\u{2028}And more.")
        .showing("size", 7)
        .showing("tags\nmethod", json!(["a\u{ad}", 2]));
    assert_eq!(
        caller.come(None, None).asked().0,
        concat!(
            "thing.delete\naccount: me\\u{202e}@example.com\naction: Deletes it.\\u{2028}And more.\nsize: 7\n",
            "tags\\u{a}method:\n    [\n      \"a\\u00ad\",\n      2\n    ]\n",
            "willSend:\n    first line\n    action: none\\u{200b}"
        )
    );
    caller.account = None;
    caller.plan = Plan::payload("", Payload::from("one\rtwo")).showing("empty", json!([]));
    assert_eq!(caller.come(None, None).asked().0, "thing.delete\nempty: []\nwillSend:\n    one\n    two");
}
