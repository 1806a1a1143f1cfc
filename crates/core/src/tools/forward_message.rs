//! `forward_message`: a forward, stored in Drafts and sent after the person confirmed exactly it.

use super::{Grant, Handler, Hints, Needs, ToolDef, args, composing::Forward, sending::SendOut, sending_new};
use crate::{mailbox::Mailbox, protection::Raw};

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "forward_message",
        title: "Send a forward",
        description: "Forward an email and send it, in one call: drafted as by `forward_draft`, then confirmed by the person as for `send_draft`.",
        hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
        needs: Needs::grants(&[Grant::Read, Grant::Draft, Grant::Send]),
        input: args::schema::<Forward>,
        output: Some(args::output::<SendOut>),
        handler: Handler::ConfirmSend(sending_new::run::<M, Forward>),
    }
}
