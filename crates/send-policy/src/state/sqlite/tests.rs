//! The file: who may read it, what is refused, and that several processes and a kill leave it sound.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use countersign_confirm::Terms;

use super::*;
use crate::rules::ClaimTerms;

fn claiming(key: &str, now: i64) -> Claiming {
    let entry = Entry {
        origin: "o".into(),
        principal: "p".into(),
        claim_key: key.into(),
        message_id: format!("{key}@id"),
    };
    Claiming { entry, terms: ClaimTerms { max_sends: u32::MAX, signed: Terms(0) }, now }
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
    assert_eq!(number(&path, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict"), 5);
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
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 2).unwrap();
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
    for table in ["claims", "sent", "charges"] {
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
    refused.terms.max_sends = 0;
    assert_eq!(store.claim(refused).await, Err(Refusal::TooManySends { max: 0 }));
    for table in ["principals", "claims", "sent", "charges"] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
}

#[tokio::test]
async fn what_no_rule_looks_at_any_more_is_removed_and_nothing_else() {
    let (_directory, path) = scratch();
    let store = Sqlite::at(path.clone());
    let day = SENDS_WINDOW;
    // The first lies in the future of all that follow.
    for (key, now) in [("future", 1_000 * day), ("a", 0), ("b", day - 1), ("c", day)] {
        store.claim(claiming(key, now)).await.unwrap();
    }
    for (table, rows) in [("claims", 3), ("charges", 3), ("sent", 4)] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table}")), rows, "{table}");
    }
    store.claim(claiming("d", SENT_TERM)).await.unwrap();
    assert_eq!(number(&path, "SELECT count(*) FROM sent WHERE claim_key = 'a'"), 0);
    assert_eq!(number(&path, "SELECT count(*) FROM sent"), 4);
    assert_eq!(
        number(&path, "SELECT first_seen FROM principals"),
        1_000 * day,
        "a sign-in is first seen once"
    );
}

/// What a copy of this test binary is told on its command line, among the names of tests to run.
fn told(what: &str) -> Option<String> {
    std::env::args().find_map(|argument| argument.strip_prefix(what).map(str::to_owned))
}

fn child(path: &Path, part: &str, key: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "--test-threads=1", part]);
    command.arg(format!("state={}", path.display())).arg(format!("key={key}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// A child of the race: for each round that its parent names, it says whether it won the claim. Run by itself, it has
/// no part to play.
#[test]
fn race_child() {
    let Some(path) = told("state=") else { return };
    let store = Sqlite::at(path.into());
    println!("ready");
    for round in std::io::stdin().lines() {
        let result = block_on(store.claim(claiming(&round.unwrap(), 0)));
        match result {
            Ok(()) => println!("won"),
            Err(Refusal::OutcomeUnknown) => println!("lost"),
            Err(other) => println!("failed: {other:?}"),
        }
    }
}

#[test]
fn of_several_processes_exactly_one_wins_each_claim() {
    use std::io::Write;
    const ROUNDS: u8 = 60;
    const PROCESSES: usize = 4;
    let (_directory, path) = scratch();
    let mut children: Vec<Child> =
        (0..PROCESSES).map(|_| child(&path, "state::sqlite::tests::race_child", "")).collect();
    let mut readers: Vec<_> =
        children.iter_mut().map(|c| BufReader::new(c.stdout.take().unwrap()).lines()).collect();
    for reader in &mut readers {
        // The test harness speaks first.
        assert!(reader.any(|line| line.unwrap().ends_with("ready")));
    }
    for round in 0..ROUNDS {
        for child in &mut children {
            writeln!(child.stdin.as_mut().unwrap(), "round {round}").unwrap();
        }
        let said: Vec<String> = readers.iter_mut().map(|reader| reader.next().unwrap().unwrap()).collect();
        assert_eq!(said.iter().filter(|s| *s == "won").count(), 1, "{said:?}");
        assert_eq!(said.iter().filter(|s| *s == "lost").count(), PROCESSES - 1, "{said:?}");
    }
    for mut child in children {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
    for table in ["claims", "sent", "charges"] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table}")), i64::from(ROUNDS), "{table}");
    }
}

/// A child to be killed: it claims without end and says so after each claim. Run by itself, it has no part to play.
#[test]
fn killed_child() {
    let (Some(path), Some(key)) = (told("state="), told("key=")) else { return };
    let store = Sqlite::at(path.into());
    for n in 0.. {
        let key = format!("{key}-{n}");
        block_on(store.claim(claiming(&key, 0))).unwrap();
        println!("claimed {key}");
    }
}

#[test]
fn a_kill_leaves_every_claim_whole_and_none_forgotten() {
    let (_directory, path) = scratch();
    let mut claimed = Vec::new();
    for round in 0_usize..25 {
        let mut child = child(&path, "state::sqlite::tests::killed_child", &format!("r{round}"));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Killed after a few claims, so in the midst of the next one.
        let mut left = 1 + round % 7;
        while left > 0 {
            let line = lines.next().unwrap().unwrap();
            if let Some((_, key)) = line.split_once("claimed ") {
                claimed.push(key.to_owned());
                left -= 1;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What it said before it died counts too.
        claimed.extend(
            lines
                .map_while(Result::ok)
                .filter_map(|l| l.split_once("claimed ").map(|(_, key)| key.to_owned())),
        );
    }
    let store = Sqlite::at(path.clone());
    for key in &claimed {
        assert_eq!(block_on(store.claim(claiming(key, 0))), Err(Refusal::OutcomeUnknown), "{key}");
    }
    block_on(store.claim(claiming("after", 0))).unwrap();
    let whole = "SELECT count(*) FROM claims NATURAL JOIN sent WHERE claimed_at = sent_at";
    let claims = number(&path, "SELECT count(*) FROM claims");
    for sql in ["SELECT count(*) FROM sent", "SELECT count(*) FROM charges", whole] {
        assert_eq!(number(&path, sql), claims, "{sql}");
    }
    assert!(usize::try_from(claims).unwrap() > claimed.len());
}
