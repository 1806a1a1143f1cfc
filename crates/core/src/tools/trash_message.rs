//! `trash_message`: messages into Trash; nothing is deleted for good.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Answered, Grant, Handler, Hints, Needs, ToolDef, Work, args, moving};
use crate::{
    account::Account,
    mailbox::{Feature, Mailbox},
    model::{Destination, SpecialUse},
    protection::Raw,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The messages' ids, 1 to 100.
    messages: Vec<String>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "trash_message",
        title: "Move messages to Trash",
        description: "Move emails to Trash. Nothing is deleted for good: they can be moved back until the mail server empties its Trash.",
        hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: false },
        needs: Needs { grants: &[Grant::Trash], features: &[Feature::Folders], save_dir: false },
        input: args::schema::<Args>,
        output: Some(args::output::<moving::MovedOut>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let Args { messages } = args::parse(arguments)?;
        let ids = args::messages(&messages)?;
        moving::run(account, &ids, Destination::Use(SpecialUse::Trash)).await
    })
}
