//! Only confirm turns a request into a call and a question into its wire form.

use countersign_confirm::{Call, Question};
use rmcp::{RoleServer, model::{CallToolRequestParams, CallToolResponse}, service::RequestContext};
fn forged(mut r: CallToolRequestParams, c: RequestContext<RoleServer>, state: String) -> Call {
    r.request_state = Some(state);
    let Some(waiting) = None else { unreachable!() };
    Call { context: c, request_state: r.request_state, input_responses: r.input_responses, waiting }
}
fn steal(q: Question) -> Option<String> {
    match CallToolResponse::from(q) { CallToolResponse::InputRequired(r) => r.request_state, _ => None }
}

fn main() {}
