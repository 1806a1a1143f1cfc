//! The rails: by which way a person is asked, chosen for each call from what its caller declared.
//!
//! The declaration is the request's own (`_meta`, 2026-07-28) before the connection's (`initialize`), because one
//! connection may relay several callers. Nothing declared at all is not "cannot": such a client is asked, and if it
//! really can't, that fails where it can be seen. A declaration that leaves elicitation out, or names modes without
//! `form`, says that the client can't.

pub(crate) mod elicitation;
pub(crate) mod input_required;
pub(crate) mod token;
pub(crate) mod write;

use std::collections::BTreeMap;

use rmcp::model::{
    BooleanSchema, ElicitRequestParams, ElicitationSchema, PrimitiveSchemaDefinition, ProtocolVersion,
};

use crate::{Call, Prompting, outcome::Prompts, prompting::CONFIRM, wording};

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

/// The rail for this call, or why there is none.
pub(crate) fn choose(elicitation: bool, call: &Call) -> Result<Rail, Prompts> {
    prompting(call).allowed(elicitation)?;
    Ok(by_era(call))
}

/// The rail of those who can be prompted.
pub(crate) fn by_era(call: &Call) -> Rail {
    if is_modern(call) { Rail::InputRequired } else { Rail::Elicitation }
}

/// What is known of the caller.
pub(crate) fn prompting(call: &Call) -> Prompting {
    match Prompting::declared(call.context.meta.get(CLIENT_CAPABILITIES)) {
        Prompting::Unknown if !is_modern(call) => at_initialize(call),
        declared @ (Prompting::Can | Prompting::Cannot | Prompting::Unknown) => declared,
    }
}

/// From `initialize`, where rmcp has parsed it.
fn at_initialize(call: &Call) -> Prompting {
    let Some(client) = call.context.peer.peer_info() else { return Prompting::Unknown };
    let declared = serde_json::to_value(&client.capabilities).ok();
    Prompting::declared(declared.as_ref())
}

fn is_modern(call: &Call) -> bool {
    call.context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// The form: what is shown, and one required box that starts out unticked because it has no default.
fn form(message: String) -> ElicitRequestParams {
    let tick = BooleanSchema::new().title(wording::CONFIRM_TITLE).description(wording::CONFIRM_DESCRIPTION);
    let fields = BTreeMap::from([(CONFIRM.to_owned(), PrimitiveSchemaDefinition::Boolean(tick))]);
    let mut schema = ElicitationSchema::new(fields);
    schema.required = Some(vec![CONFIRM.to_owned()]);
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_form_has_one_required_box_without_a_default() {
        let shown = serde_json::to_value(form("Send this?".to_owned())).unwrap();
        assert_eq!(shown["message"], "Send this?");
        assert_eq!(shown["requestedSchema"]["required"], json!(["confirm"]));
        let properties = shown["requestedSchema"]["properties"].as_object().unwrap();
        assert_eq!(properties.len(), 1);
        assert_eq!(properties["confirm"]["type"], "boolean");
        assert_eq!(properties["confirm"]["title"], "Confirm");
        assert!(properties["confirm"].get("default").is_none());
    }
}
