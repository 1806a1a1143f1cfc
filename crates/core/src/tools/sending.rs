//! One draft, one send (decisions.md §4): asked, re-read, the transport opened, claimed, sent once, the copy filed, the
//! draft removed. What is not known is said to be unknown, and is never repeated.

use countersign_confirm::{Act, Declined, Fresh, Outcome};
use countersign_send_policy::{
    Approval, DraftRead, DraftSnapshot, DraftSource, Fingerprint, Prepared, Refusal, SendSettled, SourceError,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Confirming, Page, Reply, ToolError, Words, YesNo};
use crate::{
    account::Account,
    mailbox::{Ending, Mailbox, MailboxError, SendRefusal},
    model::{Delivered, DraftRef, SentCopy, SentDraft},
    protection::Raw,
};

/// The structured result of a tool that sends.
#[derive(Serialize, JsonSchema)]
pub(super) struct SendOut {
    /// Whether it went out; null where that isn't known.
    sent: Option<bool>,
    /// `sent`, `not_sent` or `unknown`.
    outcome: String,
    /// Why not, as a short code.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The draft's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<String>,
    /// The copy in Sent: `filed`, `already_there` or `not_filed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_copy: Option<String>,
    /// The draft of a sent message: `removed` or `kept`.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft_now: Option<String>,
}

/// How a run of the chain ended.
pub(super) struct Ran {
    /// What the caller is told.
    pub(super) reply: Reply,
    /// What is known of the send, where one was begun.
    pub(super) settled: Option<SendSettled>,
}

impl Ran {
    fn before_any_send(reply: Reply) -> Self {
        Self { reply, settled: None }
    }
}

/// A draft that must have a certain fingerprint each time it is read, if the caller named one.
struct Expected<'a, D> {
    draft: DraftRead<'a, D>,
    fingerprint: Option<String>,
}

/// Why a run came to no end of its own. Nothing was handed over by it.
pub(super) enum Stopped {
    /// The policy refused.
    Refused(Refusal),
    /// The mailbox could not do its part.
    Failed(MailboxError),
}

impl Stopped {
    /// Whether the draft is where it was and its message didn't go out earlier.
    fn leaves_the_draft(&self) -> bool {
        !matches!(
            self,
            Self::Refused(
                Refusal::AlreadySent
                    | Refusal::OutcomeUnknown
                    | Refusal::Draft(SourceError::NotFound | SourceError::Stale)
            ) | Self::Failed(MailboxError::AlreadySent | MailboxError::NotFound(_) | MailboxError::Stale)
        )
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Failed(_) => "mailbox_failed",
        }
    }
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<MailboxError> for Stopped {
    fn from(error: MailboxError) -> Self {
        Self::Failed(error)
    }
}

impl From<Stopped> for ToolError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Refused(refusal) => refusal.into(),
            Stopped::Failed(error) => error.into(),
        }
    }
}

/// Why a draft isn't confirmed.
enum Unread {
    Refused(Refusal),
    Differs,
}

impl<D: DraftSource> Fresh for Expected<'_, D> {
    type Subject = DraftSnapshot;
    type Error = Unread;

    async fn read(&self) -> Result<DraftSnapshot, Unread> {
        let snapshot = self.draft.read().await.map_err(Unread::Refused)?;
        if is_expected(self.fingerprint.as_deref(), snapshot.fingerprint()) {
            Ok(snapshot)
        } else {
            Err(Unread::Differs)
        }
    }
}

fn is_expected(expected: Option<&str>, found: Fingerprint) -> bool {
    expected.is_none_or(|expected| expected == found.to_string())
}

/// Runs the chain on a stored draft; `expected` is the fingerprint that it must have, if any.
pub(super) async fn run<M: Mailbox<Stage = Raw>>(
    account: &Account<M>,
    draft: &DraftRef,
    expected: Option<String>,
    confirming: &Confirming<'_>,
) -> Result<Ran, Stopped> {
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
        Prepared::Waived(waiver) if !is_expected(expected.as_deref(), waiver.fingerprint()) => {
            return Ok(Ran::before_any_send(differs(draft).into()));
        }
        Prepared::Waived(waiver) => Approval::Waived(*waiver),
        Prepared::Asks => {
            let fresh = Expected { draft: policy.draft(mailbox, draft.as_str()), fingerprint: expected };
            match confirming.gate.confirm(confirming.call, &act, &fresh).await {
                Ok(Outcome::Ask(question)) => return Ok(Ran::before_any_send(Reply::Ask(question))),
                Ok(Outcome::Declined(declined)) => {
                    return Ok(Ran::before_any_send(not_sent(Some(draft), declined).into()));
                }
                Ok(Outcome::Confirmed(confirmed)) => Approval::Confirmed(confirmed),
                Err(Unread::Refused(refusal)) => return Err(refusal.into()),
                Err(Unread::Differs) => return Ok(Ran::before_any_send(differs(draft).into())),
            }
        }
    };
    let outbox = mailbox.ready(draft).await?;
    let Some(_in_flight) = confirming.sends.begin() else {
        return Ok(Ran::before_any_send(not_sent(Some(draft), Declined::Cancelled).into()));
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
            return Ok(Ran { reply: ended(draft, &ending).into(), settled: Some(settled) });
        }
    };
    settle(policy.settle(ticket, SendSettled::Accepted).await);
    Ok(Ran { reply: finish(mailbox, &sent).await.into(), settled: Some(SendSettled::Accepted) })
}

/// A settlement that can't be written leaves the record at "outcome unknown", which refuses a repeat: nothing else to do.
fn settle(settled: Result<(), Refusal>) {
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
    page.say(" Draft id: ")
        .own(&sent.draft)
        .fact("sent", YesNo(true))
        .fact("outcome", Words("sent"))
        .fact("draft", &sent.draft)
        .fact("sent_copy", Words(copy))
        .fact("draft_now", Words(kept))
}

/// The person did not confirm, or could not be asked. Where no draft is known, one that was stored stays all the same.
pub(super) fn not_sent(draft: Option<&DraftRef>, declined: Declined) -> Page {
    let page = Page::default().say("sent: false. ").say(declined.words());
    let page = match draft {
        Some(draft) => stays(page, draft),
        None => page.say(" A draft that was stored for it stays in Drafts."),
    };
    not_sent_because(page, Words(declined.code()))
}

/// The draft is not the one that the caller meant.
fn differs(draft: &DraftRef) -> Page {
    let page = Page::default().say(
        "sent: false. The draft is not as it was when it had the fingerprint that you expect, so nobody was asked. Read \
         it with `get_message`, and send it only if it is what the person wants.",
    );
    not_sent_because(stays(page, draft), Words("fingerprint_differs"))
}

/// The chain stopped before anything was handed over, for a draft that this call stored or found.
pub(super) fn stopped(draft: &DraftRef, stopped: Stopped) -> Result<Page, ToolError> {
    let (kept, code) = (stopped.leaves_the_draft(), stopped.code());
    let error = ToolError::from(stopped);
    if !kept {
        return Err(error);
    }
    let page = Page::default().say("sent: false. ").own(&error);
    Ok(not_sent_because(stays(page, draft), Words(code)))
}

fn stays(page: Page, draft: &DraftRef) -> Page {
    page.say(" The draft stays in Drafts: ").own(draft).fact("draft", draft)
}

fn not_sent_because(page: Page, reason: Words) -> Page {
    page.fact("sent", YesNo(false)).fact("outcome", Words("not_sent")).fact("reason", reason)
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
