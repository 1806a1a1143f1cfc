//! What only this backend has: the sample, the faults, and what it sends. The promises that it shares with every other
//! backend are in the conformance suite.

use std::collections::BTreeSet;

use super::*;
use crate::{
    mailbox::NotFound,
    model::{FolderScope, Timestamp},
};

fn everything(mailbox: &MemoryMailbox, scope: FolderScope) -> Listing {
    let window = Window::first(1_000, std::time::Duration::from_secs(1));
    list::page(&mailbox.store(), &Search::everything(scope), &window).unwrap()
}

#[test]
fn every_sample_is_filed_and_readable() {
    let mailbox = sample();
    let store = mailbox.store();
    let folders = store.folders();
    let total: u64 = folders.iter().filter_map(|folder| folder.total).sum();
    assert_eq!(total, 41);
    assert!(folders.iter().all(|folder| folder.total > Some(0)), "{folders:?}");
    for folder in folders {
        for (place, message) in store.in_scope(&FolderScope::One(folder.id)).unwrap() {
            let read = message.message(place).unwrap();
            let headers = &read.row.headers;
            let subject = &headers.subject;
            assert!(
                !subject.is_empty() && !subject.contains("=?") && !subject.contains('\u{fffd}'),
                "{subject}"
            );
            assert!(headers.message_id.is_some() && headers.from.len() == 1, "{subject}");
            assert!(headers.date.unwrap() <= Timestamp(1_796_040_000), "{subject} is of the future");
            let text = read.body.plain.or(read.body.html).unwrap();
            assert!(
                text.trim().len() > 20 && !text.contains('\u{fffd}') && !text.contains("=C3"),
                "{subject}: {text}"
            );
        }
    }
}

#[test]
fn the_sample_holds_what_a_mailbox_does() {
    let mailbox = sample();
    let rows = everything(&mailbox, FolderScope::All).rows;
    let subjects: BTreeSet<&str> = rows.iter().map(|row| row.headers.subject.as_str()).collect();
    for wanted in [
        "来月の打ち合わせについて",
        "样品已寄出",
        "Фотографии с выставки",
        "¿Vienes en mayo?",
        "Odp: Przepis na żurek",
        "Ihre Rechnung für November",
        "RE: Rozpočet na příští rok",
        "481 923 is your sign-in code",
    ] {
        assert!(subjects.contains(wanted), "{wanted}: {subjects:?}");
    }
    let types: BTreeSet<String> = {
        let store = mailbox.store();
        let messages = rows.iter().map(|row| store.read(&row.id).unwrap());
        messages.flat_map(|message| message.attachments).map(|part| part.media_type).collect()
    };
    for wanted in ["application/pdf", "text/csv", "image/png", "text/calendar", "message/rfc822"] {
        assert!(types.contains(wanted), "{wanted}: {types:?}");
    }
    assert_eq!(rows.first().map(|row| row.headers.subject.as_str()), Some("481 923 is your sign-in code"));
}

#[test]
fn a_sample_is_a_copy_of_its_own() {
    let (one, other) = (sample(), sample());
    let inbox = one.folder("INBOX").unwrap();
    let id = one.contents(&inbox).unwrap().remove(0).0;
    one.store().move_to(std::slice::from_ref(&id), &Destination::Use(SpecialUse::Trash)).unwrap();
    assert_eq!(one.store().read(&id).err(), Some(MailboxError::NotFound(NotFound::Message)));
    assert!(other.store().read(&id).is_ok());
}

#[test]
fn a_thread_is_found_across_folders_and_says_what_is_missing() {
    let mailbox = sample();
    let find = |subject: &str| {
        everything(&mailbox, FolderScope::All)
            .rows
            .into_iter()
            .find(|row| row.headers.subject == subject)
            .unwrap()
            .id
    };
    let window = |limit| Window::first(limit, std::time::Duration::from_secs(1));
    let id = find("Re: Kitchen: the quote as promised");
    let thread = thread::of(&mailbox.store(), &id, &window(50)).unwrap();
    assert_eq!(thread.messages.len(), 3);
    assert_eq!(thread.missing, ["site-visit@vale-joinery.example"]);
    let dates: Vec<_> = thread.messages.iter().map(|message| message.row.headers.date).collect();
    assert!(dates.is_sorted(), "{dates:?}");
    let latest = thread::of(&mailbox.store(), &id, &window(2)).unwrap();
    assert_eq!((latest.messages.len(), latest.unread_rest.len()), (2, 1));
    assert_eq!(latest.unread_rest.first(), Some(&thread.messages.first().unwrap().row.id));
}

#[test]
fn a_folder_that_was_rebuilt_makes_its_ids_stale() {
    let mailbox = sample();
    let inbox = mailbox.folder("INBOX").unwrap();
    let id = mailbox.contents(&inbox).unwrap().remove(0).0;
    mailbox.rebuild(&inbox).unwrap();
    assert_eq!(mailbox.store().read(&id).err(), Some(MailboxError::Stale));
}
