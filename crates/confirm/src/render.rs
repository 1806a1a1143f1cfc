//! JSON as text for people and models: indented, and with everything invisible written as an escape, which changes how
//! it reads and not what it says.

use std::fmt::Write as _;

use serde::Serialize;

use crate::inert;

/// `value` as JSON of several lines. What is not visible stands as `\uXXXX`; a JSON reader gets back what was there.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Fails for maps whose keys are no text, of which there is none here.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || inert::is_visible(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap_or_default();
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn invisible_characters_are_escaped_and_read_back_the_same() {
        let value = json!({"a\u{202e}": "b\u{e0041}\n\u{7f} č"});
        let text = json(&value);
        assert_eq!(text, "{\n  \"a\\u202e\": \"b\\udb40\\udc41\\n\\u007f č\"\n}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
