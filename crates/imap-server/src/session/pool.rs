//! One warm connection an account. A call borrows it, or makes one; a call that ends or is dropped in the middle of a
//! command leaves none behind, so half an answer is never taken for the next one's.

use std::{sync::Arc, time::Duration};

use countersign_core::{
    config::Credential,
    mailbox::{ConnectFault, MailboxError, Peer},
};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::{Instant, timeout},
};

use super::{
    command::Command,
    connect,
    connection::{Answer, Connection, Errand, Outcome, Selected},
    tls::Tls,
};
use crate::settings::ImapSettings;

/// How long an idle connection has to answer a NOOP before it counts as dead.
const PROBE: Duration = Duration::from_secs(5);

/// How often one round of errands may go on over a new connection.
const MOST_RECONNECTS: usize = 2;

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
                return Ok(Lease { pool: self, slot, connection: Some(connection), warm: true, until: None });
            }
        }
        let connection = self.connect().await?;
        Ok(Lease { pool: self, slot, connection: Some(connection), warm: false, until: None })
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
    /// When the call's time for reading is over.
    until: Option<Instant>,
}

impl Lease<'_> {
    /// The connection.
    ///
    /// # Errors
    /// Where a failed reconnect left none.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection, MailboxError> {
        self.connection.as_mut().ok_or(MailboxError::Connect(Peer::Store, ConnectFault::Lost))
    }

    /// Ends the call's time at the latest then, also on a connection that replaces this one.
    pub(crate) fn limit(&mut self, until: Instant) {
        self.until = Some(until);
        if let Some(connection) = &mut self.connection {
            connection.limit(until);
        }
    }

    /// Opens a folder to read in it, and runs commands there in the same round trip. A warm connection that turns out
    /// to be dead is replaced once; nothing has been changed by then.
    pub(crate) async fn examine_with(
        &mut self,
        name: &[u8],
        then: &[Command],
    ) -> Result<(Selected, Vec<Answer>), MailboxError> {
        match self.connection()?.open_with(name, then).await {
            Err(MailboxError::Connect(_, ConnectFault::Lost)) if self.warm => {
                self.reconnect().await?;
                self.connection()?.open_with(name, then).await
            }
            outcome => outcome,
        }
    }

    /// Opens a folder to read in it.
    pub(crate) async fn examine(&mut self, name: &[u8]) -> Result<Selected, MailboxError> {
        Ok(self.examine_with(name, &[]).await?.0)
    }

    /// Runs errands, in one round trip for many. An errand on which the connection ends fails alone: the others go on over
    /// a new connection, a few times.
    pub(crate) async fn visit(&mut self, errands: &[Errand]) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut left = MOST_RECONNECTS;
        while let Some(rest) = errands.get(outcomes.len()..).filter(|rest| !rest.is_empty()) {
            let was_warm = self.warm;
            let healthy = self.connection.as_ref().is_some_and(Connection::is_healthy);
            if !healthy && let Err(error) = self.reconnect().await {
                outcomes.extend(rest.iter().map(|_| Err(error.clone())));
                break;
            }
            let Some(connection) = &mut self.connection else { break };
            let mut found = connection.visit(rest).await;
            if connection.is_healthy() || left == 0 {
                outcomes.append(&mut found);
                break;
            }
            left = left.saturating_sub(1);
            let ended = |outcome: &Outcome| {
                matches!(outcome, Err(MailboxError::Connect(..) | MailboxError::PeerMisbehaved(_)))
            };
            let reached = found.iter().take_while(|outcome| !ended(outcome)).count();
            // Without time there is no use in another connection; on a warm one that was dead nothing failed yet.
            let out_of_time = found.iter().any(|outcome| matches!(outcome, Err(MailboxError::TimedOut)));
            let failed = usize::from(!(was_warm && reached == 0));
            found.truncate(if out_of_time { found.len() } else { reached.saturating_add(failed) });
            outcomes.append(&mut found);
        }
        outcomes
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
        let mut connection = self.pool.connect().await?;
        if let Some(until) = self.until {
            connection.limit(until);
        }
        self.connection = Some(connection);
        tracing::debug!("the idle connection had ended; connected again");
        Ok(())
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        *self.slot = self.connection.take().filter(Connection::is_healthy);
    }
}
