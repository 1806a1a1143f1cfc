//! Fault points without hooks in the product: a proxy between the product and the real server that understands
//! enough SMTP (RFC 5321) and IMAP (RFC 9051) to stop at a named place.
//!
//! A test sets a rule, starts the work, waits until the place is reached, kills the product there, and then looks
//! at what the real servers hold. The proxy also counts commands, round trips and bytes, and shows listeners with
//! certificates that a client must refuse. Towards the client it speaks TLS or not, as asked; towards the server
//! it never does, so it goes in front of the ports without TLS. STARTTLS passes through, and from there on the
//! proxy only relays.
//!
//! It runs on a thread of its own: a test may block while it works.

mod conversation;
mod plan;
mod relay;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

pub use plan::{Action, Place, Reached, Tally};
use plan::{Rule, State};

use crate::services::tls::{Authority, Shown};

/// How long a place may take to be reached.
const PATIENCE: Duration = Duration::from_mins(1);

/// The protocol the proxy listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Submission.
    Smtp,
    /// IMAP4.
    Imap,
}

/// A proxy in front of one server. It ends, with its connections, when it is dropped.
pub struct Proxy {
    /// Where the product is to connect.
    pub address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    /// Grows with each change of the state, so that waiting tasks look again.
    changed: watch::Sender<u64>,
}

impl Proxy {
    /// Listens without TLS.
    ///
    /// # Errors
    /// No port, or no thread.
    pub fn plain(protocol: Protocol, server: SocketAddr) -> Result<Self> {
        Self::start(protocol, server, None)
    }

    /// Listens with TLS from the first byte and shows a certificate of this authority.
    ///
    /// # Errors
    /// No port, no thread, or no certificate.
    pub fn tls(protocol: Protocol, server: SocketAddr, authority: &Authority, shown: Shown) -> Result<Self> {
        let acceptor = tokio_rustls::TlsAcceptor::from(authority.issue(shown)?.server_config()?);
        Self::start(protocol, server, Some(acceptor))
    }

    fn start(
        protocol: Protocol,
        server: SocketAddr,
        acceptor: Option<tokio_rustls::TlsAcceptor>,
    ) -> Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { state: Mutex::default(), changed: watch::channel(0).0 });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let work = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("faults-proxy".to_owned()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    () = relay::accept(listener, acceptor, protocol, server, work) => {}
                    // Dropping the proxy ends it too: the sender is gone then.
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Adds a rule: at the `nth` time (from 1, over all connections, counted from now) that this place is reached, do this.
    /// Each rule acts once. Commands are named by how they begin, without tag and in any case (`MAIL FROM`,
    /// `UID STORE`); `.` is the end of an SMTP message.
    pub fn at(&self, place: Place, nth: usize, action: Action) -> Reached {
        let number = {
            let mut state = self.shared.lock();
            state.rules.push(Rule::new(place, nth, action));
            state.rules.len().saturating_sub(1)
        };
        self.shared.touch();
        Reached(number)
    }

    /// Waits until a rule has acted.
    ///
    /// # Errors
    /// It did not in time; the error tells what went by instead.
    pub async fn reached(&self, rule: Reached) -> Result<()> {
        let mut changes = self.shared.changed.subscribe();
        let waiting = async {
            while !self.shared.lock().rules.get(rule.0).is_some_and(|rule| rule.acted) {
                changes.changed().await?;
            }
            anyhow::Ok(())
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(result) => result,
            Err(_) => Err(anyhow::anyhow!("the place was not reached; went by: {:?}", self.tally().commands)),
        }
    }

    /// Whether a rule has acted.
    pub fn has_acted(&self, rule: Reached) -> bool {
        self.shared.lock().rules.get(rule.0).is_some_and(|rule| rule.acted)
    }

    /// Lets everything go on that is held or stalled.
    pub fn release(&self) {
        self.shared.lock().release();
        self.shared.touch();
    }

    /// Cuts every connection; later ones are served again.
    pub fn cut(&self) {
        {
            let mut state = self.shared.lock();
            state.cuts = state.cuts.saturating_add(1);
        }
        self.shared.touch();
    }

    /// What has gone through since the start or the last [`Self::reset`].
    pub fn tally(&self) -> Tally {
        self.shared.lock().tally.clone()
    }

    /// Counts from nought again.
    pub fn reset(&self) {
        self.shared.lock().tally = Tally::default();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic over there has been printed; there is nobody to hand it to.
            drop(thread.join());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// The port of a proxy that shows a certificate a client must refuse.
///
/// # Errors
/// As [`Proxy::tls`].
pub fn bad_certificate(mail: &crate::services::Mail, protocol: Protocol, shown: Shown) -> Result<Proxy> {
    let server = match protocol {
        Protocol::Imap => mail.imap.plain_starttls,
        Protocol::Smtp => mail.smtp.plain,
    };
    Proxy::tls(protocol, server, &mail.authority, shown).context("a listener with another certificate")
}
