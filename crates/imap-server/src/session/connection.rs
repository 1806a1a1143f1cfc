//! A signed-in connection: runs commands one at a time, under deadlines, and knows which folder is open.

use std::time::Duration;

use async_imap::Session;
use countersign_core::mailbox::{ConnectFault, MailboxError, Peer};
use tokio::{
    io::AsyncWriteExt,
    time::{Instant, timeout_at},
};

use super::{
    capabilities::Capabilities,
    command::Command,
    connect::deadline,
    response::{Code, Fetched, Response, Status},
    stream::Stream,
    value::Value,
    wire::{MAX_RESPONSE, Wire, WireFault},
};
use crate::{error, settings::Timeouts};

/// The folder that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selected {
    /// Its name as on the wire.
    pub(crate) name: Vec<u8>,
    /// Its UIDVALIDITY.
    pub(crate) uidvalidity: u32,
    /// How many messages it holds.
    pub(crate) exists: u64,
}

/// How a folder is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    /// EXAMINE: nothing can be changed.
    ToRead,
    /// SELECT.
    ToChange,
}

/// A folder to open for reading, and what to ask there.
#[derive(Debug, Clone)]
pub(crate) struct Errand {
    /// Its name as on the wire.
    pub(crate) folder: Vec<u8>,
    /// What to ask.
    pub(crate) commands: Vec<Command>,
}

/// What came of an errand: the folder and an answer to each command.
pub(crate) type Outcome = Result<(Selected, Vec<Answer>), MailboxError>;

/// Commands that are written before their answers are read, and their bytes: both sides' buffers hold that much.
const AHEAD: usize = 64;
const AHEAD_BYTES: usize = 16 * 1_024;
/// What the answers to the commands of one batch may take up: four times the longest of them.
const MOST_HELD: usize = 4 * MAX_RESPONSE;
/// What a response takes up beside its bytes, about.
const EACH: usize = 512;

/// What a command brought.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// How it ended; `None` only while it runs.
    status: Option<Status>,
    /// The code of its end.
    pub(crate) code: Option<Code>,
    /// The codes of untagged OKs.
    pub(crate) codes: Vec<Code>,
    /// FETCH responses in their order.
    pub(crate) fetched: Vec<Fetched>,
    /// The numbers of SEARCH answers.
    searched: Vec<u32>,
    /// Other untagged data: name and values.
    pub(crate) data: Vec<(String, Vec<Value>)>,
    /// EXISTS and EXPUNGE, in their order.
    counts: Vec<(u64, String)>,
    /// Lines that could not be understood.
    pub(crate) unknown: u64,
}

impl Answer {
    /// How the command ended.
    pub(crate) fn status(&self) -> Status {
        self.status.unwrap_or(Status::Bad)
    }

    /// The answer of a command that was done.
    ///
    /// # Errors
    /// What the response code says, or that it was refused.
    pub(crate) fn ok(self) -> Result<Self, MailboxError> {
        match self.status() {
            Status::Ok => Ok(self),
            Status::No | Status::Bad => Err(error::refused(self.code.as_ref())),
        }
    }

    /// How many messages there are after what this answer said, if there were `before`.
    pub(crate) fn exists(&self, before: u64) -> u64 {
        self.counts.iter().fold(before, |now, (number, name)| match name.as_str() {
            "EXISTS" => *number,
            "EXPUNGE" => now.saturating_sub(1),
            _ => now,
        })
    }

    /// The numbers of SEARCH answers.
    pub(crate) fn searched(&self) -> &[u32] {
        &self.searched
    }

    /// How many messages are gone by what this answer said.
    pub(crate) fn expunged(&self) -> usize {
        self.counts.iter().fold(0_usize, |gone, (_, name)| match name.as_str() {
            "EXPUNGE" => gone.saturating_add(1),
            _ => gone,
        })
    }

    /// The codes of this answer with that name.
    pub(crate) fn code(&self, name: &str) -> Option<&Code> {
        self.codes.iter().chain(&self.code).find(|code| code.name == name)
    }
}

