//! Pages of what matches, newest arrival first. A cursor names the last message shown and the list it was shown in, so
//! that mail that arrives or goes in between neither repeats nor skips anything that stays.

use std::{cmp::Reverse, fmt::Write as _};

use sha2::{Digest as _, Sha256};

use super::{
    ids::{Place, number},
    search::matches,
    store::Store,
};
use crate::{
    mailbox::MailboxError,
    model::{Cursor, Listing, Search, Timestamp, Window},
};

/// Where a message stands in a list.
type Rank = (Timestamp, u32, u32);

pub(super) fn page(store: &Store, search: &Search, window: &Window) -> Result<Listing, MailboxError> {
    let name = list_name(search);
    let after = window.cursor.as_ref().map(|cursor| read_cursor(cursor, &name)).transpose()?;
    let mut found = Vec::new();
    for (place, message) in store.in_scope(&search.scope)? {
        if matches(message, search) {
            found.push((rank(message.received, place), place, message));
        }
    }
    found.sort_by_key(|(rank, ..)| Reverse(*rank));
    let total = u64::try_from(found.len()).ok();
    let mut rest = found.into_iter().filter(|(rank, ..)| after.is_none_or(|after| *rank < after)).peekable();
    let (mut rows, mut last) = (Vec::new(), None);
    for (rank, place, message) in rest.by_ref().take(window.limit.max(1)) {
        rows.push(message.row(place)?);
        last = Some(rank);
    }
    let next = last.filter(|_| rest.peek().is_some()).map(|rank| cursor(rank, &name));
    Ok(Listing { rows, next, total, unreadable: 0, missing: Vec::new() })
}

fn rank(received: Timestamp, place: Place) -> Rank {
    (received, place.folder, place.uid)
}

/// Tells one list from another: a cursor of one is none of the other.
fn list_name(search: &Search) -> String {
    let mut name = String::new();
    for byte in Sha256::digest(format!("{search:?}")).iter().take(8) {
        write!(name, "{byte:02x}").ok();
    }
    name
}

fn cursor((received, folder, uid): Rank, list: &str) -> Cursor {
    Cursor(format!("{list}.{}.{folder}.{uid}", received.0))
}

fn read_cursor(cursor: &Cursor, list: &str) -> Result<Rank, MailboxError> {
    let mut parts = cursor.0.split('.');
    let read = (parts.next(), parts.next(), parts.next(), parts.next(), parts.next());
    let (Some(named), Some(received), Some(folder), Some(uid), None) = read else {
        return Err(MailboxError::Cursor);
    };
    match (received.parse(), number(folder), number(uid)) {
        (Ok(received), Some(folder), Some(uid)) if named == list => Ok((Timestamp(received), folder, uid)),
        _ => Err(MailboxError::Cursor),
    }
}
