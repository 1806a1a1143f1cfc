//! Carrying bytes between a client and its server, and stopping where a rule says so.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::conversation::{ClientReader, Conversation, FromClient, FromServer, ServerReader};
use super::plan::Action;
use super::{Protocol, Shared};

/// From a release to what was held going on.
const GRACE: Duration = Duration::from_millis(20);

/// Why a connection is over.
#[derive(PartialEq)]
enum Over {
    /// A side closed it, or could not be reached any more.
    Gone,
    /// A rule said so.
    Cut,
}

impl From<std::io::Error> for Over {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

/// Serves connections until the proxy is dropped, which ends them all.
pub(super) async fn accept(
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    protocol: Protocol,
    server: SocketAddr,
    shared: Arc<Shared>,
) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let (acceptor, shared) = (acceptor.clone(), Arc::clone(&shared));
        connections.spawn(async move {
            match acceptor {
                // A client that refuses the certificate ends here.
                Some(acceptor) => {
                    if let Ok(client) = acceptor.accept(client).await {
                        connection(client, protocol, server, &shared).await;
                    }
                }
                None => connection(client, protocol, server, &shared).await,
            }
        });
    }
}

async fn connection<C: AsyncRead + AsyncWrite>(
    client: C,
    protocol: Protocol,
    server: SocketAddr,
    shared: &Shared,
) {
    let cuts = {
        let mut state = shared.lock();
        state.tally.connections = state.tally.connections.saturating_add(1);
        state.cuts
    };
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (client_in, client_out) = tokio::io::split(client);
    let (server_in, server_out) = server.into_split();
    let talk = Talk {
        protocol,
        shared,
        conversation: Mutex::default(),
        client: tokio::sync::Mutex::new(client_out),
    };
    // Whichever side ends first ends the other, also while something is held.
    let why = tokio::select! {
        over = talk.carry_client(client_in, server_out) => over,
        over = talk.carry_server(server_in) => over,
        () = shared.wait(|state| state.cuts != cuts) => Err(Over::Cut),
    };
    if why != Err(Over::Cut) {
        // The server said goodbye: so does its TLS, which a cut leaves out. The client may be gone already.
        drop(talk.client.lock().await.shutdown().await);
    }
}

struct Talk<'s, W> {
    protocol: Protocol,
    shared: &'s Shared,
    conversation: Mutex<Conversation>,
    client: tokio::sync::Mutex<W>,
}

