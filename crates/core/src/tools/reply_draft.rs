//! `reply_draft`: an answer to a message, threaded, stored in Drafts.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answered, Desk, Grant, Handler, Hints, Needs, Reply, ToolDef, args,
    drafting::{ReplyDraftOut, edit, store, stored_reply},
};
use crate::{account::Account, compose, mailbox::Mailbox, protection::Raw};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The id of the message to answer.
    message: String,
    /// Your text, plain; the quoted original follows it.
    text: String,
    /// true: answer everyone (To and Cc, own addresses left out); false (the default): the sender only.
    all: Option<bool>,
    /// false leaves out the quoted original; true is the default.
    quote: Option<bool>,
    /// More recipients (To), each entry one address.
    to: Option<Vec<String>>,
    /// More Cc recipients.
    cc: Option<Vec<String>>,
    /// Bcc recipients.
    bcc: Option<Vec<String>>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "reply_draft",
        title: "Draft a reply",
        description: "Write a reply (or reply-all) to an email and store it in Drafts without sending it: recipients, subject \
                      and threading follow from the original, which is quoted below your text.",
        hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
        needs: Needs::grants(&[Grant::Read, Grant::Draft]),
        input: args::schema::<Args>,
        output: Some(args::output::<ReplyDraftOut>),
        handler: Handler::Foreign(run::<M>),
    }
}

fn run<'a, M: Mailbox<Stage = Raw>>(
    account: &'a Account<M>,
    arguments: JsonObject,
    desk: Desk<'a>,
) -> Answered<'a> {
    Box::pin(async move {
        let Args { message, text, all, quote, to, cc, bcc } = args::parse(arguments)?;
        let id = args::message(&message)?;
        let edit = edit(to, cc, bcc, None, text)?;
        let receipt = desk.receipt().await?;
        let mailbox = account.mailbox();
        let original = mailbox.original(&id, false).await?;
        let draft = compose::reply(
            &original,
            edit,
            mailbox.own_addresses(),
            all.unwrap_or(false),
            quote.unwrap_or(true),
        )?;
        let view = mailbox.view_draft(&draft, &receipt)?;
        let kept = store(account, &draft).await?;
        Ok(Reply::Page(stored_reply(&view, &kept)))
    })
}
