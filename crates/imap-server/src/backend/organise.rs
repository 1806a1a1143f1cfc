//! Flags, moves and removals. This is the one file that issues STORE \Deleted, UID EXPUNGE, UID COPY and UID MOVE; nothing
//! issues EXPUNGE or CLOSE, which would also remove what others marked.
//!
//! A move is a MOVE (RFC 6851), or with UIDPLUS (RFC 4315) a copy that is verified, a mark that is confirmed and an
//! expunge of exactly those UIDs. A server with neither can't move without a risk to mail, so it is refused.

use std::collections::BTreeMap;

use countersign_core::{
    mailbox::{MailboxError, NotFound},
    model::{Destination, DraftRef, Flag, FlagChange, Flags, Keyword, MessageRef, Moved, SpecialUse},
};

use super::{
    ImapMailbox,
    drafts::{gone, in_drafts},
    fetch::merged,
    folders,
    row::flags_of,
};
use crate::{
    error::of_change,
    refs::{FolderName, Place},
    session::{Answer, Command, Connection, Lease, Open, Selected, Status, UidSet},
};

/// Changes flags and keywords.
pub(super) async fn store_flags(
    mailbox: &ImapMailbox,
    ids: &[MessageRef],
    change: &FlagChange,
) -> Result<(), MailboxError> {
    let groups = by_folder(ids)?;
    let mut lease = mailbox.pool.lease().await?;
    check_all(&mut lease, &groups).await?;
    let mut begun = false;
    for (folder, places) in &groups {
        let stored = store_in(lease.connection()?, folder, places, change).await;
        stored.map_err(|error| if begun { MailboxError::OutcomeUnknown } else { error })?;
        begun = true;
    }
    Ok(())
}

async fn store_in(
    connection: &mut Connection,
    folder: &FolderName,
    places: &[Place],
    change: &FlagChange,
) -> Result<(), MailboxError> {
    let set = opened(connection, folder, places).await?;
    let FlagChange { seen, flagged, add, remove } = change;
    for (word, on, keywords) in [("+FLAGS (", true, add), ("-FLAGS (", false, remove)] {
        let mut command = Command::new("UID STORE").plain(&set).word(word);
        if *seen == Some(on) {
            command = command.word("\\Seen");
        }
        if *flagged == Some(on) {
            command = command.word("\\Flagged");
        }
        command = keywords.iter().fold(command, Command::plain);
        if *seen == Some(on) || *flagged == Some(on) || !keywords.is_empty() {
            let answer = connection.run(&command.join(")")).await.map_err(of_change)?.ok()?;
            kept(connection, places, answer, &|flags| {
                let all = keywords.iter().all(|keyword| has_keyword(flags, keyword) == on);
                all && (*seen != Some(on) || flags.has(Flag::Seen) == on)
                    && (*flagged != Some(on) || flags.has(Flag::Flagged) == on)
            })
            .await?;
        }
    }
    Ok(())
}

/// Sees that a change of flags was kept: a server may say OK and keep nothing (a folder that takes no new keywords). What it
/// says of other messages is another client's doing, and what it does not say is asked for.
async fn kept(
    connection: &mut Connection,
    places: &[Place],
    answer: Answer,
    as_wanted: &(dyn Fn(&Flags) -> bool + Sync),
) -> Result<(), MailboxError> {
    let uids: Vec<u32> = places.iter().map(|place| place.uid).collect();
    let mut told = merged(answer.fetched, &uids);
    told.retain(|_, fetched| fetched.get("FLAGS").is_some());
    if told.len() < uids.len() {
        let set = UidSet::of(uids.iter().copied()).ok_or(MailboxError::InvalidRef)?;
        let ask = Command::new("UID FETCH").plain(&set).word("(UID FLAGS)");
        told = merged(connection.run(&ask).await.map_err(of_change)?.ok()?.fetched, &uids);
    }
    for uid in &uids {
        // Gone since it was looked for.
        let fetched = told.get(uid).ok_or(MailboxError::NotFound(NotFound::Message))?;
        if !as_wanted(&flags_of(fetched)) {
            return Err(MailboxError::Refused);
        }
    }
    Ok(())
}

/// Keywords have one spelling each in a folder, whatever the letters' case (RFC 9051 §2.3.2).
fn has_keyword(flags: &Flags, keyword: &Keyword) -> bool {
    flags.keywords.iter().any(|found| found.as_str().eq_ignore_ascii_case(keyword.as_str()))
}

