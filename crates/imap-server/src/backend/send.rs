//! Sending, in the order of decisions: the way out is opened, then (by send-policy) the draft is claimed, then one transaction
//! hands it over, then the copy is filed and the draft removed. Nothing here retries.

use countersign_core::{
    compose::mime::build_fields,
    mailbox::{Ending, MailboxError, NotFound, SendRefusal},
    model::{Delivered, DraftRef, SentCopy, SentDraft, SpecialUse},
};
use countersign_send_policy::SendPermit;

use super::{
    ImapMailbox, decode,
    drafts::{self, Kept, append, by_message_id, in_drafts},
    folders, organise,
};
use crate::{
    refs::Place,
    session::{Command, Lease, UidSet, Value},
    settings::FileSent,
    smtp::Session,
};

/// An open way out for one draft.
pub struct Outbox {
    draft: DraftRef,
    session: Session,
}

/// Opens the way out, having looked whether the draft went out already.
pub(super) async fn ready(mailbox: &ImapMailbox, draft: &DraftRef) -> Result<Outbox, MailboxError> {
    let mut lease = mailbox.pool.lease().await?;
    let place = in_drafts(mailbox, &mut lease, draft).await?;
    let open = lease.examine(place.folder.wire()).await?;
    place.check(&open)?;
    let set = UidSet::range(place.uid, place.uid);
    let command = Command::new("UID FETCH")
        .plain(&set)
        .word("(UID RFC822.SIZE BODY.PEEK[HEADER.FIELDS (FROM TO CC BCC MESSAGE-ID)])");
    let answer = lease.connection()?.run(&command).await?.ok()?;
    let found = answer.fetched.iter().find(|fetched| fetched.uid() == Some(place.uid));
    let found = found.ok_or(MailboxError::NotFound(NotFound::Draft))?;
    let size = found.get("RFC822.SIZE").and_then(Value::number).unwrap_or(0);
    let headers = decode::headers(found.body("HEADER.FIELDS").unwrap_or_default());
    if let Some(id) = &headers.message_id
        && in_sent(mailbox, &mut lease, id).await?
    {
        return Err(MailboxError::AlreadySent);
    }
    drop(lease);
    let everyone = headers.from.iter().chain(&headers.to).chain(&headers.cc).chain(&headers.bcc);
    let international = everyone.filter_map(|address| address.path().ok()).any(|path| !path.is_ascii());
    let session = mailbox.submission.open(size, international).await?;
    Ok(Outbox { draft: draft.clone(), session })
}

/// Whether Sent holds a message with that Message-ID. An account without such a folder holds none.
async fn in_sent(
    mailbox: &ImapMailbox,
    lease: &mut Lease<'_>,
    message_id: &str,
) -> Result<bool, MailboxError> {
    let folder = match folders::with_use(mailbox, lease, SpecialUse::Sent).await {
        Ok(folder) => folder,
        Err(MailboxError::NoFolder(_)) => return Ok(false),
        Err(error) => return Err(error),
    };
    lease.examine(folder.wire()).await?;
    Ok(!by_message_id(lease.connection()?, message_id).await?.is_empty())
}

/// Sends once. What goes out is made from the permit's fields alone.
pub(super) async fn send(
    mailbox: &ImapMailbox,
    permit: SendPermit,
    outbox: Outbox,
) -> Result<Delivered, Ending> {
    let Outbox { draft, session } = outbox;
    let fields = permit.redeem(&mailbox.origin).map_err(|_| Ending::Refused(SendRefusal::Permit))?;
    if fields.id != draft.as_str() {
        return Err(Ending::Refused(SendRefusal::Permit));
    }
    let unwritable = |_| Ending::NotHandedOver(MailboxError::Unreadable);
    let date = drafts::now();
    let message = build_fields(&fields, date, false).map_err(unwritable)?;
    let copy = build_fields(&fields, date, true).map_err(unwritable)?;
    let from = fields.from.path().map_err(|_| Ending::Refused(SendRefusal::Sender))?;
    let to = fields.forward_paths().map_err(|_| Ending::Refused(SendRefusal::Recipient))?;
    session.deliver(&from, &to, &message).await?;
    Ok(Delivered { draft, fields, copy })
}

/// Files the copy in Sent unless one is there.
pub(super) async fn file_sent(mailbox: &ImapMailbox, sent: &Delivered) -> SentCopy {
    match mailbox.settings.file_sent {
        FileSent::Never => SentCopy::AlreadyThere,
        FileSent::Auto => filed(mailbox, sent, true).await.unwrap_or(SentCopy::NotFiled),
        FileSent::Always => filed(mailbox, sent, false).await.unwrap_or(SentCopy::NotFiled),
    }
}

async fn filed(mailbox: &ImapMailbox, sent: &Delivered, look: bool) -> Result<SentCopy, MailboxError> {
    let message_id = sent.fields.message_id.as_deref().unwrap_or_default();
    let mut lease = mailbox.pool.lease().await?;
    if look && in_sent(mailbox, &mut lease, message_id).await? {
        return Ok(SentCopy::AlreadyThere);
    }
    let folder = folders::with_use(mailbox, &mut lease, SpecialUse::Sent).await?;
    append(lease.connection()?, &folder, Kept::Sent, &sent.copy, message_id).await?;
    Ok(SentCopy::Filed)
}

/// Removes the draft that was sent: that UID in that UIDVALIDITY with that Message-ID, and nothing else.
pub(super) async fn clear_sent_draft(mailbox: &ImapMailbox, sent: &Delivered) -> SentDraft {
    match cleared(mailbox, sent).await {
        Ok(()) => SentDraft::Removed,
        Err(MailboxError::Unsupported(_)) => SentDraft::NoExactRemoval,
        Err(_) => SentDraft::NotRemoved,
    }
}

async fn cleared(mailbox: &ImapMailbox, sent: &Delivered) -> Result<(), MailboxError> {
    let mut lease = mailbox.pool.lease().await?;
    let place: Place = in_drafts(mailbox, &mut lease, &sent.draft).await?;
    organise::remove_exactly(&mut lease, &place, sent.fields.message_id.as_deref()).await
}
