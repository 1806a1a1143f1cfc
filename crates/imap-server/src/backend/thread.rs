//! A conversation: the messages that name each other by Message-ID, In-Reply-To and References (RFC 5322 §3.6.4), up and
//! down, in the folders where conversations lie. Ids are foreign text: only plain ones are looked for, as quoted strings.

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::{
    mailbox::{ConnectFault, MailboxError, NotFound},
    model::{Gap, Headers, MessageRef, MessageRow, SpecialUse, Thread, Window},
};
use tokio::time::Instant;

use super::{ImapMailbox, fetch, folders, list};
use crate::{
    refs::{FolderName, Place},
    session::{Command, Lease},
};

/// How often newly found ids are looked for in turn.
const MOST_ROUNDS: usize = 4;
/// Most messages of one conversation.
const MOST_MESSAGES: usize = 200;
/// Most ids that are looked for in all.
const MOST_IDS: usize = 200;
/// Ids in one SEARCH. Each stands there three times, and lines of commands stay short (RFC 7162 §4: 8,192 bytes).
const IDS_AT_ONCE: usize = 8;
/// Longest id that is looked for, in bytes.
const MOST_ID_BYTES: usize = 200;
/// Most messages that one call reads.
const MOST_READ: usize = 50;

/// The conversation of a message.
pub(super) async fn of_message(
    mailbox: &ImapMailbox,
    id: &MessageRef,
    window: &Window,
) -> Result<Thread, MailboxError> {
    let place = Place::parse(id)?;
    let end = list::until(window);
    // Texts still have to be fetched once everything is found.
    let found_by = Instant::now().checked_add(window.budget.mul_f32(0.6)).unwrap_or(end);
    let mut walk = start(mailbox, &place).await?;
    for _ in 0..MOST_ROUNDS {
        let ids = walk.next_ids();
        if ids.is_empty() || Instant::now() >= found_by {
            break;
        }
        walk.round(mailbox, &place, &ids, found_by).await?;
    }
    walk.read(mailbox, &place, window, end).await
}

struct Walk {
    /// The messages by their Message-ID; one without has none but its place.
    rows: BTreeMap<String, (Place, MessageRow)>,
    /// Ids that were looked for.
    asked: BTreeSet<String>,
    gaps: Vec<Gap>,
}

async fn start(mailbox: &ImapMailbox, place: &Place) -> Result<Walk, MailboxError> {
    let mut lease = mailbox.pool.lease().await?;
    let open = lease.examine(place.folder.wire()).await?;
    place.check(&open)?;
    let (rows, unreadable) = list::rows(lease.connection()?, &place.folder, &open, &[place.uid]).await?;
    let row = rows.into_iter().next().ok_or(if unreadable > 0 {
        MailboxError::Unreadable
    } else {
        MailboxError::NotFound(NotFound::Message)
    })?;
    let mut walk = Walk { rows: BTreeMap::new(), asked: BTreeSet::new(), gaps: Vec::new() };
    walk.take(place.clone(), row);
    Ok(walk)
}

fn named(headers: &Headers) -> impl Iterator<Item = &String> {
    headers.message_id.iter().chain(&headers.in_reply_to).chain(&headers.references)
}

impl Walk {
    fn take(&mut self, place: Place, row: MessageRow) {
        let key = row.headers.message_id.clone().unwrap_or_else(|| row.id.to_string());
        if self.rows.len() < MOST_MESSAGES {
            self.rows.entry(key).or_insert((place, row));
        } else {
            self.gaps.push(Gap::TooMany);
        }
    }

    /// Ids that the messages name and that were not looked for yet.
    fn next_ids(&mut self) -> Vec<String> {
        let room = MOST_IDS.saturating_sub(self.asked.len());
        let plain = |id: &String| id.len() <= MOST_ID_BYTES && id.bytes().all(|b| b.is_ascii_graphic());
        let new: BTreeSet<String> = self
            .rows
            .values()
            .flat_map(|(_, row)| named(&row.headers))
            .filter(|id| plain(id) && !self.asked.contains(*id))
            .cloned()
            .collect();
        if new.len() > room {
            self.gaps.push(Gap::TooMany);
        }
        let ids: Vec<String> = new.into_iter().take(room).collect();
        self.asked.extend(ids.iter().cloned());
        ids
    }

    /// Looks for ids in every folder of conversations.
    async fn round(
        &mut self,
        mailbox: &ImapMailbox,
        place: &Place,
        ids: &[String],
        end: Instant,
    ) -> Result<(), MailboxError> {
        let mut lease = mailbox.pool.lease().await?;
        lease.connection()?.limit(end);
        let folders = places(mailbox, &mut lease, place).await?;
        for folder in folders {
            if Instant::now() >= end {
                self.gaps.extend(folder.id().map(Gap::NoTime));
                continue;
            }
            if !lease.connection()?.is_healthy() {
                drop(lease);
                lease = mailbox.pool.lease().await?;
                lease.connection()?.limit(end);
            }
            match self.in_folder(&mut lease, &folder, ids).await {
                Ok(()) => {}
                Err(MailboxError::TimedOut) => self.gaps.extend(folder.id().map(Gap::NoTime)),
                Err(error @ MailboxError::Connect(_, fault)) if fault != ConnectFault::Lost => {
                    return Err(error);
                }
                Err(_) => self.gaps.extend(folder.id().map(Gap::Unavailable)),
            }
        }
        Ok(())
    }

