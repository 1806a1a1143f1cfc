//! One draft, one send (decisions.md §4): asked, re-read, the transport opened, claimed, sent once, the copy filed, the
//! draft removed. What is not known is said to be unknown, and is never repeated.

use countersign_confirm::{Act, Declined, Outcome};
use countersign_send_policy::{Approval, Prepared, SendSettled};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Confirming, Page, Reply, ToolError, Words, YesNo};
use crate::{
    account::Account,
    mailbox::{Ending, Mailbox, SendRefusal},
    model::{Delivered, DraftRef, SentCopy, SentDraft},
    protection::Raw,
};

/// The structured result of a tool that sends.
#[derive(Serialize, JsonSchema)]
pub(super) struct SendOut {
    /// Whether the message went out; null where that isn't known.
    sent: Option<bool>,
    /// `sent`, `not_sent` or `unknown`.
    outcome: String,
    /// Why it was not sent, as a short code.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The draft's id; it stays in Drafts unless the message was sent.
    draft: String,
    /// What became of the copy in Sent: `filed`, `already_there` or `not_filed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_copy: Option<String>,
    /// What became of the draft: `removed` or `kept`.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft_now: Option<String>,
}

/// Runs the chain on a stored draft.
pub(super) async fn run<M: Mailbox<Stage = Raw>>(
    account: &Account<M>,
    draft: &DraftRef,
    confirming: &Confirming<'_>,
) -> Result<Reply, ToolError> {
    let (mailbox, policy) = (account.mailbox(), account.policy());
    let origin = policy.origin().to_string();
    let act = Act {
        tool: confirming.tool,
        account: account.name().as_str(),
        principal: confirming.principal,
        origin: &origin,
        subject: draft.as_str(),
        arguments: confirming.arguments,
    };
    // Whoever brings an answer was asked: what they said holds, also where the rules would not ask any more.
    let prepared = if confirming.call.brings_answer() {
        Prepared::Asks
    } else {
        policy.prepare(mailbox, draft.as_str()).await?
    };
    let approval = match prepared {
        Prepared::Waived(waiver) => Approval::Waived(*waiver),
        Prepared::Asks => {
            let fresh = policy.draft(mailbox, draft.as_str());
            match confirming.gate.confirm(confirming.call, &act, &fresh).await? {
                Outcome::Ask(question) => return Ok(Reply::Ask(question)),
                Outcome::Declined(declined) => return Ok(Reply::Page(not_sent(draft, declined))),
                Outcome::Confirmed(confirmed) => Approval::Confirmed(confirmed),
            }
        }
    };
    let outbox = mailbox.ready(draft).await?;
    let Some(_in_flight) = confirming.sends.begin() else {
        return Ok(Reply::Page(not_sent(draft, Declined::Cancelled)));
    };
    let (permit, ticket) = policy.claim(approval).await?;
    let sent = match mailbox.send(permit, outbox).await {
        Ok(sent) => sent,
        Err(ending) => {
            let settled = match &ending {
                Ending::Unknown => SendSettled::Unknown,
                Ending::Refused(_) | Ending::NotHandedOver(_) => SendSettled::RefusedByServer,
            };
            settle(policy.settle(ticket, settled).await);
            return Ok(Reply::Page(ended(draft, &ending)));
        }
    };
    settle(policy.settle(ticket, SendSettled::Accepted).await);
    Ok(Reply::Page(finish(mailbox, &sent).await))
}

/// A settlement that can't be written leaves the record at "outcome unknown", which refuses a repeat: nothing else to do.
fn settle(settled: Result<(), countersign_send_policy::Refusal>) {
    if settled.is_err() {
        tracing::error!("the outcome of a send could not be recorded; it stays recorded as unknown");
    }
}

