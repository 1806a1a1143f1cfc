//! From an endpoint to a signed-in connection: TCP, TLS (at once or by STARTTLS), greeting, sign-in, capabilities. Each
//! step is bounded in time and its failure told apart.

use std::{io, time::Duration};

use async_imap::{Authenticator, Client, Session};
use countersign_core::{
    config::{Credential, Secret},
    mailbox::{ConnectFault, MailboxError, Peer},
};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpStream, lookup_host},
    time::{Instant, timeout, timeout_at},
};

use super::{
    capabilities::Capabilities,
    connection::Connection,
    response::{Response, Status},
    stream::Stream,
    tls::Tls,
    wire::{Wire, WireFault},
};
use crate::settings::{Endpoint, ImapSettings, Security};

/// Opens a TCP connection.
pub(crate) async fn dial(endpoint: &Endpoint, limit: Duration) -> Result<TcpStream, ConnectFault> {
    let host =
        endpoint.host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&endpoint.host);
    let attempt = async {
        let addresses = lookup_host((host, endpoint.port)).await.map_err(|error| resolution_fault(&error))?;
        let mut last = ConnectFault::NoSuchHost;
        for address in addresses {
            match TcpStream::connect(address).await {
                Ok(tcp) => {
                    // Commands are short and wait for answers; Nagle's delay only costs.
                    let _ = tcp.set_nodelay(true);
                    return Ok(tcp);
                }
                Err(error) => last = dial_fault(&error),
            }
        }
        Err(last)
    };
    timeout(limit, attempt).await.unwrap_or(Err(ConnectFault::TimedOut))
}

/// The TLS handshake over a TCP connection, in bounded time.
pub(crate) async fn secure(
    tls: &Tls,
    tcp: TcpStream,
    host: &str,
    limit: Duration,
) -> Result<Result<Stream, ConnectFault>, MailboxError> {
    timeout(limit, tls.handshake(tcp, host)).await.unwrap_or(Ok(Err(ConnectFault::TimedOut)))
}

