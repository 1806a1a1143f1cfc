//! `get_thread`: a conversation across folders, oldest first, with what is missing named.

use std::fmt::Write;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answered, Desk, Grant, Handler, Hints, Needs, Page, PageNumber, Reply, ToolDef, args, listing, view,
};
use crate::{
    account::Account,
    mailbox::{Feature, Mailbox},
    model::{Thread, Window},
    protection::Raw,
};

/// Messages of a thread that one call reads.
const MESSAGES: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The id of any message of the conversation.
    message: String,
    /// Which page of a long text, from 1.
    #[schemars(range(min = 1, max = 100_000))]
    page: Option<u64>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "get_thread",
        title: "Read a conversation",
        description: "Read a whole email conversation (thread) that a message belongs to, oldest first, across folders, with \
                      your person's own replies. Says which messages of it are missing. Long texts come in pages.",
        hints: Hints::READ,
        needs: Needs { grants: &[Grant::Read], features: &[Feature::Threads], save_dir: false },
        input: args::schema::<Args>,
        output: None,
        handler: Handler::Foreign(run::<M>),
    }
}

fn run<'a, M: Mailbox<Stage = Raw>>(
    account: &'a Account<M>,
    arguments: JsonObject,
    desk: Desk<'a>,
) -> Answered<'a> {
    Box::pin(async move {
        let Args { message, page } = args::parse(arguments)?;
        let id = args::message(&message)?;
        let receipt = desk.receipt().await?;
        let window = Window::first(MESSAGES, desk.work.budget);
        let thread = account.mailbox().get_thread(&id, &window, &receipt).await?;
        let page = PageNumber(page.unwrap_or(1));
        Ok(Reply::Page(
            Page::default().show_with(&thread, page, |thread, page| view::text_page(&text(thread), page)),
        ))
    })
}

fn text(thread: &Thread) -> String {
    let mut out = String::new();
    let count = thread.messages.len();
    for (number, message) in (1_usize..).zip(&thread.messages) {
        let _ = writeln!(out, "=== {number} of {count} ===");
        out.push_str(&view::message_text(message));
        out.push_str("\n\n");
    }
    if !thread.missing.is_empty() {
        let _ = writeln!(out, "Not found in this mailbox, by Message-ID: {}", thread.missing.join(", "));
    }
    if !thread.unread_rest.is_empty() {
        let ids: Vec<&str> = thread.unread_rest.iter().map(crate::model::MessageRef::as_str).collect();
        let _ = writeln!(out, "Also in this conversation, to be read one by one: {}", ids.join(", "));
    }
    for gap in &thread.gaps {
        let _ = writeln!(out, "(not complete: {})", listing::gap(gap));
    }
    out
}
