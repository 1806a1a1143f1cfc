//! Submission (RFC 6409): one authenticated session, one transaction. Each step of the transaction is taken by itself, so that
//! how it ended is known: refused, lost before the message was handed over, or unknown. Reply texts are dropped.
//!
//! lettre frames replies, signs in and stuffs dots; TCP and TLS are those of the IMAP side, so certificates are checked
//! and failures told apart in one place.

use std::{
    fmt, io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use countersign_core::{
    config::Credential,
    mailbox::{ConnectFault, Ending, MailboxError, Peer, SendRefusal},
};
use lettre::transport::smtp::{
    Error,
    authentication::{Credentials, Mechanism},
    client::{AsyncSmtpConnection, AsyncTokioStream},
    commands::Ehlo,
    extension::ClientId,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    time::timeout,
};

use crate::{
    session::{Stream, Tls, dial, secure},
    settings::{ImapSettings, Security},
};

/// How long a reply to a command may take. RFC 5321 §4.5.3.2 allows minutes; a call has less.
const REPLY: Duration = Duration::from_mins(1);
/// How long the message itself and the reply to it may take.
const DATA: Duration = Duration::from_secs(110);
/// Longest greeting and EHLO answer before STARTTLS, in bytes.
const MOST_TALK: usize = 16 * 1_024;
/// Bytes of the message written at a time.
const CHUNK: usize = 16 * 1_024;

/// The submission server of one account.
pub(crate) struct Submission {
    settings: Arc<ImapSettings>,
    tls: Arc<Tls>,
    credential: Arc<dyn Credential>,
}

/// An authenticated session.
pub(crate) struct Session {
    connection: AsyncSmtpConnection,
    offers: Offers,
}

/// What the server announced after the sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Offers {
    /// SIZE (RFC 1870) is announced, with this limit where it is not 0.
    size: Option<u64>,
    /// SMTPUTF8 (RFC 6531).
    utf8: bool,
}

impl Submission {
    pub(crate) fn new(settings: Arc<ImapSettings>, tls: Arc<Tls>, credential: Arc<dyn Credential>) -> Self {
        Self { settings, tls, credential }
    }

    /// Connects and signs in; refuses a message that the server will not take.
    ///
    /// # Errors
    /// Where the connection, the sign-in or the message's size or addresses are refused.
    pub(crate) async fn open(&self, size: u64, international: bool) -> Result<Session, MailboxError> {
        let limit = self.settings.timeouts.connect;
        let stream = self.stream(limit).await?;
        let hello = ClientId::default();
        let greeted = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello);
        let mut connection = match timeout(limit, greeted).await {
            Err(_) => return Err(fault(ConnectFault::TimedOut)),
            Ok(Err(error)) => return Err(greeting_error(&error)),
            Ok(Ok(connection)) => connection,
        };
        let password = self.credential.secret().await?;
        let credentials = Credentials::new(self.settings.user.clone(), password.expose().to_owned());
        drop(password);
        let signed_in = connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials);
        match timeout(limit, signed_in).await {
            Err(_) => return Err(fault(ConnectFault::TimedOut)),
            Ok(Err(error)) => return Err(sign_in_error(&error)),
            Ok(Ok(_)) => {}
        }
        let offers = match timeout(limit, connection.command(Ehlo::new(hello))).await {
            Err(_) => return Err(fault(ConnectFault::TimedOut)),
            Ok(Err(_)) => return Err(fault(ConnectFault::Lost)),
            Ok(Ok(reply)) => Offers::read(reply.message()),
        };
        if let Some(most) = offers.size.filter(|most| *most > 0 && size > *most) {
            return Err(MailboxError::TooLarge(most));
        }
        if international && !offers.utf8 {
            return Err(MailboxError::Unsupported("an address outside ASCII (SMTPUTF8)"));
        }
        tracing::debug!("signed in to the outgoing mail server");
        Ok(Session { connection, offers })
    }

    async fn stream(&self, limit: Duration) -> Result<Greeted, MailboxError> {
        let endpoint = &self.settings.smtp;
        let mut tcp = dial(endpoint, limit).await.map_err(fault)?;
        let upgrade = match endpoint.security {
            Security::PlainTextAllowed => return Ok(Greeted { replay: &[], stream: Stream::Plain(tcp) }),
            Security::Tls => false,
            Security::StartTls => true,
        };
        if upgrade {
            let talk = start_tls(&mut tcp);
            timeout(limit, talk).await.unwrap_or(Err(ConnectFault::TimedOut)).map_err(fault)?;
        }
        let stream = secure(&self.tls, tcp, &endpoint.host, limit).await?.map_err(fault)?;
        // A server greets once; lettre waits for a greeting, so it gets the one that was taken before TLS.
        Ok(Greeted { replay: if upgrade { b"220 ready\r\n" } else { &[] }, stream })
    }
}

