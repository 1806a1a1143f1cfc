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
    folders, list,
    list::{rows, until},
    row::Facts,
};
use crate::{
    refs::{self, FolderName, Place},
    session::{Answer, Command, Errand, Lease, Outcome, Selected, Status, UidSet},
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
    lease.limit(end);
    let folders = folders::of_scope(mailbox, &mut lease, &search.scope).await?;
    let one = search.scope != FolderScope::All;
    let mut found = Found { hits: Vec::new(), missing: Vec::new() };
    // Nothing newer than where the last page ended is wanted. A day more, because servers compare days in their own zone.
    let newest =
        after.and_then(|hit| hit.arrived.0.checked_add(2 * 86_400)).map(|moment| Timestamp(moment).day());
    let command = criteria::command(search, Texts::All, newest)?;
    let mut matching = Vec::new();
    let mut refused = Vec::new();
    for (folder, outcome) in ask(&mut lease, folders, &command).await {
        let found_in = outcome.and_then(|(open, answer)| {
            if after.is_some_and(|hit| hit.folder == folder && hit.uidvalidity != open.uidvalidity) {
                return Err(MailboxError::Cursor);
            }
            if answer.status() != Status::Ok && criteria::needs_charset(search) {
                return Ok(None);
            }
            Ok(Some((open, answer.ok()?.searched().to_vec())))
        });
        match found_in {
            Ok(Some((open, uids))) => matching.push((folder, open, uids)),
            Ok(None) => refused.push(folder),
            Err(error) => found.fails(error, &folder, one)?,
        }
    }
    if !refused.is_empty() {
        if !criteria::is_local(search) {
            return Err(MailboxError::SearchText);
        }
        let command = criteria::command(search, Texts::AsciiOnly, newest)?;
        for (folder, outcome) in ask(&mut lease, refused, &command).await {
            match compared(&mut lease, search, &folder, outcome, &mut found).await {
                Ok((open, uids)) => matching.push((folder, open, uids)),
                Err(error) => found.fails(error, &folder, one)?,
            }
        }
    }
    arrivals(&mut lease, matching, one, &mut found).await?;
    found.missing.dedup();
    Ok(found)
}

impl Found {
    /// A folder that could not be searched: named, unless it is the only one or all would fail likewise.
    fn fails(&mut self, error: MailboxError, folder: &FolderName, one: bool) -> Result<(), MailboxError> {
        if one || matches!(error, MailboxError::SearchText | MailboxError::Cursor) {
            return Err(error);
        }
        self.missing.extend(gap(error, folder)?);
        Ok(())
    }

    /// The newest of these UIDs.
    fn newest(&mut self, mut uids: Vec<u32>, most: usize) -> Vec<u32> {
        uids.sort_unstable_by(|a, b| b.cmp(a));
        uids.dedup();
        if uids.len() > most {
            self.missing.push(Gap::TooMany);
            uids.truncate(most);
        }
        uids
    }
}

/// What a folder that could not be read is named as.
///
/// # Errors
/// Where there is no connection to be had, which every folder would say.
pub(super) fn gap(error: MailboxError, folder: &FolderName) -> Result<Option<Gap>, MailboxError> {
    if error == MailboxError::TimedOut {
        return Ok(folder.id().map(Gap::NoTime));
    }
    if matches!(error, MailboxError::Connect(_, fault) if fault != ConnectFault::Lost) {
        return Err(error);
    }
    Ok(folder.id().map(Gap::Unavailable))
}

/// Runs one command in each of these folders.
async fn ask(
    lease: &mut Lease<'_>,
    folders: Vec<FolderName>,
    command: &Command,
) -> Vec<(FolderName, Result<(Selected, Answer), MailboxError>)> {
    let errand =
        |folder: &FolderName| Errand { folder: folder.wire().to_vec(), commands: vec![command.clone()] };
    let errands: Vec<Errand> = folders.iter().map(errand).collect();
    let outcomes = lease.visit(&errands).await.into_iter().map(|outcome| {
        let (open, answers) = outcome?;
        Ok((open, answers.into_iter().next().unwrap_or_default()))
    });
    folders.into_iter().zip(outcomes).collect()
}

/// What matches in a folder whose server can't compare the texts: their headers are read and compared here.
async fn compared(
    lease: &mut Lease<'_>,
    search: &Search,
    folder: &FolderName,
    outcome: Result<(Selected, Answer), MailboxError>,
    found: &mut Found,
) -> Result<(Selected, Vec<u32>), MailboxError> {
    let (_, answer) = outcome?;
    let uids = found.newest(answer.ok()?.searched().to_vec(), MOST_COMPARED);
    let open = lease.examine(folder.wire()).await?;
    let (rows, _) = rows(lease.connection()?, folder, &open, &uids).await?;
    let matching = rows.iter().filter(|row| criteria::matches_locally(search, &row.headers));
    let uids = matching.filter_map(|row| Place::parse(&row.id).ok()).map(|place| place.uid).collect();
    Ok((open, uids))
}