impl<W: AsyncWrite + Unpin> Talk<'_, W> {
    /// Reading goes on while a rule holds, so that a client that goes away is noticed and takes what it had sent
    /// with it: the server must not see a command that its client, by then killed, never saw leave.
    async fn carry_client(
        &self,
        mut input: impl AsyncRead + Unpin,
        mut output: impl AsyncWrite + Unpin,
    ) -> Result<(), Over> {
        let (mut buffer, mut reader) = (Vec::new(), ClientReader::default());
        loop {
            self.read(&mut input, &mut buffer, true).await?;
            loop {
                let next = reader.next(self.protocol, &mut self.conversation(), &mut buffer);
                let Some((bytes, unit)) = next else { break };
                let (tag, command) = match unit {
                    FromClient::Command { tag, line } => (tag, line),
                    FromClient::MessageEnd => (String::new(), ".".to_owned()),
                    FromClient::Other => {
                        output.write_all(&bytes).await?;
                        continue;
                    }
                };
                let (action, releases) = {
                    let mut state = self.shared.lock();
                    state.tally.commands.push(command.clone());
                    (state.before(&command), state.releases)
                };
                self.shared.touch();
                match action {
                    None => {}
                    Some(Action::Cut) => return Err(Over::Cut),
                    Some(Action::Swallow) => continue,
                    Some(Action::Answer(line)) => {
                        let line = line.replace("{tag}", &tag);
                        self.to_client(format!("{line}\r\n").as_bytes()).await?;
                        continue;
                    }
                    Some(Action::Hold) => {
                        let mut more = Vec::new();
                        let go_on = async {
                            self.shared.wait(|state| state.releases != releases).await;
                            // A client killed just before the release is noticed in this time.
                            tokio::time::sleep(GRACE).await;
                        };
                        tokio::select! {
                            biased;
                            over = self.keep_reading(&mut input, &mut more) => return over,
                            () = go_on => {}
                        }
                        buffer.extend(more);
                    }
                }
                self.conversation().open.push((tag, command));
                output.write_all(&bytes).await?;
            }
            output.flush().await?;
        }
    }

    async fn carry_server(&self, mut input: impl AsyncRead + Unpin) -> Result<(), Over> {
        let (mut buffer, mut reader) = (Vec::new(), ServerReader::default());
        loop {
            self.read(&mut input, &mut buffer, false).await?;
            loop {
                let next = reader.next(self.protocol, &mut self.conversation(), &mut buffer);
                let Some((bytes, unit)) = next else { break };
                match unit {
                    FromServer::Other => self.to_client(&bytes).await?,
                    FromServer::Finished(command) => {
                        let (action, releases) = {
                            let mut state = self.shared.lock();
                            (state.before_reply(&command), state.releases)
                        };
                        self.shared.touch();
                        self.finish(&bytes, action, releases).await?;
                    }
                    FromServer::Literal(length) => {
                        self.to_client(&bytes).await?;
                        self.literal(&mut input, &mut buffer, length).await?;
                    }
                }
            }
        }
    }

    /// Relays the last line of an answer, or does what the rule says instead.
    async fn finish(&self, bytes: &[u8], action: Option<Action>, releases: u64) -> Result<(), Over> {
        match action {
            None => self.to_client(bytes).await,
            Some(Action::Cut) => Err(Over::Cut),
            Some(Action::Swallow) => Ok(()),
            Some(Action::Answer(line)) => {
                let text = String::from_utf8_lossy(bytes);
                let tag = text.split(' ').next().unwrap_or_default();
                self.to_client(format!("{}\r\n", line.replace("{tag}", tag)).as_bytes()).await
            }
            Some(Action::Hold) => {
                self.shared.wait(|state| state.releases != releases).await;
                self.to_client(bytes).await
            }
        }
    }

    /// Relays a literal of the server, stopping within it where a rule says so.
    async fn literal(
        &self,
        input: &mut (impl AsyncRead + Unpin),
        buffer: &mut Vec<u8>,
        length: usize,
    ) -> Result<(), Over> {
        let (rule, releases) = {
            let conversation = self.conversation();
            let open: Vec<&str> = conversation.open.iter().map(|(_, line)| line.as_str()).collect();
            let mut state = self.shared.lock();
            (state.in_literal(&open), state.releases)
        };
        let (mut stop, mut action) = rule.map_or((usize::MAX, None), |(after, action)| (after, Some(action)));
        let mut left = length;
        while left > 0 {
            let part = left.min(stop).min(buffer.len());
            let bytes: Vec<u8> = buffer.drain(..part).collect();
            self.to_client(&bytes).await?;
            left = left.saturating_sub(part);
            stop = stop.saturating_sub(part);
            if stop == 0
                && let Some(action) = action.take()
            {
                self.shared.touch();
                match action {
                    Action::Hold => self.shared.wait(|state| state.releases != releases).await,
                    Action::Cut | Action::Answer(_) => return Err(Over::Cut),
                    // The rest of the literal never comes.
                    Action::Swallow => std::future::pending().await,
                }
                stop = usize::MAX;
            } else if left > 0 && buffer.is_empty() {
                self.read(input, buffer, false).await?;
            }
        }
        Ok(())
    }

    async fn read(
        &self,
        input: &mut (impl AsyncRead + Unpin),
        buffer: &mut Vec<u8>,
        client: bool,
    ) -> Result<(), Over> {
        let length = input.read_buf(buffer).await?;
        if length == 0 {
            return Err(Over::Gone);
        }
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        let before = std::mem::replace(&mut self.conversation().client_spoke, client);
        let mut state = self.shared.lock();
        let tally = &mut state.tally;
        if client {
            tally.from_client = tally.from_client.saturating_add(length);
            tally.round_trips = tally.round_trips.saturating_add(usize::from(!before));
        } else {
            tally.from_server = tally.from_server.saturating_add(length);
        }
        Ok(())
    }

    /// Reads until the client goes away; cancelled when what is held may go on.
    async fn keep_reading(
        &self,
        input: &mut (impl AsyncRead + Unpin),
        more: &mut Vec<u8>,
    ) -> Result<(), Over> {
        loop {
            self.read(input, more, true).await?;
        }
    }

    async fn to_client(&self, bytes: &[u8]) -> Result<(), Over> {
        let mut client = self.client.lock().await;
        client.write_all(bytes).await?;
        Ok(client.flush().await?)
    }

    fn conversation(&self) -> MutexGuard<'_, Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    async fn wait(&self, reached: impl Fn(&super::State) -> bool) {
        let mut changes = self.changed.subscribe();
        while !reached(&self.lock()) {
            // The sender lives in `self`.
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}