/// Moves messages.
pub(super) async fn move_messages(
    mailbox: &ImapMailbox,
    ids: &[MessageRef],
    to: &Destination,
) -> Result<Vec<Moved>, MailboxError> {
    let groups = by_folder(ids)?;
    let mut lease = mailbox.pool.lease().await?;
    let target = match to {
        Destination::Folder(folder) => FolderName::parse(folder)?,
        Destination::Use(wanted) => folders::with_use(mailbox, &mut lease, *wanted).await?,
    };
    let capabilities = lease.connection()?.capabilities();
    if !capabilities.moves && !capabilities.uidplus {
        return Err(MailboxError::Unsupported("moving (the server has neither MOVE nor UIDPLUS)"));
    }
    check_all(&mut lease, &groups).await?;
    let mut moved = Vec::new();
    for (folder, places) in groups.iter().filter(|(folder, _)| **folder != target) {
        let part = move_from(lease.connection()?, folder, places, &target).await;
        moved.extend(
            part.map_err(|error| if moved.is_empty() { error } else { MailboxError::OutcomeUnknown })?,
        );
    }
    // What is there already needs no move.
    for place in groups.get(&target).into_iter().flatten() {
        moved.push(Moved { from: place.id()?, to: Some(place.id()?) });
    }
    Ok(moved)
}

async fn move_from(
    connection: &mut Connection,
    folder: &FolderName,
    places: &[Place],
    target: &FolderName,
) -> Result<Vec<Moved>, MailboxError> {
    let set = opened(connection, folder, places).await?;
    let capabilities = connection.capabilities();
    let invalid = |_| MailboxError::InvalidRef;
    if capabilities.moves {
        let command = Command::new("UID MOVE").plain(&set).string(target.wire()).map_err(invalid)?;
        let answer = connection.run(&command).await.map_err(of_change)?;
        if answer.status() != Status::Bad || !capabilities.uidplus {
            let answer = answer.ok()?;
            let moved = moved(places, target, &answer)?;
            left_behind(connection, places, &moved, &answer).await?;
            return Ok(moved);
        }
    }
    let command = Command::new("UID COPY").plain(&set).string(target.wire()).map_err(invalid)?;
    let answer = connection.run(&command).await.map_err(of_change)?.ok()?;
    let moved = moved(places, target, &answer)?;
    // OK alone proves nothing: some servers answer so having copied nothing.
    if moved.iter().any(|one| one.to.is_none()) {
        return Err(MailboxError::PeerMisbehaved("a copy that is not confirmed"));
    }
    remove(connection, places).await?;
    Ok(moved)
}

/// Sees what became of messages that a MOVE answered with OK without saying where they went: some servers never say, some
/// have moved nothing, and a message that was removed meanwhile is moved by nobody.
async fn left_behind(
    connection: &mut Connection,
    places: &[Place],
    moved: &[Moved],
    answer: &Answer,
) -> Result<(), MailboxError> {
    let said = moved.iter().filter(|one| one.to.is_some()).count();
    if said == places.len() || answer.expunged() >= places.len() {
        return Ok(());
    }
    let uids: Vec<u32> = places.iter().map(|place| place.uid).collect();
    let set = UidSet::of(uids.iter().copied()).ok_or(MailboxError::InvalidRef)?;
    let ask = Command::new("UID FETCH").plain(&set).word("(UID)");
    let there = merged(connection.run(&ask).await.map_err(of_change)?.ok()?.fetched, &uids);
    match (said, there.is_empty()) {
        (0, false) => Err(MailboxError::Refused),
        (0, true) => Err(MailboxError::NotFound(NotFound::Message)),
        // Some went and some did not: which ones is for the next look to tell.
        _ => Err(MailboxError::OutcomeUnknown),
    }
}

/// Marks exactly these messages of the open folder, sees that they are marked, and removes exactly them.
async fn remove(connection: &mut Connection, places: &[Place]) -> Result<(), MailboxError> {
    let uids = places.iter().map(|place| place.uid);
    let set = UidSet::of(uids).ok_or(MailboxError::InvalidRef)?;
    let mark = Command::new("UID STORE").plain(&set).word("+FLAGS.SILENT (\\Deleted)");
    connection.run(&mark).await.map_err(of_change)?.ok()?;
    let answer = connection
        .run(&Command::new("UID FETCH").plain(&set).word("(UID FLAGS)"))
        .await
        .map_err(of_change)?
        .ok()?;
    let marked = places.iter().all(|place| {
        let mut ours = answer.fetched.iter().filter(|fetched| fetched.uid() == Some(place.uid));
        ours.next_back().is_some_and(|fetched| flags_of(fetched).has(Flag::Deleted))
    });
    if !marked {
        return Err(MailboxError::PeerMisbehaved("a mark that is not kept"));
    }
    connection.run(&Command::new("UID EXPUNGE").plain(&set)).await.map_err(of_change)?.ok().map(drop)
}