    async fn in_folder(
        &mut self,
        lease: &mut Lease<'_>,
        folder: &FolderName,
        ids: &[String],
    ) -> Result<(), MailboxError> {
        let mut commands = Vec::new();
        for ids in ids.chunks(IDS_AT_ONCE) {
            commands.push(search(ids)?);
        }
        let open = lease.examine(folder.wire()).await?;
        let connection = lease.connection()?;
        let mut uids = BTreeSet::new();
        for answer in connection.run_all(&commands).await? {
            uids.extend(answer.ok()?.searched());
        }
        let known: BTreeSet<u32> = self
            .rows
            .values()
            .filter(|(place, _)| place.folder == *folder)
            .map(|(place, _)| place.uid)
            .collect();
        let mut uids: Vec<u32> = uids.difference(&known).copied().collect();
        if uids.len() > MOST_MESSAGES {
            uids.reverse();
            uids.truncate(MOST_MESSAGES);
            self.gaps.push(Gap::TooMany);
        }
        let (rows, _) = list::rows(connection, folder, &open, &uids).await?;
        for row in rows {
            // HEADER finds substrings; only what names one of the ids belongs here.
            if named(&row.headers).any(|id| self.asked.contains(id)) {
                self.take(Place::parse(&row.id)?, row);
            }
        }
        Ok(())
    }

    /// Reads the newest messages and names what is missing.
    async fn read(
        mut self,
        mailbox: &ImapMailbox,
        asked: &Place,
        window: &Window,
        end: Instant,
    ) -> Result<Thread, MailboxError> {
        let found: BTreeSet<&String> =
            self.rows.values().filter_map(|(_, row)| row.headers.message_id.as_ref()).collect();
        let mut missing: Vec<String> = Vec::new();
        for id in self
            .rows
            .values()
            .flat_map(|(_, row)| row.headers.references.iter().chain(&row.headers.in_reply_to))
        {
            if !found.contains(id) && !missing.contains(id) {
                missing.push(id.clone());
            }
        }
        let mut order: Vec<(Place, MessageRow)> = std::mem::take(&mut self.rows).into_values().collect();
        order.sort_by_key(|(place, row)| (row.headers.date.or(row.received), place.clone()));
        let limit = window.limit.clamp(1, MOST_READ);
        let mut chosen: Vec<Place> = order.iter().rev().take(limit).map(|(place, _)| place.clone()).collect();
        if !chosen.contains(asked) {
            chosen.pop();
            chosen.push(asked.clone());
        }
        let mut by_folder: BTreeMap<FolderName, Vec<u32>> = BTreeMap::new();
        for place in &chosen {
            by_folder.entry(place.folder.clone()).or_default().push(place.uid);
        }
        let mut messages = Vec::new();
        let mut lease = mailbox.pool.lease().await?;
        lease.connection()?.limit(end);
        for (folder, uids) in by_folder {
            let open = lease.examine(folder.wire()).await?;
            messages.extend(fetch::messages(lease.connection()?, &folder, &open, &uids).await?);
        }
        messages.sort_by_key(|message| {
            (message.row.headers.date.or(message.row.received), Place::parse(&message.row.id).ok())
        });
        let unread_rest = order
            .iter()
            .filter(|(place, _)| !chosen.contains(place))
            .map(|(_, row)| row.id.clone())
            .collect();
        self.gaps.dedup();
        Ok(Thread { messages, missing, unread_rest, gaps: self.gaps })
    }
}

/// The folders where conversations lie: the message's own, INBOX, Sent, Archive and All.
async fn places(
    mailbox: &ImapMailbox,
    lease: &mut Lease<'_>,
    place: &Place,
) -> Result<Vec<FolderName>, MailboxError> {
    let entries = folders::known(mailbox, lease).await?;
    let mut found = vec![place.folder.clone()];
    for wanted in [SpecialUse::Inbox, SpecialUse::Sent, SpecialUse::Archive, SpecialUse::All] {
        let entry = entries.iter().find(|entry| entry.selectable && entry.special_use == Some(wanted));
        if let Some(entry) = entry
            && !found.contains(&entry.name)
        {
            found.push(entry.name.clone());
        }
    }
    Ok(found)
}

/// A search for messages that are, answer or refer to one of these ids.
fn search(ids: &[String]) -> Result<Command, MailboxError> {
    let mut command = Command::new("UID SEARCH");
    let mut keys = ids
        .iter()
        .flat_map(|id| ["HEADER Message-ID", "HEADER In-Reply-To", "HEADER References"].map(|key| (key, id)))
        .peekable();
    while let Some((key, id)) = keys.next() {
        if keys.peek().is_some() {
            command = command.word("OR");
        }
        command = command.word(key).string(id.as_bytes())?;
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_joined_by_or_and_quoted() {
        let found = search(&["a@x".to_owned(), "b\"@x".to_owned()]).unwrap().shown();
        assert_eq!(
            found,
            r#"UID SEARCH OR HEADER Message-ID "a@x" OR HEADER In-Reply-To "a@x" OR HEADER References "a@x" OR HEADER Message-ID "b\"@x" OR HEADER In-Reply-To "b\"@x" HEADER References "b\"@x""#
        );
    }
}