/// When each match arrived.
async fn arrivals(
    lease: &mut Lease<'_>,
    matching: Vec<(FolderName, Selected, Vec<u32>)>,
    one: bool,
    found: &mut Found,
) -> Result<(), MailboxError> {
    let mut errands = Vec::new();
    let mut asked = Vec::new();
    for (folder, open, uids) in matching {
        let uids = found.newest(uids, MOST_MATCHES);
        if let Some(set) = UidSet::of(uids.iter().copied()) {
            let command = Command::new("UID FETCH").plain(&set).word("(UID INTERNALDATE)");
            errands.push(Errand { folder: folder.wire().to_vec(), commands: vec![command] });
            asked.push((folder, open, uids));
        }
    }
    let outcomes = lease.visit(&errands).await;
    for ((folder, before, uids), outcome) in asked.into_iter().zip(outcomes) {
        let answered = outcome.and_then(|(open, answers)| {
            // Rebuilt since it was searched: its UIDs mean other messages now.
            if open.uidvalidity != before.uidvalidity {
                return Err(MailboxError::Stale);
            }
            answers.into_iter().next().unwrap_or_default().ok()
        });
        match answered {
            Ok(answer) => found.hits.extend(hits(&folder, before.uidvalidity, &uids, &answer)),
            Err(error) => found.fails(error, &folder, one)?,
        }
    }
    Ok(())
}

fn hits(folder: &FolderName, uidvalidity: u32, uids: &[u32], answer: &Answer) -> Vec<Hit> {
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
        uidvalidity,
    };
    arrived.into_iter().map(hit).collect()
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
    let one = search.scope != FolderScope::All;
    let mut looked_at = 0_usize;
    let mut last = None;
    for batch in hits.chunks(limit) {
        if listing.rows.len() >= limit || looked_at >= MOST_STRUCTURES {
            break;
        }
        let mut lease = mailbox.pool.lease().await?;
        lease.limit(end);
        let mut rows = fetch(&mut lease, batch, one, listing).await?;
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
    one: bool,
    listing: &mut Listing,
) -> Result<BTreeMap<Hit, MessageRow>, MailboxError> {
    let mut by_folder: BTreeMap<(&FolderName, u32), Vec<&Hit>> = BTreeMap::new();
    for hit in batch {
        by_folder.entry((&hit.folder, hit.uidvalidity)).or_default().push(hit);
    }
    let errands: Vec<Errand> = by_folder
        .iter()
        .map(|((folder, _), hits)| Errand {
            folder: folder.wire().to_vec(),
            commands: list::command(hits.iter().map(|hit| hit.uid.0)).into_iter().collect(),
        })
        .collect();
    let outcomes = lease.visit(&errands).await;
    let mut rows = BTreeMap::new();
    for (((folder, uidvalidity), hits), outcome) in by_folder.into_iter().zip(outcomes) {
        let uids: Vec<u32> = hits.iter().map(|hit| hit.uid.0).collect();
        let (read, unreadable) = match read_rows(lease, folder, uidvalidity, &uids, outcome).await {
            Ok(read) => read,
            Err(error) if one => return Err(error),
            Err(error) => {
                listing.missing.extend(gap(error, folder)?);
                continue;
            }
        };
        listing.unreadable = listing.unreadable.saturating_add(unreadable);
        for row in read {
            let uid = Place::parse(&row.id)?.uid;
            if let Some(hit) = hits.iter().find(|hit| hit.uid.0 == uid) {
                rows.insert((*hit).clone(), row);
            }
        }
    }
    Ok(rows)
}

async fn read_rows(
    lease: &mut Lease<'_>,
    folder: &FolderName,
    uidvalidity: u32,
    uids: &[u32],
    outcome: Outcome,
) -> Result<(Vec<MessageRow>, u64), MailboxError> {
    let (open, answers) = outcome?;
    if open.uidvalidity != uidvalidity {
        return Err(MailboxError::Stale);
    }
    let answer = answers.into_iter().next().unwrap_or_default();
    if answer.status() == Status::Ok {
        return Ok(list::rows_of(folder, uidvalidity, answer, uids));
    }
    let open = lease.examine(folder.wire()).await?;
    rows(lease.connection()?, folder, &open, uids).await
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
