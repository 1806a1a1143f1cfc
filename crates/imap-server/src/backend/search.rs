//! Search over one folder or all, newest first by arrival, within a budget. First every folder is asked which messages
//! match and when they arrived; then only the rows of the page are fetched. A folder that fails or for which no time was
//! left is named, and the rest answers.

use std::collections::BTreeMap;

use countersign_core::{
    mailbox::{ConnectFault, MailboxError},
    model::{Cursor, FolderScope, Gap, Listing, MessageRow, Search, Timestamp, Window},
};
use tokio::time::Instant;

use super::{
    ImapMailbox, criteria,
    criteria::Texts,
    folders,
    list::{rows, until},
    row::Facts,
};
use crate::{
    refs::{self, FolderName, Place},
    session::{Command, Connection, Lease, Selected, Status, UidSet},
};

/// Most matches of one folder whose arrival is asked for; the newest by UID are taken.
const MOST_MATCHES: usize = 3_000;
/// Most messages whose headers are compared here for a server that can't compare them.
const MOST_COMPARED: usize = 1_000;
/// Most messages whose structure is looked at for one page, to see whether they have attachments.
const MOST_STRUCTURES: usize = 500;
/// Most rows of one page.
const MOST_ROWS: usize = 200;

/// A message that matches. The order is that of the list: newest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    arrived: std::cmp::Reverse<i64>,
    folder: FolderName,
    uid: std::cmp::Reverse<u32>,
    uidvalidity: u32,
}

/// A page of what matches.
pub(super) async fn messages(
    mailbox: &ImapMailbox,
    search: &Search,
    window: &Window,
) -> Result<Listing, MailboxError> {
    let after = window.cursor.as_ref().map(read_cursor).transpose()?;
    let end = until(window);
    // The rows still have to be fetched when the last folder has answered.
    let searched_by = Instant::now().checked_add(window.budget.mul_f32(0.7)).unwrap_or(end);
    let mut found = find(mailbox, search, after.as_ref(), searched_by).await?;
    found.hits.sort();
    let total = u64::try_from(found.hits.len()).ok();
    let exact = after.is_none() && found.missing.is_empty() && search.has_attachment.is_none();
    let mut listing = Listing {
        rows: Vec::new(),
        next: None,
        total: total.filter(|_| exact),
        unreadable: 0,
        missing: found.missing,
    };
    if let Some(after) = &after {
        found.hits.retain(|hit| hit > after);
    }
    page(mailbox, search, window, &found.hits, &mut listing).await?;
    Ok(listing)
}

struct Found {
    hits: Vec<Hit>,
    missing: Vec<Gap>,
}

async fn find(
    mailbox: &ImapMailbox,
    search: &Search,
    after: Option<&Hit>,
    end: Instant,
) -> Result<Found, MailboxError> {
    let mut lease = mailbox.pool.lease().await?;
    lease.connection()?.limit(end);
    let folders = folders::of_scope(mailbox, &mut lease, &search.scope).await?;
    let one = search.scope != FolderScope::All;
    let mut found = Found { hits: Vec::new(), missing: Vec::new() };
    for folder in folders {
        if Instant::now() >= end {
            found.missing.extend(folder.id().map(Gap::NoTime));
            continue;
        }
        if lease.connection().map_or(true, |connection| !connection.is_healthy()) {
            // The lock on the slot has to go before it is asked for again.
            drop(lease);
            lease = mailbox.pool.lease().await?;
            lease.connection()?.limit(end);
        }
        match in_folder(&mut lease, search, &folder, after).await {
            Ok((hits, whole)) => {
                found.hits.extend(hits);
                if !whole {
                    found.missing.push(Gap::TooMany);
                }
            }
            Err(error @ (MailboxError::SearchText | MailboxError::Cursor)) => return Err(error),
            Err(error) if one => return Err(error),
            Err(MailboxError::TimedOut) => found.missing.extend(folder.id().map(Gap::NoTime)),
            Err(error @ MailboxError::Connect(_, fault)) if fault != ConnectFault::Lost => return Err(error),
            Err(_) => found.missing.extend(folder.id().map(Gap::Unavailable)),
        }
    }
    found.missing.dedup();
    Ok(found)
}

