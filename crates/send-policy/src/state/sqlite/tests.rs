//! The file: who may read it, what is refused, and that several processes and a kill leave it sound.

use std::{fs, path::Path, time::Duration};

use countersign_confirm::Terms;

use super::*;
use crate::{
    rules::{Approved, Caps, Choice, ClaimTerms, SENDS_WINDOW},
    state::SentOutcome,
};

fn claiming(key: &str, now: i64) -> Claiming {
    let entry = Entry {
        origin: "o".into(),
        principal: "p".into(),
        claim_key: key.into(),
        message_id: format!("{key}@id"),
        addresses: vec!["a@example.net".into()],
    };
    let choice = Ok(Choice { plain: false, asks: true });
    let terms = ClaimTerms {
        caps: Caps { max_sends: u32::MAX, sends_per_hour: None, max_new_addresses: 1 },
        approved: Approved::Shown(Terms(0)),
        calm: choice,
        exposed: choice,
        new: vec!["a@example.net".into()],
    };
    Claiming { entry, terms, makes_known: true, now }
}

fn holder() -> Holder {
    Holder { origin: "o".into(), principal: "p".into() }
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state").join("countersign").join("state.db");
    (directory, path)
}

fn number(path: &Path, sql: &str) -> i64 {
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn the_file_is_made_at_the_first_call_and_for_its_owner_alone() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    assert!(!path.exists());
    store.claim(claiming("a", 0)).await.unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        // A file that was opened to others since is closed again.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        Sqlite::at(path.clone()).expose(holder(), 0).await.unwrap();
        assert_eq!(mode(&path), 0o600);
    }
    assert_eq!(number(&path, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict"), 7);
    assert!(fs::read_dir(path.parent().unwrap()).unwrap().count() == 1, "no journal is left behind");
}

#[tokio::test]
async fn a_commit_is_on_the_disk_when_it_returns() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path);
    store.claim(claiming("a", 0)).await.unwrap();
    let slot = store.0.connection.lock().unwrap();
    let pragma = |name| {
        slot.as_ref()
            .unwrap()
            .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
            .unwrap()
    };
    assert_eq!(pragma("journal_mode"), "delete".to_owned().into());
    assert_eq!(pragma("synchronous"), 3.into(), "extra");
    assert_eq!(pragma("busy_timeout"), 5_000.into());
}

#[tokio::test]
async fn what_is_not_ours_or_not_whole_is_refused_and_left_alone() {
    let (directory, _) = scratch();
    let path = directory.path().join("other.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    assert_eq!(Sqlite::at(path.clone()).expose(holder(), 0).await, Err(StateFault::Foreign));
    assert_eq!(number(&path, "SELECT count(*) FROM sqlite_schema"), 1);

    let newer = directory.path().join("newer.db");
    Sqlite::at(newer.clone()).expose(holder(), 0).await.unwrap();
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 3).unwrap();
    assert_eq!(Sqlite::at(newer).expose(holder(), 0).await, Err(StateFault::Foreign));

    let damaged = directory.path().join("damaged.db");
    let store = Sqlite::at(damaged.clone());
    for n in 0..200 {
        store.claim(claiming(&format!("{n:0>40}"), 0)).await.unwrap();
    }
    drop(store);
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[4096..middle].fill(0xA5);
    fs::write(&damaged, &bytes).unwrap();
    let fault = Err(Refusal::StateUnavailable(StateFault::Corrupt));
    assert_eq!(Sqlite::at(damaged).claim(claiming("new", 0)).await, fault);
}

#[tokio::test]
async fn a_place_that_cannot_be_written_refuses() {
    let (directory, _) = scratch();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let folder = directory.path().join("folder");
    fs::create_dir(&folder).unwrap();
    for path in [file.join("state.db"), folder.clone(), ":memory:".into(), "state.db".into(), PathBuf::new()]
    {
        let store = Sqlite::at(path.clone());
        assert_eq!(
            store.claim(claiming("a", 0)).await,
            Err(Refusal::StateUnavailable(StateFault::NotWritable)),
            "{path:?}"
        );
        assert_eq!(store.expose(holder(), 0).await, Err(StateFault::NotWritable));
    }
    assert!(!Path::new(":memory:").exists() && !Path::new("state.db").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&folder).unwrap().permissions().mode();
        assert_ne!(mode & 0o055, 0, "what isn't the state file is left as it is");
    }
}

#[tokio::test]
async fn a_file_taken_away_under_a_running_server_refuses_and_then_recovers() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    store.claim(claiming("a", 0)).await.unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(store.claim(claiming("b", 0)).await, Err(Refusal::StateUnavailable(StateFault::NotWritable)));
    assert_eq!(store.claim(claiming("b", 0)).await, Ok(()));
    assert_eq!(number(&path, "SELECT count(*) FROM claims"), 1);
}

