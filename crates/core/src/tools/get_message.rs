//! `get_message`: one message as text. Text only, so that nothing is sent twice (decisions.md §9).

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Answered, Desk, Grant, Handler, Hints, Needs, Page, PageNumber, Reply, ToolDef, args, view};
use crate::{account::Account, mailbox::Mailbox, protection::Raw};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The message's id.
    message: String,
    /// Which page of a long text, from 1.
    #[schemars(range(min = 1, max = 100_000))]
    page: Option<u64>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "get_message",
        title: "Read a message",
        description: "Read one email: headers, readable text (HTML made plain, links kept, hidden text left out) and its \
                      attachments by number. Does not mark it as read. Long texts come in pages.",
        hints: Hints::READ,
        needs: Needs::grants(&[Grant::Read]),
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
        let message = account.mailbox().get_message(&id, &receipt).await?;
        let page = PageNumber(page.unwrap_or(1));
        Ok(Reply::Page(
            Page::default().show_with(&message, page, |message, page| {
                view::text_page(&view::message_text(message), page)
            }),
        ))
    })
}
