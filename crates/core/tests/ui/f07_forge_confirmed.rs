//! Only the gate says that a person confirmed.

use countersign_confirm::Confirmed;
use countersign_send_policy::DraftSnapshot;
fn f(s: DraftSnapshot) -> Confirmed<DraftSnapshot> { Confirmed { subject: s } }

fn main() {}