#[tokio::test]
async fn a_read_only_file_refuses_to_be_written() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    store.claim(claiming("a", 0)).await.unwrap();
    store.0.connection.lock().unwrap().as_ref().unwrap().pragma_update(None, "query_only", true).unwrap();
    assert_eq!(store.expose(holder(), 1).await, Err(StateFault::NotWritable));
    assert_eq!(number(&path, "SELECT count(*) FROM principals WHERE exposed_at IS NOT NULL"), 0);
}

#[tokio::test]
async fn a_marker_that_stands_is_not_written_again() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    store.expose(holder(), 10).await.unwrap();
    let marked = || number(&path, "SELECT exposed_at FROM principals");
    for (now, expected) in [(10, 10), (9, 10), (11, 11)] {
        store.expose(holder(), now).await.unwrap();
        assert_eq!(marked(), expected);
    }
    // SQLite counts the transactions that changed the file, in bytes 24 to 27 of it.
    let changes = || fs::read(&path).unwrap()[24..28].to_vec();
    let before = changes();
    store.expose(holder(), 11).await.unwrap();
    assert_eq!(changes(), before);
    store.expose(holder(), 12).await.unwrap();
    assert_ne!(changes(), before);
}

#[tokio::test]
async fn a_full_disk_refuses_and_claims_nothing() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    store.claim(claiming("a", 0)).await.unwrap();
    let pages = number(&path, "PRAGMA page_count");
    store
        .0
        .connection
        .lock()
        .unwrap()
        .as_ref()
        .unwrap()
        .pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0))
        .unwrap();
    let big = "k".repeat(20_000);
    assert_eq!(store.claim(claiming(&big, 0)).await, Err(Refusal::StateUnavailable(StateFault::Full)));
    for table in ["claims", "sent", "charges", "new_addresses", "known"] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table}")), 1, "{table}");
    }
}

#[tokio::test]
async fn a_lock_held_by_another_process_refuses_after_its_time() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    store.claim(claiming("a", 0)).await.unwrap();
    store.0.connection.lock().unwrap().as_ref().unwrap().busy_timeout(Duration::from_millis(1)).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(store.claim(claiming("b", 0)).await, Err(Refusal::StateUnavailable(StateFault::Busy)));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.claim(claiming("b", 0)).await, Ok(()));
}

#[tokio::test]
async fn a_refusal_of_the_rules_writes_nothing() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    let mut refused = claiming("a", 0);
    refused.terms.caps.max_sends = 0;
    assert_eq!(store.claim(refused).await, Err(Refusal::TooManySends { max: 0 }));
    for table in ["principals", "claims", "sent", "charges", "new_addresses", "known"] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

#[tokio::test]
async fn what_no_rule_looks_at_any_more_is_removed_and_nothing_else() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    let day = SENDS_WINDOW;
    // The first lies in the future of all that follow, under another sign-in, so that no clock is set back for these.
    let mut future = claiming("future", 1_000 * day);
    future.entry.principal = "q".into();
    store.claim(future).await.unwrap();
    for (key, now) in [("a", 0), ("b", day - 1), ("c", day)] {
        let mut claiming = claiming(key, now);
        claiming.terms.new = vec![format!("{key}@example.net")];
        claiming.terms.caps.max_new_addresses = 10;
        store.claim(claiming).await.unwrap();
    }
    for (table, rows) in [("claims", 3), ("charges", 3), ("new_addresses", 3), ("sent", 4), ("known", 2)] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table}")), rows, "{table}");
    }
    store.claim(claiming("d", SENT_TERM)).await.unwrap();
    assert_eq!(number(&path, "SELECT count(*) FROM sent WHERE claim_key = 'a'"), 0);
    assert_eq!(number(&path, "SELECT count(*) FROM sent"), 4);
    let first_seen = "SELECT first_seen FROM principals WHERE principal = 'p'";
    assert_eq!(number(&path, first_seen), 0, "a sign-in is first seen once");
}

#[tokio::test]
async fn what_was_seen_first_and_found_first_stays() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    for now in [7, 5, 9] {
        assert_eq!(store.first_seen(holder(), now).await, Ok(7));
        store.found(holder(), vec!["a@x".into()], now).await.unwrap();
    }
    assert_eq!(number(&path, "SELECT found_at FROM known"), 7);
    // The two ways of being known stand beside each other.
    let mut claiming = claiming("a", 10);
    claiming.entry.addresses = vec!["a@x".into(), "b@x".into()];
    store.claim(claiming).await.unwrap();
    store.found(holder(), vec!["b@x".into()], 11).await.unwrap();
    for (sql, expected) in [
        ("SELECT found_at FROM known WHERE address = 'a@x'", 7),
        ("SELECT confirmed_at FROM known WHERE address = 'a@x'", 10),
        ("SELECT found_at FROM known WHERE address = 'b@x'", 11),
        ("SELECT confirmed_at FROM known WHERE address = 'b@x'", 10),
    ] {
        assert_eq!(number(&path, sql), expected, "{sql}");
    }
    assert_eq!(number(&path, "SELECT exposed_at IS NULL FROM principals"), 1, "being seen exposes nothing");
}

