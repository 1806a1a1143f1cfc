//! `save_attachment`: an attachment into the directory that the owner configured, and nowhere else (stdio only).

use std::path::PathBuf;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answered, Desk, Grant, Handler, Hints, Needs, Page, Reply, ToolDef, ToolError, args};
use crate::{
    account::Account,
    attachment::jail::Jail,
    mailbox::Mailbox,
    model::{Attachment, AttachmentRequest},
    protection::Raw,
};

/// Largest attachment that is saved, in bytes.
const SAVE_LIMIT: u64 = 100 * 1_024 * 1_024;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The message's id.
    message: String,
    /// The attachment's number as `get_message` lists it, such as 2 or 1.3.
    attachment: String,
}

/// The structured result.
#[derive(Serialize, JsonSchema)]
struct Out {
    /// Where the file was saved.
    path: String,
    /// Its size in bytes.
    size: u64,
    /// Reminder that the name is untrusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "save_attachment",
        title: "Save an attachment",
        description: "Save an email attachment as a file in the directory that the person configured. Never overwrites: a \
                      taken name gets a number.",
        hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
        needs: Needs { grants: &[Grant::Read], features: &[], save_dir: true },
        input: args::schema::<Args>,
        output: Some(args::output::<Out>),
        handler: Handler::Foreign(run::<M>),
    }
}

fn run<'a, M: Mailbox<Stage = Raw>>(
    account: &'a Account<M>,
    arguments: JsonObject,
    desk: Desk<'a>,
) -> Answered<'a> {
    Box::pin(async move {
        let Args { message, attachment } = args::parse(arguments)?;
        let request = AttachmentRequest {
            message: args::message(&message)?,
            section: args::section(&attachment)?,
            max_bytes: SAVE_LIMIT,
        };
        let Some(directory) = account.profile().save_dir.clone() else {
            return Err(ToolError::new(
                ToolError::NOTHING,
                "No directory for attachments is configured.",
                "Tell the person to set `attachment_dir` in their configuration.",
            ));
        };
        let receipt = desk.receipt().await?;
        let fetched = account.mailbox().get_attachment(&request, &receipt).await?;
        let saved = fetched.derive_with(directory, save).await?;
        if saved.get().is_err() {
            return Err(ToolError::new(
                "The attachment was not saved.",
                "The configured directory is missing or can't be written to.",
                "Tell the person to check `attachment_dir` in their configuration.",
            ));
        }
        Ok(Reply::Page(Page::default().say("Saved as a file.").show(&saved, text).structure(
            &saved,
            |saved| {
                saved.as_ref().ok().map(|(path, size)| Out { path: path.clone(), size: *size, notice: None })
            },
        )))
    })
}

/// Where it was saved and how large it is.
type Saved = Result<(String, u64), NotSaved>;

/// The directory is not there, or the file could not be written whole.
struct NotSaved;

#[expect(clippy::needless_pass_by_value, reason = "the signature that `Screened::derive_with` takes")]
fn save(attachment: Attachment, directory: PathBuf) -> Saved {
    let name = attachment.info.name.as_deref().unwrap_or("attachment");
    let path = Jail::open(&directory)
        .and_then(|jail| jail.save(name, attachment.bytes.as_slice(), SAVE_LIMIT))
        .map_err(|_| NotSaved)?;
    let size = u64::try_from(attachment.bytes.len()).unwrap_or(u64::MAX);
    Ok((path.display().to_string(), size))
}

fn text(saved: &Saved) -> String {
    match saved {
        Ok((path, size)) => format!("{path} ({})", super::view::size(*size)),
        Err(_) => String::new(),
    }
}