/// "No such name" and "no name server answers" are different advice; only the text tells them apart.
fn resolution_fault(error: &io::Error) -> ConnectFault {
    let text = error.to_string();
    if text.contains("Temporary failure") || text.contains("Try again") {
        ConnectFault::Unreachable
    } else {
        ConnectFault::NoSuchHost
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign, non-exhaustive enumeration")]
fn dial_fault(error: &io::Error) -> ConnectFault {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => ConnectFault::Refused,
        io::ErrorKind::TimedOut => ConnectFault::TimedOut,
        io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::AddrNotAvailable => ConnectFault::Unreachable,
        _ => ConnectFault::Lost,
    }
}

/// A signed-in connection.
pub(super) async fn open(
    settings: &ImapSettings,
    tls: &Tls,
    credential: &dyn Credential,
) -> Result<Connection, MailboxError> {
    let limit = settings.timeouts.connect;
    let (wire, capabilities) = greeted(&settings.imap, tls, limit).await?;
    let password = credential.secret().await?;
    let session = timeout(limit, sign_in(wire, capabilities, &settings.user, &password))
        .await
        .unwrap_or(Err(fault(ConnectFault::TimedOut)))?;
    drop(password);
    let mut connection = Connection::new(session, settings.timeouts);
    connection.read_capabilities().await?;
    tracing::debug!("signed in to the mail server");
    Ok(connection)
}

/// A connection that has been greeted and, where it has to be, secured; with what the server announces there.
async fn greeted(
    endpoint: &Endpoint,
    tls: &Tls,
    limit: Duration,
) -> Result<(Wire<Stream>, Capabilities), MailboxError> {
    let tcp = dial(endpoint, limit).await.map_err(fault)?;
    let mut wire = match endpoint.security {
        Security::Tls => Wire::new(secure(tls, tcp, &endpoint.host, limit).await?.map_err(fault)?),
        Security::StartTls | Security::PlainTextAllowed => Wire::new(Stream::Plain(tcp)),
    };
    let mut talk = Talk { limit, tag: 0 };
    talk.greeting(&mut wire).await?;
    let capabilities = talk.capabilities(&mut wire).await?;
    if endpoint.security != Security::StartTls {
        return Ok((wire, capabilities));
    }
    if !capabilities.starttls {
        return Err(fault(ConnectFault::NoStartTls));
    }
    if talk.command(&mut wire, "STARTTLS").await?.0 != Status::Ok {
        return Err(fault(ConnectFault::NoStartTls));
    }
    let Some(Stream::Plain(tcp)) = wire.into_clean_stream() else { return Err(fault(ConnectFault::Tls)) };
    let mut wire = Wire::new(secure(tls, tcp, &endpoint.host, limit).await?.map_err(fault)?);
    // What was announced without TLS may have been forged.
    let capabilities = talk.capabilities(&mut wire).await?;
    Ok((wire, capabilities))
}

fn fault(fault: ConnectFault) -> MailboxError {
    MailboxError::Connect(Peer::Store, fault)
}

/// Most responses to one command before the sign-in.
const MOST_ANSWERS: usize = 100;

/// The few exchanges before the sign-in.
struct Talk {
    limit: Duration,
    tag: u8,
}

impl Talk {
    async fn greeting(&self, wire: &mut Wire<Stream>) -> Result<(), MailboxError> {
        match self.response(wire, deadline(self.limit)).await? {
            Response::Condition { status: Status::Ok, .. } => Ok(()),
            Response::Bye => Err(fault(ConnectFault::Refused)),
            // Signed in before TLS could be asked for: someone in between may have arranged that.
            Response::Preauth => Err(fault(ConnectFault::NoStartTls)),
            Response::Continue
            | Response::Tagged { .. }
            | Response::Condition { .. }
            | Response::Fetch(_)
            | Response::Searched(_)
            | Response::Numbered { .. }
            | Response::Data { .. }
            | Response::Unknown => Err(fault(ConnectFault::NotThisProtocol)),
        }
    }

    async fn capabilities(&mut self, wire: &mut Wire<Stream>) -> Result<Capabilities, MailboxError> {
        let (_, answers) = self.command(wire, "CAPABILITY").await?;
        for answer in &answers {
            if let Response::Data { name, values } = answer
                && name == "CAPABILITY"
            {
                return Ok(Capabilities::read(values));
            }
        }
        Ok(Capabilities::default())
    }

    async fn command(
        &mut self,
        wire: &mut Wire<Stream>,
        words: &str,
    ) -> Result<(Status, Vec<Response>), MailboxError> {
        self.tag = self.tag.saturating_add(1);
        let tag = format!("S{}", self.tag);
        let until = deadline(self.limit);
        let line = format!("{tag} {words}\r\n");
        let write = async {
            wire.write_all(line.as_bytes()).await?;
            wire.flush().await
        };
        match timeout_at(until, write).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(fault(ConnectFault::Lost)),
            Err(_) => return Err(fault(ConnectFault::TimedOut)),
        }
        let mut answers = Vec::new();
        loop {
            let answer = self.response(wire, until).await?;
            if let Response::Tagged { tag: ended, status, .. } = &answer
                && *ended == tag
            {
                return Ok((*status, answers));
            }
            if answer == Response::Bye {
                return Err(fault(ConnectFault::Lost));
            }
            if answers.len() >= MOST_ANSWERS {
                return Err(fault(ConnectFault::NotThisProtocol));
            }
            answers.push(answer);
        }
    }

    async fn response(&self, wire: &mut Wire<Stream>, until: Instant) -> Result<Response, MailboxError> {
        match wire.next(self.limit, until).await {
            Ok(line) => Ok(Response::read(&line)),
            Err(WireFault::TimedOut) => Err(fault(ConnectFault::TimedOut)),
            Err(WireFault::Lost) => Err(fault(ConnectFault::Lost)),
            Err(WireFault::TooLong) => Err(fault(ConnectFault::NotThisProtocol)),
        }
    }
}

pub(super) fn deadline(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit).unwrap_or(now)
}

/// SASL PLAIN (RFC 4616), which carries any UTF-8 password as it is.
struct Plain<'a> {
    user: &'a str,
    password: &'a Secret,
}

impl Authenticator for Plain<'_> {
    type Response = Vec<u8>;

    fn process(&mut self, _challenge: &[u8]) -> Vec<u8> {
        [b"\0", self.user.as_bytes(), b"\0", self.password.expose().as_bytes()].concat()
    }
}

async fn sign_in(
    wire: Wire<Stream>,
    capabilities: Capabilities,
    user: &str,
    password: &Secret,
) -> Result<Session<Wire<Stream>>, MailboxError> {
    let client = Client::new(wire);
    let outcome = if capabilities.auth_plain {
        client.authenticate("PLAIN", Plain { user, password }).await
    } else if capabilities.login_disabled {
        return Err(MailboxError::Unsupported("a sign-in with a password"));
    } else {
        client.login(user, password.expose()).await
    };
    outcome.map_err(|(error, _)| sign_in_error(&error))
}

/// The error's text is the server's and is read for the codes of RFC 5530 only.
#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign, non-exhaustive enumeration")]
fn sign_in_error(error: &async_imap::error::Error) -> MailboxError {
    use async_imap::error::Error;
    match error {
        Error::No(text) | Error::Bad(text) => {
            let text = text.to_ascii_uppercase();
            if ["UNAVAILABLE", "INUSE", "LIMIT]"].iter().any(|code| text.contains(code)) {
                MailboxError::Throttled
            } else {
                MailboxError::SignIn(Peer::Store)
            }
        }
        Error::Validate(_) => MailboxError::Configuration("password"),
        Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => fault(ConnectFault::TimedOut),
        Error::Io(_) | Error::ConnectionLost => fault(ConnectFault::Lost),
        _ => MailboxError::PeerMisbehaved("the answer to the sign-in"),
    }
}
