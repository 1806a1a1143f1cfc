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
    wire::{Wire, WireFault},
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
    pub(crate) fn searched(&self) -> Vec<u32> {
        let searches = self.data.iter().filter(|(name, _)| name == "SEARCH");
        searches.flat_map(|(_, values)| values).filter_map(Value::number).filter(|uid| *uid > 0).collect()
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
        let (answer, _) = self.open_with(name, open, None).await?;
        Ok(answer)
    }

    /// Opens a folder and, in the same round trip, runs a command in it.
    ///
    /// # Errors
    /// As [`Self::open`]; the second command's refusal is in its answer.
    pub(crate) async fn open_with(
        &mut self,
        name: &[u8],
        open: Open,
        then: Option<&Command>,
    ) -> Result<(Selected, Answer), MailboxError> {
        let verb = match open {
            Open::ToRead => "EXAMINE",
            Open::ToChange => "SELECT",
        };
        let command = Command::new(verb).string(name).map_err(|_| MailboxError::InvalidRef)?;
        self.in_flight = true;
        let first = self.write(&command).await?;
        let second = match (first.as_ref(), then) {
            (Ok(_), Some(then)) if !command.has_literals() && !then.has_literals() => {
                self.write(then).await?.ok()
            }
            _ => None,
        };
        let opened = self.finish(first).await?;
        let mut answer = match second {
            Some(tag) => self.finish(Ok(tag)).await?,
            None => Answer::default(),
        };
        self.in_flight = false;
        if opened.status() != Status::Ok {
            return Err(error::not_opened(opened.code.as_ref()));
        }
        let number =
            |name: &str| opened.code(name).and_then(|code| code.values.first()).and_then(Value::number);
        let Some(uidvalidity) = number("UIDVALIDITY") else {
            return Err(MailboxError::PeerMisbehaved("no UIDVALIDITY"));
        };
        let selected = Selected { name: name.to_vec(), uidvalidity, exists: opened.exists(0) };
        // A command that holds a literal could not be sent along with the opening.
        if let Some(then) = then.filter(|_| answer.status.is_none()) {
            answer = self.run(then).await?;
        }
        Ok((selected, answer))
    }

    /// Runs a command to its end. A refusal is in the answer; an error here means that the connection can't be used on.
    ///
    /// # Errors
    /// [`MailboxError::Connect`] where the connection was lost, [`MailboxError::TimedOut`] where the time was up.
    pub(crate) async fn run(&mut self, command: &Command) -> Result<Answer, MailboxError> {
        self.in_flight = true;
        let started = self.write(command).await?;
        let answer = self.finish(started).await?;
        self.in_flight = false;
        Ok(answer)
    }

    /// Runs several commands, written ahead where they hold no literal: one round trip for a batch of them.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(crate) async fn run_all(&mut self, commands: &[Command]) -> Result<Vec<Answer>, MailboxError> {
        /// Commands written before their answers are read: both sides' buffers hold that much.
        const AHEAD: usize = 20;
        let mut answers = Vec::new();
        for batch in commands.chunks(AHEAD) {
            self.in_flight = true;
            let (ahead, single): (Vec<_>, Vec<_>) = batch.iter().partition(|command| !command.has_literals());
            let mut started = Vec::new();
            for command in ahead {
                started.push(self.write(command).await?);
            }
            for tag in started {
                answers.push(self.finish(tag).await?);
            }
            for command in single {
                answers.push(self.run(command).await?);
            }
            self.in_flight = false;
        }
        Ok(answers)
    }

    /// Writes a command; where the server ends it before it was written whole, that answer.
    async fn write(&mut self, command: &Command) -> Result<Result<String, Answer>, MailboxError> {
        let until = self.deadline;
        let start = timeout_at(until, self.session.run_command(&command.start)).await;
        let tag = match start {
            Ok(Ok(id)) => id.0,
            Ok(Err(_)) => return Err(self.lost()),
            Err(_) => return Err(self.timed_out()),
        };
        for (bytes, after) in &command.literals {
            let mut answer = Answer::default();
            loop {
                let response = self.response().await?;
                if response == Response::Continue {
                    break;
                }
                if self.collect(&mut answer, &tag, response) {
                    return Ok(Err(answer));
                }
            }
            let rest = async {
                self.session.get_mut().write_all(bytes).await.map_err(|_| ())?;
                self.session.run_command_untagged(after).await.map_err(|_| ())
            };
            match timeout_at(until, rest).await {
                Ok(Ok(())) => {}
                Ok(Err(())) => return Err(self.lost()),
                Err(_) => return Err(self.timed_out()),
            }
        }
        Ok(Ok(tag))
    }

    /// Reads up to the end of the command with this tag.
    async fn finish(&mut self, started: Result<String, Answer>) -> Result<Answer, MailboxError> {
        let tag = match started {
            Ok(tag) => tag,
            Err(answer) => return Ok(answer),
        };
        let mut answer = Answer::default();
        loop {
            let response = self.response().await?;
            if self.collect(&mut answer, &tag, response) {
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
            Ok(line) => Ok(Response::read(&line)),
            Err(WireFault::Lost) => Err(self.lost()),
            Err(WireFault::TimedOut) => Err(self.timed_out()),
            Err(WireFault::TooLong) => {
                self.broken = true;
                Err(MailboxError::PeerMisbehaved("an answer without end"))
            }
        }
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
