//! [`Payload`]: what a call would do, in a form that two programs write alike and that no other payload has.
//!
//! The form is JSON in which everything that JSON lacks carries a tag: `{"$bytes":"…"}` is bytes and no record with such
//! a key, because a record's own keys that begin with `$` gain another one. Keys are sorted by their UTF-16 code units,
//! as the JSON Canonicalization Scheme does (RFC 8785 §3.2.3), numbers are written as ECMA-262 writes them, and the
//! entries of maps and sets are sorted by their own form and stand once.
//!
//! The form is injective: equal forms mean equal payloads. Two things count as equal that Rust tells apart: zero and
//! minus zero, and all `NaN`s. A JSON integer that a double can't hold exactly becomes an [`Payload::Integer`], so that
//! no two integers share a form; `1` and `1.0` are one number, because a client written in JavaScript sends either.

mod date;
mod number;

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
pub use date::Date;
use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

/// Integers of this size and below are exact in a double (2^53).
const EXACT: i128 = 1 << 53;

/// Anything that a call can be made of.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "another kind of value is another format")]
pub enum Payload {
    /// Nothing. An absent member of a record is left out of it instead.
    Null,
    /// True or false.
    Bool(bool),
    /// A double, as every number of JavaScript is.
    Number(f64),
    /// An integer that is not to be taken for a double.
    Integer(i128),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A point in time.
    Date(Date),
    /// Values in order.
    List(Vec<Payload>),
    /// Pairs of key and value whose order does not matter.
    Map(Vec<(Payload, Payload)>),
    /// Values whose order does not matter.
    Set(Vec<Payload>),
    /// Members by name.
    Record(BTreeMap<String, Payload>),
}

impl Payload {
    /// A record of these members.
    pub fn record<K: Into<String>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Record(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The canonical form.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// SHA-256 of the canonical form, as base64url without padding.
    #[must_use]
    pub fn hash(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.canonical()))
    }

    /// As JSON to be shown to a person: what JSON lacks is tagged, names stay as they are.
    pub(crate) fn shown(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Number(number) => {
                let exact = number::exact_integer(*number).map(Value::from);
                exact.or_else(|| Number::from_f64(*number).map(Value::Number)).unwrap_or_else(|| {
                    let mut text = String::new();
                    number::write(&mut text, *number);
                    tagged("$num", text.into())
                })
            }
            Self::Integer(integer) => tagged("$bigint", integer.to_string().into()),
            Self::Text(text) => Value::from(text.as_str()),
            Self::Bytes(bytes) => tagged("$bytes", STANDARD.encode(bytes).into()),
            Self::Date(date) => tagged("$date", date.to_string().into()),
            Self::List(items) => items.iter().map(Self::shown).collect(),
            Self::Map(entries) => {
                tagged("$map", entries.iter().map(|(k, v)| Value::from(vec![k.shown(), v.shown()])).collect())
            }
            Self::Set(items) => tagged("$set", items.iter().map(Self::shown).collect()),
            Self::Record(members) => {
                members.iter().map(|(key, value)| (key.clone(), value.shown())).collect()
            }
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(truth) => push(out, format_args!("{truth}")),
            Self::Number(number) if number.is_finite() => number::write(out, *number),
            Self::Number(number) => tag(out, "num", |out| {
                out.push('"');
                number::write(out, *number);
                out.push('"');
            }),
            Self::Integer(integer) => tag(out, "bigint", |out| push(out, format_args!("\"{integer}\""))),
            Self::Text(text) => write_string(out, text),
            Self::Bytes(bytes) => tag(out, "bytes", |out| write_string(out, &STANDARD.encode(bytes))),
            Self::Date(date) => tag(out, "date", |out| push(out, format_args!("\"{date}\""))),
            Self::List(items) => list(out, items.iter().map(Self::canonical)),
            Self::Map(entries) => tag(out, "map", |out| {
                list(
                    out,
                    sorted(entries.iter().map(|(k, v)| format!("[{},{}]", k.canonical(), v.canonical()))),
                );
            }),
            Self::Set(items) => tag(out, "set", |out| list(out, sorted(items.iter().map(Self::canonical)))),
            Self::Record(members) => write_record(out, members),
        }
    }
}

/// A record, whose own names can't be taken for a tag: one that begins with `$` gains another.
fn write_record(out: &mut String, members: &BTreeMap<String, Payload>) {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by(|(a, _), (b, _)| by_code_units(a, b));
    out.push('{');
    for (index, (key, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        if key.starts_with('$') {
            write_string(out, &format!("${key}"));
        } else {
            write_string(out, key);
        }
        out.push(':');
        value.write(out);
    }
    out.push('}');
}

fn tag(out: &mut String, name: &str, value: impl FnOnce(&mut String)) {
    push(out, format_args!("{{\"${name}\":"));
    value(out);
    out.push('}');
}

fn tagged(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

fn list(out: &mut String, items: impl IntoIterator<Item = String>) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
}

fn sorted(forms: impl Iterator<Item = String>) -> Vec<String> {
    let mut forms: Vec<_> = forms.collect();
    forms.sort_by(|a, b| by_code_units(a, b));
    forms.dedup();
    forms
}

/// The order in which JavaScript compares strings.
fn by_code_units(a: &str, b: &str) -> std::cmp::Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// As `JSON.stringify` does: quotation mark, reverse solidus and the C0 controls escaped, everything else as it is.
pub(crate) fn write_string(out: &mut String, text: &str) {
    push(out, format_args!("{}", Value::from(text)));
}

/// Writing into a string does not fail.
fn push(out: &mut String, what: fmt::Arguments<'_>) {
    out.write_fmt(what).ok();
}

impl From<&Value> for Payload {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Number(number) => number.into(),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => members.into(),
        }
    }
}

impl From<&Map<String, Value>> for Payload {
    fn from(members: &Map<String, Value>) -> Self {
        Self::record(members.iter().map(|(key, value)| (key, Self::from(value))))
    }
}

impl From<&Number> for Payload {
    fn from(number: &Number) -> Self {
        match (number.as_i128(), number.as_f64()) {
            (Some(integer), _) => integer.into(),
            (None, Some(double)) => Self::Number(double),
            // Not reached with the number type that is built in here, and still distinct if it ever is.
            (None, None) => Self::Text(number.to_string()),
        }
    }
}

impl From<i128> for Payload {
    /// A [`Payload::Number`] where a double holds it exactly.
    #[expect(clippy::cast_precision_loss, reason = "only where nothing is lost")]
    fn from(integer: i128) -> Self {
        if integer.unsigned_abs() <= EXACT.unsigned_abs() {
            Self::Number(integer as f64)
        } else {
            Self::Integer(integer)
        }
    }
}

impl From<&str> for Payload {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Payload {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Payload {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

#[cfg(test)]
mod tests;
