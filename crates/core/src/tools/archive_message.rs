//! `archive_message`: messages into the archive folder.

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
        name: "archive_message",
        title: "Archive messages",
        description: "Move emails out of the inbox into the archive folder. They keep their read state and can be moved back.",
        hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
        needs: Needs { grants: &[Grant::Modify], features: &[Feature::Archive], save_dir: false },
        input: args::schema::<Args>,
        output: Some(args::output::<moving::MovedOut>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let Args { messages } = args::parse(arguments)?;
        let ids = args::messages(&messages)?;
        moving::run(account, &ids, Destination::Use(SpecialUse::Archive)).await
    })
}
