//! Folders: LIST with what each is for and, where asked, its counts. The list is kept for a minute, because most calls
//! need only to know which folder is Sent or Drafts.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use countersign_core::{
    mailbox::MailboxError,
    model::{Folder, FolderRef, FolderScope, SpecialUse},
};

use super::ImapMailbox;
use crate::{
    mutf7,
    refs::FolderName,
    session::{Answer, Command, Connection, Lease, Status, Value},
    special_use,
};

/// How long the list of folders is taken for true.
const KEPT: Duration = Duration::from_mins(1);
/// Most folders whose counts are asked for one by one, where the server can't tell them with the list.
const MOST_STATUS: usize = 60;
/// Most folders of one account; what a server lists beyond is left out.
const MOST_FOLDERS: usize = 2_000;

/// One folder of the server's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: FolderName,
    shown: String,
    pub(super) special_use: Option<SpecialUse>,
    pub(super) selectable: bool,
    counts: Option<Counts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    total: Option<u64>,
    unread: Option<u64>,
}

/// The list of folders, while it is fresh.
#[derive(Default)]
pub(super) struct Known(Mutex<Option<(Instant, Arc<Vec<Entry>>)>>);

impl Known {
    fn fresh(&self) -> Option<Arc<Vec<Entry>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(at, _)| at.elapsed() < KEPT).map(|(_, list)| Arc::clone(list))
    }

    fn keep(&self, list: &Arc<Vec<Entry>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), Arc::clone(list)));
    }
}

/// Connects, signs in and asks for nothing but a sign of life.
pub(super) async fn check(mailbox: &ImapMailbox) -> Result<(), MailboxError> {
    mailbox.pool.lease().await?.read(&Command::new("NOOP")).await?.ok().map(drop)
}

/// Every folder with its counts.
pub(super) async fn list(mailbox: &ImapMailbox) -> Result<Vec<Folder>, MailboxError> {
    let mut lease = mailbox.pool.lease().await?;
    let mut entries = read(&mut lease, true).await?;
    count_rest(lease.connection()?, &mut entries).await?;
    mailbox.folders.keep(&Arc::new(entries.clone()));
    let folders = entries.into_iter().filter_map(|entry| {
        let counts = entry.counts.unwrap_or_default();
        Some(Folder {
            id: entry.name.id()?,
            name: entry.shown,
            special_use: entry.special_use,
            selectable: entry.selectable,
            total: counts.total,
            unread: counts.unread,
        })
    });
    Ok(folders.collect())
}

/// What a folder is for.
pub(super) async fn special_use(
    mailbox: &ImapMailbox,
    folder: &FolderRef,
) -> Result<Option<SpecialUse>, MailboxError> {
    let name = FolderName::parse(folder)?;
    let entries = match mailbox.folders.fresh() {
        Some(known) => known,
        None => known(mailbox, &mut mailbox.pool.lease().await?).await?,
    };
    Ok(use_of(&entries, &name))
}

/// What a folder is for, by the list.
pub(super) fn use_of(entries: &[Entry], name: &FolderName) -> Option<SpecialUse> {
    entries.iter().find(|entry| entry.name == *name).and_then(|entry| entry.special_use)
}

/// The list, from the last minute or fresh.
pub(super) async fn known(
    mailbox: &ImapMailbox,
    lease: &mut Lease<'_>,
) -> Result<Arc<Vec<Entry>>, MailboxError> {
    if let Some(known) = mailbox.folders.fresh() {
        return Ok(known);
    }
    let entries = Arc::new(read(lease, false).await?);
    mailbox.folders.keep(&entries);
    Ok(entries)
}

/// The folder with a use.
pub(super) async fn with_use(
    mailbox: &ImapMailbox,
    lease: &mut Lease<'_>,
    wanted: SpecialUse,
) -> Result<FolderName, MailboxError> {
    if wanted == SpecialUse::Inbox {
        return FolderName::new(b"INBOX".to_vec()).ok_or(MailboxError::NoFolder(wanted));
    }
    let entries = known(mailbox, lease).await?;
    let found = entries.iter().find(|entry| entry.selectable && entry.special_use == Some(wanted));
    found.map(|entry| entry.name.clone()).ok_or(MailboxError::NoFolder(wanted))
}

/// The folders that a scope names, in the order in which they are looked at.
pub(super) async fn of_scope(
    mailbox: &ImapMailbox,
    lease: &mut Lease<'_>,
    scope: &FolderScope,
) -> Result<Vec<FolderName>, MailboxError> {
    match scope {
        FolderScope::One(folder) => Ok(vec![FolderName::parse(folder)?]),
        FolderScope::Use(wanted) => Ok(vec![with_use(mailbox, lease, *wanted).await?]),
        FolderScope::All => {
            let entries = known(mailbox, lease).await?;
            let all =
                entries.iter().find(|entry| entry.selectable && entry.special_use == Some(SpecialUse::All));
            if let Some(all) = all {
                return Ok(vec![all.name.clone()]);
            }
            let mut wanted: Vec<&Entry> = entries
                .iter()
                .filter(|entry| entry.selectable)
                .filter(|entry| !matches!(entry.special_use, Some(SpecialUse::Junk | SpecialUse::Trash)))
                // A view on other folders would show its messages twice.
                .filter(|entry| entry.special_use != Some(SpecialUse::Flagged))
                .collect();
            wanted.sort_by_key(|entry| (entry.special_use.is_none(), entry.special_use));
            Ok(wanted.into_iter().map(|entry| entry.name.clone()).collect())
        }
    }
}

