//! The tool table: what a row is, and the modules that hold one row each.
//!
//! A server's table is an associated constant of such rows (each a `const fn`), so it costs nothing to start and the whole
//! vocabulary of a server is read off one screen. A tool's exposure class isn't a flag: it is the kind of its handler,
//! because only [`Handler::Foreign`] is given the [`Desk`] that mints exposure receipts, and only [`Handler::ConfirmSend`]
//! the gate.

pub mod archive_message;
mod args;
mod attaching;
mod composing;
pub mod create_draft;
pub mod delete_draft;
mod drafting;
mod error;
pub mod forward_draft;
pub mod forward_message;
pub mod get_attachment;
pub mod get_message;
pub mod get_thread;
mod hints;
pub mod list_accounts;
pub mod list_folders;
pub mod list_messages;
mod listing;
pub mod modify_message;
pub mod move_message;
mod moving;
mod needs;
mod own;
mod page;
mod recent;
pub mod reply_draft;
pub mod reply_send;
pub mod save_attachment;
pub mod search_messages;
pub mod send_draft;
pub mod send_message;
mod sending;
mod sending_new;
pub mod trash_message;
mod view;

use std::{pin::Pin, sync::Arc, time::Duration};

use countersign_confirm::{Call, Gate, Question};
use countersign_send_policy::{CallScope, ExposureReceipt, SendPolicy};
pub use error::ToolError;
pub use hints::Hints;
pub use needs::{Grant, Grants, Needs};
pub use own::{Count, Own, PageNumber, Words, YesNo};
pub use page::Page;
pub(crate) use recent::Recent;
use rmcp::model::{JsonObject, Tool};

use crate::{
    account::{Account, Accounts},
    mailbox::Mailbox,
    protection::Raw,
};

/// A boxed future, so that handlers of different tools fit in one table.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a handler answers with.
pub enum Reply {
    /// A result.
    Page(Page),
    /// A question to the person, in place of a result.
    Ask(Question),
}

/// A handler's answer.
pub type Answered<'a> = BoxFuture<'a, Result<Reply, ToolError>>;

/// What stands in front of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateKind {
    /// Nothing.
    None,
    /// The person confirms exactly the message that goes out.
    ConfirmSend,
}

impl GateKind {
    /// The word in the surface.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ConfirmSend => "confirm-send",
        }
    }
}

/// What a tool's result makes of its sign-in (decisions.md §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposure {
    /// The result carries nothing that other people wrote.
    None,
    /// The result carries other people's words.
    Foreign,
}

impl Exposure {
    /// The word in the surface.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Foreign => "foreign",
        }
    }
}

/// What a tool does. The kind decides the exposure class and the gate.
pub enum Handler<M: Mailbox<Stage = Raw>> {
    /// Speaks of the configured accounts themselves; opens none of them.
    Accounts(for<'a> fn(&'a Accounts<M>, JsonObject) -> Answered<'a>),
    /// Answers with ids, counts and our own words. Gets no way to read foreign content.
    Own(for<'a> fn(&'a Account<M>, JsonObject, Work) -> Answered<'a>),
    /// Shows what other people wrote.
    Foreign(for<'a> fn(&'a Account<M>, JsonObject, Desk<'a>) -> Answered<'a>),
    /// Sends, once the person has confirmed.
    ConfirmSend(for<'a> fn(&'a Account<M>, JsonObject, Confirming<'a>) -> Answered<'a>),
}

impl<M: Mailbox<Stage = Raw>> Handler<M> {
    /// The exposure class.
    pub fn exposure(&self) -> Exposure {
        match self {
            Self::Accounts(_) | Self::Own(_) | Self::ConfirmSend(_) => Exposure::None,
            Self::Foreign(_) => Exposure::Foreign,
        }
    }

    /// The gate.
    pub fn gate(&self) -> GateKind {
        match self {
            Self::Accounts(_) | Self::Own(_) | Self::Foreign(_) => GateKind::None,
            Self::ConfirmSend(_) => GateKind::ConfirmSend,
        }
    }
}

/// One row of the table.
pub struct ToolDef<M: Mailbox<Stage = Raw>> {
    /// The name, the same on every server that does the job.
    pub name: &'static str,
    /// A short title for people.
    pub title: &'static str,
    /// What it does, written for search.
    pub description: &'static str,
    /// The four hints.
    pub hints: Hints,
    /// What it needs to be listed.
    pub needs: Needs,
    /// JSON Schema of its arguments, without `account`.
    pub input: fn() -> JsonObject,
    /// JSON Schema of its structured result, if it has one.
    pub output: Option<fn() -> JsonObject>,
    /// What it does.
    pub handler: Handler<M>,
}

impl<M: Mailbox<Stage = Raw>> ToolDef<M> {
    /// The row as `tools/list` shows it to a caller who has these accounts.
    pub fn tool(&self, accounts: &[&str]) -> Tool {
        let mut input = (self.input)();
        if !matches!(self.handler, Handler::Accounts(_)) {
            args::add_account(&mut input, accounts);
        }
        let tool = Tool::new(self.name, self.description, Arc::new(input))
            .with_title(self.title)
            .with_annotations(self.hints.annotations());
        match self.output {
            Some(output) => tool.with_raw_output_schema(Arc::new(output())),
            None => tool,
        }
    }
}

/// The time that a call's work may take.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// How long a read may take before it answers with what it has: a little less than the call's deadline.
    pub budget: Duration,
}

/// What a tool that shows foreign content is given: the only place where receipts are minted.
pub struct Desk<'a> {
    pub(crate) policy: &'a SendPolicy,
    pub(crate) scope: &'a CallScope,
    /// The time the work may take.
    pub work: Work,
}

impl<'a> Desk<'a> {
    /// Records durably that this sign-in reads other people's mail, and hands out the proof. Where the marker can't be
    /// written nothing may be read.
    ///
    /// # Errors
    /// What the state store says, in words for the model.
    pub async fn receipt(&self) -> Result<ExposureReceipt<'a>, ToolError> {
        self.policy.expose(self.scope).await.map_err(ToolError::from)
    }
}

/// What a tool that sends is given.
pub struct Confirming<'a> {
    pub(crate) gate: &'a Gate,
    pub(crate) call: &'a Call,
    pub(crate) tool: &'static str,
    pub(crate) arguments: &'a JsonObject,
    pub(crate) principal: &'a str,
    pub(crate) sends: &'a crate::server::Sends,
}
