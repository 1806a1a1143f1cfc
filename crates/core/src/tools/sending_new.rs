//! Draft and send in one call (decisions.md §5): the draft is stored first, then the chain of `sending` runs on it. What is
//! read to compose it goes to the draft and the person, never into the result, so no receipt is taken.

use countersign_confirm::{Act, Declined, Round};
use countersign_send_policy::SendSettled;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{
    Answered, Confirming, Reply, ToolError, args,
    attaching::Attachments,
    composing::Compose,
    drafting::store,
    recent::{CallKey, Earlier},
    sending::{self, Ran},
};
use crate::{
    account::Account,
    mailbox::Mailbox,
    model::{DraftRef, StoredDraft},
    protection::Raw,
};

/// The handler of a tool that composes what `C` describes and sends it.
pub(super) fn run<'a, M, C>(
    account: &'a Account<M>,
    arguments: JsonObject,
    confirming: Confirming<'a>,
) -> Answered<'a>
where
    M: Mailbox<Stage = Raw>,
    C: Compose + DeserializeOwned + JsonSchema,
{
    Box::pin(async move {
        let draft = match round(account, &confirming) {
            Round::First => first::<M, C>(account, arguments, &confirming).await?,
            Round::Next { subject } => args::draft(&subject)?,
            Round::Invalid => return Ok(Reply::Page(sending::not_sent(None, Declined::BadState))),
        };
        match sending::run(account, &draft, None, &confirming).await {
            Ok(Ran { reply, settled }) => {
                match settled {
                    Some(SendSettled::Accepted) => account.recent().sent(&draft),
                    Some(SendSettled::RefusedByServer) => account.recent().used_up(&draft),
                    // Kept, so that the same call meets the record of its outcome and isn't sent a second time.
                    Some(SendSettled::Unknown) | None => {}
                }
                Ok(reply)
            }
            Err(stopped) => sending::stopped(&draft, stopped).map(Reply::Page),
        }
    })
}

fn round<M: Mailbox<Stage = Raw>>(account: &Account<M>, confirming: &Confirming<'_>) -> Round {
    let origin = account.policy().origin().to_string();
    let act = Act {
        tool: confirming.tool,
        account: account.name().as_str(),
        principal: confirming.principal,
        origin: &origin,
        subject: "",
        arguments: confirming.arguments,
    };
    confirming.gate.round(confirming.call, &act)
}

/// The draft of a first round: that of the same call a short while ago, or a new one.
async fn first<M, C>(
    account: &Account<M>,
    arguments: JsonObject,
    confirming: &Confirming<'_>,
) -> Result<DraftRef, ToolError>
where
    M: Mailbox<Stage = Raw>,
    C: Compose + DeserializeOwned + JsonSchema,
{
    let mut given: C = args::parse(arguments)?;
    let attachments = Attachments::read(account, given.take_attachments()).await?;
    let key = CallKey::of(confirming.tool, confirming.arguments, attachments.identities());
    let recent = account.recent();
    let _making = recent.making.lock().await;
    match recent.earlier(&key) {
        Some(Earlier::Sent) => {
            return Err(ToolError::new(
                "Nothing was sent by this call.",
                "A call with exactly these arguments sent its message less than 10 minutes ago.",
                "Do not repeat it. If the person wants the same message sent once more, wait or change its text.",
            ));
        }
        Some(Earlier::Stored(draft)) if still_there(account, &draft).await => return Ok(draft.id),
        Some(Earlier::Stored(_)) | None => {}
    }
    let enclosures = attachments.fetch(account).await?;
    let draft = given.draft(account, enclosures).await?;
    let stored = store(account, &draft).await?;
    let id = stored.id.clone();
    recent.stored(key, stored);
    Ok(id)
}

/// Whether a draft is in Drafts as it was stored. One that was sent, removed or edited since is left alone.
async fn still_there<M: Mailbox<Stage = Raw>>(account: &Account<M>, draft: &StoredDraft) -> bool {
    let now = account.policy().fingerprint(account.mailbox(), draft.id.as_str()).await;
    now.is_ok_and(|now| now == draft.fingerprint)
}
