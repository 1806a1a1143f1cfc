//! One byte form for equal JSON, so that a hash of the arguments survives a client that re-orders or re-prints them.
//!
//! Object keys are sorted by their UTF-16 code units, as the JSON Canonicalization Scheme does (RFC 8785 §3.2.3);
//! strings are escaped as JSON; a number with an integral value is printed as an integer, because a client written in
//! JavaScript sends `1` for `1.0`. The form is injective over JSON values but for such numbers, and for a repeated
//! key, which the parser before us already reduced to its last value.

use std::fmt::{self, Write as _};

use serde_json::{Map, Number, Value};

/// Integers up to this one are exact in a double (2^53).
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The canonical form of an object.
pub(crate) fn object(map: &Map<String, Value>) -> String {
    let mut out = String::new();
    write_object(&mut out, map);
    out
}

fn write_object(out: &mut String, map: &Map<String, Value>) {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, key);
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => write_object(out, map),
    }
}

fn write_number(out: &mut String, number: &Number) {
    match number.as_f64().filter(|f| number.is_f64() && f.fract() == 0.0 && f.abs() < EXACT) {
        // `{:.0}` prints a whole double exactly; adding zero turns -0.0 into 0.0.
        Some(whole) => push(out, format_args!("{:.0}", whole + 0.0)),
        None => push(out, format_args!("{number}")),
    }
}

/// As `JSON.stringify` does: quotation mark, reverse solidus and the C0 controls escaped, everything else as it is.
fn write_string(out: &mut String, text: &str) {
    push(out, format_args!("{}", Value::from(text)));
}

/// Writing into a string does not fail.
fn push(out: &mut String, what: fmt::Arguments<'_>) {
    out.write_fmt(what).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        object(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn equal_arguments_have_one_form() {
        for (json, form) in [
            (r#"{ "b": 1, "a": [true, null] }"#, r#"{"a":[true,null],"b":1}"#),
            (r#"{"n":1.0,"m":-0.0,"e":1e3}"#, r#"{"e":1000,"m":0,"n":1}"#),
            (r#"{"n":1.5,"big":18446744073709551615}"#, r#"{"big":18446744073709551615,"n":1.5}"#),
            (r#"{"s":"a\u0041\/\n\"\\"}"#, r#"{"s":"aA/\n\"\\"}"#),
            // U+FF5E sorts after U+1F600 by code unit, before it by code point.
            ("{\"\u{ff5e}\":1,\"\u{1f600}\":2}", "{\"\u{1f600}\":2,\"\u{ff5e}\":1}"),
            ("{}", "{}"),
        ] {
            assert_eq!(canonical(json), form);
        }
    }

    #[test]
    fn different_arguments_have_different_forms() {
        let all = [
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":[1]}"#,
            r#"{"a":{"1":null}}"#,
            r#"{"a":null}"#,
            r#"{"a":true}"#,
            r#"{"a":"true"}"#,
            r#"{"b":1}"#,
            r#"{"a":1,"b":1}"#,
            r#"{"a":"1,\"b\":1"}"#,
            r#"{"a":[1,1]}"#,
            r#"{"a":[[1],1]}"#,
            r#"{"a":1.5}"#,
            r#"{"a":""}"#,
            r#"{"a":{}}"#,
            r#"{"a":[]}"#,
        ];
        let forms: std::collections::BTreeSet<_> = all.iter().map(|json| canonical(json)).collect();
        assert_eq!(forms.len(), all.len());
    }
}
