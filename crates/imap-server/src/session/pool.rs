//! One warm connection an account. A call borrows it, or makes one; a call that ends or is dropped in the middle of a
//! command leaves none behind, so half an answer is never taken for the next one's.

use std::{sync::Arc, time::Duration};

use countersign_core::{
    config::Credential,
    mailbox::{ConnectFault, MailboxError, Peer},
};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::timeout,
};

use super::{
    command::Command,
    connect,
    connection::{Answer, Connection, Open, Selected},
    tls::Tls,
};
use crate::settings::ImapSettings;

/// How long an idle connection has to answer a NOOP before it counts as dead.
const PROBE: Duration = Duration::from_secs(5);

/// The connection of one account.
pub(crate) struct Pool {
    settings: Arc<ImapSettings>,
    tls: Arc<Tls>,
    credential: Arc<dyn Credential>,
    slot: Mutex<Option<Connection>>,
}

impl Pool {
    /// No connection yet: the first call makes it.
    pub(crate) fn new(settings: Arc<ImapSettings>, tls: Arc<Tls>, credential: Arc<dyn Credential>) -> Self {
        Self { settings, tls, credential, slot: Mutex::new(None) }
    }

    /// The connection, for one call. An idle one that has died is replaced before anything is asked of it.
    pub(crate) async fn lease(&self) -> Result<Lease<'_>, MailboxError> {
        let timeouts = self.settings.timeouts;
        let mut slot = timeout(timeouts.call, self.slot.lock()).await.map_err(|_| MailboxError::TimedOut)?;
        if let Some(mut connection) = slot.take() {
            connection.begin();
            let idle = connection.last_used.elapsed();
            let alive =
                !connection.is_gone().await && (idle < timeouts.idle || connection.probe(PROBE).await);
            if alive && connection.is_healthy() {
                return Ok(Lease { pool: self, slot, connection: Some(connection), warm: true });
            }
        }
        let connection = self.connect().await?;
        Ok(Lease { pool: self, slot, connection: Some(connection), warm: false })
    }

    async fn connect(&self) -> Result<Connection, MailboxError> {
        connect::open(&self.settings, &self.tls, &*self.credential).await
    }
}

/// The connection while one call uses it. It goes back when this is dropped, unless a command was cut short.
pub(crate) struct Lease<'p> {
    pool: &'p Pool,
    slot: MutexGuard<'p, Option<Connection>>,
    connection: Option<Connection>,
    /// It was used before, so it may turn out to be dead.
    warm: bool,
}

impl Lease<'_> {
    /// The connection.
    ///
    /// # Errors
    /// Where a failed reconnect left none.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection, MailboxError> {
        self.connection.as_mut().ok_or(MailboxError::Connect(Peer::Store, ConnectFault::Lost))
    }

    /// Opens a folder to read in it, and runs a command there in the same round trip. A warm connection that turns out
    /// to be dead is replaced once; nothing has been changed by then.
    pub(crate) async fn examine_with(
        &mut self,
        name: &[u8],
        then: Option<&Command>,
    ) -> Result<(Selected, Answer), MailboxError> {
        match self.connection()?.open_with(name, Open::ToRead, then).await {
            Err(MailboxError::Connect(_, ConnectFault::Lost)) if self.warm => {
                self.reconnect().await?;
                self.connection()?.open_with(name, Open::ToRead, then).await
            }
            outcome => outcome,
        }
    }

    /// Opens a folder to read in it.
    pub(crate) async fn examine(&mut self, name: &[u8]) -> Result<Selected, MailboxError> {
        Ok(self.examine_with(name, None).await?.0)
    }

    /// Runs a command that only reads, as the first of a call: on a warm connection that turns out dead, once more.
    pub(crate) async fn read(&mut self, command: &Command) -> Result<Answer, MailboxError> {
        match self.connection()?.run(command).await {
            Err(MailboxError::Connect(_, ConnectFault::Lost)) if self.warm => {
                self.reconnect().await?;
                self.connection()?.run(command).await
            }
            outcome => outcome,
        }
    }

    async fn reconnect(&mut self) -> Result<(), MailboxError> {
        self.warm = false;
        self.connection = None;
        self.connection = Some(self.pool.connect().await?);
        tracing::debug!("the idle connection had ended; connected again");
        Ok(())
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        *self.slot = self.connection.take().filter(Connection::is_healthy);
    }
}
