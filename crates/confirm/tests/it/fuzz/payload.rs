//! The canonical form can be read back, so no two payloads share one. [`check`] is the fuzz target; [`decode`] reads a
//! form and knows of payloads only what the specification says.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use countersign_confirm::{Date, Payload};

/// Makes a payload of the bytes and reads its form back; and if the bytes are JSON, that too.
pub(crate) fn check(bytes: &[u8]) {
    reads_back(&Bytes(bytes).payload(0));
    if let Ok(json) = serde_json::from_slice::<serde_json::Value>(bytes) {
        reads_back(&Payload::from(&json));
    }
}

/// Fails where the form of a payload stands for anything else.
pub(crate) fn reads_back(payload: &Payload) {
    let form = payload.canonical();
    let (read, rest) = decode(&form);
    assert_eq!(rest, "", "{form}");
    assert_eq!(format!("{:?}", normal(&read)), format!("{:?}", normal(payload)), "{form}");
    assert_eq!(read.canonical(), form);
}

/// The one of all equal payloads that stands for them: zero without a sign, entries in an order of their own, once.
fn normal(payload: &Payload) -> Payload {
    let all = |items: &[Payload]| items.iter().map(normal).collect::<Vec<_>>();
    match payload {
        Payload::Number(number) => Payload::Number(if *number == 0.0 { 0.0 } else { *number }),
        Payload::List(items) => Payload::List(all(items)),
        Payload::Set(items) => Payload::Set(once(all(items))),
        Payload::Map(entries) => {
            Payload::Map(once(entries.iter().map(|(k, v)| (normal(k), normal(v))).collect()))
        }
        Payload::Record(members) => Payload::record(members.iter().map(|(k, v)| (k, normal(v)))),
        other @ (Payload::Null
        | Payload::Bool(_)
        | Payload::Integer(_)
        | Payload::Text(_)
        | Payload::Bytes(_)
        | Payload::Date(_)) => other.clone(),
    }
}

fn once<T: std::fmt::Debug>(items: Vec<T>) -> Vec<T> {
    let by_print: BTreeMap<String, T> = items.into_iter().map(|item| (format!("{item:?}"), item)).collect();
    by_print.into_values().collect()
}

/// A payload from bytes, whatever they are.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.next()))
    }

    fn text(&mut self) -> String {
        let length = self.next() % 8;
        let bytes: Vec<u8> = (0..length).map(|_| self.next()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn payload(&mut self, depth: u8) -> Payload {
        let kind = self.next() % if depth < 6 { 12 } else { 8 };
        let inner = depth + 1;
        match kind {
            0 => Payload::Null,
            1 => Payload::Bool(self.next().is_multiple_of(2)),
            2 => Payload::Number(f64::from_bits(self.number())),
            3 => Payload::Number(f64::from(self.next())),
            4 => Payload::Integer(i128::from(self.number()) - i128::from(self.number())),
            5 => Payload::Text(self.text()),
            6 => Payload::Bytes(self.text().into_bytes()),
            7 => Payload::Date(Date::from_millis(self.number().cast_signed())),
            8 => Payload::List((0..self.next() % 4).map(|_| self.payload(inner)).collect()),
            9 => Payload::Set((0..self.next() % 4).map(|_| self.payload(inner)).collect()),
            10 => Payload::Map(
                (0..self.next() % 4).map(|_| (self.payload(inner), self.payload(inner))).collect(),
            ),
            _ => Payload::record(
                (0..self.next() % 4).map(|_| (self.text(), self.payload(inner))).collect::<Vec<_>>(),
            ),
        }
    }
}

/// Reads a form from the beginning of `text`, and says what is left.
fn decode(text: &str) -> (Payload, &str) {
    let (first, rest) = text.split_at(1);
    match first {
        "n" => (Payload::Null, rest.strip_prefix("ull").unwrap()),
        "t" => (Payload::Bool(true), rest.strip_prefix("rue").unwrap()),
        "f" => (Payload::Bool(false), rest.strip_prefix("alse").unwrap()),
        "\"" => {
            let (string, rest) = string(text);
            (Payload::Text(string), rest)
        }
        "[" => {
            let (items, rest) = list(text);
            (Payload::List(items), rest)
        }
        "{" => members(rest),
        _ => {
            let end = text.find([',', ']', '}']).unwrap_or(text.len());
            let (number, rest) = text.split_at(end);
            (Payload::Number(number.parse().unwrap()), rest)
        }
    }
}

fn list(text: &str) -> (Vec<Payload>, &str) {
    let mut items = Vec::new();
    let mut rest = text.strip_prefix('[').unwrap();
    while !rest.starts_with(']') {
        let (item, after) = decode(rest);
        items.push(item);
        rest = after.strip_prefix(',').unwrap_or(after);
    }
    (items, rest.strip_prefix(']').unwrap())
}

fn members(text: &str) -> (Payload, &str) {
    let mut members = Vec::new();
    let mut rest = text;
    while !rest.starts_with('}') {
        let (name, after) = string(rest);
        let (value, after) = decode(after.strip_prefix(':').unwrap());
        members.push((name, value));
        rest = after.strip_prefix(',').unwrap_or(after);
    }
    let rest = rest.strip_prefix('}').unwrap();
    if let [(name, value)] = &members[..]
        && name.starts_with('$')
        && !name.starts_with("$$")
    {
        return (tagged(name, value), rest);
    }
    let own = |name: String| {
        let own = name.strip_prefix('$').map(str::to_owned);
        assert!(own.as_ref().is_none_or(|own| own.starts_with('$')), "{name} is a tag");
        own.unwrap_or(name)
    };
    (Payload::record(members.into_iter().map(|(name, value)| (own(name), value))), rest)
}

fn tagged(name: &str, value: &Payload) -> Payload {
    let pair = |entry: &Payload| {
        let Payload::List(pair) = entry else { panic!("a pair: {entry:?}") };
        (pair[0].clone(), pair[1].clone())
    };
    match (name, value) {
        ("$num", Payload::Text(text)) => Payload::Number(text.parse().unwrap()),
        ("$bigint", Payload::Text(text)) => Payload::Integer(text.parse().unwrap()),
        ("$bytes", Payload::Text(text)) => Payload::Bytes(STANDARD.decode(text).unwrap()),
        ("$date", Payload::Text(text)) => Payload::Date(date(text)),
        ("$set", Payload::List(items)) => Payload::Set(items.clone()),
        ("$map", Payload::List(entries)) => Payload::Map(entries.iter().map(pair).collect()),
        other => panic!("a tag: {other:?}"),
    }
}

/// A JSON string from the beginning of `text`, and what is left.
fn string(text: &str) -> (String, &str) {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    let (string, rest) = text.split_at(end.unwrap().0 + 1);
    (serde_json::from_str(string).unwrap(), rest)
}

/// Reads `±YYYYYY-MM-DDTHH:MM:SS.mmmZ`.
fn date(text: &str) -> Date {
    if text == "Invalid Date" {
        return Date::INVALID;
    }
    let (day, time) = text.strip_suffix('Z').unwrap().split_once('T').unwrap();
    let parts: Vec<i64> = day.rsplitn(3, '-').map(|part| part.parse().unwrap()).collect();
    let [day, month, year] = parts[..] else { panic!("a date: {text}") };
    let clock: Vec<i64> = time.split([':', '.']).map(|part| part.parse().unwrap()).collect();
    let [hour, minute, second, millisecond] = clock[..] else { panic!("a time: {text}") };
    // Years from March; the months before it belong to the year before.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468;
    Date::from_millis((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond)
}
