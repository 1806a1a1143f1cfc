//! Opening the file: made for its owner alone, checked to be sound and ours, brought to the present schema.

use std::{fs, io::ErrorKind, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::fault;
use crate::state::StateFault;

/// How long a call waits for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Marks the file as ours in its header.
const APPLICATION_ID: i64 = 0x436F_756E;
/// What each version of the schema adds to the one before.
const SCHEMA: [&str; 2] = [include_str!("../schema/1.sql"), include_str!("../schema/2.sql")];

/// Opens the file, making it and its directory where there is none, and checks that it is sound and ours.
pub(super) fn open(path: &Path) -> Result<Connection, StateFault> {
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
    if version(connection)? == Some(SCHEMA.len()) {
        return Ok(Ok(()));
    }
    let tx = Transaction::new(connection, TransactionBehavior::Immediate)?;
    // Read again: another process may have made the tables since.
    let steps = match version(&tx)? {
        Some(version) => SCHEMA.get(version..),
        None if is_blank(&tx)? => Some(&SCHEMA[..]),
        None => None,
    };
    let Some(steps) = steps else { return Ok(Err(StateFault::Foreign)) };
    for step in steps {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", i64::try_from(SCHEMA.len()).unwrap_or(i64::MAX))?;
    tx.commit()?;
    Ok(Ok(()))
}

/// The version of our schema that the file has, if it is ours.
fn version(connection: &Connection) -> rusqlite::Result<Option<usize>> {
    let (application, version) = marks(connection)?;
    Ok(if application == APPLICATION_ID { usize::try_from(version).ok() } else { None })
}

/// Whether nothing was ever written to the file.
fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(objects == 0 && marks(connection)? == (0, 0))
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
