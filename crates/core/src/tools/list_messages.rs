//! `list_messages`: a folder, newest first.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answered, Desk, Grant, Handler, Hints, Needs, Reply, ToolDef, args,
    listing::{DEFAULT_LIMIT, ListingOut, open_cursor, page, query_digest},
};
use crate::{
    account::Account,
    mailbox::Mailbox,
    model::{FolderScope, SpecialUse, Window},
    protection::Raw,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// A folder: inbox (the default), drafts, sent, archive, junk, trash, or an id from `list_folders`.
    folder: Option<String>,
    /// Most messages to return; 25 if left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u64>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "list_messages",
        title: "List messages",
        description: "List the emails of a folder (the inbox by default), newest first: subject, sender, recipients, date, \
                      read and flag state, attachments. Does not mark anything as read. Page with `cursor`.",
        hints: Hints::READ,
        needs: Needs::grants(&[Grant::Read]),
        input: args::schema::<Args>,
        output: Some(args::output::<ListingOut>),
        handler: Handler::Foreign(run::<M>),
    }
}

fn run<'a, M: Mailbox<Stage = Raw>>(
    account: &'a Account<M>,
    arguments: JsonObject,
    desk: Desk<'a>,
) -> Answered<'a> {
    Box::pin(async move {
        let query = query_digest("list_messages", account.name().as_str(), &arguments);
        let Args { folder, limit, cursor } = args::parse(arguments)?;
        let scope = match folder.as_deref() {
            Some(folder) => args::folder(folder)?,
            None => FolderScope::Use(SpecialUse::Inbox),
        };
        let window = Window {
            limit: limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT),
            cursor: open_cursor(cursor.as_deref(), &query)?,
            budget: desk.work.budget,
        };
        let receipt = desk.receipt().await?;
        let listing = account.mailbox().list_messages(&scope, &window, &receipt).await?;
        Ok(Reply::Page(page(&listing, &query)))
    })
}
