//! One round with one process: started, asked for its tools over stdio as MCP 2025-11-25 has it, left alone, gone.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// A process that has not answered, or not exited, after this long counts as one that never will.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks at whether the process is gone.
const GLANCE: Duration = Duration::from_micros(100);

/// What one round showed.
#[derive(Debug)]
pub(crate) struct Round {
    /// `None` for a process that does not speak MCP.
    pub(crate) answer: Option<Answer>,
    /// From stdin closed to exit.
    pub(crate) exit_milliseconds: f64,
    /// From spawn to exit.
    pub(crate) whole_milliseconds: f64,
    /// The process itself, if it had to be killed, and children that outlived it.
    pub(crate) orphans: usize,
}

/// The first `tools/list` answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) milliseconds: f64,
    pub(crate) resident_mb: f64,
    pub(crate) list_bytes: f64,
}

/// Plays one round.
pub(crate) fn play(command: &mut Command) -> Result<Round> {
    let line = crate::command::shown(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| format!("`{line}` could not be started"))?;
    let mut stdin = child.stdin.take().context("the process's stdin")?;
    let lines = reader(&mut child)?;
    let answer = ask(&mut stdin, &lines).map(|list_bytes| Answer {
        milliseconds: milliseconds(begun.elapsed()),
        resident_mb: resident_mb(child.id()).unwrap_or(f64::NAN),
        list_bytes,
    });
    let children = children_of(child.id());
    let closed = Instant::now();
    drop(stdin);
    let exited = wait(&mut child)?;
    let (exit_milliseconds, whole_milliseconds) =
        (milliseconds(closed.elapsed()), milliseconds(begun.elapsed()));
    let left = children.iter().filter(|process| process.exists()).count();
    Ok(Round {
        answer,
        exit_milliseconds,
        whole_milliseconds,
        orphans: left.saturating_add(usize::from(!exited)),
    })
}

/// Asks for the tools; the size of the result in bytes.
fn ask(stdin: &mut ChildStdin, lines: &Receiver<String>) -> Option<f64> {
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        },
    });
    say(stdin, &initialize)?;
    answer_to(1, lines)?;
    say(stdin, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    say(stdin, &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} }))?;
    let bytes = answer_to(2, lines)?;
    u32::try_from(bytes).ok().map(f64::from)
}

fn say(stdin: &mut ChildStdin, message: &Value) -> Option<()> {
    stdin.write_all(format!("{message}\n").as_bytes()).ok()?;
    stdin.flush().ok()
}

/// Waits for the answer to a request; the size of its result.
fn answer_to(id: u64, lines: &Receiver<String>) -> Option<usize> {
    loop {
        let message: Value = serde_json::from_str(&lines.recv_timeout(PATIENCE).ok()?).ok()?;
        if message.get("id").and_then(Value::as_u64) == Some(id) {
            return message.get("result").map(|result| result.to_string().len());
        }
    }
}

/// Lines of the process's stdout, so that waiting for one can end.
fn reader(child: &mut Child) -> Result<Receiver<String>> {
    let stdout = BufReader::new(child.stdout.take().context("the process's stdout")?);
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok(receiver)
}

/// Waits for the exit; false where the process had to be killed.
fn wait(child: &mut Child) -> Result<bool> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::sleep(GLANCE);
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}

/// Resident memory as Linux counts it (`VmRSS`, in KiB).
fn resident_mb(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u32 = line.split_whitespace().next()?.parse().ok()?;
    Some(f64::from(kib) * 1024.0 / 1_000_000.0)
}

/// The process's children, as folders of /proc.
fn children_of(process: u32) -> Vec<PathBuf> {
    let listed =
        std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    listed.split_whitespace().map(|child| Path::new("/proc").join(child)).collect()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Round {
        play(&mut crate::command::new("sh", &["-c", script], Path::new("/"))).unwrap()
    }

    #[test]
    fn a_process_that_answers_is_measured() {
        let round = shell(
            r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read b; read c
               echo '{"jsonrpc":"2.0","method":"note"}'; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'; read d"#,
        );
        let answer = round.answer.unwrap();
        assert_eq!(answer.list_bytes.to_string(), r#"{"tools":[]}"#.len().to_string());
        assert!(answer.resident_mb > 0.1, "{answer:?}");
        assert_eq!(round.orphans, 0);
    }

    #[test]
    fn a_process_that_does_not_speak_mcp_has_no_answer() {
        let round = shell("exit 0");
        assert!(round.answer.is_none());
        assert_eq!(round.orphans, 0);
    }

    #[test]
    fn a_child_that_outlives_its_parent_is_an_orphan() {
        let round = shell(
            r#"sleep 3 & read a; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read b; read c
               echo '{"jsonrpc":"2.0","id":2,"result":{}}'; read d"#,
        );
        assert_eq!(round.orphans, 1, "{round:?}");
    }
}
