//! An IMAP server that says what a test wants: the odd wire forms and the bad manners that no packaged server can be brought
//! to. It keeps no mail. Where the test says nothing, it answers as a small server with one INBOX would.
//!
//! It speaks without TLS on 127.0.0.1, so a client has to be told that this is wanted.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server does next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends these bytes; `{tag}` is the command's tag.
    Say(Vec<u8>),
    /// Sends these bytes for ever.
    Flood(Vec<u8>),
    /// Says nothing more and keeps the connection open.
    Stall,
    /// Closes the connection.
    Close,
}

impl Step {
    /// Sends this text; `{tag}` is the command's tag.
    pub fn say(text: &str) -> Self {
        Self::Say(text.as_bytes().to_vec())
    }
}

struct Rule {
    command: &'static str,
    steps: Vec<Step>,
    left: usize,
}

/// The server's answers to commands, by how these begin (without tag, in any case). The first that fits is taken.
#[derive(Default)]
pub struct Script {
    rules: Vec<Rule>,
    greeting: VecDeque<Vec<Step>>,
}

impl Script {
    /// Every time that a command begins so, do this.
    #[must_use]
    pub fn always(self, command: &'static str, steps: Vec<Step>) -> Self {
        self.times(usize::MAX, command, steps)
    }

    /// The first time that a command begins so, do this.
    #[must_use]
    pub fn once(self, command: &'static str, steps: Vec<Step>) -> Self {
        self.times(1, command, steps)
    }

    /// The next connection begins so, instead of with a greeting.
    #[must_use]
    pub fn greet(mut self, steps: Vec<Step>) -> Self {
        self.greeting.push_back(steps);
        self
    }

    fn times(mut self, left: usize, command: &'static str, steps: Vec<Step>) -> Self {
        self.rules.push(Rule { command, steps, left });
        self
    }

    fn steps(&mut self, line: &str) -> Option<Vec<Step>> {
        let fits = |rule: &&mut Rule| {
            let head = line.get(..rule.command.len());
            rule.left > 0 && head.is_some_and(|head| head.eq_ignore_ascii_case(rule.command))
        };
        let rule = self.rules.iter_mut().find(fits)?;
        rule.left = rule.left.saturating_sub(1);
        Some(rule.steps.clone())
    }
}

/// A running server. It ends when it is dropped.
pub struct ScriptedImap {
    /// Where it listens.
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

struct State {
    script: Script,
    commands: Vec<String>,
}

impl ScriptedImap {
    /// Starts a server that follows a script.
    ///
    /// # Errors
    /// There is no port.
    pub async fn start(script: Script) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State { script, commands: Vec::new() }));
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                // A connection that a client gave up ends with an error, which nobody asks for.
                tokio::spawn(talk(client, Arc::clone(&shared)));
            }
        });
        Ok(Self { address, state, task })
    }

    /// Every command line so far, without tag, over all connections. A literal stands after an arrow.
    pub fn commands(&self) -> Vec<String> {
        lock(&self.state).commands.clone()
    }
}

impl Drop for ScriptedImap {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn talk(client: TcpStream, state: Arc<Mutex<State>>) -> std::io::Result<()> {
    let (input, mut output) = client.into_split();
    let mut input = BufReader::new(input);
    let greeting = lock(&state).script.greeting.pop_front();
    let greeting = greeting.unwrap_or_else(|| vec![Step::say("* OK ready\r\n")]);
    if !perform(&mut output, "", greeting).await? {
        return Ok(());
    }
    loop {
        let mut line = read_line(&mut input).await?;
        while let Some(length) = literal(&line) {
            output.write_all(b"+ go on\r\n").await?;
            let mut bytes = vec![0; length];
            input.read_exact(&mut bytes).await?;
            line.push('\u{2193}');
            line.push_str(&String::from_utf8_lossy(&bytes));
            line.push_str(&read_line(&mut input).await?);
        }
        let (tag, command) = line.split_once(' ').unwrap_or((&line, ""));
        let steps = {
            let mut state = lock(&state);
            state.commands.push(command.to_owned());
            state.script.steps(command)
        };
        if command.get(..12).is_some_and(|verb| verb.eq_ignore_ascii_case("AUTHENTICATE")) {
            output.write_all(b"+ \r\n").await?;
            read_line(&mut input).await?;
        }
        let steps = steps.unwrap_or_else(|| vec![Step::Say(usual(command))]);
        if !perform(&mut output, tag, steps).await? {
            return Ok(());
        }
    }
}

/// Does the steps; whether the conversation goes on.
async fn perform(output: &mut OwnedWriteHalf, tag: &str, steps: Vec<Step>) -> std::io::Result<bool> {
    for step in steps {
        match step {
            Step::Say(bytes) => output.write_all(&with_tag(&bytes, tag)).await?,
            Step::Flood(bytes) => loop {
                output.write_all(&bytes).await?;
            },
            Step::Stall => std::future::pending().await,
            Step::Close => return Ok(false),
        }
    }
    Ok(true)
}

fn with_tag(bytes: &[u8], tag: &str) -> Vec<u8> {
    const TAG: &[u8] = b"{tag}";
    let mut rest = bytes;
    let mut out = Vec::with_capacity(bytes.len());
    while let Some(at) = rest.windows(TAG.len()).position(|window| window == TAG) {
        let (before, after) = rest.split_at(at);
        out.extend_from_slice(before);
        out.extend_from_slice(tag.as_bytes());
        rest = after.get(TAG.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// What a server answers that does little: one folder with one message, of which it has nothing to say.
fn usual(command: &str) -> Vec<u8> {
    let verb = command.split(' ').next().unwrap_or_default().to_ascii_uppercase();
    let data = match verb.as_str() {
        "CAPABILITY" => "* CAPABILITY IMAP4rev1 AUTH=PLAIN UIDPLUS MOVE SPECIAL-USE\r\n",
        "LIST" => {
            "* LIST () \"/\" INBOX\r\n* LIST (\\Drafts) \"/\" Drafts\r\n* LIST (\\Sent) \"/\" Sent\r\n\
             * LIST (\\Trash) \"/\" Trash\r\n"
        }
        "EXAMINE" | "SELECT" => "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n",
        _ => "",
    };
    format!("{data}{{tag}} OK done\r\n").into_bytes()
}

fn literal(line: &str) -> Option<usize> {
    let (_, length) = line.strip_suffix('}')?.rsplit_once('{')?;
    length.strip_suffix('+').unwrap_or(length).parse().ok()
}

async fn read_line(input: &mut (impl tokio::io::AsyncBufRead + Unpin)) -> std::io::Result<String> {
    let mut line = Vec::new();
    if input.read_until(b'\n', &mut line).await? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned())
}
