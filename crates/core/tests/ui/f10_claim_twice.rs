//! A confirmation is used up by the claim.

use countersign_confirm::Confirmed;
use countersign_send_policy::{Approval, DraftSnapshot, SendPolicy};
async fn f(s: SendPolicy, c: Confirmed<DraftSnapshot>) {
    let _ = s.claim(Approval::Confirmed(c)).await;
    let _ = s.claim(Approval::Confirmed(c)).await;
}

fn main() {}
