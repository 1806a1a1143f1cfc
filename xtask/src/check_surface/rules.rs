//! What every tool of every server must have: hints, classes, descriptions, a unique name, a place in the table, a size.

use std::collections::BTreeSet;

use serde_json::Value;

use super::surface::{Row, Surface};
use super::table;
use crate::workspace::Package;

/// The largest `tools/list` result, in bytes: it is paid for in every conversation.
pub(crate) const LIST_LIMIT: usize = 30_000;

const EXPOSURES: [&str; 2] = ["none", "foreign"];
const GATES: [&str; 4] = ["none", "confirm-send", "confirm-bulk", "confirm-irreversible"];
const NEEDS: [&str; 5] = ["read", "draft", "modify", "trash", "send"];
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
/// Some hosts reject the whole list over one of these at the top of a schema.
const COMBINATORS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Everything wrong with one server's surface.
pub(crate) fn faults(surface: &Surface) -> Vec<String> {
    let server = &surface.server;
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for row in &surface.tools {
        let name = row.name();
        if name.is_empty() {
            found.push(format!("{server}: a tool without a name"));
        } else if !names.insert(name) {
            found.push(format!("{server}: {name}: two tools of this name"));
        }
        found.extend(of_row(row).into_iter().map(|what| format!("{server}: {name}: {what}")));
    }
    let bytes = surface.list_bytes();
    if bytes > LIST_LIMIT {
        found.push(format!("{server}: the tool list has {bytes} bytes; {LIST_LIMIT} at most"));
    }
    for variable in surface.env.iter().filter(|variable| variable.description.trim().is_empty()) {
        found.push(format!("{server}: {}: an environment variable without a description", variable.name));
    }
    found
}

/// Versions must not differ, neither between packages nor between a package and what its binary says.
pub(crate) fn version_faults(packages: &[Package], surfaces: &[Surface]) -> Vec<String> {
    let mut found = Vec::new();
    let Some(first) = packages.first() else { return found };
    for package in packages.iter().filter(|package| package.version != first.version) {
        let (one, other) = (&first.version, &package.version);
        found.push(format!(
            "{} is {other} where {} is {one}: one version for the workspace",
            package.name, first.name
        ));
    }
    for surface in surfaces.iter().filter(|surface| surface.version != first.version) {
        found.push(format!(
            "{} calls itself {}, its package is {}",
            surface.server, surface.version, first.version
        ));
    }
    found
}

fn of_row(row: &Row) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["title", "description"] {
        if row.text(key).trim().is_empty() {
            found.push(format!("no {key}"));
        }
    }
    for hint in HINTS.into_iter().filter(|hint| row.hint(hint).is_none()) {
        found.push(format!("{hint} is not set"));
    }
    found.extend(class("exposure class", row.exposure.as_deref(), &EXPOSURES));
    found.extend(class("gate", row.gate.as_deref(), &GATES));
    match &row.needs {
        None => found.push("what it needs is not stated".to_owned()),
        Some(needs) => {
            let unknown = needs.iter().filter(|need| !NEEDS.contains(&need.as_str()));
            found.extend(unknown.map(|need| format!("needs the unknown capability `{need}`")));
        }
    }
    found.extend(against_table(row));
    for key in ["inputSchema", "outputSchema"] {
        match row.tool.get(key) {
            Some(schema) => found.extend(of_schema(key, schema)),
            None if key == "inputSchema" => found.push("no inputSchema".to_owned()),
            None => {}
        }
    }
    found
}

fn class(what: &str, said: Option<&str>, known: &[&str]) -> Option<String> {
    match said {
        None => Some(format!("no {what}")),
        Some(said) if known.contains(&said) => None,
        Some(said) => Some(format!("unknown {what} `{said}`")),
    }
}

/// Differences from the vocabulary.
fn against_table(row: &Row) -> Vec<String> {
    let Some(expected) = table::expected(row.name()) else {
        return vec!["not in the vocabulary (xtask/src/check_surface/table.rs)".to_owned()];
    };
    let hints = expected.hints;
    let values = [hints.read_only, hints.destructive, hints.idempotent, hints.open_world];
    let mut found = Vec::new();
    for (hint, wanted) in HINTS.into_iter().zip(values) {
        if row.hint(hint).is_some_and(|said| said != wanted) {
            found.push(format!("{hint} must be {wanted}"));
        }
    }
    for (what, said, wanted) in
        [("exposure class", &row.exposure, expected.exposure), ("gate", &row.gate, expected.gate)]
    {
        if said.as_deref().is_some_and(|said| said != wanted) {
            found.push(format!("the {what} must be `{wanted}`"));
        }
    }
    found
}

fn of_schema(which: &str, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for key in COMBINATORS.into_iter().filter(|key| schema.get(key).is_some()) {
        found.push(format!("{which} has `{key}` at its top"));
    }
    for field in fields(schema).into_iter().filter(|field| !field.described) {
        found.push(format!("{which}: `{}` has no description", field.path));
    }
    found
}

/// One property of a schema, however deep.
pub(crate) struct Field {
    /// The names of the properties down to it, joined by dots; under a definition it starts with the definition's name.
    pub(crate) path: String,
    pub(crate) required: bool,
    described: bool,
}

