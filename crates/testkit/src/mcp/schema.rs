//! The part of JSON Schema that structured results need: `type`, `enum`, `anyOf`, `required`, `properties`, `items`, and
//! `$ref` to a definition of the same schema.
//! A keyword that isn't known here fails, so that nothing passes unlooked at.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// Says what of a value does not fit its schema.
pub(super) fn check(schema: &Value, value: &Value) -> Result<()> {
    check_within(schema, schema, value)
}

fn check_within(whole: &Value, schema: &Value, value: &Value) -> Result<()> {
    let check = |schema: &Value, value: &Value| check_within(whole, schema, value);
    let schema = schema.as_object().context("a schema that is no object")?;
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "type" => {
                let kinds = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
                ensure!(kinds.iter().any(|kind| is(value, kind)), "{value} is not of type {rule}");
            }
            "enum" => {
                ensure!(rule.as_array().is_some_and(|all| all.contains(value)), "{value} is not in {rule}");
            }
            "anyOf" => {
                let any = rule.as_array().is_some_and(|all| all.iter().any(|one| check(one, value).is_ok()));
                ensure!(any, "{value} fits none of {rule}");
            }
            "required" => {
                for name in rule.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    ensure!(value.get(name).is_some(), "`{name}` is missing in {value}");
                }
            }
            "properties" => {
                for (name, rule) in rule.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        check(rule, value).with_context(|| format!("`{name}`"))?;
                    }
                }
            }
            "items" => {
                for value in value.as_array().into_iter().flatten() {
                    check(rule, value)?;
                }
            }
            "minimum" => {
                let least = rule.as_f64().context("a minimum that is no number")?;
                ensure!(value.as_f64().is_none_or(|value| value >= least), "{value} is below {least}");
            }
            "$ref" => {
                let path = rule
                    .as_str()
                    .and_then(|text| text.strip_prefix('#'))
                    .context("a reference to elsewhere")?;
                let definition = whole.pointer(path).with_context(|| format!("nothing at {rule}"))?;
                check(definition, value)?;
            }
            "$defs" | "title" | "description" | "format" | "default" => {}
            other => bail!("the keyword `{other}` is not checked here"),
        }
    }
    Ok(())
}

fn is(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_keyword_finds_its_fault() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": { "type": ["integer", "null"], "minimum": 0 },
                "b": { "type": "array", "items": { "anyOf": [{ "enum": ["x"] }, { "type": "boolean" }] } },
            },
        });
        for good in [json!({ "a": 1 }), json!({ "a": null, "b": ["x", true] }), json!({ "a": 0, "c": 1 })] {
            check(&schema, &good).unwrap();
        }
        for bad in
            [json!([]), json!({}), json!({ "a": "1" }), json!({ "a": -1 }), json!({ "a": 1, "b": ["y"] })]
        {
            assert!(check(&schema, &bad).is_err(), "{bad}");
        }
        assert!(check(&json!({ "oneOf": [] }), &json!(1)).is_err());
    }

    #[test]
    fn references_are_followed() {
        let schema = json!({ "items": { "$ref": "#/$defs/A" }, "$defs": { "A": { "type": "string" } } });
        check(&schema, &json!(["a"])).unwrap();
        assert!(check(&schema, &json!([1])).is_err());
        for reference in ["#/$defs/B", "A"] {
            assert!(check(&json!({ "$ref": reference }), &json!("a")).is_err(), "{reference}");
        }
    }
}
