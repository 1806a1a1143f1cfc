//! `reply_draft`: an answer to a message, threaded, stored in Drafts.

use rmcp::model::JsonObject;

use super::{
    Answered, Desk, Grant, Handler, Hints, Needs, Reply, ToolDef, args,
    composing::{Answer, compose},
    drafting::{ReplyDraftOut, store, stored_reply},
};
use crate::{account::Account, mailbox::Mailbox, protection::Raw};

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "reply_draft",
        title: "Draft a reply",
        description: "Write a reply (or reply-all) to an email and store it in Drafts without sending it: recipients, subject \
                      and threading follow from the original, which is quoted below your text.",
        hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
        needs: Needs::grants(&[Grant::Read, Grant::Draft]),
        input: args::schema::<Answer>,
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
        let given: Answer = args::parse(arguments)?;
        let receipt = desk.receipt().await?;
        let draft = compose(account, given).await?;
        let view = account.mailbox().view_draft(&draft, &receipt)?;
        let kept = store(account, &draft).await?;
        Ok(Reply::Page(stored_reply(&view, &kept)))
    })
}
