//! A conversation: the messages that name each other by Message-ID, In-Reply-To and References (RFC 5322 §3.6.4), up and
//! down, in the folders where conversations lie. Ids are foreign text: only plain ones are looked for, as quoted strings.
//!
//! Each step is one round trip over all folders: the message that was asked for; a search for the ids that it names; the
//! heads of what was found; and then their texts together with a search for the ids that they name in turn. So where the
//! references are whole, as they mostly are, a conversation takes four.

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::{
    mailbox::{MailboxError, NotFound},
    model::{Gap, Headers, Message, MessageRef, SpecialUse, Thread, Window},
};
use tokio::time::Instant;

use super::{
    ImapMailbox,
    fetch::{self, Head, MOST_TEXTS},
    folders, list,
    search::gap,
};
use crate::{
    refs::{FolderName, Place},
    session::{Answer, Command, Errand, Fetched, Lease, Outcome},
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
    let mut lease = mailbox.pool.lease().await?;
    lease.limit(end);
    let folders = places(mailbox, &mut lease, &place).await?;
    let (_, head) = fetch::examine(&mut lease, &place).await?;
    let mut walk = Walk::new(place, window.limit.clamp(1, MOST_READ), folders);
    walk.take(walk.asked.clone(), head);
    for round in 0.. {
        let more = round < MOST_ROUNDS && Instant::now() < found_by;
        let ids = if more { walk.next_ids() } else { Vec::new() };
        if !walk.round(&mut lease, &ids).await? {
            break;
        }
    }
    walk.finish(&mut lease).await
}

/// A message of the conversation.
struct Found {
    head: Head,
    text: Text,
}

/// What is known of a message's text.
enum Text {
    /// It was not fetched.
    Unread,
    /// It was fetched, or there is none to fetch.
    Read(Option<Fetched>),
    /// The message has gone since.
    Gone,
    /// It could not be fetched.
    Failed,
}

struct Walk {
    /// The message that was asked for.
    asked: Place,
    /// Most messages that are read.
    limit: usize,
    folders: Vec<FolderName>,
    found: BTreeMap<Place, Found>,
    /// What tells one message from another, so that copies of one count once.
    known: BTreeSet<String>,
    /// Ids that were looked for.
    looked_for: BTreeSet<String>,
    /// Bytes of text that may still be fetched.
    budget: u64,
    gaps: Vec<Gap>,
}

fn named(headers: &Headers) -> impl Iterator<Item = &String> {
    headers.message_id.iter().chain(&headers.in_reply_to).chain(&headers.references)
}

/// Copies of a message have this in common. The id alone is not enough: whoever writes a message chooses its id, and one
/// with another's id must not take that one's place.
fn identity(place: &Place, headers: &Headers) -> String {
    let from: Vec<&str> = headers.from.iter().map(|address| address.addr_spec.as_str()).collect();
    match &headers.message_id {
        Some(id) => format!("{id}\n{}\n{:?}", from.join(","), headers.date),
        None => format!("{place:?}"),
    }
}

impl Walk {
    fn new(asked: Place, limit: usize, folders: Vec<FolderName>) -> Self {
        Self {
            asked,
            limit,
            folders,
            found: BTreeMap::new(),
            known: BTreeSet::new(),
            looked_for: BTreeSet::new(),
            budget: MOST_TEXTS,
            gaps: Vec::new(),
        }
    }

    fn take(&mut self, place: Place, head: Head) {
        if !self.known.insert(identity(&place, &head.headers)) {
            return;
        }
        if self.found.len() < MOST_MESSAGES {
            self.found.insert(place, Found { head, text: Text::Unread });
        } else {
            self.gaps.push(Gap::TooMany);
        }
    }

    /// Ids that the messages name and that were not looked for yet.
    fn next_ids(&mut self) -> Vec<String> {
        let room = MOST_IDS.saturating_sub(self.looked_for.len());
        let plain = |id: &String| id.len() <= MOST_ID_BYTES && id.bytes().all(|b| b.is_ascii_graphic());
        let new: BTreeSet<String> = self
            .found
            .values()
            .flat_map(|found| named(&found.head.headers))
            .filter(|id| plain(id) && !self.looked_for.contains(*id))
            .cloned()
            .collect();
        if new.len() > room {
            self.gaps.push(Gap::TooMany);
        }
        let ids: Vec<String> = new.into_iter().take(room).collect();
        self.looked_for.extend(ids.iter().cloned());
        ids
    }