/// A signed-in connection.
pub(crate) struct Connection {
    session: Session<Wire<Stream>>,
    capabilities: Capabilities,
    timeouts: Timeouts,
    /// When the current call must be over.
    deadline: Instant,
    /// When the last answer came.
    pub(super) last_used: Instant,
    /// A command was written and its end not read: the connection can't be used again.
    in_flight: bool,
    /// How many commands were tagged.
    tags: u64,
    /// What the answers to the present commands take up, in bytes and about.
    held: usize,
    /// The connection ended, or what it carries makes no sense.
    broken: bool,
}

impl Connection {
    pub(super) fn new(session: Session<Wire<Stream>>, timeouts: Timeouts) -> Self {
        Self {
            session,
            capabilities: Capabilities::default(),
            timeouts,
            deadline: deadline(timeouts.call),
            last_used: Instant::now(),
            in_flight: false,
            tags: 0,
            held: 0,
            broken: false,
        }
    }

    /// What the server announces to this sign-in.
    pub(crate) fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Ends the current call's time at the latest then.
    pub(crate) fn limit(&mut self, until: Instant) {
        self.deadline = self.deadline.min(until);
    }

    /// Starts a new call's time.
    pub(super) fn begin(&mut self) {
        self.deadline = deadline(self.timeouts.call);
    }

    /// Whether the next call can use it.
    pub(crate) fn is_healthy(&self) -> bool {
        !self.in_flight && !self.broken
    }

    /// Whether the server has gone away since the last answer, as far as can be seen without asking.
    pub(super) async fn is_gone(&mut self) -> bool {
        let wire = self.session.get_mut();
        std::future::poll_fn(|cx| std::task::Poll::Ready(wire.is_gone(cx))).await
    }

    pub(super) async fn read_capabilities(&mut self) -> Result<(), MailboxError> {
        let answer = self.run(&Command::new("CAPABILITY")).await?.ok()?;
        let announced = answer.data.iter().rfind(|(name, _)| name == "CAPABILITY");
        self.capabilities =
            Capabilities::read(announced.map(|(_, values)| values.as_slice()).unwrap_or_default());
        Ok(())
    }

    /// NOOP with a short limit, to see whether an idle connection still lives.
    pub(super) async fn probe(&mut self, limit: Duration) -> bool {
        self.deadline = deadline(limit);
        let answer = self.run(&Command::new("NOOP")).await;
        self.begin();
        answer.is_ok_and(|answer| answer.status() == Status::Ok)
    }

    /// Opens a folder by its wire name.
    ///
    /// # Errors
    /// [`MailboxError::NotFound`] where there is no such folder.
    pub(crate) async fn open(&mut self, name: &[u8], open: Open) -> Result<Selected, MailboxError> {
        let command = opening(name, open)?;
        selected(name, &self.run(&command).await?)
    }

    /// Opens a folder to read in it and runs commands there, all in one round trip.
    ///
    /// # Errors
    /// As [`Self::open`]; a refusal of the commands is in their answers.
    pub(crate) async fn open_with(
        &mut self,
        name: &[u8],
        then: &[Command],
    ) -> Result<(Selected, Vec<Answer>), MailboxError> {
        let mut answers = Vec::new();
        let opening = opening(name, Open::ToRead)?;
        let mut commands = vec![&opening];
        commands.extend(then);
        self.batch(&commands, &mut answers).await?;
        let mut answers = answers.into_iter();
        let opened = answers.next().unwrap_or_default();
        Ok((selected(name, &opened)?, answers.collect()))
    }

