//! Conversations: messages that name each other in Message-ID, In-Reply-To and References (RFC 5322 §3.6.4), in every
//! folder but Junk and Trash, and in the one the message itself is in.

use std::collections::{BTreeMap, BTreeSet};

use super::{ids::Place, parsed::Stored, store::Store};
use crate::{
    mailbox::MailboxError,
    model::{FolderScope, Headers, MessageRef, Thread, Timestamp, Window},
};

pub(super) fn of(store: &Store, id: &MessageRef, window: &Window) -> Result<Thread, MailboxError> {
    let (place, asked) = store.message(id)?;
    let mut candidates = store.in_scope(&FolderScope::All)?;
    if !candidates.iter().any(|(at, _)| at.folder == place.folder) {
        candidates.extend(store.in_scope(&FolderScope::One(super::ids::folder_id(place.folder)?))?);
    }
    let mut known: BTreeSet<&str> = named(asked.headers()).collect();
    let mut members: BTreeMap<Place, &Stored> = BTreeMap::from([(place, &**asked)]);
    loop {
        let before = members.len();
        for (at, message) in &candidates {
            let headers = message.headers();
            if !members.contains_key(at) && named(headers).any(|id| known.contains(id)) {
                known.extend(named(headers));
                members.insert(*at, message);
            }
        }
        if members.len() == before {
            break;
        }
    }
    let missing = {
        let found: BTreeSet<&str> = members.values().filter_map(|message| own_id(message)).collect();
        known.iter().filter(|id| !found.contains(*id)).map(|id| (*id).to_owned()).collect()
    };
    let mut shown = each_once(members, place);
    shown.sort_by_key(|(at, message)| (written(message), *at));
    let surplus = shown.len().saturating_sub(window.limit.max(1));
    let latest = shown.split_off(surplus);
    let messages = latest.into_iter().map(|(at, message)| message.message(at)).collect::<Result<_, _>>()?;
    let unread_rest = shown.into_iter().map(|(at, _)| at.id()).collect::<Result<_, _>>()?;
    Ok(Thread { messages, missing, unread_rest, gaps: Vec::new() })
}

/// One copy of each message: the one that was asked for, else the first.
fn each_once(members: BTreeMap<Place, &Stored>, asked: Place) -> Vec<(Place, &Stored)> {
    let mut seen: BTreeSet<&str> =
        members.get(&asked).and_then(|message| own_id(message)).into_iter().collect();
    let mut kept = Vec::new();
    for (at, message) in members {
        if at == asked || own_id(message).is_none_or(|id| seen.insert(id)) {
            kept.push((at, message));
        }
    }
    kept
}

fn named(headers: &Headers) -> impl Iterator<Item = &str> {
    let own = headers.message_id.iter();
    own.chain(&headers.references).chain(&headers.in_reply_to).map(String::as_str)
}

fn own_id(message: &Stored) -> Option<&str> {
    message.headers().message_id.as_deref()
}

fn written(message: &Stored) -> Timestamp {
    message.headers().date.unwrap_or(message.received)
}
