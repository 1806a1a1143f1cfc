//! What a send asks of the past: to whom this account wrote, and which messages are here. SEARCH matches parts of fields
//! and whole days, so it only says what to look at; headers and arrival are compared here.

use std::collections::BTreeSet;

use countersign_core::{
    mailbox::{MailboxError, wrote_to_among},
    model::{Address, SpecialUse, Timestamp},
};

use super::{ImapMailbox, decode, folders, row::Facts};
use crate::{
    refs::FolderName,
    session::{Command, ImapDate, Lease, UidSet},
};

/// Most messages that are looked at for one address; the newest are taken.
const MOST_LOOKED_AT: usize = 50;
/// Most msg-ids that are looked for, and how many fit one SEARCH (RFC 7162 §4: 8,192 bytes a line).
const MOST_IDS: usize = 24;
/// Longest msg-id that is looked for, in bytes.
const MOST_ID_BYTES: usize = 200;
const DAY: i64 = 24 * 60 * 60;

/// Those of the addresses that a message in Sent from before a moment went to. Two round trips: EXAMINE with a SEARCH for
/// each address, and one FETCH.
pub(super) async fn wrote_to(
    mailbox: &ImapMailbox,
    recipients: &[Address],
    before: Timestamp,
) -> Result<Vec<Address>, MailboxError> {
    let commands: Vec<Command> =
        recipients.iter().filter_map(|recipient| search_sent(recipient, before)).collect();
    if commands.is_empty() {
        return Ok(Vec::new());
    }
    let mut lease = mailbox.pool.lease().await?;
    let folder = match folders::with_use(mailbox, &mut lease, SpecialUse::Sent).await {
        Ok(folder) => folder,
        Err(MailboxError::NoFolder(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let (_, answers) = lease.examine_with(folder.wire(), &commands).await?;
    let connection = lease.connection()?;
    let mut uids = BTreeSet::new();
    for answer in answers {
        uids.extend(newest(answer.ok()?.searched().to_vec()));
    }
    let Some(set) = UidSet::of(uids) else { return Ok(Vec::new()) };
    let command = Command::new("UID FETCH")
        .plain(&set)
        .word("(UID INTERNALDATE BODY.PEEK[HEADER.FIELDS (FROM TO CC BCC)])");
    let answer = connection.run(&command).await?.ok()?;
    let mut found = BTreeSet::new();
    for fetched in &answer.fetched {
        let arrived = Facts::read(fetched).and_then(|facts| facts.received);
        if arrived.is_some_and(|arrived| arrived < before) {
            let headers = decode::headers(fetched.body("HEADER.FIELDS").unwrap_or_default());
            found.extend(wrote_to_among(&headers, &mailbox.settings.addresses, recipients));
        }
    }
    Ok(found.into_iter().collect())
}

/// The search for one address. BEFORE takes whole days and no time zone, hence the two days more. An address that can't
/// be searched for in ASCII is not looked for, so it counts as new.
fn search_sent(recipient: &Address, before: Timestamp) -> Option<Command> {
    let path = recipient.path().ok().filter(|path| path.is_ascii())?;
    let day = Timestamp(before.0.saturating_add(2 * DAY)).day();
    let path = path.as_bytes();
    let command =
        Command::new("UID SEARCH BEFORE").plain(ImapDate(day)).word("OR OR TO").string(path).ok()?;
    command.word("CC").string(path).ok()?.word("BCC").string(path).ok()
}

fn newest(mut uids: Vec<u32>) -> Vec<u32> {
    uids.sort_unstable();
    uids.split_off(uids.len().saturating_sub(MOST_LOOKED_AT))
}

/// Those of the msg-ids that messages in the folders of conversations have. A round trip for each folder, and one more
/// where something was found; it ends as soon as all are.
pub(super) async fn holds(
    mailbox: &ImapMailbox,
    message_ids: &[String],
) -> Result<Vec<String>, MailboxError> {
    let plain =
        |id: &&String| (1..=MOST_ID_BYTES).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic());
    let wanted: BTreeSet<&String> = message_ids.iter().filter(plain).take(MOST_IDS).collect();
    let Some(command) = search_ids(&wanted)? else { return Ok(Vec::new()) };
    let mut found = BTreeSet::new();
    let mut lease = mailbox.pool.lease().await?;
    for folder in conversations(mailbox, &mut lease).await? {
        if found.len() == wanted.len() {
            break;
        }
        let (_, answers) = lease.examine_with(folder.wire(), std::slice::from_ref(&command)).await?;
        let answer = answers.into_iter().next().unwrap_or_default().ok()?;
        let Some(set) = UidSet::of(newest(answer.searched().to_vec())) else { continue };
        let command =
            Command::new("UID FETCH").plain(&set).word("(UID BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])");
        let answer = lease.connection()?.run(&command).await?.ok()?;
        let ids = answer.fetched.iter().filter_map(|fetched| {
            decode::headers(fetched.body("HEADER.FIELDS").unwrap_or_default()).message_id
        });
        found.extend(ids.filter(|id| wanted.contains(id)));
    }
    Ok(found.into_iter().collect())
}

/// The folder of all mail where there is one, else INBOX, Sent and Archive.
async fn conversations(
    mailbox: &ImapMailbox,
    lease: &mut Lease<'_>,
) -> Result<Vec<FolderName>, MailboxError> {
    let entries = folders::known(mailbox, lease).await?;
    let with = |wanted: SpecialUse| {
        let found = entries.iter().find(|entry| entry.selectable && entry.special_use == Some(wanted));
        found.map(|entry| entry.name.clone())
    };
    Ok(match with(SpecialUse::All) {
        Some(all) => vec![all],
        None => {
            [SpecialUse::Inbox, SpecialUse::Sent, SpecialUse::Archive].into_iter().filter_map(with).collect()
        }
    })
}

/// A search for messages that have one of these ids; none where there are none.
fn search_ids(ids: &BTreeSet<&String>) -> Result<Option<Command>, MailboxError> {
    if ids.is_empty() {
        return Ok(None);
    }
    let mut command = Command::new("UID SEARCH");
    let mut ids = ids.iter().peekable();
    while let Some(id) = ids.next() {
        if ids.peek().is_some() {
            command = command.word("OR");
        }
        command = command.word("HEADER Message-ID").string(id.as_bytes())?;
    }
    Ok(Some(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_looked_for_in_every_recipient_field() {
        let before = Timestamp(1_795_176_000);
        let found = search_sent(&Address::bare("\"a b\"@po\u{161}ta.example"), before).unwrap().shown();
        let address = r#""\"a b\"@xn--pota-h6a.example""#;
        assert_eq!(
            found,
            format!("UID SEARCH BEFORE 22-Nov-2026 OR OR TO {address} CC {address} BCC {address}")
        );
        for unsearchable in ["\u{17e}ofie@example.org", "not an address"] {
            assert_eq!(search_sent(&Address::bare(unsearchable), before), None);
        }
    }

    #[test]
    fn ids_are_joined_by_or_and_quoted() {
        let ids = ["a@x".to_owned(), "b\"@x".to_owned()];
        let found = search_ids(&ids.iter().collect()).unwrap().unwrap().shown();
        assert_eq!(found, r#"UID SEARCH OR HEADER Message-ID "a@x" HEADER Message-ID "b\"@x""#);
        assert_eq!(search_ids(&BTreeSet::new()), Ok(None));
    }

    #[test]
    fn the_newest_are_looked_at() {
        let uids: Vec<u32> = (1..=60).rev().collect();
        assert_eq!(newest(uids), (11..=60).collect::<Vec<u32>>());
        assert_eq!(newest(vec![3, 1]), [1, 3]);
    }
}
