//! The state in one SQLite file, shared by every process of the sign-in.
//!
//! Each call is one transaction. A write begins with `BEGIN IMMEDIATE`, so that what it reads can't change before it
//! commits, and waits at most five seconds for another process. A commit is on the disk when it returns: the journal
//! is a file that is deleted, and `synchronous = EXTRA` also syncs the directory after that, because a journal that
//! came back after a power cut would undo a claim whose message is out. Anything that fails refuses; nothing falls
//! back to an empty state. The file is opened at the first call, readable by its owner alone, in a directory that is
//! made so too.

mod open;
mod rows;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, named_params};

use super::{
    BoxFuture, Claiming, Entry, Holder, Ledger, OwnDraft, Standing, StateFault, StateStore, sealed::Sealed,
};
use crate::{
    permit::{ClaimTicket, SendSettled},
    refusal::Refusal,
    rules::SENT_TERM,
};

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
            None => open::open(&self.path)?,
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
        Box::pin(self.run(TransactionBehavior::Deferred, move |tx| rows::read_ledger(tx, &entry, now)))
    }

    fn claim(&self, claiming: Claiming) -> BoxFuture<'_, Result<(), Refusal>> {
        Box::pin(async move {
            let outcome =
                self.run(TransactionBehavior::Immediate, move |tx| rows::claim(tx, &claiming)).await;
            outcome.map_err(Refusal::StateUnavailable)?
        })
    }

    fn settle(&self, ticket: ClaimTicket, outcome: SendSettled) -> BoxFuture<'_, Result<(), StateFault>> {
        Box::pin(self.run(TransactionBehavior::Immediate, move |tx| rows::settle(tx, &ticket, outcome)))
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

    fn first_seen(&self, holder: Holder, now: i64) -> BoxFuture<'_, Result<i64, StateFault>> {
        let work = move |tx: &Transaction<'_>| rows::first_seen(tx, &holder.principal, now);
        Box::pin(self.run(TransactionBehavior::Immediate, work))
    }

    fn found(
        &self,
        holder: Holder,
        addresses: Vec<String>,
        now: i64,
    ) -> BoxFuture<'_, Result<(), StateFault>> {
        let work = move |tx: &Transaction<'_>| rows::found(tx, &holder.principal, &addresses, now);
        Box::pin(self.run(TransactionBehavior::Immediate, work))
    }

    fn standing(&self, holder: Holder, now: i64) -> BoxFuture<'_, Result<Standing, StateFault>> {
        Box::pin(self.run(TransactionBehavior::Deferred, move |tx| rows::standing(tx, &holder, now)))
    }
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
