//! A tool that shows only our own words has no way to mint a receipt.

use countersign_core::{account::Account, memory::MemoryMailbox, tools::{Answered, Desk, Handler}};
fn run<'a>(_: &'a Account<MemoryMailbox>, _: rmcp::model::JsonObject, _: Desk<'a>) -> Answered<'a> { loop {} }
fn f() -> Handler<MemoryMailbox> { Handler::Own(run) }

fn main() {}
