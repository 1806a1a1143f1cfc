//! `delete_draft`: removes a draft that this server wrote, by exact identity; any other draft moves to Trash.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answered, Grant, Handler, Hints, Needs, Page, Reply, ToolDef, ToolError, Words, Work, args};
use crate::{
    account::Account,
    mailbox::{Mailbox, MailboxError},
    protection::Raw,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The draft's id.
    draft: String,
}

/// The structured result.
#[derive(Serialize, JsonSchema)]
struct Out {
    /// The id that the draft had.
    draft: String,
    /// "removed" for a draft that this server wrote, "trashed" for any other.
    outcome: String,
    /// Its id in Trash, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<String>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "delete_draft",
        title: "Discard a draft",
        description: "Discard a draft. One that was written with this server is removed; any other (the person's own) moves to \
                      Trash instead.",
        hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: false },
        needs: Needs::grants(&[Grant::Draft]),
        input: args::schema::<Args>,
        output: Some(args::output::<Out>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let Args { draft } = args::parse(arguments)?;
        let id = args::draft(&draft)?;
        let own = account.policy().is_own_draft(id.as_str()).await?;
        if own {
            match account.mailbox().remove_draft(&id).await {
                Ok(()) => {
                    return Ok(Reply::Page(
                        Page::default()
                            .say("The draft was removed.")
                            .fact("draft", &id)
                            .fact("outcome", Words("removed")),
                    ));
                }
                // No removal by exact identity on this server: Trash keeps the promise that nothing else is touched.
                Err(MailboxError::Unsupported(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if !account.profile().grants.has(Grant::Trash) {
            return Err(ToolError::new(
                ToolError::NOTHING,
                "This draft was not written with this server, so it could only move to Trash, which the owner does not allow.",
                "Leave it to the person.",
            ));
        }
        let moved = account.mailbox().trash_draft(&id).await?;
        let page = Page::default().say(
            "The draft was not written with this server, or can't be removed by itself, so it was moved to Trash.",
        );
        let page = match &moved.to {
            Some(now) => page.say(" Its id there: ").own(now),
            None => page,
        };
        Ok(Reply::Page(page.fact("draft", &id).fact("outcome", Words("trashed")).fact("now", moved.to)))
    })
}
