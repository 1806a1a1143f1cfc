//! The MCP clients that people use, driven against a server's command line: the TypeScript SDK 1.x and 2.x, the
//! Python SDK, and the inspector's command line.
//!
//! They are fetched on demand, at pinned versions and by the package managers' own configuration, into
//! `target/clients/`; nothing of them is kept in the tree but the small drivers in `clients/`, which play a [`Job`]
//! and print one line of JSON.

mod inspector;
mod npm;
mod python;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

pub use inspector::Inspector;

use crate::require::{Need, missing, require};

/// How long one client may take for its whole job.
const PATIENCE: Duration = Duration::from_mins(2);

/// A published client, with the way in which it opens the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// `@modelcontextprotocol/sdk` 1.x, which knows `initialize` only.
    TypeScript1,
    /// `@modelcontextprotocol/client` 2.x as it is without settings: `initialize`.
    TypeScript2Legacy,
    /// `@modelcontextprotocol/client` 2.x that finds out which revision the server speaks.
    TypeScript2Auto,
    /// The Python SDK 2.x with `initialize`.
    PythonLegacy,
    /// The Python SDK 2.x that finds out which revision the server speaks.
    PythonAuto,
}

/// What the person at the client answers when asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    /// Accepts and ticks every box.
    Accepts,
    /// Declines.
    Declines,
    /// Closes the question.
    Cancels,
    /// Is never asked: the client declares no elicitation.
    CannotBeAsked,
}

/// What a client is to do: list the tools, then make these calls in order.
#[derive(Clone, Debug)]
pub struct Job {
    /// The person's answer.
    pub person: Person,
    /// Tools with their arguments. A string argument of the form `{{N/pointer}}` becomes what the N-th call's
    /// structured content has at that JSON pointer, counted from 0.
    pub calls: Vec<(&'static str, Value)>,
}

/// What happened.
#[derive(Clone, Debug, Deserialize)]
pub struct Played {
    /// The revision that was agreed upon.
    pub version: String,
    /// The server's name as it told it.
    pub server: Option<String>,
    /// The names of the tools, in the list's order.
    pub tools: Vec<String>,
    /// One result for each call.
    pub results: Vec<Outcome>,
    /// What the person was asked, in order.
    pub asked: Vec<Question>,
}

/// One call's result, as the client's library gave it.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// The text blocks, one after the other.
    pub text: String,
    /// `structuredContent`, or null.
    pub structured: Value,
    /// `isError`.
    pub is_error: bool,
}

/// One question as it reached the person.
#[derive(Clone, Debug, Deserialize)]
pub struct Question {
    /// What the person reads.
    pub message: String,
    /// The form.
    pub schema: Value,
}

impl Published {
    /// Every client.
    pub const ALL: [Self; 5] = [
        Self::TypeScript1,
        Self::TypeScript2Legacy,
        Self::TypeScript2Auto,
        Self::PythonLegacy,
        Self::PythonAuto,
    ];