/// Where each message went, by COPYUID.
fn moved(places: &[Place], target: &FolderName, answer: &Answer) -> Result<Vec<Moved>, MailboxError> {
    let mut targets: BTreeMap<u32, Place> = BTreeMap::new();
    if let Some(code) = answer.code("COPYUID")
        && let [uidvalidity, from, to, ..] = code.values.as_slice()
        && let Some(uidvalidity) = uidvalidity.number()
    {
        let read = |value: &crate::session::Value| UidSet::parse(value.text()?, 10_000);
        let (from, to) = (read(from).unwrap_or_default(), read(to).unwrap_or_default());
        if from.len() == to.len() {
            let place = |uid| Place { folder: target.clone(), uidvalidity, uid };
            targets.extend(from.into_iter().zip(to.into_iter().map(place)));
        }
    }
    let one = |place: &Place| {
        let to = targets.get(&place.uid).map(Place::id).transpose()?;
        Ok(Moved { from: place.id()?, to })
    };
    places.iter().map(one).collect()
}

/// Moves a draft to Trash.
pub(super) async fn trash_draft(mailbox: &ImapMailbox, id: &DraftRef) -> Result<Moved, MailboxError> {
    let place = in_drafts(mailbox, &mut mailbox.pool.lease().await?, id).await?;
    let moved =
        move_messages(mailbox, &[place.id()?], &Destination::Use(SpecialUse::Trash)).await.map_err(gone)?;
    moved.into_iter().next().ok_or(MailboxError::NotFound(NotFound::Draft))
}

/// Removes a draft by exact identity.
pub(super) async fn remove_draft(mailbox: &ImapMailbox, id: &DraftRef) -> Result<(), MailboxError> {
    let mut lease = mailbox.pool.lease().await?;
    let place = in_drafts(mailbox, &mut lease, id).await?;
    remove_exactly(&mut lease, &place, None).await
}

/// Removes one message of Drafts: that UID in that UIDVALIDITY and, where given, with that Message-ID.
pub(super) async fn remove_exactly(
    lease: &mut Lease<'_>,
    place: &Place,
    message_id: Option<&str>,
) -> Result<(), MailboxError> {
    let connection = lease.connection()?;
    if !connection.capabilities().uidplus {
        return Err(MailboxError::Unsupported("removal by exact identity (UIDPLUS)"));
    }
    let open = connection.open(place.folder.wire(), Open::ToChange).await?;
    place.check(&open)?;
    let found = super::drafts::message_id_of(connection, place.uid).await?;
    if message_id.is_some_and(|wanted| found.as_deref() != Some(wanted)) {
        return Err(MailboxError::Stale);
    }
    remove(connection, std::slice::from_ref(place)).await
}

fn by_folder(ids: &[MessageRef]) -> Result<BTreeMap<FolderName, Vec<Place>>, MailboxError> {
    let mut groups: BTreeMap<FolderName, Vec<Place>> = BTreeMap::new();
    for id in ids {
        let place = Place::parse(id)?;
        let group = groups.entry(place.folder.clone()).or_default();
        if !group.contains(&place) {
            group.push(place);
        }
    }
    if groups.is_empty() { Err(MailboxError::NotFound(NotFound::Message)) } else { Ok(groups) }
}

/// Sees that every message is there before anything is changed.
async fn check_all(
    lease: &mut Lease<'_>,
    groups: &BTreeMap<FolderName, Vec<Place>>,
) -> Result<(), MailboxError> {
    for (folder, places) in groups {
        let open = lease.examine(folder.wire()).await?;
        let set = current(places, &open)?;
        let answer =
            lease.connection()?.run(&Command::new("UID FETCH").plain(&set).word("(UID)")).await?.ok()?;
        let there = |place: &Place| answer.fetched.iter().any(|fetched| fetched.uid() == Some(place.uid));
        if !places.iter().all(there) {
            return Err(MailboxError::NotFound(NotFound::Message));
        }
    }
    Ok(())
}

async fn opened(
    connection: &mut Connection,
    folder: &FolderName,
    places: &[Place],
) -> Result<UidSet, MailboxError> {
    let open = connection.open(folder.wire(), Open::ToChange).await?;
    current(places, &open)
}

fn current(places: &[Place], open: &Selected) -> Result<UidSet, MailboxError> {
    places.iter().try_for_each(|place| place.check(open))?;
    UidSet::of(places.iter().map(|place| place.uid)).ok_or(MailboxError::InvalidRef)
}
