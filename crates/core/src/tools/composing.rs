//! The three ways of composing, each the same for the tool that stores a draft and the one that also sends it: what the
//! caller gives, and the draft that comes of it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ToolError, args,
    attaching::{Attach, AttachSchema, Attachments},
    drafting::edit,
};
use crate::{
    account::Account,
    compose::{self, Enclosure},
    mailbox::Mailbox,
    model::NewDraft,
    protection::Raw,
};

/// Something that a draft can be composed from.
pub(super) trait Compose: Send + Sized {
    /// Takes the attachments out; they are read first.
    fn take_attachments(&mut self) -> Option<Vec<Attach>>;

    /// The draft, with the attachments that were read.
    fn draft<M: Mailbox<Stage = Raw>>(
        self,
        account: &Account<M>,
        enclosures: Vec<Enclosure>,
    ) -> impl Future<Output = Result<NewDraft, ToolError>> + Send;
}

/// Composes: reads the attachments, then the original where there is one.
pub(super) async fn compose<M: Mailbox<Stage = Raw>, C: Compose>(
    account: &Account<M>,
    mut given: C,
) -> Result<NewDraft, ToolError> {
    let attachments = Attachments::read(account, given.take_attachments()).await?;
    let enclosures = attachments.fetch(account).await?;
    given.draft(account, enclosures).await
}

/// A new message.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMessage {
    /// Recipients, one address each: `ana@example.com` or `Ana Lee <ana@example.com>`.
    to: Option<Vec<String>>,
    /// Cc recipients.
    cc: Option<Vec<String>>,
    /// Bcc recipients.
    bcc: Option<Vec<String>>,
    /// Subject.
    subject: String,
    /// The text, plain; paragraphs separated by an empty line.
    text: String,
    /// Files to attach: `{path}`, `{message, attachment}` or `{name, type, text}` (or `base64`).
    #[schemars(with = "Option<Vec<AttachSchema>>")]
    attachments: Option<Vec<Attach>>,
}

impl Compose for NewMessage {
    fn take_attachments(&mut self) -> Option<Vec<Attach>> {
        self.attachments.take()
    }

    async fn draft<M: Mailbox<Stage = Raw>>(
        self,
        account: &Account<M>,
        enclosures: Vec<Enclosure>,
    ) -> Result<NewDraft, ToolError> {
        let Self { to, cc, bcc, subject, text, attachments: _ } = self;
        let draft = compose::new_draft(edit(to, cc, bcc, Some(subject), text)?, None)?;
        enclosed(account, draft, enclosures)
    }
}

/// An answer.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// The id of the message to answer.
    message: String,
    /// Your text, plain; the quoted original follows it.
    text: String,
    /// true answers everyone (To and Cc); false, the default, the sender only.
    all: Option<bool>,
    /// false leaves out the quoted original.
    quote: Option<bool>,
    /// More recipients (To).
    to: Option<Vec<String>>,
    /// More Cc recipients.
    cc: Option<Vec<String>>,
    /// Bcc recipients.
    bcc: Option<Vec<String>>,
    /// Files to attach: `{path}`, `{message, attachment}` or `{name, type, text}` (or `base64`).
    #[schemars(with = "Option<Vec<AttachSchema>>")]
    attachments: Option<Vec<Attach>>,
}

impl Compose for Answer {
    fn take_attachments(&mut self) -> Option<Vec<Attach>> {
        self.attachments.take()
    }

    async fn draft<M: Mailbox<Stage = Raw>>(
        self,
        account: &Account<M>,
        enclosures: Vec<Enclosure>,
    ) -> Result<NewDraft, ToolError> {
        let Self { message, text, all, quote, to, cc, bcc, attachments: _ } = self;
        let id = args::message(&message)?;
        let edit = edit(to, cc, bcc, None, text)?;
        let mailbox = account.mailbox();
        let original = mailbox.original(&id, false).await?;
        let (all, quote) = (all.unwrap_or(false), quote.unwrap_or(true));
        let draft = compose::reply(&original, edit, mailbox.own_addresses(), all, quote)?;
        enclosed(account, draft, enclosures)
    }
}

/// A forward.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Forward {
    /// The id of the message to forward.
    message: String,
    /// Recipients, one address each.
    to: Option<Vec<String>>,
    /// Cc recipients.
    cc: Option<Vec<String>>,
    /// Bcc recipients.
    bcc: Option<Vec<String>>,
    /// Your text, plain; the forwarded message follows it.
    text: Option<String>,
    /// false leaves the original's attachments out.
    original_attachments: Option<bool>,
    /// More files to attach: `{path}`, `{message, attachment}` or `{name, type, text}` (or `base64`).
    #[schemars(with = "Option<Vec<AttachSchema>>")]
    attachments: Option<Vec<Attach>>,
}

impl Compose for Forward {
    fn take_attachments(&mut self) -> Option<Vec<Attach>> {
        self.attachments.take()
    }

    async fn draft<M: Mailbox<Stage = Raw>>(
        self,
        account: &Account<M>,
        enclosures: Vec<Enclosure>,
    ) -> Result<NewDraft, ToolError> {
        let Self { message, to, cc, bcc, text, original_attachments, attachments: _ } = self;
        let id = args::message(&message)?;
        let edit = edit(to, cc, bcc, None, text.unwrap_or_default())?;
        let mailbox = account.mailbox();
        let whole = original_attachments.unwrap_or(true);
        let original = mailbox.original(&id, whole).await?;
        let draft = compose::forward(original, edit, mailbox.own_addresses(), whole)?;
        enclosed(account, draft, enclosures)
    }
}

fn enclosed<M: Mailbox<Stage = Raw>>(
    account: &Account<M>,
    draft: NewDraft,
    enclosures: Vec<Enclosure>,
) -> Result<NewDraft, ToolError> {
    Ok(compose::enclose(draft, enclosures, account.profile().attachable.most_bytes)?)
}