    /// The revision this client must agree upon with a server that speaks all of them.
    pub fn version(self) -> &'static str {
        match self {
            Self::TypeScript1 | Self::TypeScript2Legacy | Self::PythonLegacy => "2025-11-25",
            Self::TypeScript2Auto | Self::PythonAuto => "2026-07-28",
        }
    }

    fn mode(self) -> &'static str {
        match self {
            Self::TypeScript1 | Self::TypeScript2Legacy | Self::PythonLegacy => "legacy",
            Self::TypeScript2Auto | Self::PythonAuto => "auto",
        }
    }

    fn need(self) -> Need {
        match self {
            Self::TypeScript1 | Self::TypeScript2Legacy | Self::TypeScript2Auto => Need::Npm,
            Self::PythonLegacy | Self::PythonAuto => Need::Python,
        }
    }

    /// Plays a job against a server. The server gets the environment of `server` on top of this process's.
    ///
    /// `None` means that the client is missing and that the run allows to skip the test.
    ///
    /// # Errors
    /// The client is missing, failed, or printed something else than its one line.
    pub fn play(self, server: &Command, job: &Job) -> Result<Option<Played>> {
        let command = match self {
            Self::TypeScript1 => npm::driver("drive1.mjs"),
            Self::TypeScript2Legacy | Self::TypeScript2Auto => npm::driver("drive2.mjs"),
            Self::PythonLegacy | Self::PythonAuto => python::driver(),
        };
        let Some(mut command) = available(self.need(), command)? else { return Ok(None) };
        command.arg(self.words(server, job).to_string());
        hand_environment(server, &mut command);
        let output = run(command)?;
        let line = String::from_utf8(output.stdout)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!("{self:?} ended with {}: {line}{errors}", output.status);
        }
        let played = serde_json::from_str(&line);
        played.map(Some).with_context(|| format!("{self:?} printed {line:?} and {errors}"))
    }

    fn words(self, server: &Command, job: &Job) -> Value {
        let (program, arguments) = command_line(server);
        let answer = match job.person {
            Person::Accepts => "accept",
            Person::Declines => "decline",
            Person::Cancels => "cancel",
            Person::CannotBeAsked => "unsupported",
        };
        let call = |(name, arguments): &(&str, Value)| json!({ "name": name, "arguments": arguments });
        let calls: Vec<Value> = job.calls.iter().map(call).collect();
        json!({
            "command": program, "args": arguments, "mode": self.mode(), "answer": answer, "calls": calls,
        })
    }
}

/// The client's command, or `None` where it may be done without.
fn available(need: Need, command: Result<Command>) -> Result<Option<Command>> {
    if !require(&[need])? {
        return Ok(None);
    }
    match command {
        Ok(command) => Ok(Some(command)),
        Err(reason) => missing(need, &reason).map(|_| None),
    }
}

/// The server's program and its arguments, in the text that JSON can hold.
fn command_line(server: &Command) -> (String, Vec<String>) {
    let arguments = server.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect();
    (server.get_program().to_string_lossy().into_owned(), arguments)
}

fn hand_environment(server: &Command, client: &mut Command) {
    for (name, value) in server.get_envs() {
        match value {
            Some(value) => client.env(name, value),
            None => client.env_remove(name),
        };
    }
}

/// Runs a client to its end, or kills it when its time is up.
fn run(mut command: Command) -> Result<Output> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{program}` did not start"))?;
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    // Both pipes are emptied while it runs; a full one would stop it.
    let out = std::thread::spawn(move || drain(stdout.as_mut()));
    let err = std::thread::spawn(move || drain(stderr.as_mut()));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("`{program}` did not end in {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let read = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Output { status, stdout: read(out), stderr: read(err) })
}

fn drain(pipe: Option<&mut impl std::io::Read>) -> Vec<u8> {
    let mut all = Vec::new();
    if let Some(pipe) = pipe {
        // What was read before a failure is what the test gets to see.
        drop(pipe.read_to_end(&mut all));
    }
    all
}

/// The drivers, as they stand in the tree.
fn drivers(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(kind)
}

/// Fetches something once: `install` runs in `target/clients/<kind>` unless what is there was made from the same
/// `pins`. Processes that want it at once wait for the first.
fn fetched(
    kind: &str,
    pins: &str,
    once: &OnceLock<Result<PathBuf, String>>,
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let fetch = || -> Result<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients");
        fs::create_dir_all(&root)?;
        let root = root.canonicalize()?;
        let lock = fs::File::create(root.join(format!("{kind}.lock")))?;
        lock.lock()?;
        let (directory, stamp) = (root.join(kind), root.join(format!("{kind}.pins")));
        if fs::read_to_string(&stamp).is_ok_and(|made| made == pins) && directory.is_dir() {
            return Ok(directory);
        }
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        install(&directory)?;
        fs::write(&stamp, pins)?;
        Ok(directory)
    };
    let result = once.get_or_init(|| fetch().map_err(|problem| format!("{problem:#}")));
    result.clone().map_err(|words| anyhow::anyhow!("{words}"))
}

/// Runs one step of an installation.
fn step(command: &mut Command) -> Result<()> {
    let words = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().with_context(|| words.clone())?;
    if !output.status.success() {
        bail!("{words}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