/// Files the copy and removes the draft of a message that went out.
async fn finish<M: Mailbox>(mailbox: &M, sent: &Delivered) -> Page {
    let copy = mailbox.file_sent(sent).await;
    // The draft is the only other copy: it goes only once one stands in Sent.
    let draft = match copy {
        SentCopy::Filed | SentCopy::AlreadyThere => Some(mailbox.clear_sent_draft(sent).await),
        SentCopy::NotFiled => None,
    };
    let page = Page::default().say("The message was sent. ");
    let (page, copy) = match copy {
        SentCopy::Filed => (page.say("A copy is in Sent. "), "filed"),
        SentCopy::AlreadyThere => (page.say("The server filed a copy in Sent. "), "already_there"),
        SentCopy::NotFiled => (
            page.say(
                "No copy could be filed in Sent, so the draft stays in Drafts as one; do not send it again. ",
            ),
            "not_filed",
        ),
    };
    let (page, kept) = match draft {
        Some(SentDraft::Removed) => (page.say("The draft was removed."), "removed"),
        Some(SentDraft::NoExactRemoval) => {
            (page.say("The draft stays in Drafts, because this server can't remove exactly one message; do not send it again."), "kept")
        }
        Some(SentDraft::NotRemoved) => {
            (page.say("The draft could not be removed and stays in Drafts; do not send it again."), "kept")
        }
        None => (page, "kept"),
    };
    page.fact("sent", YesNo(true))
        .fact("outcome", Words("sent"))
        .fact("draft", &sent.draft)
        .fact("sent_copy", Words(copy))
        .fact("draft_now", Words(kept))
}

/// The person did not confirm, or could not be asked.
fn not_sent(draft: &DraftRef, declined: Declined) -> Page {
    Page::default()
        .say("sent: false. ")
        .say(declined.words())
        .say(" The draft stays in Drafts: ")
        .own(draft)
        .fact("sent", YesNo(false))
        .fact("outcome", Words("not_sent"))
        .fact("reason", Words(declined.code()))
        .fact("draft", draft)
}

/// The send did not end with an acceptance.
fn ended(draft: &DraftRef, ending: &Ending) -> Page {
    let page = Page::default();
    let (page, sent, outcome, reason) = match ending {
        Ending::Unknown => (
            page.say("sent: unknown. The connection ended while the message was being handed over, so it may or may not have \
                      gone out. Do not send it again: look in Sent, or ask the person to check with a recipient. "),
            None,
            "unknown",
            "outcome_unknown",
        ),
        Ending::Refused(refusal) => {
            let (words, code) = refused(*refusal);
            (page.say("sent: false. ").say(words), Some(YesNo(false)), "not_sent", code)
        }
        Ending::NotHandedOver(_) => (
            page.say("sent: false. The connection to the outgoing mail server ended before the message was handed over, so \
                      nothing went out. "),
            Some(YesNo(false)),
            "not_sent",
            "not_handed_over",
        ),
    };
    let page = match ending {
        Ending::Unknown => page,
        Ending::Refused(_) | Ending::NotHandedOver(_) => page.say(
            "A draft gets one attempt in 24 hours: to try again, write a new draft with `create_draft` or `reply_draft`. ",
        ),
    };
    page.say("The draft stays in Drafts: ")
        .own(draft)
        .fact("sent", sent)
        .fact("outcome", Words(outcome))
        .fact("reason", Words(reason))
        .fact("draft", draft)
}

fn refused(refusal: SendRefusal) -> (&'static str, &'static str) {
    match refusal {
        SendRefusal::Sender => ("The outgoing mail server refused the sender address. ", "sender_refused"),
        SendRefusal::Recipient => {
            ("The outgoing mail server refused a recipient, so it went to nobody. ", "recipient_refused")
        }
        SendRefusal::Size => ("The message is larger than the outgoing mail server takes. ", "too_large"),
        SendRefusal::Message(_) => ("The outgoing mail server refused the message. ", "message_refused"),
        SendRefusal::Smtputf8 => (
            "An address has non-ASCII letters before the @, which this server can't send to. ",
            "needs_smtputf8",
        ),
        SendRefusal::Permit => ("The permission was for another account. ", "wrong_origin"),
    }
}
