//! `create_draft`: a new message, stored in Drafts.

use rmcp::model::JsonObject;

use super::{
    Answered, Grant, Handler, Hints, Needs, Page, Reply, ToolDef, Work, args,
    composing::{NewMessage, compose},
    drafting::{DraftOut, store, stored},
};
use crate::{account::Account, mailbox::Mailbox, protection::Raw};

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "create_draft",
        title: "Write a draft",
        description: "Write a new email and store it in Drafts without sending it. Returns the draft's id for `send_draft`, \
                      which asks the person to confirm.",
        hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
        needs: Needs::grants(&[Grant::Draft]),
        input: args::schema::<NewMessage>,
        output: Some(args::output::<DraftOut>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let draft = compose(account, args::parse::<NewMessage>(arguments)?).await?;
        let kept = store(account, &draft).await?;
        Ok(Reply::Page(stored(Page::default(), &kept.id, kept.fingerprint)))
    })
}