/// Every property of a schema: nested ones, those of items and alternatives, and those of definitions.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    collect(schema, schema, "", MOST_DEPTH, &mut found);
    found
}

/// How deep references are followed: a definition may refer to itself.
const MOST_DEPTH: usize = 16;

/// Fields under a reference have the path of the place that refers, so a type that becomes a definition stays the same
/// promise.
fn collect(whole: &Value, schema: &Value, path: &str, depth: usize, found: &mut Vec<Field>) {
    let within = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let Some(depth) = depth.checked_sub(1) else { return };
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    if let Some(definition) = target.and_then(|path| whole.pointer(path)) {
        collect(whole, definition, path, depth, found);
    }
    let Some(schema) = schema.as_object() else { return };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let described =
            property.get("description").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        let needed = required.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(name)));
        found.push(Field { path: within(name), required: needed, described });
        collect(whole, property, &within(name), depth, found);
    }
    for key in ["$defs", "definitions"] {
        for (name, definition) in schema.get(key).and_then(Value::as_object).into_iter().flatten() {
            collect(whole, definition, name, depth, found);
        }
    }
    for key in ["items", "additionalProperties"] {
        schema.get(key).into_iter().for_each(|inner| collect(whole, inner, path, depth, found));
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for inner in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            collect(whole, inner, path, depth, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check_surface::samples::surface;

    type Change = fn(&mut Row);

    /// The faults after one change to the first tool of the sample.
    fn after(change: impl FnOnce(&mut Row)) -> Vec<String> {
        let mut surface = surface();
        change(&mut surface.tools[0]);
        faults(&surface)
    }

    #[test]
    fn the_sample_is_without_fault() {
        assert_eq!(faults(&surface()), Vec::<String>::new());
    }

    #[test]
    fn each_missing_or_wrong_part_is_named() {
        let prefix = "countersign-imap: get_message: ";
        let one = |change: Change| after(change).join("; ");
        let cases: [(Change, &str); 10] = [
            (|row| row.tool["annotations"]["idempotentHint"] = Value::Null, "idempotentHint is not set"),
            (|row| row.tool["annotations"]["readOnlyHint"] = json!(false), "readOnlyHint must be true"),
            (|row| row.tool["description"] = json!(" "), "no description"),
            (|row| row.exposure = None, "no exposure class"),
            (|row| row.exposure = Some("none".to_owned()), "the exposure class must be `foreign`"),
            (|row| row.gate = None, "no gate"),
            (|row| row.gate = Some("confirm-send".to_owned()), "the gate must be `none`"),
            (|row| row.needs = None, "what it needs is not stated"),
            (|row| row.needs = Some(vec!["fly".to_owned()]), "needs the unknown capability `fly`"),
            (|row| row.tool["inputSchema"]["anyOf"] = json!([]), "inputSchema has `anyOf` at its top"),
        ];
        for (change, said) in cases {
            assert_eq!(one(change), format!("{prefix}{said}"));
        }
        let renamed = one(|row| row.tool["name"] = json!("fetch_mail"));
        assert_eq!(
            renamed,
            "countersign-imap: fetch_mail: not in the vocabulary (xtask/src/check_surface/table.rs)"
        );
    }

    #[test]
    fn a_field_without_a_description_is_found_at_any_depth() {
        let schema = json!({
            "properties": {
                "a": { "description": "A.", "type": "object", "properties": { "b": { "type": "string" } } },
                "c": { "description": "C.", "type": "array", "items": { "properties": { "d": true } } },
                "e": { "description": "E.", "anyOf": [{ "$ref": "#/$defs/F" }, { "type": "null" }] },
            },
            "$defs": { "F": { "properties": { "g": { "description": "" } } } },
        });
        let found = of_schema("inputSchema", &schema);
        assert_eq!(
            found,
            [
                "inputSchema: `a.b` has no description",
                "inputSchema: `c.d` has no description",
                "inputSchema: `e.g` has no description",
                "inputSchema: `F.g` has no description",
            ]
        );
    }

    #[test]
    fn duplicates_and_a_list_that_is_too_long_are_found() {
        let mut doubled = surface();
        doubled.tools.push(doubled.tools[0].clone());
        assert_eq!(faults(&doubled), ["countersign-imap: get_message: two tools of this name"]);
        let long = after(|row| row.tool["description"] = json!("x".repeat(LIST_LIMIT)));
        assert!(long.join("").contains("30000 at most"), "{long:?}");
    }

    #[test]
    fn versions_must_agree() {
        let package = |name: &str, version: &str| Package {
            name: name.to_owned(),
            version: version.to_owned(),
            targets: vec![],
            dependencies: vec![],
        };
        let same = [package("a", "0.1.0"), package("b", "0.1.0")];
        assert_eq!(version_faults(&same, &[surface()]), Vec::<String>::new());
        let mut older = surface();
        older.version = "0.0.9".to_owned();
        let found = version_faults(&[package("a", "0.1.0"), package("b", "0.2.0")], &[older]);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
