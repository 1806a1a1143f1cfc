//! The state in one SQLite file, shared by every process of the sign-in.
//!
//! Each call is one transaction. A write begins with `BEGIN IMMEDIATE`, so that what it reads can't change before it
//! commits, and waits at most five seconds for another process. A commit is on the disk when it returns: the journal
//! is a file that is deleted, and `synchronous = EXTRA` also syncs the directory after that, because a journal that
//! came back after a power cut would undo a claim whose message is out. Anything that fails refuses; nothing falls
//! back to an empty state. The file is opened at the first call, readable by its owner alone, in a directory that is
//! made so too.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, named_params,
};

use super::{
    BoxFuture, Claiming, Entry, Holder, Ledger, OwnDraft, SentOutcome, Standing, StateFault, StateStore,
    sealed::Sealed,
};
use crate::{
    permit::{ClaimTicket, SendSettled},
    refusal::Refusal,
    rules::{CLAIM_TERM, SENDS_WINDOW, SENT_TERM},
};

/// How long a call waits for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Marks the file as ours in its header.
const APPLICATION_ID: i64 = 0x436F_756E;
/// The version of the schema.
const SCHEMA_VERSION: i64 = 1;
/// The schema itself.
const SCHEMA: &str = include_str!("schema.sql");
/// How `sent.outcome` is written.
const OUTCOME_UNKNOWN: i64 = 0;
const OUTCOME_ACCEPTED: i64 = 1;

/// The state in an SQLite file.
pub struct Sqlite(Arc<Shared>);

struct Shared {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl Sqlite {
    /// The state at this absolute path. Nothing is opened or created until the first call needs it.
    pub fn at(path: PathBuf) -> Self {
        Self(Arc::new(Shared { path, connection: Mutex::new(None) }))
    }

    /// Runs one transaction on a thread that may block.
    async fn run<T, F>(&self, behavior: TransactionBehavior, work: F) -> Result<T, StateFault>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    {
        let shared = Arc::clone(&self.0);
        let task = tokio::task::spawn_blocking(move || shared.transact(behavior, work));
        task.await.unwrap_or(Err(StateFault::Failed))
    }
}

impl Shared {
    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StateFault> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // The connection is put back only after a success: one that failed is closed, which rolls its transaction
        // back, and the next call sees the file anew.
        let mut connection = match slot.take() {
            Some(connection) => connection,
            None => open(&self.path)?,
        };
        let transaction = Transaction::new(&mut connection, behavior).map_err(|error| fault(&error))?;
        let result = work(&transaction).map_err(|error| fault(&error))?;
        transaction.commit().map_err(|error| fault(&error))?;
        *slot = Some(connection);
        Ok(result)
    }
}

impl Sealed for Sqlite {}

impl StateStore for Sqlite {
    fn ledger(&self, entry: Entry, now: i64) -> BoxFuture<'_, Result<Ledger, StateFault>> {
        Box::pin(self.run(TransactionBehavior::Deferred, move |tx| read_ledger(tx, &entry, now)))
    }

    fn claim(&self, claiming: Claiming) -> BoxFuture<'_, Result<(), Refusal>> {
        Box::pin(async move {
            let outcome = self.run(TransactionBehavior::Immediate, move |tx| claim(tx, &claiming)).await;
            outcome.map_err(Refusal::StateUnavailable)?
        })
    }

    fn settle(&self, ticket: ClaimTicket, outcome: SendSettled) -> BoxFuture<'_, Result<(), StateFault>> {
        Box::pin(self.run(TransactionBehavior::Immediate, move |tx| settle(tx, &ticket, outcome)))
    }

    fn expose(&self, holder: Holder, now: i64) -> BoxFuture<'_, Result<(), StateFault>> {
        Box::pin(self.run(TransactionBehavior::Immediate, move |tx| {
            // The later of the two times stays, so that a clock set back doesn't shorten an exposure. Where nothing
            // changes, as for several reads within a second, nothing is written and no disk is waited for.
            let sql =
                "INSERT INTO principals (principal, first_seen, exposed_at) VALUES (:principal, :now, :now)
                       ON CONFLICT (principal) DO UPDATE SET exposed_at = :now
                       WHERE exposed_at IS NULL OR exposed_at < :now";
            tx.execute(sql, named_params! { ":principal": holder.principal, ":now": now })?;
            Ok(())
        }))
    }

    fn wrote_draft(&self, draft: OwnDraft, now: i64) -> BoxFuture<'_, Result<(), StateFault>> {
        Box::pin(self.run(TransactionBehavior::Immediate, move |tx| {
            let sql = "INSERT INTO own_drafts (origin, draft, written_at) VALUES (:origin, :draft, :now)
                       ON CONFLICT (origin, draft) DO UPDATE SET written_at = :now";
            tx.execute(sql, named_params! { ":origin": draft.origin, ":draft": draft.draft, ":now": now })?;
            let sql = "DELETE FROM own_drafts WHERE written_at <= :before";
            tx.execute(sql, named_params! { ":before": now.saturating_sub(SENT_TERM) })?;
            Ok(())
        }))
    }

    fn is_own_draft(&self, draft: OwnDraft) -> BoxFuture<'_, Result<bool, StateFault>> {
        Box::pin(self.run(TransactionBehavior::Deferred, move |tx| {
            let sql = "SELECT count(*) FROM own_drafts WHERE origin = :origin AND draft = :draft";
            let params = named_params! { ":origin": draft.origin, ":draft": draft.draft };
            tx.query_row(sql, params, |row| row.get::<_, i64>(0)).map(|rows| rows > 0)
        }))
    }

    fn standing(&self, holder: Holder, now: i64) -> BoxFuture<'_, Result<Standing, StateFault>> {
        Box::pin(self.run(TransactionBehavior::Deferred, move |tx| {
            let sql = "SELECT first_seen, exposed_at FROM principals WHERE principal = :principal";
            let row = tx
                .query_row(sql, named_params! { ":principal": holder.principal }, |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            let (first_seen, exposed_at) = row.map_or((None, None), |(seen, exposed)| (Some(seen), exposed));
            let sql = "SELECT count(*) FROM sent WHERE origin = :origin AND outcome = :unknown";
            let params = named_params! { ":origin": holder.origin, ":unknown": OUTCOME_UNKNOWN };
            let unsettled = tx.query_row(sql, params, |row| row.get(0)).map(count)?;
            Ok(Standing { first_seen, exposed_at, sends: sends(tx, &holder.principal, now)?, unsettled })
        }))
    }
}