/// Greeting, EHLO and STARTTLS on a connection without TLS. Nothing else is said on it, and what the server sends beyond
/// its answers was perhaps put in by someone else (CVE-2011-0411), so it ends the attempt.
async fn start_tls<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> Result<(), ConnectFault> {
    let greeting = reply(stream).await?;
    if !greeting.starts_with("220") {
        return Err(if greeting.starts_with(['4', '5']) {
            ConnectFault::Refused
        } else {
            ConnectFault::NotThisProtocol
        });
    }
    say(stream, b"EHLO [127.0.0.1]\r\n").await?;
    let offers = reply(stream).await?;
    let offered = |line: &str| line.get(4..).is_some_and(|word| word.trim().eq_ignore_ascii_case("STARTTLS"));
    if !offers.starts_with("250") || !offers.lines().any(offered) {
        return Err(ConnectFault::NoStartTls);
    }
    say(stream, b"STARTTLS\r\n").await?;
    if reply(stream).await?.starts_with("220") { Ok(()) } else { Err(ConnectFault::NoStartTls) }
}

async fn say<S: AsyncWrite + Unpin>(stream: &mut S, line: &[u8]) -> Result<(), ConnectFault> {
    stream.write_all(line).await.map_err(|_| ConnectFault::Lost)?;
    stream.flush().await.map_err(|_| ConnectFault::Lost)
}

/// One reply, all its lines; refused where anything follows it.
async fn reply<S: AsyncRead + Unpin>(stream: &mut S) -> Result<String, ConnectFault> {
    let mut text = Vec::new();
    let mut chunk = [0_u8; 1_024];
    loop {
        let read = stream.read(&mut chunk).await.map_err(|_| ConnectFault::Lost)?;
        if read == 0 {
            return Err(ConnectFault::Lost);
        }
        text.extend_from_slice(chunk.get(..read).unwrap_or_default());
        if text.len() > MOST_TALK || text.first().is_some_and(|first| !first.is_ascii_digit()) {
            return Err(ConnectFault::NotThisProtocol);
        }
        let Ok(so_far) = std::str::from_utf8(&text) else { return Err(ConnectFault::NotThisProtocol) };
        if !so_far.ends_with('\n') {
            continue;
        }
        let last = |line: &str| line.as_bytes().get(3) != Some(&b'-');
        let mut lines = so_far.lines();
        if lines.by_ref().any(last) {
            return if lines.next().is_none() { Ok(so_far.to_owned()) } else { Err(ConnectFault::Tls) };
        }
    }
}

impl Offers {
    fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut offers = Self::default();
        for line in lines {
            let mut words = line.split_ascii_whitespace();
            match words.next().unwrap_or_default().to_ascii_uppercase().as_str() {
                "SIZE" => offers.size = Some(words.next().and_then(|limit| limit.parse().ok()).unwrap_or(0)),
                "SMTPUTF8" => offers.utf8 = true,
                _ => {}
            }
        }
        offers
    }
}

