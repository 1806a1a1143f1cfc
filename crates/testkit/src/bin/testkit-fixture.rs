//! A small MCP server to try the clients on: `echo` answers at once, `send_draft` asks the person first, in the
//! way of the client's era, and says what came of it. It guards nothing; the real gate is in `confirm`.

use std::time::Duration;

use anyhow::Result;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, ElicitationAction, ElicitationSchema, ErrorData, Implementation, InputRequest,
    InputRequests, InputRequiredResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};

/// How long the older eras wait for the person.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
const KEY: &str = "confirm";

struct Fixture;

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("testkit-fixture", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = |name: &str| {
            let schema = json!({
                "type": "object", "properties": { name: { "type": "string" } }, "required": [name],
            });
            schema.as_object().cloned().unwrap_or_default()
        };
        Ok(ListToolsResult::with_all_items(vec![
            Tool::new("echo", "Answers with the given text.", schema("text")),
            Tool::new("send_draft", "Asks, then tells what the person said.", schema("draft")),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let argument = |name: &str| {
            request
                .arguments
                .as_ref()
                .and_then(|all| all.get(name)?.as_str().map(str::to_owned))
                .unwrap_or_default()
        };
        match request.name.as_ref() {
            "echo" => Ok(said(&argument("text")).into()),
            "send_draft" => send(&argument("draft"), &request, &context).await,
            _ => Err(ErrorData::invalid_params("tool not found", None)),
        }
    }
}

async fn send(
    draft: &str,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if context.client_capabilities().is_none_or(|all| all.elicitation.is_none()) {
        return Ok(CallToolResult::error(vec![ContentBlock::text("cannot prompt")]).into());
    }
    let form = ElicitationSchema::builder()
        .required_bool("confirm")
        .build()
        .map_err(|problem| ErrorData::internal_error(problem.to_string(), None))?;
    let question = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("Send the draft {draft}?"),
        requested_schema: form,
    };
    if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        let Some(answer) = request.input_responses.as_ref().and_then(|all| all.get(KEY)) else {
            let mut requests = InputRequests::new();
            requests.insert(KEY.to_owned(), InputRequest::Elicitation(ElicitRequest::new(question)));
            return Ok(InputRequiredResult::new(Some(requests), Some(format!("state of {draft}"))).into());
        };
        if request.request_state.as_deref() != Some(&format!("state of {draft}")) {
            return Ok(said("bad state").into());
        }
        let ticked = answer.pointer("/content/confirm") == Some(&Value::Bool(true));
        let accepted = answer.get("action") == Some(&"accept".into());
        return Ok(said(if accepted && ticked { "sent" } else { "not sent" }).into());
    }
    let answer = context
        .peer
        .create_elicitation_with_timeout(question, Some(ANSWER_LIMIT))
        .await
        .map_err(|problem| ErrorData::internal_error(problem.to_string(), None))?;
    let ticked = answer.content.is_some_and(|content| content.get("confirm") == Some(&Value::Bool(true)));
    let accepted = answer.action == ElicitationAction::Accept;
    Ok(said(if accepted && ticked { "sent" } else { "not sent" }).into())
}

fn said(text: &str) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(json!({ "said": text }));
    result
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    Fixture.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
