//! `get_attachment`: an attachment's text, its picture, or the file itself within a size budget.

use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::{ContentBlock, JsonObject, ResourceContents};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answered, Desk, Grant, Handler, Hints, Needs, Page, PageNumber, Reply, ToolDef, args, page::Shown, view,
};
use crate::{
    account::Account,
    attachment::{self, Content},
    mailbox::Mailbox,
    model::AttachmentRequest,
    protection::Raw,
};

/// Largest attachment that is fetched, in bytes: what mail servers let through.
const FETCH_LIMIT: u64 = 50 * 1_024 * 1_024;

/// Largest file that is returned as it is, in bytes before base64. More would fill a model's context with nothing that it
/// can read; `save_attachment` has no such limit.
pub(super) const INLINE_LIMIT: usize = 1_024 * 1_024;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The message's id.
    message: String,
    /// The attachment's number as `get_message` lists it, such as 2 or 1.3.
    attachment: String,
    /// Which page of a long text, from 1.
    #[schemars(range(min = 1, max = 100_000))]
    page: Option<u64>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "get_attachment",
        title: "Read an attachment",
        description: "Read an email attachment: text of PDF and text-like files in pages, images as pictures, other small files \
                      as they are.",
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
        let Args { message, attachment, page } = args::parse(arguments)?;
        let request = AttachmentRequest {
            message: args::message(&message)?,
            section: args::section(&attachment)?,
            max_bytes: FETCH_LIMIT,
        };
        let receipt = desk.receipt().await?;
        let fetched = account.mailbox().get_attachment(&request, &receipt).await?;
        let content = fetched.derive(attachment::read).await?;
        let page = PageNumber(page.unwrap_or(1));
        Ok(Reply::Page(Page::default().attach(&content, page, show)))
    })
}

/// An attachment's content as a result carries it.
fn show(content: &Content, page: PageNumber) -> Shown {
    match content {
        Content::Text { about, text } => Shown::Text(format!("{about}\n\n{}", view::text_page(text, page))),
        Content::Image { about, media_type, bytes } if bytes.len() <= INLINE_LIMIT => Shown::Block {
            label: about.clone(),
            block: Box::new(ContentBlock::image(STANDARD.encode(bytes), *media_type)),
        },
        Content::File { about, media_type, bytes } if bytes.len() <= INLINE_LIMIT => Shown::Block {
            label: about.clone(),
            block: Box::new(ContentBlock::resource(
                ResourceContents::blob(STANDARD.encode(bytes), "attachment:content")
                    .with_mime_type(media_type),
            )),
        },
        Content::Image { about, bytes, .. } | Content::File { about, bytes, .. } => Shown::Text(format!(
            "{about}\n({}: too large to return as it is; the limit is {})",
            view::size(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            view::size(u64::try_from(INLINE_LIMIT).unwrap_or(u64::MAX)),
        )),
        Content::Unreadable { about, why } => Shown::Text(format!("{about}\n({why})")),
    }
}
