//! Only confirm turns a question into its wire form: nobody else gets at the signed state in it.

use countersign_confirm::Question;
use rmcp::model::CallToolResponse;
fn steal(q: Question) -> Option<String> {
    match CallToolResponse::from(q) { CallToolResponse::InputRequired(r) => r.request_state, _ => None }
}

fn main() {}
