//! The rails: by which way a person is asked, chosen for each call from what its caller declared.
//!
//! The declaration is the request's own (`_meta`, 2026-07-28) before the connection's (`initialize`), because one
//! connection may relay several callers. Nothing declared at all is not "cannot": such a client is asked, and if it
//! really can't, that fails where it can be seen. A declaration that leaves elicitation out, or names modes without
//! `form`, says that the client can't.

pub(crate) mod elicitation;
pub(crate) mod input_required;

use std::collections::BTreeMap;

use rmcp::model::{
    BooleanSchema, ClientCapabilities, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, PrimitiveSchemaDefinition, ProtocolVersion, RequestMetaObject,
};
use serde_json::Value;

use crate::{Call, Declined, wording};

/// The form's only field, and the key of the only question in a round.
const CONFIRM: &str = "confirm";
/// Where a 2026-07-28 request declares what its client can do.
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A way of asking.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Rail {
    /// 2026-07-28: the question is a result, the answer comes with the next call.
    InputRequired,
    /// Before: a request to the client while the call waits.
    Elicitation,
}

/// What is known of a caller's ability to show a form.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Form {
    Can,
    Cannot,
    Unknown,
}

/// The rail for this call, or why there is none.
pub(crate) fn choose(elicitation: bool, call: &Call) -> Result<Rail, Declined> {
    let modern =
        call.context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let form = match declared_in_request(&call.context.meta) {
        Form::Unknown if !modern => declared_at_initialize(
            call.context.peer.peer_info().map(|info| info.capabilities.clone()).as_ref(),
        ),
        form @ (Form::Can | Form::Cannot | Form::Unknown) => form,
    };
    by_what_is_known(elicitation, form, modern)
}

fn by_what_is_known(elicitation: bool, form: Form, modern: bool) -> Result<Rail, Declined> {
    match (elicitation, form, modern) {
        (false, _, _) => Err(Declined::PromptsOff),
        (true, Form::Cannot, _) => Err(Declined::CannotPrompt),
        (true, Form::Can | Form::Unknown, true) => Ok(Rail::InputRequired),
        (true, Form::Can | Form::Unknown, false) => Ok(Rail::Elicitation),
    }
}

/// From the request's `_meta`, read as it came: `elicitation: true` is a declaration too, and says "cannot".
fn declared_in_request(meta: &RequestMetaObject) -> Form {
    let Some(Value::Object(capabilities)) = meta.get(CLIENT_CAPABILITIES) else {
        return Form::Unknown;
    };
    let Some(Value::Object(modes)) = capabilities.get("elicitation") else { return Form::Cannot };
    let named = |mode| modes.get(mode).is_some_and(|value| !value.is_null());
    by_modes(named("form"), named("url"))
}

/// From `initialize`, where rmcp has parsed it.
fn declared_at_initialize(capabilities: Option<&ClientCapabilities>) -> Form {
    match capabilities {
        None => Form::Unknown,
        Some(ClientCapabilities { elicitation: None, .. }) => Form::Cannot,
        Some(ClientCapabilities { elicitation: Some(modes), .. }) => {
            by_modes(modes.form.is_some(), modes.url.is_some())
        }
    }
}

/// A client that names no mode did not exclude this one.
fn by_modes(form: bool, url: bool) -> Form {
    if form || !url { Form::Can } else { Form::Cannot }
}

/// The form: what is shown, and one required box that starts out unticked because it has no default.
fn form(message: String) -> ElicitRequestParams {
    let tick = BooleanSchema::new().title(wording::CONFIRM_TITLE).description(wording::CONFIRM_DESCRIPTION);
    let fields = BTreeMap::from([(CONFIRM.to_owned(), PrimitiveSchemaDefinition::Boolean(tick))]);
    let mut schema = ElicitationSchema::new(fields);
    schema.required = Some(vec![CONFIRM.to_owned()]);
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema }
}

