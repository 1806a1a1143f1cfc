//! `forward_draft`: a message passed on, with its attachments, stored in Drafts.

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
    /// The id of the message to forward.
    message: String,
    /// Recipients, each entry one address.
    to: Option<Vec<String>>,
    /// Cc recipients.
    cc: Option<Vec<String>>,
    /// Bcc recipients.
    bcc: Option<Vec<String>>,
    /// Your text, plain; the forwarded message follows it.
    text: Option<String>,
    /// false leaves the attachments out; true is the default.
    attachments: Option<bool>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "forward_draft",
        title: "Draft a forward",
        description: "Forward an email to someone else: stores a draft with the original's text and attachments below your \
                      text, without sending it.",
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
        let Args { message, to, cc, bcc, text, attachments } = args::parse(arguments)?;
        let id = args::message(&message)?;
        let edit = edit(to, cc, bcc, None, text.unwrap_or_default())?;
        let receipt = desk.receipt().await?;
        let mailbox = account.mailbox();
        let with_attachments = attachments.unwrap_or(true);
        let original = mailbox.original(&id, with_attachments).await?;
        let draft = compose::forward(original, edit, mailbox.own_addresses(), with_attachments)?;
        let view = mailbox.view_draft(&draft, &receipt)?;
        let kept = store(account, &draft).await?;
        Ok(Reply::Page(stored_reply(&view, &kept)))
    })
}
