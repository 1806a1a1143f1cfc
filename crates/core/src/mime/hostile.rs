//! The hostile messages of `tests/cases/hostile`, each with what must and must not reach the model beside it.
//!
//! Everything that a listing and a read of the message would show is put together and compared, as no protection
//! would change it. Expectations that belong to protection and sending (`protection`, `bytes_out`,
//! `should_not_reach_at`, `fingerprint`, `unsubscribe`) are held elsewhere; two cases consist of nothing else.

use std::fs;
use std::path::Path;

use countersign_send_policy::Address;
use serde_json::Value;

use crate::mime;
use crate::sanitise::{header, untrusted};

/// Cases about codes that protection hides, which without protection are to be seen.
const OF_PROTECTION: [&str; 2] = ["h13-html-entities-invisible", "h36-qp-abuse"];

/// What a model would get of a message, and the fields made of header text.
fn seen(raw: &[u8]) -> (String, Vec<String>) {
    let message = mime::parse(raw);
    let mut fields = vec![header::line(&message.subject)];
    for Address { display_name, addr_spec } in
        [&message.from, &message.to, &message.cc, &message.bcc, &message.reply_to].into_iter().flatten()
    {
        fields.push(header::line(display_name.as_deref().unwrap_or_default()));
        fields.push(header::line(addr_spec));
    }
    for attachment in &message.attachments {
        fields.push(header::line(attachment.name.as_deref().unwrap_or_default()));
        fields.push(header::line(&attachment.media_type));
    }
    fields.extend(message.list_unsubscribe.as_deref().map(header::line));
    (format!("{}\n\n{}", fields.join("\n"), message.body.text), fields)
}

fn list<'a>(expect: &'a Value, name: &str) -> Vec<&'a str> {
    expect
        .get(name)
        .and_then(Value::as_array)
        .map(|all| all.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

#[test]
fn expectations_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/hostile");
    let mut checked = 0;
    let mut failures = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "eml") {
            continue;
        }
        let raw = fs::read(&path).unwrap();
        let expect: Value =
            serde_json::from_slice(&fs::read(path.with_extension("expect.json")).unwrap()).unwrap();
        let id = expect["id"].as_str().unwrap();
        if OF_PROTECTION.contains(&id) {
            continue;
        }
        let (text, fields) = seen(&raw);
        let mut fail = |what: &str, value: &str| failures.push(format!("{id}: {what} {value:?}"));
        for value in list(&expect, "must_reach_model").into_iter().chain(list(&expect, "should_reach")) {
            if !text.contains(value) {
                fail("doesn't show", value);
            }
        }
        for value in
            list(&expect, "must_not_reach_model").into_iter().chain(list(&expect, "should_not_reach"))
        {
            if text.contains(value) {
                fail("shows", value);
            }
        }
        if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            fail("holds a control character", "");
        }
        if fields.iter().any(|field| field.contains(['\n', '\r'])) {
            fail("has a line break in a field", "");
        }
        let boundary = untrusted::Boundary::new();
        let wrapped = untrusted::wrap(&boundary, "message", &text);
        if wrapped.matches(boundary.as_str()).count() != 2
            || String::from_utf8_lossy(&raw).contains(boundary.as_str())
        {
            fail("breaks its markers", "");
        }
        checked += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked >= 26, "only {checked} cases were found");
}

#[test]
fn codes_show_where_nothing_protects() {
    for id in OF_PROTECTION {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/hostile/{id}.eml"));
        assert!(seen(&fs::read(path).unwrap()).0.contains("482913"), "{id}");
    }
}
