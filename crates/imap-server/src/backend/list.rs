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

use super::{ImapMailbox, fetch, folders, row};
use crate::{
    refs::{self, FolderName},
    session::{Answer, Command, Connection, Fetched, Selected, Status, UidSet},
};

/// Most rows of one page.
const MOST_ROWS: usize = 200;

/// With this code (RFC 5530) a server says too little, or nothing, of messages that another client has removed since.
const GONE: &str = "EXPUNGEISSUED";

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
    lease.limit(until(window));
    let above: Vec<Command> =
        below.map(|(_, uid)| Command::new("UID SEARCH UID").plain(uid).join(":*")).into_iter().collect();
    let (open, answers) = lease.examine_with(folder.wire(), &above).await?;
    if below.is_some_and(|(uidvalidity, _)| uidvalidity != open.uidvalidity) {
        return Err(MailboxError::Cursor);
    }
    let mut exists = open.exists;
    let mut top = exists;
    if let Some((_, uid)) = below {
        let answer = answers.into_iter().next().unwrap_or_default().ok()?;
        exists = answer.exists(exists);
        // `n:*` always names the last message, even below n (RFC 9051, seq-range).
        let above = answer.searched().iter().filter(|found| **found >= uid).count();
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
    let answer = fetched(connection, &set).await?;
    let wanted = to.saturating_sub(from).saturating_add(1);
    let uids = answer.fetched.iter().filter_map(Fetched::uid);
    let uids: Vec<u32> = uids.filter(|uid| below.is_none_or(|below| *uid < below)).collect();
    let nameless = count(answer.fetched.iter().filter(|fetched| fetched.uid().is_none()));
    let not_understood = answer.unknown.saturating_add(nameless);
    let some_are_gone = answer.code(GONE).is_some();
    let named = fetch::merged(answer.fetched, &uids);
    listing.rows =
        named.values().rev().filter_map(|fetched| row::read(fetched, folder, open.uidvalidity)).collect();
    // Positions that no response names: of messages that are gone by now, or of lines that made no sense.
    let unnamed = wanted.saturating_sub(count(&named)).min(not_understood);
    listing.unreadable = count(&named).saturating_sub(count(&listing.rows)).saturating_add(unnamed);
    if some_are_gone {
        listing.unreadable = 0;
    }
    Ok(())
}

fn count(items: impl IntoIterator) -> u64 {
    u64::try_from(items.into_iter().count()).unwrap_or(u64::MAX)
}

/// What a server says of a set of messages, also where it says less than was asked: some refuse the whole set for one
/// message whose structure they can't tell, or for one that is gone.
async fn fetched(connection: &mut Connection, set: &Command) -> Result<Answer, MailboxError> {
    let answer = connection.run(&row::items(set.clone(), true)).await?;
    if answer.status() == Status::Ok || answer.code(GONE).is_some() {
        return Ok(answer);
    }
    let answer = connection.run(&row::items(set.clone(), false)).await?;
    if answer.fetched.is_empty() { answer.ok() } else { Ok(answer) }
}

/// The rows of these UIDs in the open folder, in the order of their UIDs, and how many of them could not be read.
pub(super) async fn rows(
    connection: &mut Connection,
    folder: &FolderName,
    open: &Selected,
    uids: &[u32],
) -> Result<(Vec<MessageRow>, u64), MailboxError> {
    let Some(set) = UidSet::of(uids.iter().copied()) else { return Ok((Vec::new(), 0)) };
    let answer = fetched(connection, &Command::new("UID FETCH").plain(&set)).await?;
    Ok(rows_of(folder, open.uidvalidity, answer, uids))
}

/// The command that fetches the rows of these UIDs, if there are any.
pub(super) fn command(uids: impl IntoIterator<Item = u32>) -> Option<Command> {
    UidSet::of(uids).map(|set| row::items(Command::new("UID FETCH").plain(&set), true))
}

/// The rows that an answer names, and how many more it names without saying enough. A message that is gone by now is not
/// named.
pub(super) fn rows_of(
    folder: &FolderName,
    uidvalidity: u32,
    answer: Answer,
    uids: &[u32],
) -> (Vec<MessageRow>, u64) {
    let some_are_gone = answer.code(GONE).is_some();
    let named = fetch::merged(answer.fetched, uids);
    let rows: Vec<MessageRow> =
        named.values().filter_map(|fetched| row::read(fetched, folder, uidvalidity)).collect();
    if some_are_gone {
        return (rows, 0);
    }
    let unreadable = count(&named).saturating_sub(count(&rows));
    (rows, unreadable)
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
