//! A state store of one's own would not see the claims.

use countersign_send_policy::StateStore;
fn store<S: StateStore>(_: S) {}
struct Fake;
fn f() { store(Fake); }

fn main() {}
