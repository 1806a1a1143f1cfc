//! Drafts: stored by APPEND, read back whole. What a draft says is read by core's one function from the stored bytes, also
//! right after storing, so its fingerprint is that of what lies in the folder.

use std::time::{SystemTime, UNIX_EPOCH};

use countersign_core::{
    compose::mime::{build, draft_fields, new_message_id},
    mailbox::{MailboxError, NotFound},
    model::{DraftRef, NewDraft, SpecialUse, StoredDraft, Timestamp},
};
use countersign_send_policy::{DraftFields, Fingerprint};

use super::{ImapMailbox, fetch, folders};
use crate::{
    error::of_change,
    refs::{FolderName, Place},
    session::{Command, Connection, Lease, UidSet},
};

/// Stores a draft.
pub(super) async fn create(mailbox: &ImapMailbox, draft: &NewDraft) -> Result<StoredDraft, MailboxError> {
    let own = mailbox.settings.addresses.first().ok_or(MailboxError::Configuration("addresses"))?;
    let unwritable = |_| MailboxError::Unreadable;
    let message_id = new_message_id(draft.from.as_ref().unwrap_or(own)).map_err(unwritable)?;
    let raw = build(draft, own, &message_id, now(), true).map_err(unwritable)?;
    let mut lease = mailbox.pool.lease().await?;
    let folder = folders::with_use(mailbox, &mut lease, SpecialUse::Drafts).await?;
    let place = append(lease.connection()?, &folder, Kept::Draft, &raw, &message_id).await?;
    let id = place.id()?.as_draft();
    let fields = draft_fields(&raw, &id).ok_or(MailboxError::Unreadable)?;
    Ok(StoredDraft { fingerprint: Fingerprint::of(&fields), id })
}

/// The present moment, for a Date field.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Timestamp(i64::try_from(since).unwrap_or(i64::MAX))
}

/// What a message is appended as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// A draft.
    Draft,
    /// The copy of a sent message.
    Sent,
}

/// Appends a message and finds out its UID: by APPENDUID (RFC 4315), else by its Message-ID.
pub(super) async fn append(
    connection: &mut Connection,
    folder: &FolderName,
    kept: Kept,
    raw: &[u8],
    message_id: &str,
) -> Result<Place, MailboxError> {
    let command = Command::new("APPEND").string(folder.wire()).map_err(|_| MailboxError::InvalidRef)?;
    let command = match kept {
        Kept::Draft => command.word("(\\Draft \\Seen)"),
        Kept::Sent => command.word("(\\Seen)"),
    };
    let answer = connection.run(&command.message(raw)).await.map_err(of_change)?.ok()?;
    if let Some(code) = answer.code("APPENDUID")
        && let [uidvalidity, uid, ..] = code.values.as_slice()
        && let (Some(uidvalidity), Some(uid)) = (uidvalidity.number(), uid.number())
    {
        return Ok(Place { folder: folder.clone(), uidvalidity, uid });
    }
    // It is stored; where it lies can't be told if this fails, and to store it again would make two of it.
    let stored = |_| MailboxError::OutcomeUnknown;
    let open = connection.open(folder.wire(), crate::session::Open::ToRead).await.map_err(stored)?;
    let uid = by_message_id(connection, message_id).await.map_err(stored)?.into_iter().max();
    let uid = uid.ok_or(MailboxError::OutcomeUnknown)?;
    Ok(Place { folder: folder.clone(), uidvalidity: open.uidvalidity, uid })
}

/// The UIDs in the open folder with that Message-ID. HEADER finds substrings, so what it finds is compared.
pub(super) async fn by_message_id(
    connection: &mut Connection,
    message_id: &str,
) -> Result<Vec<u32>, MailboxError> {
    let command = Command::new("UID SEARCH HEADER Message-ID").string(message_id.as_bytes())?;
    let answer = connection.run(&command).await?.ok()?;
    let Some(set) = UidSet::of(answer.searched().iter().copied()) else { return Ok(Vec::new()) };
    let command = Command::new("UID FETCH").plain(&set).word("(UID BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])");
    let answer = connection.run(&command).await?.ok()?;
    let ours = answer.fetched.iter().filter(|fetched| {
        let header = fetched.body("HEADER.FIELDS").unwrap_or_default();
        super::decode::headers(header).message_id.as_deref() == Some(message_id)
    });
    Ok(ours.filter_map(crate::session::Fetched::uid).collect())
}

/// Reads a draft as it would go out.
pub(super) async fn fetch(mailbox: &ImapMailbox, id: &DraftRef) -> Result<DraftFields, MailboxError> {
    let mut lease = mailbox.pool.lease().await?;
    let place = in_drafts(mailbox, &mut lease, id).await?;
    let open = lease.examine(place.folder.wire()).await?;
    place.check(&open)?;
    let raw = fetch::whole(lease.connection()?, place.uid).await.map_err(gone)?;
    draft_fields(&raw, id).ok_or(MailboxError::Unreadable)
}

/// Where a draft is, if that is a folder for drafts. A message elsewhere is nobody's draft, whatever its flags say.
pub(super) async fn in_drafts(
    mailbox: &ImapMailbox,
    lease: &mut Lease<'_>,
    id: &DraftRef,
) -> Result<Place, MailboxError> {
    let place = Place::parse(&id.as_message())?;
    let known = folders::known(mailbox, lease).await?;
    if folders::use_of(&known, &place.folder) == Some(SpecialUse::Drafts) {
        Ok(place)
    } else {
        Err(MailboxError::NotADraft)
    }
}

/// A message that is not there is a draft that is not there.
pub(super) fn gone(error: MailboxError) -> MailboxError {
    if error == MailboxError::NotFound(NotFound::Message) {
        MailboxError::NotFound(NotFound::Draft)
    } else {
        error
    }
}

/// The Message-ID of one message of the open folder, if it is there and has one.
pub(super) async fn message_id_of(
    connection: &mut Connection,
    uid: u32,
) -> Result<Option<String>, MailboxError> {
    let set = UidSet::range(uid, uid);
    let command =
        Command::new("UID FETCH").plain(&set).word("(UID FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])");
    let answer = connection.run(&command).await?.ok()?;
    let found = answer
        .fetched
        .iter()
        .find(|fetched| fetched.uid() == Some(uid) && fetched.body("HEADER.FIELDS").is_some());
    let fetched = found.ok_or(MailboxError::NotFound(NotFound::Draft))?;
    Ok(super::decode::headers(fetched.body("HEADER.FIELDS").unwrap_or_default()).message_id)
}