async fn read(lease: &mut Lease<'_>, counts: bool) -> Result<Vec<Entry>, MailboxError> {
    let capabilities = lease.connection()?.capabilities();
    let plain = Command::new("LIST \"\" \"*\"");
    let full = match (capabilities.special_use, capabilities.list_status, counts) {
        (true, true, true) => Command::new("LIST \"\" \"*\" RETURN (SPECIAL-USE STATUS (MESSAGES UNSEEN))"),
        (false, true, true) => Command::new("LIST \"\" \"*\" RETURN (STATUS (MESSAGES UNSEEN))"),
        // RFC 6154 lets a server put the attributes into plain LIST answers, and not every one does.
        (true, true, false) => Command::new("LIST \"\" \"*\" RETURN (SPECIAL-USE)"),
        (_, false, _) | (false, true, false) => plain.clone(),
    };
    let mut answer = lease.read(&full).await?;
    let mut tells_uses = capabilities.special_use;
    if answer.status() != Status::Ok && full != plain {
        // Announced and refused: then names are all there is to go by.
        tells_uses = false;
        answer = lease.connection()?.run(&plain).await?;
    }
    let answer = answer.ok()?;
    let mut entries = entries(&answer, tells_uses);
    take_counts(&answer, &mut entries);
    Ok(entries)
}

fn entries(answer: &Answer, tells_uses: bool) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut levels = Vec::new();
    for (_, values) in answer.data.iter().filter(|(name, _)| name == "LIST") {
        let [attributes, delimiter, name, ..] = values.as_slice() else { continue };
        let Some(name) = name.bytes().and_then(|raw| FolderName::new(raw.to_vec())) else { continue };
        if entries.len() >= MOST_FOLDERS || entries.iter().any(|entry| entry.name == name) {
            continue;
        }
        let attributes: Vec<&str> = attributes.items().iter().filter_map(Value::text).collect();
        let has = |wanted: &str| attributes.iter().any(|found| found.eq_ignore_ascii_case(wanted));
        let of_name = levels_of(name.wire(), delimiter.bytes());
        let special_use = if name.wire() == b"INBOX" {
            Some(SpecialUse::Inbox)
        } else {
            attributes.iter().find_map(|attribute| special_use::of_attribute(attribute))
        };
        let selectable = !has("\\Noselect") && !has("\\NonExistent");
        entries.push(Entry { name, shown: of_name.join("/"), special_use, selectable, counts: None });
        levels.push(of_name);
    }
    let told = entries.iter().any(|entry| entry.special_use.is_some_and(|found| found != SpecialUse::Inbox));
    if !tells_uses && !told {
        for (entry, found) in entries.iter_mut().zip(special_use::by_names(&levels)) {
            entry.special_use = entry.special_use.or(found);
        }
    }
    entries
}

fn levels_of(name: &[u8], delimiter: Option<&[u8]>) -> Vec<String> {
    match delimiter {
        Some([delimiter]) => name.split(|byte| byte == delimiter).map(mutf7::decode).collect(),
        _ => vec![mutf7::decode(name)],
    }
}

fn take_counts(answer: &Answer, entries: &mut [Entry]) {
    for (_, values) in answer.data.iter().filter(|(name, _)| name == "STATUS") {
        let [name, counts, ..] = values.as_slice() else { continue };
        let Some(name) = name.bytes().and_then(|raw| FolderName::new(raw.to_vec())) else { continue };
        let Some(entry) = entries.iter_mut().find(|entry| entry.name == name) else { continue };
        let number = |wanted: &str| {
            counts.items().chunks(2).find_map(|pair| match pair {
                [name, value] if name.word() == wanted => value.number(),
                _ => None,
            })
        };
        entry.counts = Some(Counts { total: number("MESSAGES"), unread: number("UNSEEN") });
    }
}

/// Asks for the counts that the list did not bring.
async fn count_rest(connection: &mut Connection, entries: &mut [Entry]) -> Result<(), MailboxError> {
    let commands: Vec<Command> = entries
        .iter()
        .filter(|entry| entry.selectable && entry.counts.is_none())
        .take(MOST_STATUS)
        .filter_map(|entry| Command::new("STATUS").string(entry.name.wire()).ok())
        .map(|command| command.word("(MESSAGES UNSEEN)"))
        .collect();
    for answer in connection.run_all(&commands).await? {
        take_counts(&answer, entries);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_the_delimiter_and_only_it() {
        assert_eq!(levels_of(b"INBOX.Entw&APw-rfe", Some(b".")), ["INBOX", "Entwürfe"]);
        assert_eq!(levels_of(b"a.b/c", Some(b"/")), ["a.b", "c"]);
        assert_eq!(levels_of(b"a/b", None), ["a/b"]);
    }
}
