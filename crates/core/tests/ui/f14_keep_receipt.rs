//! A receipt ends with its call.

use countersign_send_policy::{CallScope, ExposureReceipt, SendPolicy};
struct State { kept: std::sync::Mutex<Option<ExposureReceipt<'static>>> }
async fn f(st: &State, p: &SendPolicy) {
    let call = CallScope::default();
    let r = p.expose(&call).await.unwrap();
    *st.kept.lock().unwrap() = Some(r);
}

fn main() {}