/// What matches in one folder, and whether that is all of it.
async fn in_folder(
    lease: &mut Lease<'_>,
    search: &Search,
    folder: &FolderName,
    after: Option<&Hit>,
) -> Result<(Vec<Hit>, bool), MailboxError> {
    // Nothing newer than where the last page ended is wanted. A day more, because servers compare days in their own zone.
    let newest =
        after.and_then(|hit| hit.arrived.0.checked_add(2 * 86_400)).map(|moment| Timestamp(moment).day());
    let command = criteria::command(search, Texts::All, newest)?;
    let (open, mut answer) = lease.examine_with(folder.wire(), Some(&command)).await?;
    if let Some(hit) = after
        && hit.folder == *folder
        && hit.uidvalidity != open.uidvalidity
    {
        return Err(MailboxError::Cursor);
    }
    let connection = lease.connection()?;
    let mut compare = false;
    if answer.status() != Status::Ok && criteria::needs_charset(search) {
        if !criteria::is_local(search) {
            return Err(MailboxError::SearchText);
        }
        answer = connection.run(&criteria::command(search, Texts::AsciiOnly, newest)?).await?;
        compare = true;
    }
    let mut uids = answer.ok()?.searched();
    uids.sort_unstable_by(|a, b| b.cmp(a));
    uids.dedup();
    let mut whole = true;
    if compare {
        whole = uids.len() <= MOST_COMPARED;
        uids.truncate(MOST_COMPARED);
        let (rows, _) = rows(connection, folder, &open, &uids).await?;
        let matching = rows.iter().filter(|row| criteria::matches_locally(search, &row.headers));
        uids = matching.filter_map(|row| Place::parse(&row.id).ok()).map(|place| place.uid).collect();
    }
    whole &= uids.len() <= MOST_MATCHES;
    uids.truncate(MOST_MATCHES);
    let hits = arrivals(connection, folder, &open, &uids).await?;
    Ok((hits, whole))
}

async fn arrivals(
    connection: &mut Connection,
    folder: &FolderName,
    open: &Selected,
    uids: &[u32],
) -> Result<Vec<Hit>, MailboxError> {
    let Some(set) = UidSet::of(uids.iter().copied()) else { return Ok(Vec::new()) };
    let answer =
        connection.run(&Command::new("UID FETCH").plain(&set).word("(UID INTERNALDATE)")).await?.ok()?;
    let mut arrived: BTreeMap<u32, i64> = uids.iter().map(|uid| (*uid, 0)).collect();
    for facts in answer.fetched.iter().filter_map(Facts::read) {
        if let (Some(slot), Some(at)) = (arrived.get_mut(&facts.uid), facts.received) {
            *slot = at.0;
        }
    }
    let hit = |(uid, at): (u32, i64)| Hit {
        arrived: std::cmp::Reverse(at),
        folder: folder.clone(),
        uid: std::cmp::Reverse(uid),
        uidvalidity: open.uidvalidity,
    };
    Ok(arrived.into_iter().map(hit).collect())
}

/// Fetches the rows of a page, passing over what turns out not to match.
async fn page(
    mailbox: &ImapMailbox,
    search: &Search,
    window: &Window,
    hits: &[Hit],
    listing: &mut Listing,
) -> Result<(), MailboxError> {
    let limit = window.limit.clamp(1, MOST_ROWS);
    let end = until(window);
    let mut looked_at = 0_usize;
    let mut last = None;
    for batch in hits.chunks(limit) {
        if listing.rows.len() >= limit || looked_at >= MOST_STRUCTURES {
            break;
        }
        let mut lease = mailbox.pool.lease().await?;
        lease.connection()?.limit(end);
        let mut rows = fetch(&mut lease, batch, listing).await?;
        drop(lease);
        for hit in batch {
            if listing.rows.len() >= limit {
                break;
            }
            looked_at = looked_at.saturating_add(1);
            last = Some(hit);
            let Some(row) = rows.remove(hit) else { continue };
            let attached = search
                .has_attachment
                .is_none_or(|wanted| row.has_attachments.is_none_or(|has| has == wanted));
            if attached {
                listing.rows.push(row);
            }
        }
    }
    if looked_at < hits.len() {
        listing.next = last.map(cursor);
        if listing.rows.len() < limit {
            listing.missing.push(Gap::TooMany);
        }
    }
    Ok(())
}

