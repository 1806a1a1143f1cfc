//! What is known of a caller's ability to show a form, and what its answer to one means. Both are read as JSON, so that
//! a declaration or an answer of an unforeseen shape is judged here and not by a parser.

use serde_json::Value;

use crate::{Declined, outcome::Prompts};

/// The form's only field, and the key of the only question in a round.
pub const CONFIRM: &str = "confirm";

/// What is known of a caller's ability to show a form.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a third answer would have to be decided on everywhere")]
pub enum Prompting {
    /// It said that it can.
    Can,
    /// It said what it can, and forms are not among it.
    Cannot,
    /// It said nothing.
    Unknown,
}

impl Prompting {
    /// From declared client capabilities: those of the request (`_meta`, 2026-07-28) where it carries some, else those
    /// of `initialize`. `elicitation: true` is a declaration too, and says "cannot"; a client that names no mode did not
    /// exclude this one.
    #[must_use]
    pub fn declared(capabilities: Option<&Value>) -> Self {
        let Some(Value::Object(capabilities)) = capabilities else { return Self::Unknown };
        let Some(Value::Object(modes)) = capabilities.get("elicitation") else { return Self::Cannot };
        let named = |mode| modes.get(mode).is_some_and(|value| !value.is_null());
        if named("form") || !named("url") { Self::Can } else { Self::Cannot }
    }
}

impl Prompting {
    /// Whether this caller is prompted, given whether prompts are shown at all. One of which nothing is known is: if it
    /// really can't show forms, that fails where it can be seen.
    pub(crate) const fn allowed(self, elicitation: bool) -> Result<(), Prompts> {
        match (elicitation, self) {
            (true, Self::Can | Self::Unknown) => Ok(()),
            (true, Self::Cannot) => Err(Prompts::Undeclared),
            (false, _) => Err(Prompts::Off),
        }
    }
}

/// Whether an answer to the form is a yes: accepted, and the box ticked. Anything else is a no.
pub(crate) fn decide(answer: &Value) -> Result<(), Declined> {
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => {
            let ticked = answer.get("content").and_then(|content| content.get(CONFIRM));
            if ticked == Some(&Value::Bool(true)) { Ok(()) } else { Err(Declined::Unticked) }
        }
        Some("decline") => Err(Declined::Refused),
        Some("cancel") => Err(Declined::Cancelled),
        // An answer that later revisions may add is not a yes.
        Some(_) | None => Err(Declined::Unanswered),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn capabilities_are_classified() {
        for (declared, prompting) in [
            (json!(null), Prompting::Unknown),
            (json!("elicitation"), Prompting::Unknown),
            (json!({}), Prompting::Cannot),
            (json!({"elicitation": null}), Prompting::Cannot),
            (json!({"elicitation": true}), Prompting::Cannot),
            (json!({"elicitation": ["form"]}), Prompting::Cannot),
            (json!({"elicitation": {}}), Prompting::Can),
            (json!({"elicitation": {"form": {}}}), Prompting::Can),
            (json!({"elicitation": {"form": {}, "url": {}}}), Prompting::Can),
            (json!({"elicitation": {"form": null, "url": {}}}), Prompting::Cannot),
            (json!({"elicitation": {"url": {}}}), Prompting::Cannot),
            (json!({"elicitation": {"voice": {}}}), Prompting::Can),
        ] {
            assert_eq!(Prompting::declared(Some(&declared)), prompting, "{declared}");
        }
        assert_eq!(Prompting::declared(None), Prompting::Unknown);
    }

    #[test]
    fn unknown_is_asked_and_cannot_is_not() {
        for (elicitation, prompting, allowed) in [
            (true, Prompting::Can, Ok(())),
            (true, Prompting::Unknown, Ok(())),
            (true, Prompting::Cannot, Err(Prompts::Undeclared)),
            (false, Prompting::Can, Err(Prompts::Off)),
            (false, Prompting::Unknown, Err(Prompts::Off)),
            (false, Prompting::Cannot, Err(Prompts::Off)),
        ] {
            assert_eq!(prompting.allowed(elicitation), allowed, "{elicitation} {prompting:?}");
        }
    }

    #[test]
    fn only_an_accepted_and_ticked_form_is_a_yes() {
        for (answer, decision) in [
            (json!({"action": "accept", "content": {"confirm": true}}), Ok(())),
            (json!({"action": "accept", "content": {"confirm": false}}), Err(Declined::Unticked)),
            (json!({"action": "accept", "content": {"confirm": "true"}}), Err(Declined::Unticked)),
            (json!({"action": "accept", "content": {"confirm": 1}}), Err(Declined::Unticked)),
            (json!({"action": "accept", "content": {"Confirm": true}}), Err(Declined::Unticked)),
            (json!({"action": "accept", "content": {}}), Err(Declined::Unticked)),
            (json!({"action": "accept", "content": [true]}), Err(Declined::Unticked)),
            (json!({"action": "accept", "content": true}), Err(Declined::Unticked)),
            (json!({"action": "accept"}), Err(Declined::Unticked)),
            (json!({"action": "decline", "content": {"confirm": true}}), Err(Declined::Refused)),
            (json!({"action": "cancel", "content": {"confirm": true}}), Err(Declined::Cancelled)),
            (json!({"action": "Accept", "content": {"confirm": true}}), Err(Declined::Unanswered)),
            (json!({"action": "yes", "content": {"confirm": true}}), Err(Declined::Unanswered)),
            (json!({"action": true, "content": {"confirm": true}}), Err(Declined::Unanswered)),
            (json!({"content": {"confirm": true}}), Err(Declined::Unanswered)),
            (json!([]), Err(Declined::Unanswered)),
            (json!(null), Err(Declined::Unanswered)),
        ] {
            assert_eq!(decide(&answer), decision, "{answer}");
        }
    }
}
