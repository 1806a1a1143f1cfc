//! Only confirm turns a request into a call: nobody else can put a state of their own into one.

use countersign_confirm::Call;
use rmcp::{RoleServer, model::CallToolRequestParams, service::RequestContext};
fn forged(mut r: CallToolRequestParams, c: RequestContext<RoleServer>, state: String) -> Call {
    r.request_state = Some(state);
    Call { context: c, request_state: r.request_state, input_responses: r.input_responses, waiting: unreachable!() }
}

fn main() {}
