//! Arguments: one struct a tool, schema and parsing from the same type. What does not fit is named, its value is not.

use rmcp::model::JsonObject;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::ToolError;
use crate::model::{DraftRef, FolderRef, FolderScope, MessageRef, Section, SpecialUse};

/// Longest argument name that is repeated in a message.
const NAME_SHOWN: usize = 40;

/// The schema of arguments: one flat object without references, `null` left out (an argument that isn't wanted is absent).
pub(super) fn schema<T: JsonSchema>() -> JsonObject {
    object::<T>(settings(true), true)
}

/// The schema of a structured result, as it is serialised: clients check each result against it, so a field that may be
/// left out is not required, and one that may be `null` says so. What occurs more than once is a definition.
pub(super) fn output<T: JsonSchema>() -> JsonObject {
    let mut object = object::<T>(settings(false).for_serialize(), false);
    if let Some(Value::Object(definitions)) = object.remove(DEFINITIONS) {
        resolve(&mut object, definitions);
    }
    object
}

const DEFINITIONS: &str = "$defs";

fn settings(inline: bool) -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = inline;
        settings.meta_schema = None;
    })
}

fn object<T: JsonSchema>(settings: SchemaSettings, without_null: bool) -> JsonObject {
    let mut value = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut value, without_null);
    let mut object = match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    };
    object.remove("title");
    object.remove("description");
    object
}

/// Puts each definition where it is referred to, unless that is several times. None of our types refers to itself.
fn resolve(object: &mut JsonObject, mut definitions: JsonObject) {
    let names: Vec<String> = definitions.keys().cloned().collect();
    for name in names {
        let Some(mut definition) = definitions.remove(&name) else { continue };
        if let Value::Object(definition) = &mut definition {
            definition.remove("description");
        }
        let reference = json!({ "$ref": format!("#/{DEFINITIONS}/{name}") });
        let written = |object: &JsonObject, others: &JsonObject| {
            let all = json!([object, others]).to_string();
            all.matches(&reference.to_string()).count()
        };
        if written(object, &definitions) > 1 {
            definitions.insert(name, definition);
        } else {
            object.values_mut().chain(definitions.values_mut()).for_each(|value| {
                replace(value, &reference, &definition);
            });
        }
    }
    if !definitions.is_empty() {
        object.insert(DEFINITIONS.to_owned(), Value::Object(definitions));
    }
}

