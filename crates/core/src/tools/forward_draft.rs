//! `forward_draft`: a message passed on, with its attachments, stored in Drafts.

use rmcp::model::JsonObject;

use super::{
    Answered, Desk, Grant, Handler, Hints, Needs, Reply, ToolDef, args,
    composing::{Forward, compose},
    drafting::{ReplyDraftOut, store, stored_reply},
};
use crate::{account::Account, mailbox::Mailbox, protection::Raw};

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "forward_draft",
        title: "Draft a forward",
        description: "Forward an email to someone else: stores a draft with the original's text and attachments below your \
                      text, without sending it.",
        hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
        needs: Needs::grants(&[Grant::Read, Grant::Draft]),
        input: args::schema::<Forward>,
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
        let given: Forward = args::parse(arguments)?;
        let receipt = desk.receipt().await?;
        let draft = compose(account, given).await?;
        let view = account.mailbox().view_draft(&draft, &receipt)?;
        let kept = store(account, &draft).await?;
        Ok(Reply::Page(stored_reply(&view, &kept)))
    })
}
