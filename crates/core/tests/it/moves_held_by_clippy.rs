//! Moves that compile and that clippy's disallowed methods forbid outside the composition root. Each stands here under
//! `#[expect]`: should the lint stop firing, the unfulfilled expectation fails `cargo clippy -- -D warnings`.

use std::sync::Arc;

use countersign_core::{
    memory::MemoryMailbox,
    protection::{Level, ProtectedMailbox},
};
use countersign_send_policy::{CallScope, ExposureReceipt, PolicyIdentity, RulesConfig, SendPolicy, Sqlite};

/// h05: protection at a level of one's own choosing.
#[expect(clippy::disallowed_methods, reason = "shows that the lint fires")]
fn protect_at_off(raw: MemoryMailbox) -> ProtectedMailbox<MemoryMailbox> {
    ProtectedMailbox::new(raw, Level::Off)
}

/// h06: a policy of one's own over a state of one's own.
#[expect(clippy::disallowed_methods, reason = "shows that the lint fires")]
fn own_policy(identity: PolicyIdentity) -> SendPolicy {
    SendPolicy::new(Arc::new(Sqlite::at("elsewhere.db".into())), identity, &RulesConfig::default())
}

/// h07: a scope that never ends, and with it a receipt that can be kept.
#[expect(clippy::disallowed_methods, reason = "shows that the lint fires")]
async fn leak_scope(policy: &SendPolicy) -> Option<ExposureReceipt<'static>> {
    policy.expose(Box::leak(Box::new(CallScope::default()))).await.ok()
}

#[test]
fn the_moves_compile_so_only_clippy_holds_them() {
    let _ = (protect_at_off, own_policy, leak_scope);
}
