//! Random payloads, and how they travel to the other implementation: as pairs of kind and value, so that nothing of them
//! rests on how JSON prints it.

use countersign_confirm::{Date, Payload};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts in which what is hard to get right is likely.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab$\"\\\\/\n\t\u{0}\u{1f}\u{7f}\u{2028}éž\u{ff5e}\u{1f600}]{0,6}",
        Just("$num".to_owned()),
        Just("$set".to_owned()),
        ".{0,8}",
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        (-1000_i32..1000).prop_map(f64::from),
        // Quarters of large numbers lie in the middle between two decimals.
        any::<u32>().prop_map(|quarters| 2_251_799_813_685_248.0 + f64::from(quarters) / 4.0),
        (1_u32..u32::MAX, -30_i32..30)
            .prop_map(|(digits, exponent)| f64::from(digits) * 10_f64.powi(exponent)),
        prop::sample::select(vec![
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            5e-324,
            1e21,
            1e-6,
            1e-7
        ]),
    ]
}

pub(crate) fn payload() -> impl Strategy<Value = Payload> {
    let leaf = prop_oneof![
        Just(Payload::Null),
        any::<bool>().prop_map(Payload::Bool),
        number().prop_map(Payload::Number),
        prop_oneof![any::<i128>(), -9_i128..9].prop_map(Payload::Integer),
        text().prop_map(Payload::Text),
        prop::collection::vec(any::<u8>(), 0..7).prop_map(Payload::Bytes),
        prop_oneof![
            any::<i64>(),
            -8_640_000_000_000_000_i64..=8_640_000_000_000_000,
            0_i64..2_000_000_000_000
        ]
        .prop_map(|millis| Payload::Date(Date::from_millis(millis))),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            list.clone().prop_map(Payload::List),
            list.prop_map(Payload::Set),
            prop::collection::vec((inner.clone(), inner.clone()), 0..4).prop_map(Payload::Map),
            prop::collection::vec((text(), inner), 0..4).prop_map(Payload::record),
        ]
    })
}

/// A payload as the other implementation reads it.
pub(crate) fn described(payload: &Payload) -> Value {
    let all = |items: &[Payload]| items.iter().map(described).collect::<Value>();
    match payload {
        Payload::Null => json!(["null", null]),
        Payload::Bool(truth) => json!(["bool", truth]),
        Payload::Number(number) => json!(["number", format!("{:016x}", number.to_bits())]),
        Payload::Integer(integer) => json!(["integer", integer.to_string()]),
        Payload::Text(text) => json!(["text", text]),
        Payload::Bytes(bytes) => {
            let digit = |half| char::from_digit(u32::from(half), 16).unwrap();
            let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]);
            json!(["bytes", digits.collect::<String>()])
        }
        Payload::Date(date) => json!(["date", date.millis()]),
        Payload::List(items) => json!(["list", all(items)]),
        Payload::Set(items) => json!(["set", all(items)]),
        Payload::Map(entries) => {
            json!([
                "map",
                entries.iter().map(|(k, v)| json!([described(k), described(v)])).collect::<Value>()
            ])
        }
        Payload::Record(members) => {
            json!(["record", members.iter().map(|(k, v)| json!([k, described(v)])).collect::<Value>()])
        }
    }
}

/// A payload that the other implementation described.
pub(crate) fn read(described: &Value) -> Payload {
    let value = &described[1];
    let text = || value.as_str().unwrap();
    let items = || value.as_array().unwrap().iter();
    match described[0].as_str().unwrap() {
        "null" => Payload::Null,
        "bool" => Payload::Bool(value.as_bool().unwrap()),
        "number" => Payload::Number(f64::from_bits(u64::from_str_radix(text(), 16).unwrap())),
        "integer" => Payload::Integer(text().parse().unwrap()),
        "text" => Payload::Text(text().to_owned()),
        "bytes" => {
            let digits = text().as_bytes().chunks(2);
            let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            Payload::Bytes(digits.map(byte).collect())
        }
        "date" => Payload::Date(value.as_i64().map_or(Date::INVALID, Date::from_millis)),
        "list" => Payload::List(items().map(read).collect()),
        "set" => Payload::Set(items().map(read).collect()),
        "map" => Payload::Map(items().map(|entry| (read(&entry[0]), read(&entry[1]))).collect()),
        "record" => Payload::record(items().map(|member| (member[0].as_str().unwrap(), read(&member[1])))),
        other => panic!("a payload of kind {other}"),
    }
}