fn replace(value: &mut Value, what: &Value, with: &Value) {
    if value == what {
        value.clone_from(with);
        return;
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|value| replace(value, what, with)),
        Value::Array(items) => items.iter_mut().for_each(|value| replace(value, what, with)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Drops what costs bytes in every list and tells a model nothing.
fn tidy(value: &mut Value, without_null: bool) {
    match value {
        Value::Object(object) => {
            if without_null {
                drop_null(object);
            }
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
            if object.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
                object.remove("format");
                if object.get("minimum") == Some(&json!(0)) {
                    object.remove("minimum");
                }
            }
            // What a list is says what its entries are.
            if let Some(Value::Object(items)) = object.get_mut("items") {
                items.remove("description");
            }
            skipped_is_not_null(object);
            object.values_mut().for_each(|value| tidy(value, without_null));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| tidy(value, without_null)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A field that isn't required is left out where there is nothing, so it is never `null`.
fn skipped_is_not_null(object: &mut JsonObject) {
    let required: Vec<Value> = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties {
        if let (false, Value::Object(property)) = (required.iter().any(|one| one == name), property) {
            drop_null(property);
        }
    }
}

fn drop_null(object: &mut JsonObject) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
}

/// Adds `account` to a tool's input: required only where there is more than one.
pub(super) fn add_account(input: &mut JsonObject, accounts: &[&str]) {
    let mut account = json!({ "type": "string", "description": "A name from `list_accounts`." });
    if accounts.len() > 1 {
        if let Value::Object(account) = &mut account {
            account.insert("enum".to_owned(), json!(accounts));
        }
        if let Value::Array(required) = input.entry("required").or_insert_with(|| json!([])) {
            required.insert(0, json!("account"));
        }
    }
    if let Value::Object(properties) = input.entry("properties").or_insert_with(|| json!({})) {
        properties.insert("account".to_owned(), account);
    }
}

/// Reads arguments, naming what is unknown, missing or of the wrong type.
pub(super) fn parse<T: DeserializeOwned + JsonSchema>(arguments: JsonObject) -> Result<T, ToolError> {
    let schema = schema::<T>();
    let no_properties = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_properties);
    let known = || properties.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = arguments.keys().find(|name| !properties.contains_key(*name)) {
        let known = if properties.is_empty() { "none".to_owned() } else { known() };
        return Err(ToolError::arguments(format!(
            "Unknown argument {}; known ones: {known}.",
            shown(unknown)
        )));
    }
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if arguments.get(name).is_none_or(Value::is_null) {
            return Err(ToolError::arguments(format!("The argument `{name}` is missing.")));
        }
    }
    for (name, value) in &arguments {
        if let Some(wanted) = properties.get(name).and_then(|property| misfit(property, value)) {
            return Err(ToolError::arguments(format!("The argument `{name}` must be {wanted}.")));
        }
    }
    serde_json::from_value(Value::Object(arguments))
        .map_err(|_| ToolError::arguments("The arguments do not fit the tool's input schema.".to_owned()))
}

/// What a property wants, where the value isn't that.
fn misfit(property: &Value, value: &Value) -> Option<String> {
    if value.is_null() {
        return None;
    }
    let kind = property.get("type").and_then(Value::as_str)?;
    let fits = match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if !fits {
        return Some(match kind {
            "integer" => "a whole number".to_owned(),
            "array" => "a list".to_owned(),
            "boolean" => "true or false".to_owned(),
            other => format!("a {other}"),
        });
    }
    let bound = |name| property.get(name).and_then(Value::as_u64);
    let (low, high) = (bound("minimum"), bound("maximum"));
    if kind == "integer" && (low.is_some() || high.is_some()) {
        let number = value.as_u64();
        let inside =
            number.is_some_and(|n| low.is_none_or(|low| n >= low) && high.is_none_or(|high| n <= high));
        if !inside {
            let high = high.map_or_else(|| "or more".to_owned(), |high| format!("to {high}"));
            return Some(format!("a whole number from {} {high}", low.unwrap_or(0)));
        }
    }
    if let (Some(choices), Some(word)) = (property.get("enum").and_then(Value::as_array), value.as_str())
        && !choices.iter().any(|choice| choice == word)
    {
        let choices = choices.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
        return Some(format!("one of: {choices}"));
    }
    if let (Some(items), Some(values)) = (property.get("items"), value.as_array()) {
        return values
            .iter()
            .find_map(|item| misfit(items, item))
            .map(|wanted| format!("a list in which each entry is {wanted}"));
    }
    None
}

/// An argument's name as it may be repeated.
fn shown(name: &str) -> String {
    let plain: String = name.chars().filter(|c| c.is_ascii_graphic() && *c != '`').take(NAME_SHOWN).collect();
    format!("`{plain}`")
}

/// A message id.
pub(super) fn message(text: &str) -> Result<MessageRef, ToolError> {
    MessageRef::parse(text).map_err(|_| bad_id("message"))
}

/// Message ids: 1 to 100 of them.
pub(super) fn messages(texts: &[String]) -> Result<Vec<MessageRef>, ToolError> {
    if texts.is_empty() || texts.len() > 100 {
        return Err(ToolError::arguments("The argument `messages` must hold 1 to 100 ids.".to_owned()));
    }
    let mut ids = Vec::with_capacity(texts.len());
    for text in texts {
        let id = message(text)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// A draft id.
pub(super) fn draft(text: &str) -> Result<DraftRef, ToolError> {
    DraftRef::parse(text).map_err(|_| bad_id("draft"))
}

/// A draft's fingerprint, as draft tools return it.
pub(super) fn fingerprint(text: &str) -> Result<String, ToolError> {
    let digits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let wrong = || {
        ToolError::arguments(
            "The argument `expect_fingerprint` must be a `fingerprint` of 64 hexadecimal digits.".to_owned(),
        )
    };
    digits.then(|| text.to_ascii_lowercase()).ok_or_else(wrong)
}

/// An attachment's number.
pub(super) fn section(text: &str) -> Result<Section, ToolError> {
    Section::parse(text).map_err(|_| {
        ToolError::arguments("The argument `attachment` must be a number such as `2` or `1.3`.".to_owned())
    })
}

/// A folder: a special use by its word, or an id.
pub(super) fn folder(text: &str) -> Result<FolderScope, ToolError> {
    if let Some(use_) = SpecialUse::from_name(text) {
        return Ok(FolderScope::Use(use_));
    }
    FolderRef::parse(text).map(FolderScope::One).map_err(|_| bad_id("folder"))
}

fn bad_id(argument: &str) -> ToolError {
    ToolError::arguments(format!("The argument `{argument}` is not an id that this server handed out."))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        /// An id.
        message: String,
        /// How many.
        #[schemars(range(min = 1, max = 100))]
        limit: Option<u64>,
        /// People.
        to: Option<Vec<String>>,
        /// Whether.
        all: Option<bool>,
    }

    fn fault(value: &Value) -> String {
        match parse::<Sample>(value.as_object().unwrap().clone()) {
            Ok(sample) => format!("parsed: {sample:?}"),
            Err(error) => error.text(),
        }
    }

    #[test]
    fn what_does_not_fit_is_named_and_its_value_is_not() {
        let cases = [
            (
                json!({ "message": "x", "evil": 1 }),
                "Unknown argument `evil`; known ones: `all`, `limit`, `message`, `to`.",
            ),
            (json!({}), "The argument `message` is missing."),
            (json!({ "message": null }), "The argument `message` is missing."),
            (json!({ "message": 7 }), "The argument `message` must be a string."),
            (
                json!({ "message": "x", "limit": 0 }),
                "The argument `limit` must be a whole number from 1 to 100.",
            ),
            (
                json!({ "message": "x", "limit": -1 }),
                "The argument `limit` must be a whole number from 1 to 100.",
            ),
            (
                json!({ "message": "x", "limit": "secret words" }),
                "The argument `limit` must be a whole number.",
            ),
            (json!({ "message": "x", "to": "a@b.example" }), "The argument `to` must be a list."),
            (
                json!({ "message": "x", "to": [1] }),
                "The argument `to` must be a list in which each entry is a string.",
            ),
            (json!({ "message": "x", "all": "yes" }), "The argument `all` must be true or false."),
        ];
        for (arguments, expected) in cases {
            let text = fault(&arguments);
            assert!(text.contains(expected), "{arguments}: {text}");
            assert!(!text.contains("secret words"));
        }
    }

    #[test]
    fn an_absent_or_null_option_is_none() {
        let sample: Sample =
            parse(json!({ "message": "m", "limit": null }).as_object().unwrap().clone()).unwrap();
        assert_eq!((sample.message.as_str(), sample.limit, sample.to, sample.all), ("m", None, None, None));
    }

    #[test]
    fn several_accounts_make_the_account_required() {
        let mut one = schema::<Sample>();
        add_account(&mut one, &["only"]);
        assert_eq!(one["required"], json!(["message"]));
        let mut two = schema::<Sample>();
        add_account(&mut two, &["home", "work"]);
        assert_eq!(two["required"], json!(["account", "message"]));
        assert_eq!(two["properties"]["account"]["enum"], json!(["home", "work"]));
    }

    #[test]
    fn folders_are_uses_or_ids() {
        assert_eq!(folder("Inbox").unwrap(), FolderScope::Use(SpecialUse::Inbox));
        assert!(matches!(folder("SU5CT1g").unwrap(), FolderScope::One(_)));
        assert!(folder("a folder").is_err());
    }
}