impl Session {
    /// One transaction. The paths are bare, validated addresses.
    ///
    /// # Errors
    /// How it ended, if not with an acceptance.
    pub(crate) async fn deliver(mut self, from: &str, to: &[String], message: &[u8]) -> Result<(), Ending> {
        let international = !from.is_ascii() || to.iter().any(|path| !path.is_ascii()) || !message.is_ascii();
        if international && !self.offers.utf8 {
            return Err(Ending::Refused(SendRefusal::Smtputf8));
        }
        let mut mail = format!("MAIL FROM:<{from}>");
        if self.offers.size.is_some() {
            mail.extend([" SIZE=", &message.len().to_string()]);
        }
        if international {
            mail.push_str(" BODY=8BITMIME SMTPUTF8");
        }
        self.step(&mail, SendRefusal::Sender).await?;
        for path in to {
            // One recipient refused is the whole message refused: what a person confirmed goes to all or to none.
            if let Err(ending) = self.step(&format!("RCPT TO:<{path}>"), SendRefusal::Recipient).await {
                let _ = timeout(Duration::from_secs(5), self.connection.command("RSET\r\n")).await;
                self.quit().await;
                return Err(ending);
            }
        }
        if let Err(error) = self.reply("DATA").await? {
            return Err(refused(&error, SendRefusal::Message));
        }
        self.hand_over(message).await?;
        self.quit().await;
        Ok(())
    }

    /// The message, and the reply that decides. From the moment at which its end is about to be written, silence means that
    /// nobody knows.
    async fn hand_over(&mut self, message: &[u8]) -> Result<(), Ending> {
        let ending = Arc::new(AtomicBool::new(false));
        // lettre ends the last line itself.
        let message = message.strip_suffix(b"\r\n").unwrap_or(message);
        let chunks = Chunks { rest: message, ending: Arc::clone(&ending) };
        let outcome = timeout(DATA, self.connection.message_iter(chunks)).await;
        let lost = |fault| {
            if ending.load(Ordering::SeqCst) {
                Ending::Unknown
            } else {
                Ending::NotHandedOver(MailboxError::Connect(Peer::Submission, fault))
            }
        };
        match outcome {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.status().is_some() => Err(refused(&error, SendRefusal::Message)),
            Ok(Err(_)) => Err(lost(ConnectFault::Lost)),
            Err(_) => Err(lost(ConnectFault::TimedOut)),
        }
    }

    async fn step(&mut self, line: &str, kind: SendRefusal) -> Result<(), Ending> {
        match self.reply(line).await? {
            Ok(()) => Ok(()),
            Err(error) => Err(refused(&error, |_| kind)),
        }
    }

    /// A command before the message: its refusal inside, a lost connection outside.
    async fn reply(&mut self, line: &str) -> Result<Result<(), Error>, Ending> {
        let not_handed_over = |fault| Ending::NotHandedOver(MailboxError::Connect(Peer::Submission, fault));
        match timeout(REPLY, self.connection.command(format!("{line}\r\n"))).await {
            Ok(Ok(_)) => Ok(Ok(())),
            Ok(Err(error)) if error.status().is_some() => Ok(Err(error)),
            Ok(Err(_)) => Err(not_handed_over(ConnectFault::Lost)),
            Err(_) => Err(not_handed_over(ConnectFault::TimedOut)),
        }
    }

    async fn quit(&mut self) {
        let _ = timeout(Duration::from_secs(2), self.connection.quit()).await;
    }
}

/// The message in pieces; says when there is none left.
struct Chunks<'a> {
    rest: &'a [u8],
    ending: Arc<AtomicBool>,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            self.ending.store(true, Ordering::SeqCst);
            return None;
        }
        let (chunk, rest) = self.rest.split_at_checked(CHUNK).unwrap_or((self.rest, &[]));
        self.rest = rest;
        Some(chunk)
    }
}

fn fault(fault: ConnectFault) -> MailboxError {
    MailboxError::Connect(Peer::Submission, fault)
}

fn code(error: &Error) -> u16 {
    error.status().map_or(0, u16::from)
}