/// Reads all that the rules ask about one draft.
fn read_ledger(tx: &Transaction<'_>, entry: &Entry, now: i64) -> rusqlite::Result<Ledger> {
    let Entry { origin, principal, claim_key, message_id } = entry;
    let sql = "SELECT claimed_at FROM claims WHERE origin = :origin AND claim_key = :key";
    let params = named_params! { ":origin": origin, ":key": claim_key };
    let claimed_at = tx.query_row(sql, params, |row| row.get(0)).optional()?;
    // The same message under another draft id is the same message.
    let sql = "SELECT sent_at, outcome FROM sent
               WHERE origin = :origin AND (claim_key = :key OR (:message_id <> '' AND message_id = :message_id))
               ORDER BY sent_at DESC LIMIT 1";
    let params = named_params! { ":origin": origin, ":key": claim_key, ":message_id": message_id };
    let sent = tx.query_row(sql, params, |row| Ok((row.get(0)?, outcome(row.get(1)?)))).optional()?;
    let sql = "SELECT exposed_at FROM principals WHERE principal = :principal";
    let exposed_at =
        tx.query_row(sql, named_params! { ":principal": principal }, |row| row.get(0)).optional()?.flatten();
    Ok(Ledger { claimed_at, sent, exposed_at, sends: sends(tx, principal, now)? })
}

/// Decides and claims. A refusal of the rules leaves everything as it was.
fn claim(tx: &Transaction<'_>, claiming: &Claiming) -> rusqlite::Result<Result<(), Refusal>> {
    let Claiming { entry, terms, now } = claiming;
    let ledger = read_ledger(tx, entry, *now)?;
    if let Err(refusal) = terms.of_claim(&ledger, *now) {
        return Ok(Err(refusal));
    }
    prune(tx, *now)?;
    let Entry { origin, principal, claim_key, message_id } = entry;
    let sql =
        "INSERT INTO principals (principal, first_seen) VALUES (:principal, :now) ON CONFLICT DO NOTHING";
    tx.execute(sql, named_params! { ":principal": principal, ":now": now })?;
    let sql = "INSERT INTO claims (origin, claim_key, claimed_at) VALUES (:origin, :key, :now)";
    tx.execute(sql, named_params! { ":origin": origin, ":key": claim_key, ":now": now })?;
    let sql = "INSERT INTO sent (origin, claim_key, message_id, sent_at, outcome)
               VALUES (:origin, :key, :message_id, :now, :outcome)";
    let outcome = OUTCOME_UNKNOWN;
    tx.execute(
        sql,
        named_params! { ":origin": origin, ":key": claim_key, ":message_id": message_id, ":now": now, ":outcome": outcome },
    )?;
    let sql = "INSERT INTO charges (principal, charged_at) VALUES (:principal, :now)";
    tx.execute(sql, named_params! { ":principal": principal, ":now": now })?;
    Ok(Ok(()))
}