/// Whether an answer to the form is a yes: accepted, and the box ticked. Anything else is a no.
fn decide(answer: &ElicitResult) -> Result<(), Declined> {
    match answer.action {
        ElicitationAction::Accept => {
            let ticked = answer.content.as_ref().and_then(|content| content.get(CONFIRM));
            if ticked == Some(&Value::Bool(true)) { Ok(()) } else { Err(Declined::Unticked) }
        }
        ElicitationAction::Decline => Err(Declined::Refused),
        ElicitationAction::Cancel => Err(Declined::Cancelled),
        // An answer that later revisions may add is not a yes.
        _ => Err(Declined::Unanswered),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_is_asked_and_cannot_is_not() {
        for (elicitation, form, modern, rail) in [
            (true, Form::Can, true, Ok(Rail::InputRequired)),
            (true, Form::Can, false, Ok(Rail::Elicitation)),
            (true, Form::Unknown, true, Ok(Rail::InputRequired)),
            (true, Form::Unknown, false, Ok(Rail::Elicitation)),
            (true, Form::Cannot, true, Err(Declined::CannotPrompt)),
            (true, Form::Cannot, false, Err(Declined::CannotPrompt)),
            (false, Form::Can, true, Err(Declined::PromptsOff)),
            (false, Form::Can, false, Err(Declined::PromptsOff)),
            (false, Form::Unknown, true, Err(Declined::PromptsOff)),
            (false, Form::Cannot, true, Err(Declined::PromptsOff)),
        ] {
            assert_eq!(by_what_is_known(elicitation, form, modern), rail, "{elicitation} {form:?} {modern}");
        }
    }

    #[test]
    fn capabilities_of_a_request_are_classified() {
        for (declared, form) in [
            (json!(null), Form::Unknown),
            (json!("elicitation"), Form::Unknown),
            (json!({}), Form::Cannot),
            (json!({"elicitation": null}), Form::Cannot),
            (json!({"elicitation": true}), Form::Cannot),
            (json!({"elicitation": ["form"]}), Form::Cannot),
            (json!({"elicitation": {}}), Form::Can),
            (json!({"elicitation": {"form": {}}}), Form::Can),
            (json!({"elicitation": {"form": {}, "url": {}}}), Form::Can),
            (json!({"elicitation": {"form": null, "url": {}}}), Form::Cannot),
            (json!({"elicitation": {"url": {}}}), Form::Cannot),
            (json!({"elicitation": {"voice": {}}}), Form::Can),
        ] {
            let meta = json!({"io.modelcontextprotocol/clientCapabilities": declared});
            let meta: RequestMetaObject = serde_json::from_value(meta).unwrap();
            assert_eq!(declared_in_request(&meta), form, "{declared}");
        }
        assert_eq!(declared_in_request(&RequestMetaObject::new()), Form::Unknown);
    }

    #[test]
    fn capabilities_of_a_connection_are_classified() {
        for (declared, form) in [
            (json!({}), Form::Cannot),
            (json!({"elicitation": {}}), Form::Can),
            (json!({"elicitation": {"form": {}}}), Form::Can),
            (json!({"elicitation": {"url": {}}}), Form::Cannot),
        ] {
            let capabilities = serde_json::from_value(declared.clone()).unwrap();
            assert_eq!(declared_at_initialize(Some(&capabilities)), form, "{declared}");
        }
        assert_eq!(declared_at_initialize(None), Form::Unknown);
    }

    #[test]
    fn the_form_has_one_required_box_without_a_default() {
        let shown = serde_json::to_value(form("Send this?".to_owned())).unwrap();
        assert_eq!(shown["message"], "Send this?");
        assert_eq!(shown["requestedSchema"]["required"], json!(["confirm"]));
        let properties = shown["requestedSchema"]["properties"].as_object().unwrap();
        assert_eq!(properties.len(), 1);
        assert_eq!(properties["confirm"]["type"], "boolean");
        assert!(properties["confirm"].get("default").is_none());
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
        ] {
            let parsed = serde_json::from_value(answer.clone()).unwrap();
            assert_eq!(decide(&parsed), decision, "{answer}");
        }
    }
}
