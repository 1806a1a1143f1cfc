//! What a permit holds does not reach a result.

use countersign_core::tools::Page;
use countersign_send_policy::{Origin, SendPermit};
fn leak(p: SendPermit, o: &Origin) -> Page { Page::default().own(p.redeem(o).unwrap().subject) }

fn main() {}
