//! `create_draft`: a new message, stored in Drafts.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answered, Grant, Handler, Hints, Needs, Page, Reply, ToolDef, Work, args,
    drafting::{DraftOut, edit, store, stored},
};
use crate::{account::Account, compose, mailbox::Mailbox, protection::Raw};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Recipients, each entry one address: `ana@example.com` or `Ana Lee <ana@example.com>`.
    to: Option<Vec<String>>,
    /// Cc recipients.
    cc: Option<Vec<String>>,
    /// Bcc recipients.
    bcc: Option<Vec<String>>,
    /// Subject.
    subject: String,
    /// The text, plain; paragraphs separated by an empty line.
    text: String,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "create_draft",
        title: "Write a draft",
        description: "Write a new email and store it in Drafts without sending it. Returns the draft's id for `send_draft`, \
                      which asks the person to confirm.",
        hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
        needs: Needs::grants(&[Grant::Draft]),
        input: args::schema::<Args>,
        output: Some(args::output::<DraftOut>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let Args { to, cc, bcc, subject, text } = args::parse(arguments)?;
        let draft = compose::new_draft(edit(to, cc, bcc, Some(subject), text)?, None)?;
        let kept = store(account, &draft).await?;
        Ok(Reply::Page(stored(Page::default(), &kept.id, kept.fingerprint)))
    })
}
