//! Several processes at once, and processes that are killed: one draft goes out at most once, and what was begun counts.
//!
//! The children are this test binary, told on its command line what to do. Each send is a line appended to a file, which
//! stands for the wire.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    hash::{BuildHasher as _, Hasher as _},
    io::{BufRead, BufReader, Lines, Write},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use super::*;

/// What a child is told, among the names of tests to run.
fn told(what: &str) -> Option<String> {
    std::env::args().find_map(|argument| argument.strip_prefix(what).map(str::to_owned))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn policy(directory: &Path) -> SendPolicy {
    crate::testing::policy_at(
        &directory.join("state.db"),
        &RulesConfig { max_sends: u32::MAX, max_new_addresses: 1_000, ..RulesConfig::default() },
    )
}

fn read(policy: &SendPolicy, key: &str) -> Result<Approval, Refusal> {
    block_on(approved(policy, named(key)))
}

/// Claims, sends, settles; whether it was sent.
fn sent(policy: &SendPolicy, approval: Approval, directory: &Path) -> Result<(), Refusal> {
    let (permit, ticket) = block_on(policy.claim(approval))?;
    let out = permit.redeem(&origin()).unwrap();
    let mut wire = OpenOptions::new().append(true).create(true).open(directory.join("wire")).unwrap();
    wire.write_all(format!("{}\n", out.claim_key).as_bytes()).unwrap();
    block_on(policy.settle(ticket, SendSettled::Accepted))
}

/// How often each draft went over the wire.
fn wire(directory: &Path) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::<String, u32>::new();
    for key in fs::read_to_string(directory.join("wire")).unwrap_or_default().lines() {
        let count = counts.entry(key.to_owned()).or_default();
        *count = count.saturating_add(1);
    }
    counts
}

fn child(directory: &Path, part: &str, from: usize) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "--test-threads=1", part]);
    command.arg(format!("state={}", directory.display())).arg(format!("from={from}"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The test harness speaks first.
    assert!(lines.any(|line| line.unwrap().ends_with("ready")));
    (child, lines)
}

/// A child of the race: it reads each draft that its parent names, waits for the word and claims. Run by itself, it has
/// no part to play.
#[test]
fn race_child() {
    let Some(directory) = told("state=") else { return };
    let directory = Path::new(&directory);
    let policy = policy(directory);
    println!("ready");
    let mut orders = std::io::stdin().lines();
    while let Some(Ok(key)) = orders.next() {
        let approval = match read(&policy, &key) {
            Ok(approval) => approval,
            Err(refusal) => {
                println!("failed: {refusal:?}");
                return;
            }
        };
        println!("confirmed");
        orders.next().unwrap().unwrap();
        match sent(&policy, approval, directory) {
            Ok(()) => println!("sent"),
            Err(Refusal::OutcomeUnknown | Refusal::AlreadySent) => println!("refused"),
            Err(other) => println!("failed: {other:?}"),
        }
    }
}

#[test]
fn of_eight_processes_that_confirm_one_draft_exactly_one_sends() {
    const ROUNDS: usize = 200;
    const PROCESSES: usize = 8;
    let directory = tempfile::tempdir().unwrap();
    let mut children: Vec<_> =
        (0..PROCESSES).map(|_| child(directory.path(), "policy::tests::processes::race_child", 0)).collect();
    for round in 0..ROUNDS {
        let mut step = |order: &str| -> Vec<String> {
            for (child, _) in &mut children {
                writeln!(child.stdin.as_mut().unwrap(), "{order}").unwrap();
            }
            children.iter_mut().map(|(_, lines)| lines.next().unwrap().unwrap()).collect()
        };
        let said = step(&format!("round-{round}"));
        assert!(said.iter().all(|said| said == "confirmed"), "{said:?}");
        let said = step("go");
        assert_eq!(said.iter().filter(|s| *s == "sent").count(), 1, "{said:?}");
        assert_eq!(said.iter().filter(|s| *s == "refused").count(), PROCESSES - 1, "{said:?}");
    }
    for (mut child, _) in children {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
    let wire = wire(directory.path());
    assert_eq!(wire.len(), ROUNDS);
    assert!(wire.values().all(|count| *count == 1));
    let status = block_on(policy(directory.path()).status()).unwrap();
    assert_eq!(usize::try_from(status.sends).unwrap(), ROUNDS);
    assert_eq!(status.unsettled, 0);
}

/// A child to be killed: it sends one draft after another, from one that it may have sent before. Run by itself, it has
/// no part to play.
#[test]
fn killed_child() {
    let (Some(directory), Some(from)) = (told("state="), told("from=")) else { return };
    let directory = Path::new(&directory);
    let policy = policy(directory);
    println!("ready");
    for n in from.parse::<usize>().unwrap().. {
        match read(&policy, &n.to_string()).and_then(|approval| sent(&policy, approval, directory)) {
            Ok(()) | Err(Refusal::OutcomeUnknown | Refusal::AlreadySent) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_kill_at_any_point_neither_sends_twice_nor_releases_a_claim_nor_forgets_a_charge() {
    const KILLS: usize = 200;
    /// Longer than one claim and send takes, so that every point of them is hit.
    const LONGEST: u64 = 80_000;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.db");
    let mut between = [0_usize; 3];
    for _ in 0..KILLS {
        // From a few drafts before the last one begun: a restarted server tries them again.
        let begun = if path.exists() { claims(&path).len() } else { 0 };
        let from = begun.saturating_sub(3);
        let (mut child, _lines) = child(directory.path(), "policy::tests::processes::killed_child", from);
        let random = std::hash::RandomState::new().build_hasher().finish();
        std::thread::sleep(Duration::from_micros(random % LONGEST));
        child.kill().unwrap();
        child.wait().unwrap();
        // Where the kill fell: between the claim and the wire, between the wire and the settling, or elsewhere.
        let wire = wire(directory.path());
        let last = claims(&path).into_iter().max_by_key(|(key, _)| key.parse::<usize>().unwrap());
        match last {
            Some((key, 0)) if wire.contains_key(&key) => between[1] += 1,
            Some((_, 0)) => between[0] += 1,
            Some(_) | None => between[2] += 1,
        }
    }
    let policy = policy(directory.path());
    let (claims, wire) = (claims(&path), wire(directory.path()));
    println!(
        "{} begun, {} sent; kills before the wire, before the settling, elsewhere: {between:?}",
        claims.len(),
        wire.len()
    );
    assert!(wire.values().all(|count| *count == 1), "sent twice");
    assert!(wire.keys().all(|key| claims.contains_key(key)), "sent without a claim");
    for key in claims.keys() {
        assert!(
            matches!(read(&policy, key).err(), Some(Refusal::OutcomeUnknown | Refusal::AlreadySent)),
            "{key} was released"
        );
    }
    let status = block_on(policy.status()).unwrap();
    assert_eq!(usize::try_from(status.sends).unwrap(), claims.len(), "every send begun is charged");
    assert!(claims.len() >= KILLS / 4, "too little was under way to be killed: {}", claims.len());
}

/// Every claim with the outcome of its sent record.
fn claims(path: &Path) -> BTreeMap<String, i64> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT claim_key, outcome FROM claims NATURAL JOIN sent";
    // A child killed before it made the tables leaves none.
    let Ok(mut statement) = connection.prepare(sql) else { return BTreeMap::new() };
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}