#[tokio::test]
async fn the_time_of_a_new_address_is_its_last_send_and_never_earlier() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    for (key, now, expected) in [("a", 100, 100), ("b", 200, 200), ("c", 150, 200)] {
        store.claim(claiming(key, now)).await.unwrap();
        assert_eq!(number(&path, "SELECT charged_at FROM new_addresses"), expected, "{key}");
    }
}

#[tokio::test]
async fn the_ledger_says_what_is_recorded_of_this_draft_and_sign_in() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path);
    store.claim(claiming("a", 100)).await.unwrap();
    let entry = claiming("b", 0).entry;
    let mut elsewhere = entry.clone();
    elsewhere.principal = "q".into();
    let ledger = store.ledger(entry.clone(), 100).await.unwrap();
    assert_eq!((ledger.sends, ledger.sends_in_hour, ledger.last_charge), (1, 1, Some(100)));
    assert_eq!((ledger.new_addresses, ledger.new_written_to.len()), (1, 1));
    assert_eq!(ledger.acquaintances["a@example.net"].confirmed_at, Some(100));
    assert_eq!(store.ledger(elsewhere, 100).await.unwrap(), Ledger::default());
    for (now, in_hour, in_day) in
        [(3_699, 1, 1), (3_700, 0, 1), (100 + SENDS_WINDOW - 1, 0, 1), (100 + SENDS_WINDOW, 0, 0)]
    {
        let ledger = store.ledger(entry.clone(), now).await.unwrap();
        assert_eq!((ledger.sends_in_hour, ledger.sends), (in_hour, in_day), "{now}");
        assert_eq!((ledger.new_addresses, ledger.new_written_to.len()), (in_day, in_day as usize), "{now}");
    }
    // A draft of another account has none of this one's claims.
    let mut other = claiming("a", 0).entry;
    other.origin = "other".into();
    let ledger = store.ledger(other, 100).await.unwrap();
    assert_eq!((ledger.claimed_at, ledger.sent), (None, None));
    let own = store.ledger(claiming("a", 0).entry, 100).await.unwrap();
    assert_eq!((own.claimed_at, own.sent), (Some(100), Some((100, SentOutcome::Unknown))));
}

#[tokio::test]
async fn a_file_of_the_first_version_is_brought_up_to_the_present_one() {
    let (directory, _) = scratch();
    let path = directory.path().join("old.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../schema/1.sql")).unwrap();
    old.pragma_update(None, "application_id", 0x436F_756E).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute_batch("INSERT INTO claims VALUES ('o', 'a', 0); INSERT INTO charges (principal, charged_at) VALUES ('p', 0)")
        .unwrap();
    drop(old);
    let store = Sqlite::at(path.clone());
    assert_eq!(store.claim(claiming("a", 1)).await, Err(Refusal::Claimed), "what it held still holds");
    store.claim(claiming("b", 1)).await.unwrap();
    assert_eq!(number(&path, "PRAGMA user_version"), 2);
    assert_eq!(number(&path, "SELECT count(*) FROM known"), 1);
    // A file that says it is ours and holds none of it is refused, not filled.
    let hollow = directory.path().join("hollow.db");
    let file = Connection::open(&hollow).unwrap();
    file.pragma_update(None, "application_id", 0x436F_756E).unwrap();
    file.pragma_update(None, "user_version", 2).unwrap();
    drop(file);
    let fault = Err(Refusal::StateUnavailable(StateFault::Failed));
    assert_eq!(Sqlite::at(hollow).claim(claiming("a", 0)).await, fault);
    // A version without a mark is somebody else's.
    let unmarked = directory.path().join("unmarked.db");
    Connection::open(&unmarked).unwrap().pragma_update(None, "user_version", 1).unwrap();
    assert_eq!(Sqlite::at(unmarked).expose(holder(), 0).await, Err(StateFault::Foreign));
}

/// A directory in which no journal can be made. Root may write everywhere, so this says nothing where the tests run as
/// root; the file that is taken for a directory above refuses for the same reason there.
#[cfg(unix)]
#[tokio::test]
async fn a_read_only_directory_refuses() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    store.claim(claiming("a", 0)).await.unwrap();
    let parent = path.parent().unwrap();
    fs::set_permissions(parent, fs::Permissions::from_mode(0o500)).unwrap();
    let is_root = fs::write(parent.join("probe"), "").is_ok();
    let refused = store.claim(claiming("b", 0)).await;
    let fresh = Sqlite::at(parent.join("other.db")).expose(holder(), 0).await;
    fs::set_permissions(parent, fs::Permissions::from_mode(0o700)).unwrap();
    if !is_root {
        assert_eq!(refused, Err(Refusal::StateUnavailable(StateFault::NotWritable)));
        assert_eq!(fresh, Err(StateFault::NotWritable));
        assert_eq!(number(&path, "SELECT count(*) FROM claims"), 1);
    }
}