    /// Runs errands one after the other, all written ahead: one round trip for a batch of them. Servers may work on the
    /// commands in one folder at once (RFC 9051 §5.5), so whose answer some untagged data came with means nothing there;
    /// opening the next folder waits for them. Each errand has its own outcome;
    /// those that were not reached before the connection or the time ended have that for one.
    pub(crate) async fn visit(&mut self, errands: &[Errand]) -> Vec<Outcome> {
        let mut answers = Vec::new();
        let openings = errands.iter().map(|errand| opening(&errand.folder, Open::ToRead));
        let openings: Vec<Command> = match openings.collect() {
            Ok(openings) => openings,
            Err(error) => return errands.iter().map(|_| Err(error.clone())).collect(),
        };
        let mut commands = Vec::new();
        for (opening, errand) in openings.iter().zip(errands) {
            commands.push(opening);
            commands.extend(&errand.commands);
        }
        let ended = self.batch(&commands, &mut answers).await;
        let mut answers = answers.into_iter();
        let outcomes = errands.iter().map(|errand| {
            let opened = answers.next();
            let rest: Vec<Answer> = answers.by_ref().take(errand.commands.len()).collect();
            match (opened, &ended) {
                (Some(opened), _) if rest.len() == errand.commands.len() => {
                    Ok((selected(&errand.folder, &opened)?, rest))
                }
                (_, Err(error)) => Err(error.clone()),
                (_, Ok(())) => Err(MailboxError::PeerMisbehaved("a missing answer")),
            }
        });
        outcomes.collect()
    }

    /// Runs a command to its end. A refusal is in the answer; an error here means that the connection can't be used on.
    ///
    /// # Errors
    /// [`MailboxError::Connect`] where the connection was lost, [`MailboxError::TimedOut`] where the time was up.
    pub(crate) async fn run(&mut self, command: &Command) -> Result<Answer, MailboxError> {
        let mut answers = Vec::new();
        self.batch(&[command], &mut answers).await?;
        Ok(answers.pop().unwrap_or_default())
    }