/// Removes what no rule looks at any more. What is in force stays, and so does what lies in the future.
fn prune(tx: &Transaction<'_>, now: i64) -> rusqlite::Result<()> {
    for (sql, term) in [
        ("DELETE FROM claims WHERE claimed_at <= :before", CLAIM_TERM),
        ("DELETE FROM sent WHERE sent_at <= :before", SENT_TERM),
        ("DELETE FROM charges WHERE charged_at <= :before", SENDS_WINDOW),
    ] {
        tx.execute(sql, named_params! { ":before": now.saturating_sub(term) })?;
    }
    Ok(())
}

fn settle(tx: &Transaction<'_>, ticket: &ClaimTicket, outcome: SendSettled) -> rusqlite::Result<()> {
    let sql = match outcome {
        SendSettled::Accepted => "UPDATE sent SET outcome = 1 WHERE origin = :origin AND claim_key = :key",
        SendSettled::RefusedByServer => "DELETE FROM sent WHERE origin = :origin AND claim_key = :key",
        SendSettled::Unknown => return Ok(()),
    };
    tx.execute(sql, named_params! { ":origin": ticket.origin, ":key": ticket.claim_key })?;
    Ok(())
}

/// Sends charged to a sign-in in the rolling window, those in the future included.
fn sends(tx: &Transaction<'_>, principal: &str, now: i64) -> rusqlite::Result<u32> {
    let sql = "SELECT count(*) FROM charges WHERE principal = :principal AND charged_at > :since";
    let params = named_params! { ":principal": principal, ":since": now.saturating_sub(SENDS_WINDOW) };
    tx.query_row(sql, params, |row| row.get(0)).map(count)
}

fn count(rows: i64) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}

fn outcome(written: i64) -> SentOutcome {
    if written == OUTCOME_ACCEPTED { SentOutcome::Accepted } else { SentOutcome::Unknown }
}

/// Opens the file, making it and its directory where there is none, and checks that it is sound and ours.
fn open(path: &Path) -> Result<Connection, StateFault> {
    create(path).map_err(|_| StateFault::NotWritable)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(|error| fault(&error))?;
    let sound = prepare(&mut connection).map_err(|error| fault(&error))?;
    sound?;
    Ok(connection)
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<Result<(), StateFault>> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))?;
    if mode != "delete" {
        return Ok(Err(StateFault::Failed));
    }
    let check: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if check != "ok" {
        return Ok(Err(StateFault::Corrupt));
    }
    if is_ours(connection)? {
        return Ok(Ok(()));
    }
    let tx = Transaction::new(connection, TransactionBehavior::Immediate)?;
    // Another process may have made the tables since.
    if is_ours(&tx)? {
        return Ok(Ok(()));
    }
    let objects: i64 = tx.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if objects != 0 || marks(&tx)? != (0, 0) {
        return Ok(Err(StateFault::Foreign));
    }
    tx.execute_batch(SCHEMA)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    tx.commit()?;
    Ok(Ok(()))
}

fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(marks(connection)? == (APPLICATION_ID, SCHEMA_VERSION))
}

fn marks(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let read = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((read("application_id")?, read("user_version")?))
}

/// Makes the directory and the file, and closes the file to others. An existing file is not opened here: closing it
/// again would drop the locks that this process holds on it (POSIX locks belong to the process).
fn create(path: &Path) -> std::io::Result<()> {
    // SQLite takes some names that are no paths (`:memory:`, the empty one) for databases that forget.
    if !path.is_absolute() {
        return Err(ErrorKind::InvalidInput.into());
    }
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        private_directory(directory)?;
    }
    match private_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => close_to_others(path),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn private_directory(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

#[cfg(unix)]
fn private_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(drop)
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut permissions = metadata.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(0o600);
        fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn private_directory(directory: &Path) -> std::io::Result<()> {
    fs::create_dir_all(directory)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> std::io::Result<()> {
    fs::OpenOptions::new().write(true).create_new(true).open(path).map(drop)
}

#[cfg(not(unix))]
fn close_to_others(path: &Path) -> std::io::Result<()> {
    fs::metadata(path).map(drop)
}

/// What an SQLite error means to the owner. The error's own text is dropped: it may name paths.
fn fault(error: &rusqlite::Error) -> StateFault {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StateFault::Busy,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            StateFault::NotWritable
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StateFault::Corrupt,
        Some(ErrorCode::DiskFull) => StateFault::Full,
        Some(_) | None => StateFault::Failed,
    }
}

#[cfg(test)]
mod tests;
