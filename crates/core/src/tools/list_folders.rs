//! `list_folders`: the account's folders, what each is for and how much is in it.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answered, Grant, Handler, Hints, Needs, Page, Reply, ToolDef, Work, args};
use crate::{
    account::Account,
    mailbox::{Feature, Mailbox},
    protection::Raw,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

/// The structured result.
#[derive(Serialize, JsonSchema)]
struct Out {
    /// The folders.
    folders: Vec<FolderOut>,
}

/// One folder.
#[derive(Serialize, JsonSchema)]
struct FolderOut {
    /// Its id for other tools.
    id: String,
    /// Its whole name.
    name: String,
    /// What it is for: inbox, drafts, sent, archive, junk, trash, flagged, all.
    special_use: Option<String>,
    /// Whether it can hold messages.
    selectable: bool,
    /// Messages in it.
    total: Option<u64>,
    /// Unread messages in it.
    unread: Option<u64>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "list_folders",
        title: "List mail folders",
        description: "List the folders (mailboxes, labels) of an account with their ids, what each is for (inbox, drafts, \
                      sent, archive, junk, trash) and how many messages and unread messages each holds.",
        hints: Hints::READ,
        needs: Needs { grants: &[Grant::Read], features: &[Feature::Folders], save_dir: false },
        input: args::schema::<Args>,
        output: Some(args::output::<Out>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let Args {} = args::parse(arguments)?;
        let folders = account.mailbox().list_folders().await?;
        let mut page = Page::default();
        for folder in &folders {
            page = page.say("- ").own(folder).say("\n");
        }
        Ok(Reply::Page(page.fact("folders", folders)))
    })
}
