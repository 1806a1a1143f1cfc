//! `send_message`: a new message, stored in Drafts and sent after the person confirmed exactly it.

use super::{
    Grant, Handler, Hints, Needs, ToolDef, args, composing::NewMessage, sending::SendOut, sending_new,
};
use crate::{mailbox::Mailbox, protection::Raw};

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "send_message",
        title: "Send a message",
        description: "Write a new email and send it, in one call: it is stored in Drafts, then the person confirms it as for `send_draft`.",
        hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
        needs: Needs::grants(&[Grant::Draft, Grant::Send]),
        input: args::schema::<NewMessage>,
        output: Some(args::output::<SendOut>),
        handler: Handler::ConfirmSend(sending_new::run::<M, NewMessage>),
    }
}
