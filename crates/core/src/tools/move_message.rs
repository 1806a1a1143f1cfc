//! `move_message`: messages into another folder. Moving to Junk or Trash needs the `trash` capability (decisions.md §3);
//! nothing moves into Sent or Drafts.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Answered, Grant, Handler, Hints, Needs, ToolDef, ToolError, Work, args, moving};
use crate::{
    account::Account,
    mailbox::{Feature, Mailbox},
    model::{Destination, FolderScope, SpecialUse},
    protection::Raw,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The messages' ids, 1 to 100.
    messages: Vec<String>,
    /// Where to: inbox, archive, junk, trash, or an id from `list_folders`.
    folder: String,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "move_message",
        title: "Move messages",
        description: "Move emails to another folder (inbox, archive, junk, trash or one from `list_folders`). Nothing moves \
                      into Sent or Drafts.",
        hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: false },
        needs: Needs { grants: &[Grant::Modify], features: &[Feature::Folders], save_dir: false },
        input: args::schema::<Args>,
        output: Some(args::output::<moving::MovedOut>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let Args { messages, folder } = args::parse(arguments)?;
        let ids = args::messages(&messages)?;
        let to = match args::folder(&folder)? {
            FolderScope::One(folder) => Destination::Folder(folder),
            FolderScope::Use(use_) => Destination::Use(use_),
            FolderScope::All => return Err(ToolError::arguments("`folder` must be one folder.".to_owned())),
        };
        let use_ = match &to {
            Destination::Folder(folder) => account.mailbox().special_use(folder).await?,
            Destination::Use(use_) => Some(*use_),
        };
        let discards = matches!(use_, Some(SpecialUse::Trash | SpecialUse::Junk));
        if discards && !account.profile().grants.has(Grant::Trash) {
            return Err(ToolError::new(
                ToolError::NOTHING,
                "The owner does not allow moving to Junk or Trash for this account.",
                "Choose another folder, or leave it to the person.",
            ));
        }
        moving::run(account, &ids, to).await
    })
}
