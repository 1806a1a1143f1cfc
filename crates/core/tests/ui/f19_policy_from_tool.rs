//! A tool does not reach the policy.

use countersign_core::{account::Account, memory::MemoryMailbox};
use countersign_send_policy::SendPolicy;
fn f(a: &Account<MemoryMailbox>) -> &SendPolicy { &a.policy }

fn main() {}