fn refused(error: &Error, kind: impl Fn(u16) -> SendRefusal) -> Ending {
    match code(error) {
        552 | 523 => Ending::Refused(SendRefusal::Size),
        code => Ending::Refused(kind(code)),
    }
}

fn greeting_error(error: &Error) -> MailboxError {
    match (code(error), error.is_response()) {
        (0, false) => fault(ConnectFault::Lost),
        (0, true) => fault(ConnectFault::NotThisProtocol),
        _ => fault(ConnectFault::Refused),
    }
}

fn sign_in_error(error: &Error) -> MailboxError {
    if error.is_client() {
        MailboxError::Unsupported("a sign-in with a password")
    } else if error.is_permanent() {
        MailboxError::SignIn(Peer::Submission)
    } else if error.is_transient() {
        MailboxError::Throttled
    } else {
        fault(ConnectFault::Lost)
    }
}

/// A connection with the greeting that was already taken from it.
struct Greeted {
    replay: &'static [u8],
    stream: Stream,
}

impl fmt::Debug for Greeted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Greeted(..)")
    }
}

impl AsyncTokioStream for Greeted {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.stream.peer_addr()
    }
}

impl AsyncRead for Greeted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.replay.is_empty() {
            let length = buf.remaining().min(self.replay.len());
            let (now, rest) = self.replay.split_at_checked(length).unwrap_or((self.replay, &[]));
            buf.put_slice(now);
            self.replay = rest;
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Greeted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn upgrade(answers: &[&[u8]]) -> Result<(), ConnectFault> {
        let (mut near, mut far) = tokio::io::duplex(1 << 12);
        let serve = async {
            let mut heard = [0_u8; 256];
            for (at, answer) in answers.iter().enumerate() {
                if at > 0 && far.read(&mut heard).await.unwrap_or(0) == 0 {
                    break;
                }
                far.write_all(answer).await.ok();
            }
            drop(far);
        };
        tokio::join!(serve, start_tls(&mut near)).1
    }

    #[tokio::test]
    async fn starttls_goes_ahead_only_where_it_is_offered_and_clean() {
        let ok: [&[u8]; 3] = [b"220 hi\r\n", b"250-me\r\n250-SIZE 1\r\n250 STARTTLS\r\n", b"220 go\r\n"];
        assert_eq!(upgrade(&ok).await, Ok(()));
        assert_eq!(upgrade(&[ok[0], b"250-me\r\n250 SIZE 1\r\n"]).await, Err(ConnectFault::NoStartTls));
        assert_eq!(upgrade(&[ok[0], ok[1], b"454 no\r\n"]).await, Err(ConnectFault::NoStartTls));
        assert_eq!(upgrade(&[ok[0], ok[1], b"220 go\r\n250 injected\r\n"]).await, Err(ConnectFault::Tls));
        assert_eq!(upgrade(&[b"* OK IMAP\r\n"]).await, Err(ConnectFault::NotThisProtocol));
        assert_eq!(upgrade(&[b"421 busy\r\n"]).await, Err(ConnectFault::Refused));
    }

    #[test]
    fn offers_are_read_in_any_letter_case() {
        let offers = Offers::read(["mail.test", "size 1000", "SMTPUTF8"].into_iter());
        assert_eq!(offers, Offers { size: Some(1_000), utf8: true });
        assert_eq!(Offers::read(["x", "SIZE"].into_iter()).size, Some(0));
    }

    #[test]
    fn the_end_is_known_to_come_before_it_is_written() {
        let ending = Arc::new(AtomicBool::new(false));
        let mut chunks = Chunks { rest: &vec![b'x'; CHUNK + 1], ending: Arc::clone(&ending) };
        assert_eq!(chunks.next().map(<[u8]>::len), Some(CHUNK));
        assert_eq!(chunks.next().map(<[u8]>::len), Some(1));
        assert!(!ending.load(Ordering::SeqCst));
        assert_eq!(chunks.next(), None);
        assert!(ending.load(Ordering::SeqCst));
    }
}
