//! `modify_message`: read and flag state, keywords.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answered, Count, Grant, Handler, Hints, Needs, Page, Reply, ToolDef, ToolError, Work, args};
use crate::{
    account::Account,
    mailbox::Mailbox,
    model::{FlagChange, Keyword},
    protection::Raw,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The messages' ids, 1 to 100.
    messages: Vec<String>,
    /// true marks as read, false as unread.
    read: Option<bool>,
    /// true flags (stars), false removes the flag.
    flagged: Option<bool>,
    /// Keywords (labels) to add.
    add_keywords: Option<Vec<String>>,
    /// Keywords (labels) to remove.
    remove_keywords: Option<Vec<String>>,
}

/// The structured result.
#[derive(Serialize, JsonSchema)]
struct Out {
    /// How many messages were changed.
    changed: u64,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "modify_message",
        title: "Mark messages",
        description: "Mark emails as read or unread, flag or unflag (star) them, add or remove keywords (labels).",
        hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
        needs: Needs::grants(&[Grant::Modify]),
        input: args::schema::<Args>,
        output: Some(args::output::<Out>),
        handler: Handler::Own(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(account: &Account<M>, arguments: JsonObject, _work: Work) -> Answered<'_> {
    Box::pin(async move {
        let Args { messages, read, flagged, add_keywords, remove_keywords } = args::parse(arguments)?;
        let ids = args::messages(&messages)?;
        let change = FlagChange {
            seen: read,
            flagged,
            add: keywords("add_keywords", add_keywords)?,
            remove: keywords("remove_keywords", remove_keywords)?,
        };
        if change.is_empty() {
            return Err(ToolError::arguments("Nothing to change was given.".to_owned()));
        }
        account.mailbox().store_flags(&ids, &change).await?;
        let count = Count::of(ids.len());
        Ok(Reply::Page(
            Page::default().say("Changed: ").own(count).say(" message(s).").fact("changed", count),
        ))
    })
}

fn keywords(argument: &str, words: Option<Vec<String>>) -> Result<Vec<Keyword>, ToolError> {
    let parse = |word: String| {
        Keyword::parse(&word).ok_or_else(|| {
            ToolError::arguments(format!(
                "Each entry of `{argument}` must be a keyword of 1 to {} letters, digits or $ - _ . + & : ! # ' /",
                Keyword::MAX_CHARS
            ))
        })
    };
    words.unwrap_or_default().into_iter().map(parse).collect()
}
