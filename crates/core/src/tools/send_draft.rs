//! `send_draft`: sends a stored draft after the person confirmed exactly it. There is no argument that confirms.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answered, Confirming, Grant, Handler, Hints, Needs, ToolDef, args,
    sending::{self, SendOut},
};
use crate::{account::Account, mailbox::Mailbox, protection::Raw};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The draft's id.
    draft: String,
    /// Refuses unless the draft has this `fingerprint`.
    expect_fingerprint: Option<String>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "send_draft",
        title: "Send a draft",
        description: "Send a draft. The person is shown exactly what would go out and confirms it in a prompt of their client; \
                      without that nothing is sent and the draft stays. Each draft is sent at most once.",
        hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
        needs: Needs::grants(&[Grant::Send]),
        input: args::schema::<Args>,
        output: Some(args::output::<SendOut>),
        handler: Handler::ConfirmSend(run::<M>),
    }
}

fn run<'a, M: Mailbox<Stage = Raw>>(
    account: &'a Account<M>,
    arguments: JsonObject,
    confirming: Confirming<'a>,
) -> Answered<'a> {
    Box::pin(async move {
        let Args { draft, expect_fingerprint } = args::parse(arguments)?;
        let id = args::draft(&draft)?;
        let expected = expect_fingerprint.as_deref().map(args::fingerprint).transpose()?;
        Ok(sending::run(account, &id, expected, &confirming).await?.reply)
    })
}
