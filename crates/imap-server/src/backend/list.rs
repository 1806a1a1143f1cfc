//! A page of a folder, newest first, in two round trips on a warm connection: EXAMINE (with, for a later page, a SEARCH for
//! what lies above it) and one FETCH.
//!
//! The page is cut by position because UIDs may lie far apart; positions are used only between that EXAMINE and that
//! FETCH, which no EXPUNGE can come between (RFC 9051 §7.5.1), and nothing but UIDs is handed out.

use countersign_core::{
    mailbox::MailboxError,
    model::{Cursor, FolderScope, Listing, MessageRow, Window},
};
use tokio::time::Instant;

use super::{ImapMailbox, folders, row};
use crate::{
    refs::{self, FolderName},
    session::{Command, Connection, Selected, Status, UidSet},
};

/// Most rows of one page.
const MOST_ROWS: usize = 200;

/// A page of a folder.
pub(super) async fn messages(
    mailbox: &ImapMailbox,
    scope: &FolderScope,
    window: &Window,
) -> Result<Listing, MailboxError> {
    if *scope == FolderScope::All {
        // Several folders have no common order of positions: their newest are found by search.
        let everything = countersign_core::model::Search::everything(FolderScope::All);
        return super::search::messages(mailbox, &everything, window).await;
    }
    let below = window.cursor.as_ref().map(cursor).transpose()?;
    let mut lease = mailbox.pool.lease().await?;
    let folder = match scope {
        FolderScope::One(folder) => FolderName::parse(folder)?,
        FolderScope::Use(wanted) => folders::with_use(mailbox, &mut lease, *wanted).await?,
        FolderScope::All => return Err(MailboxError::InvalidRef),
    };
    lease.connection()?.limit(until(window));
    let above = below.map(|(_, uid)| Command::new("UID SEARCH UID").plain(uid).join(":*"));
    let (open, answer) = lease.examine_with(folder.wire(), above.as_ref()).await?;
    if below.is_some_and(|(uidvalidity, _)| uidvalidity != open.uidvalidity) {
        return Err(MailboxError::Cursor);
    }
    let mut exists = open.exists;
    let mut top = exists;
    if let Some((_, uid)) = below {
        let answer = answer.ok()?;
        exists = answer.exists(exists);
        // `n:*` always names the last message, even below n (RFC 9051, seq-range).
        let above = answer.searched().into_iter().filter(|found| *found >= uid).count();
        top = exists.saturating_sub(u64::try_from(above).unwrap_or(u64::MAX));
    }
    let limit = u64::try_from(window.limit.clamp(1, MOST_ROWS)).unwrap_or(1);
    let mut listing =
        Listing { rows: Vec::new(), next: None, total: Some(exists), unreadable: 0, missing: Vec::new() };
    if top == 0 {
        return Ok(listing);
    }
    let from = top.saturating_sub(limit).saturating_add(1);
    page(lease.connection()?, &folder, &open, (from, top), below.map(|(_, uid)| uid), &mut listing).await?;
    if from > 1 {
        let lowest = listing.rows.last().and_then(|row| crate::refs::Place::parse(&row.id).ok());
        listing.next = lowest.map(|place| Cursor(format!("{}.{}", open.uidvalidity, place.uid)));
    }
    Ok(listing)
}

/// When a call's time for reading is over.
pub(super) fn until(window: &Window) -> Instant {
    let now = Instant::now();
    now.checked_add(window.budget).unwrap_or(now)
}

/// `uidvalidity.uid`: the page goes on below that UID.
fn cursor(cursor: &Cursor) -> Result<(u32, u32), MailboxError> {
    let (uidvalidity, uid) = cursor.0.split_once('.').ok_or(MailboxError::Cursor)?;
    let number = |text| refs::number(text).map_err(|_| MailboxError::Cursor);
    Ok((number(uidvalidity)?, number(uid)?))
}

async fn page(
    connection: &mut Connection,
    folder: &FolderName,
    open: &Selected,
    (from, to): (u64, u64),
    below: Option<u32>,
    listing: &mut Listing,
) -> Result<(), MailboxError> {
    let set = Command::new("FETCH").plain(from).join(":").join_plain(to);
    let mut answer = connection.run(&row::items(set.clone(), true)).await?;
    if answer.status() != Status::Ok {
        // Some servers refuse the whole range for one message whose structure they can't tell.
        answer = connection.run(&row::items(set, false)).await?;
    }
    let answer = answer.ok()?;
    let wanted = to.saturating_sub(from).saturating_add(1);
    let mut rows: Vec<(u32, MessageRow)> = Vec::new();
    for fetched in &answer.fetched {
        let Some(uid) = fetched.uid().filter(|uid| below.is_none_or(|below| *uid < below)) else { continue };
        if let Some(row) = row::read(fetched, folder, open.uidvalidity)
            && rows.iter().all(|(known, _)| *known != uid)
        {
            rows.push((uid, row));
        }
    }
    rows.sort_by(|(a, _), (b, _)| b.cmp(a));
    listing.unreadable = wanted.saturating_sub(u64::try_from(rows.len()).unwrap_or(wanted));
    listing.rows = rows.into_iter().map(|(_, row)| row).collect();
    Ok(())
}

/// The rows of these UIDs in the open folder, in no particular order, and how many of them could not be read.
pub(super) async fn rows(
    connection: &mut Connection,
    folder: &FolderName,
    open: &Selected,
    uids: &[u32],
) -> Result<(Vec<MessageRow>, u64), MailboxError> {
    let Some(set) = UidSet::of(uids.iter().copied()) else { return Ok((Vec::new(), 0)) };
    let command = Command::new("UID FETCH").plain(&set);
    let mut answer = connection.run(&row::items(command.clone(), true)).await?;
    if answer.status() != Status::Ok {
        answer = connection.run(&row::items(command, false)).await?;
    }
    let answer = answer.ok()?;
    let mut rows: Vec<(u32, MessageRow)> = Vec::new();
    for fetched in &answer.fetched {
        let Some(uid) = fetched.uid().filter(|uid| uids.contains(uid)) else { continue };
        if let Some(row) = row::read(fetched, folder, open.uidvalidity)
            && rows.iter().all(|(known, _)| *known != uid)
        {
            rows.push((uid, row));
        }
    }
    // A message that is gone by now is not unreadable: only a response that names it and says too little is.
    let named =
        answer.fetched.iter().filter_map(crate::session::Fetched::uid).filter(|uid| uids.contains(uid));
    let named: std::collections::BTreeSet<u32> = named.collect();
    let unreadable = named.len().saturating_sub(rows.len());
    Ok((rows.into_iter().map(|(_, row)| row).collect(), u64::try_from(unreadable).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_two_numbers_and_nothing_else() {
        assert_eq!(cursor(&Cursor("7.9".into())), Ok((7, 9)));
        for bad in ["", "7", "7.", "7.9.1", "7.0", "07.9", "7.9 ", "7.*", "1:*.2"] {
            assert_eq!(cursor(&Cursor(bad.into())), Err(MailboxError::Cursor), "{bad}");
        }
    }
}