async fn fetch(
    lease: &mut Lease<'_>,
    batch: &[Hit],
    listing: &mut Listing,
) -> Result<BTreeMap<Hit, MessageRow>, MailboxError> {
    let mut by_folder: BTreeMap<(&FolderName, u32), Vec<&Hit>> = BTreeMap::new();
    for hit in batch {
        by_folder.entry((&hit.folder, hit.uidvalidity)).or_default().push(hit);
    }
    let mut found = BTreeMap::new();
    for ((folder, uidvalidity), hits) in by_folder {
        let open = lease.examine(folder.wire()).await?;
        if open.uidvalidity != uidvalidity {
            listing.missing.extend(folder.id().map(Gap::Unavailable));
            continue;
        }
        let uids: Vec<u32> = hits.iter().map(|hit| hit.uid.0).collect();
        let (rows, unreadable) = rows(lease.connection()?, folder, &open, &uids).await?;
        listing.unreadable = listing.unreadable.saturating_add(unreadable);
        for row in rows {
            let uid = Place::parse(&row.id)?.uid;
            if let Some(hit) = hits.iter().find(|hit| hit.uid.0 == uid) {
                found.insert((*hit).clone(), row);
            }
        }
    }
    Ok(found)
}

/// `s.arrived.folder.uidvalidity.uid` of the last message that was looked at.
fn cursor(hit: &Hit) -> Cursor {
    let folder = hit.folder.id().map(|id| id.as_str().to_owned()).unwrap_or_default();
    Cursor(format!("s.{}.{folder}.{}.{}", hit.arrived.0, hit.uidvalidity, hit.uid.0))
}

fn read_cursor(cursor: &Cursor) -> Result<Hit, MailboxError> {
    let refused = |_| MailboxError::Cursor;
    let fields: Vec<&str> = cursor.0.split('.').collect();
    let ["s", arrived, folder, uidvalidity, uid] = fields.as_slice() else {
        return Err(MailboxError::Cursor);
    };
    let at: i64 = arrived.parse().map_err(|_| MailboxError::Cursor)?;
    if at.to_string() != *arrived {
        return Err(MailboxError::Cursor);
    }
    let folder = countersign_core::model::FolderRef::parse(folder).map_err(|_| MailboxError::Cursor)?;
    Ok(Hit {
        arrived: std::cmp::Reverse(at),
        folder: FolderName::parse(&folder).map_err(refused)?,
        uid: std::cmp::Reverse(refs::number(uid).map_err(refused)?),
        uidvalidity: refs::number(uidvalidity).map_err(refused)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(arrived: i64, folder: &str, uid: u32) -> Hit {
        Hit {
            arrived: std::cmp::Reverse(arrived),
            folder: FolderName::new(folder.into()).unwrap(),
            uid: std::cmp::Reverse(uid),
            uidvalidity: 7,
        }
    }

    #[test]
    fn the_newest_comes_first_and_the_higher_uid_of_one_second() {
        let mut hits = vec![hit(5, "B", 1), hit(9, "A", 1), hit(5, "A", 2), hit(5, "A", 3)];
        hits.sort();
        assert_eq!(hits, [hit(9, "A", 1), hit(5, "A", 3), hit(5, "A", 2), hit(5, "B", 1)]);
    }

    #[test]
    fn cursors_read_back_in_one_spelling() {
        let known = hit(-5, "a.b \"&AOk-", 42);
        assert_eq!(read_cursor(&cursor(&known)), Ok(known));
        for bad in [
            "",
            "s",
            "s.1.SU5CT1g.7",
            "s.01.SU5CT1g.7.9",
            "s.1.SU5CT1g.7.9.1",
            "x.1.SU5CT1g.7.9",
            "s.1.*.7.9",
        ] {
            assert_eq!(read_cursor(&Cursor(bad.into())), Err(MailboxError::Cursor), "{bad}");
        }
    }
}