    /// Runs several commands, written ahead: one round trip for a batch of them.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(crate) async fn run_all(&mut self, commands: &[Command]) -> Result<Vec<Answer>, MailboxError> {
        let mut answers = Vec::new();
        let commands: Vec<&Command> = commands.iter().collect();
        self.batch(&commands, &mut answers).await?;
        Ok(answers)
    }

    /// Runs commands in their order. Those without a literal are written together, a few at a time; `answers` gets the
    /// answers that came, also where a later one did not.
    async fn batch(&mut self, commands: &[&Command], answers: &mut Vec<Answer>) -> Result<(), MailboxError> {
        self.in_flight = true;
        self.held = 0;
        let (mut bytes, mut tags) = (Vec::new(), Vec::new());
        for command in commands {
            let full = tags.len() >= AHEAD || bytes.len() > AHEAD_BYTES;
            if !tags.is_empty() && (full || command.has_literals()) {
                self.exchange(&mut bytes, &mut tags, answers).await?;
            }
            if command.has_literals() {
                answers.push(self.with_literals(command).await?);
            } else {
                tags.push(self.tag(command, &mut bytes));
            }
        }
        self.exchange(&mut bytes, &mut tags, answers).await?;
        self.in_flight = false;
        Ok(())
    }

    /// Writes commands and reads their answers.
    async fn exchange(
        &mut self,
        bytes: &mut Vec<u8>,
        tags: &mut Vec<String>,
        answers: &mut Vec<Answer>,
    ) -> Result<(), MailboxError> {
        if !bytes.is_empty() {
            self.write(bytes).await?;
            bytes.clear();
        }
        for tag in tags.drain(..) {
            answers.push(self.finish(&tag).await?);
        }
        Ok(())
    }

    /// Runs a command with literals, each of which waits for the server's consent; it may end the command instead.
    async fn with_literals(&mut self, command: &Command) -> Result<Answer, MailboxError> {
        let mut bytes = Vec::new();
        let tag = self.tag(command, &mut bytes);
        self.write(&bytes).await?;
        for (literal, after) in &command.literals {
            let mut answer = Answer::default();
            loop {
                let response = self.response().await?;
                if response == Response::Continue {
                    break;
                }
                if self.collect(&mut answer, &tag, response) {
                    return Ok(answer);
                }
            }
            self.write(&[literal, after.as_bytes(), b"\r\n"].concat()).await?;
        }
        self.finish(&tag).await
    }

    /// Puts a tag before a command and both into a buffer. async-imap's tags begin with another letter.
    fn tag(&mut self, command: &Command, bytes: &mut Vec<u8>) -> String {
        self.tags = self.tags.wrapping_add(1);
        let tag = format!("C{}", self.tags);
        bytes.extend([tag.as_bytes(), b" ", command.start.as_bytes(), b"\r\n"].concat());
        tag
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), MailboxError> {
        let (until, wire) = (self.deadline, self.session.get_mut());
        let write = async {
            wire.write_all(bytes).await?;
            wire.flush().await
        };
        match timeout_at(until, write).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.lost()),
            Err(_) => Err(self.timed_out()),
        }
    }

    /// Reads up to the end of the command with this tag.
    async fn finish(&mut self, tag: &str) -> Result<Answer, MailboxError> {
        let mut answer = Answer::default();
        loop {
            let response = self.response().await?;
            if self.collect(&mut answer, tag, response) {
                self.last_used = Instant::now();
                return Ok(answer);
            }
        }
    }

    /// Takes a response into an answer; whether that was the end of the command.
    fn collect(&mut self, answer: &mut Answer, tag: &str, response: Response) -> bool {
        match response {
            Response::Tagged { tag: ended, status, code } if ended == tag => {
                answer.status = Some(status);
                answer.code = code;
                return true;
            }
            Response::Fetch(fetched) => answer.fetched.push(fetched),
            Response::Searched(numbers) => answer.searched.extend(numbers),
            Response::Numbered { number, name } => answer.counts.push((number, name)),
            Response::Data { name, values } => answer.data.push((name, values)),
            Response::Condition { code: Some(code), .. } => answer.codes.push(code),
            // The command may still be answered; after that the connection is over.
            Response::Bye => self.broken = true,
            Response::Unknown => answer.unknown = answer.unknown.saturating_add(1),
            Response::Condition { code: None, .. }
            | Response::Continue
            | Response::Tagged { .. }
            | Response::Preauth => {}
        }
        false
    }

    async fn response(&mut self) -> Result<Response, MailboxError> {
        let (silence, deadline) = (self.timeouts.silence, self.deadline);
        match self.session.get_mut().next(silence, deadline).await {
            Ok(line) => {
                self.held = self.held.saturating_add(line.len()).saturating_add(EACH);
                if self.held > MOST_HELD {
                    return Err(self.without_end());
                }
                Ok(Response::read(&line))
            }
            Err(WireFault::Lost) => Err(self.lost()),
            Err(WireFault::TimedOut) => Err(self.timed_out()),
            Err(WireFault::TooLong) => Err(self.without_end()),
        }
    }

    fn without_end(&mut self) -> MailboxError {
        self.broken = true;
        MailboxError::PeerMisbehaved("an answer without end")
    }

    fn lost(&mut self) -> MailboxError {
        self.broken = true;
        MailboxError::Connect(Peer::Store, ConnectFault::Lost)
    }

    fn timed_out(&mut self) -> MailboxError {
        self.broken = true;
        MailboxError::TimedOut
    }
}

fn opening(name: &[u8], open: Open) -> Result<Command, MailboxError> {
    let verb = match open {
        Open::ToRead => "EXAMINE",
        Open::ToChange => "SELECT",
    };
    Command::new(verb).string(name).map_err(|_| MailboxError::InvalidRef)
}

/// The folder that an EXAMINE or SELECT opened.
fn selected(name: &[u8], opened: &Answer) -> Result<Selected, MailboxError> {
    if opened.status() != Status::Ok {
        return Err(error::not_opened(opened.code.as_ref()));
    }
    let code = opened.code("UIDVALIDITY").and_then(|code| code.values.first());
    let uidvalidity = code.and_then(Value::number).ok_or(MailboxError::PeerMisbehaved("no UIDVALIDITY"))?;
    Ok(Selected { name: name.to_vec(), uidvalidity, exists: opened.exists(0) })
}
