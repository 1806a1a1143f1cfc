//! The form itself: the specification's examples, what is equal and what is not. Injectivity over random payloads is in
//! `tests/it/injective.rs`.

use serde_json::json;

use super::*;

fn of_json(json: &str) -> String {
    Payload::from(&serde_json::from_str::<Value>(json).unwrap()).canonical()
}

fn number(n: f64) -> Payload {
    Payload::Number(n)
}

#[test]
fn the_examples_of_the_specification() {
    assert_eq!(
        of_json(r#"{"tags":["a","b"],"id":"item-42","note":"bye"}"#),
        r#"{"id":"item-42","note":"bye","tags":["a","b"]}"#
    );
    let all = Payload::record([
        ("$id", number(1.0)),
        ("when", Payload::Date(Date::from_millis(0))),
        ("raw", Payload::Bytes(b"two".to_vec())),
        ("n", number(f64::NAN)),
        ("big", Payload::Integer(10)),
        ("s", Payload::Set(vec![number(2.0), number(1.0)])),
    ]);
    assert_eq!(
        all.canonical(),
        r#"{"$$id":1,"big":{"$bigint":"10"},"n":{"$num":"NaN"},"raw":{"$bytes":"dHdv"},"s":{"$set":[1,2]},"when":{"$date":"1970-01-01T00:00:00.000Z"}}"#
    );
}

#[test]
fn equal_payloads_have_one_form() {
    for (json, form) in [
        (r#"{ "b": 1, "a": [true, false, null] }"#, r#"{"a":[true,false,null],"b":1}"#),
        (r#"{"n":1.0,"m":-0.0,"e":1e3}"#, r#"{"e":1000,"m":0,"n":1}"#),
        (r#"{"n":1.5,"big":18446744073709551615}"#, r#"{"big":{"$bigint":"18446744073709551615"},"n":1.5}"#),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740993", r#"{"$bigint":"9007199254740993"}"#),
        ("-9007199254740992", "-9007199254740992"),
        ("-9007199254740993", r#"{"$bigint":"-9007199254740993"}"#),
        (r#"{"s":"a\u0041\/\n\"\\\u007f\u2028"}"#, "{\"s\":\"aA/\\n\\\"\\\\\u{7f}\u{2028}\"}"),
        (r#""\u0000\u001f\b\f""#, r#""\u0000\u001f\b\f""#),
        // U+FF5E sorts after U+1F600 by code unit, before it by code point.
        ("{\"\u{ff5e}\":1,\"\u{1f600}\":2}", "{\"\u{1f600}\":2,\"\u{ff5e}\":1}"),
        (r#"{"$$":1,"$":2,"a$":3}"#, r#"{"$$":2,"$$$":1,"a$":3}"#),
        ("{}", "{}"),
        ("[]", "[]"),
        ("[[1],[2,3]]", "[[1],[2,3]]"),
    ] {
        assert_eq!(of_json(json), form);
    }
}

#[test]
fn maps_and_sets_have_no_order_and_hold_everything_once() {
    let (a, b) = (Payload::from("\u{ff5e}"), Payload::from("\u{1f600}"));
    let map = |entries: &[(&Payload, f64)]| {
        Payload::Map(entries.iter().map(|(k, v)| ((*k).clone(), number(*v))).collect()).canonical()
    };
    assert_eq!(map(&[(&a, 1.0), (&b, 2.0)]), "{\"$map\":[[\"\u{1f600}\",2],[\"\u{ff5e}\",1]]}");
    assert_eq!(map(&[(&a, 1.0), (&b, 2.0)]), map(&[(&b, 2.0), (&a, 1.0), (&b, 2.0)]));
    assert_eq!(
        Payload::Set(vec![b.clone(), a.clone(), b]).canonical(),
        "{\"$set\":[\"\u{1f600}\",\"\u{ff5e}\"]}"
    );
    assert_eq!(Payload::Map(vec![]).canonical(), r#"{"$map":[]}"#);
    assert_eq!(Payload::Set(vec![]).canonical(), r#"{"$set":[]}"#);
}

#[test]
fn what_json_lacks_is_not_taken_for_json() {
    for (payload, form) in [
        (number(f64::INFINITY), r#"{"$num":"Infinity"}"#),
        (number(f64::NEG_INFINITY), r#"{"$num":"-Infinity"}"#),
        (Payload::Integer(-1), r#"{"$bigint":"-1"}"#),
        (Payload::Bytes(vec![0xFB, 0xFF]), r#"{"$bytes":"+/8="}"#),
        (Payload::Date(Date::INVALID), r#"{"$date":"Invalid Date"}"#),
        (Payload::record([("$num", Payload::from("NaN"))]), r#"{"$$num":"NaN"}"#),
    ] {
        assert_eq!(payload.canonical(), form);
    }
}

#[test]
fn a_payload_is_shown_with_its_own_names() {
    let payload = Payload::record([
        ("$id", number(1.0)),
        ("half", number(0.5)),
        ("far", number(f64::INFINITY)),
        ("big", 1_i128.wrapping_shl(100).into()),
        ("raw", Payload::Bytes(b"two".to_vec())),
        ("when", Payload::Date(Date::from_millis(0))),
        ("map", Payload::Map(vec![(Payload::from("k"), Payload::from(true))])),
        ("set", Payload::Set(vec![Payload::Null])),
        ("list", Payload::List(vec![Payload::from("x".to_owned())])),
    ]);
    assert_eq!(
        payload.shown(),
        json!({
            "$id": 1, "half": 0.5, "far": {"$num": "Infinity"}, "big": {"$bigint": "1267650600228229401496703205376"},
            "raw": {"$bytes": "dHdv"}, "when": {"$date": "1970-01-01T00:00:00.000Z"},
            "map": {"$map": [["k", true]]}, "set": {"$set": [null]}, "list": ["x"],
        })
    );
}

#[test]
fn the_hash_is_of_the_form() {
    let payload = Payload::from(&json!({"tags": ["a", "b"], "id": "item-42", "note": "bye"}));
    assert_eq!(payload.hash(), "mpSgSQfB3JBIRLh2B62n-8c6K2hE21K_WJWh_cvZcQg");
}