    /// Searches for ids and fetches the texts of what is known, in one round trip; then the heads of what was found, in
    /// another. Whether there was anything to do.
    async fn round(&mut self, lease: &mut Lease<'_>, ids: &[String]) -> Result<bool, MailboxError> {
        let texts = self.unread();
        let errand = |(folder, texts): (&FolderName, &Vec<(Place, Command)>)| Errand {
            folder: folder.wire().to_vec(),
            commands: texts.iter().map(|(_, command)| command.clone()).collect(),
        };
        let mut errands: Vec<Errand> = texts.iter().map(errand).collect();
        if !ids.is_empty() {
            let searches = ids.chunks(IDS_AT_ONCE).map(search).collect::<Result<Vec<_>, _>>()?;
            let errand =
                |folder: &FolderName| Errand { folder: folder.wire().to_vec(), commands: searches.clone() };
            errands.extend(self.folders.iter().map(errand));
        }
        if errands.is_empty() {
            return Ok(false);
        }
        let mut outcomes = lease.visit(&errands).await.into_iter();
        for (texts, outcome) in texts.into_values().zip(outcomes.by_ref()) {
            self.read(texts.into_iter().map(|(place, _)| place).collect(), outcome)?;
        }
        let mut heads = Vec::new();
        let mut asked = Vec::new();
        for (folder, outcome) in self.folders.clone().into_iter().zip(outcomes) {
            match self.searched(&folder, outcome) {
                Ok((uidvalidity, uids)) => {
                    if let Some(command) = list::command(uids.iter().copied()) {
                        heads.push(Errand { folder: folder.wire().to_vec(), commands: vec![command] });
                        asked.push((folder, uidvalidity, uids));
                    }
                }
                Err(error) => self.gaps.extend(gap(error, &folder)?),
            }
        }
        let outcomes = lease.visit(&heads).await;
        for ((folder, uidvalidity, uids), outcome) in asked.into_iter().zip(outcomes) {
            if let Err(error) = self.heads(&folder, uidvalidity, &uids, outcome) {
                self.gaps.extend(gap(error, &folder)?);
            }
        }
        Ok(true)
    }

    /// The UIDs that the searches in a folder found and that are not known yet.
    fn searched(&mut self, folder: &FolderName, outcome: Outcome) -> Result<(u32, Vec<u32>), MailboxError> {
        let (open, answers) = outcome?;
        let mut uids = BTreeSet::new();
        for answer in answers {
            uids.extend(answer.ok()?.searched().iter().copied());
        }
        let place = |uid| Place { folder: folder.clone(), uidvalidity: open.uidvalidity, uid };
        // The newest, should there be too many.
        let mut uids: Vec<u32> =
            uids.into_iter().rev().filter(|uid| !self.found.contains_key(&place(*uid))).collect();
        if uids.len() > MOST_MESSAGES {
            uids.truncate(MOST_MESSAGES);
            self.gaps.push(Gap::TooMany);
        }
        Ok((open.uidvalidity, uids))
    }

    fn heads(
        &mut self,
        folder: &FolderName,
        uidvalidity: u32,
        uids: &[u32],
        outcome: Outcome,
    ) -> Result<(), MailboxError> {
        let answer = only(outcome, uidvalidity)?;
        // What a server says of other messages counts where it refuses to say all.
        let answer = if answer.fetched.is_empty() { answer.ok()? } else { answer };
        for (uid, fetched) in fetch::merged(answer.fetched, uids) {
            let Some(head) = Head::read(&fetched) else { continue };
            // HEADER finds substrings; only what names one of the ids belongs here.
            if named(&head.headers).any(|id| self.looked_for.contains(id)) {
                self.take(Place { folder: folder.clone(), uidvalidity, uid }, head);
            }
        }
        Ok(())
    }

    /// Every message in the order of the conversation.
    fn order(&self) -> Vec<Place> {
        let mut order: Vec<(&Place, &Found)> = self.found.iter().collect();
        order.sort_by_key(|(place, found)| {
            (found.head.headers.date.or(found.head.facts.received), (*place).clone())
        });
        order.into_iter().map(|(place, _)| place.clone()).collect()
    }

    /// The messages that are read: the newest, and the one that was asked for.
    fn chosen(&self) -> Vec<Place> {
        let mut chosen: Vec<Place> = self.order().into_iter().rev().take(self.limit).collect();
        if !chosen.contains(&self.asked) {
            chosen.pop();
            chosen.push(self.asked.clone());
        }
        chosen
    }

