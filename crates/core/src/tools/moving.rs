//! What `move_message`, `archive_message` and `trash_message` share.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Page, Reply, ToolError};
use crate::{
    account::Account,
    mailbox::Mailbox,
    model::{Destination, MessageRef},
    protection::Raw,
};

/// The structured result.
#[derive(Serialize, JsonSchema)]
pub(super) struct MovedOut {
    /// What moved.
    moved: Vec<MovedRowOut>,
}

/// One message that moved.
#[derive(Serialize, JsonSchema)]
struct MovedRowOut {
    /// The id that it had.
    message: String,
    /// The id that it has now, where the server says.
    now: Option<String>,
}

/// Moves messages and reports their new ids.
pub(super) async fn run<M: Mailbox<Stage = Raw>>(
    account: &Account<M>,
    ids: &[MessageRef],
    to: Destination,
) -> Result<Reply, ToolError> {
    let moved = account.mailbox().move_messages(ids, &to).await?;
    let mut page = Page::default().say("Moved:\n");
    for one in &moved {
        page = page.say("- ").own(one).say("\n");
    }
    Ok(Reply::Page(page.fact("moved", moved)))
}