    /// The chosen messages whose text was not fetched yet, with the commands for it, by folder. Those that have no text
    /// to fetch are read already.
    fn unread(&mut self) -> BTreeMap<FolderName, Vec<(Place, Command)>> {
        let mut unread: BTreeMap<FolderName, Vec<(Place, Command)>> = BTreeMap::new();
        for place in self.chosen() {
            let Some(found) = self.found.get_mut(&place) else { continue };
            if !matches!(found.text, Text::Unread) || found.head.facts.structure.is_none() {
                continue;
            }
            match found.head.texts(&mut self.budget) {
                Some(command) => unread.entry(place.folder.clone()).or_default().push((place, command)),
                None => found.text = Text::Read(None),
            }
        }
        unread
    }

    /// Takes the texts that were fetched in a folder.
    fn read(&mut self, places: Vec<Place>, outcome: Outcome) -> Result<(), MailboxError> {
        // A server may work on several commands at once, so what belongs to one can come with another's answer.
        let (answered, mut texts) = match outcome {
            Ok((open, answers)) => {
                let current = |place: &&Place| place.uidvalidity == open.uidvalidity;
                let uids: Vec<u32> = places.iter().filter(current).map(|place| place.uid).collect();
                let (mut fetched, mut answered) = (Vec::new(), Ok(()));
                for mut answer in answers {
                    fetched.append(&mut answer.fetched);
                    answered = answered.and(answer.ok().map(drop));
                }
                (answered, fetch::merged(fetched, &uids))
            }
            Err(error) => (Err(error), BTreeMap::new()),
        };
        for place in places {
            let lacks = |fetched: &Fetched| {
                self.found.get(&place).is_some_and(|found| found.head.lacks_text(fetched))
            };
            let text = match (texts.remove(&place.uid), &answered) {
                (Some(fetched), Ok(())) if lacks(&fetched) => Text::Gone,
                (Some(fetched), _) => Text::Read(Some(fetched)),
                // The server says that all is done and nothing of it.
                (None, Ok(()) | Err(MailboxError::NotFound(_))) => Text::Gone,
                (None, Err(error)) if place == self.asked => return Err(error.clone()),
                (None, Err(_)) => Text::Failed,
            };
            if let Some(found) = self.found.get_mut(&place) {
                found.text = text;
            }
        }
        Ok(())
    }

    /// The ids that are referred to and were not found.
    fn missing(&self) -> Vec<String> {
        let headers = || self.found.values().map(|found| &found.head.headers);
        let there: BTreeSet<&String> = headers().filter_map(|headers| headers.message_id.as_ref()).collect();
        let mut missing: Vec<String> = Vec::new();
        for id in headers().flat_map(|headers| headers.references.iter().chain(&headers.in_reply_to)) {
            if !there.contains(id) && !missing.contains(id) {
                missing.push(id.clone());
            }
        }
        missing
    }

    /// Puts the messages together. Those that were not read, for whatever reason, are named.
    async fn finish(mut self, lease: &mut Lease<'_>) -> Result<Thread, MailboxError> {
        let (missing, chosen) = (self.missing(), self.chosen());
        let mut messages = Vec::new();
        let mut unread_rest = Vec::new();
        for place in self.order() {
            let Some(Found { head, text }) = self.found.remove(&place) else { continue };
            if !chosen.contains(&place) {
                unread_rest.push(place.id()?);
                continue;
            }
            let whole = head.facts.structure.is_none();
            let message = match text {
                Text::Unread if whole => read_whole(lease, &place, head).await,
                Text::Read(texts) => head.into_message(&place.folder, place.uidvalidity, texts.as_ref()),
                Text::Gone => Err(MailboxError::NotFound(NotFound::Message)),
                Text::Unread | Text::Failed => Err(MailboxError::TimedOut),
            };
            match message {
                Ok(message) => messages.push(message),
                Err(error) if place == self.asked => return Err(error),
                Err(MailboxError::NotFound(NotFound::Message)) => {}
                Err(_) => unread_rest.push(place.id()?),
            }
        }
        self.gaps.dedup();
        Ok(Thread { messages, missing, unread_rest, gaps: self.gaps })
    }
}

/// Reads a message whose structure the server can't tell.
async fn read_whole(lease: &mut Lease<'_>, place: &Place, head: Head) -> Result<Message, MailboxError> {
    let open = lease.examine(place.folder.wire()).await?;
    place.check(&open)?;
    let whole = fetch::whole(lease.connection()?, place.uid).await?;
    head.into_whole(&place.folder, place.uidvalidity, &whole)
}

/// The answer of an errand of one command, in the folder that it was meant for.
fn only(outcome: Outcome, uidvalidity: u32) -> Result<Answer, MailboxError> {
    let (open, answers) = outcome?;
    if open.uidvalidity != uidvalidity {
        return Err(MailboxError::Stale);
    }
    Ok(answers.into_iter().next().unwrap_or_default())
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
