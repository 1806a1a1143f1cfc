//! A scripted MCP client over standard input and output, in full control of the wire: newline-delimited JSON-RPC
//! with any protocol revision, built on no MCP crate, so that it can be wrong in no way our servers are.
//!
//! ```no_run
//! # use countersign_testkit::mcp::{Elicit, Era, RawClient};
//! # use serde_json::json;
//! # async fn test() -> anyhow::Result<()> {
//! let server = std::process::Command::new("countersign-imap");
//! let client = RawClient::spawn(server, Era::Modern, Elicit::Accept).await?;
//! let got = client.call("list_messages", json!({ "folder": "INBOX" })).await?;
//! assert!(!got.is_error, "{}", got.text);
//! client.clean()
//! # }
//! ```

mod answer;
mod result;
mod schema;

use std::collections::HashMap;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

pub use answer::{Asked, Elicit};
pub use result::{CallResult, Round, RpcError};

/// How long an answer may take before the test fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// The protocol revision a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2025-06-18: `initialize`, questions by `elicitation/create`.
    June2025,
    /// 2025-11-25: the last one with `initialize`.
    November2025,
    /// 2026-07-28: no session; every request carries `_meta`, questions come as `input_required` results.
    Modern,
}

impl Era {
    /// Every era a server must serve.
    pub const ALL: [Self; 3] = [Self::June2025, Self::November2025, Self::Modern];

    /// The revision's date.
    pub fn version(self) -> &'static str {
        match self {
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }
}

/// A running server and the client's end of its wire. Clones share both.
#[derive(Clone)]
pub struct RawClient(Arc<Inner>);

struct Inner {
    era: Era,
    child: tokio::sync::Mutex<Child>,
    id: Option<u32>,
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    next: AtomicI64,
    pending: Mutex<HashMap<i64, oneshot::Sender<Value>>>,
    elicit: Mutex<Elicit>,
    asked: Mutex<Vec<Asked>>,
    hello: Mutex<Value>,
    notifications: Mutex<Vec<Value>>,
    stray: Mutex<Vec<String>>,
    stderr: Mutex<String>,
    ended: AtomicBool,
    /// Something came from the server.
    news: Notify,
}

/// How a server ended.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// Its status.
    pub status: ExitStatus,
    /// From the end of its input to its own.
    pub took: Duration,
}

impl RawClient {
    /// Starts a server and opens the conversation as the era does.
    ///
    /// # Errors
    /// The server did not start, or did not agree to the revision.
    pub async fn spawn(command: std::process::Command, era: Era, elicit: Elicit) -> Result<Self> {
        let client = Self::bare(command, era, elicit)?;
        let hello = match era {
            Era::Modern => client.request("server/discover", json!({})).await?,
            Era::June2025 | Era::November2025 => {
                let params = json!({
                    "protocolVersion": era.version(),
                    "capabilities": client.capabilities(),
                    "clientInfo": client_info(),
                });
                let hello = client.request("initialize", params).await?;
                ensure!(
                    hello.get("protocolVersion") == Some(&era.version().into()),
                    "the server chose {hello}"
                );
                client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
                hello
            }
        };
        *lock(&client.0.hello) = hello;
        Ok(client)
    }

    /// Starts a server and says nothing yet.
    ///
    /// # Errors
    /// The server did not start.
    pub fn bare(command: std::process::Command, era: Era, elicit: Elicit) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut command = Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("`{program}` did not start"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("no standard output")?;
        let stderr = child.stderr.take().context("no standard error")?;
        let inner = Arc::new(Inner {
            era,
            id: child.id(),
            child: tokio::sync::Mutex::new(child),
            stdin: tokio::sync::Mutex::new(stdin),
            next: AtomicI64::new(1),
            pending: Mutex::default(),
            elicit: Mutex::new(elicit),
            asked: Mutex::default(),
            hello: Mutex::default(),
            notifications: Mutex::default(),
            stray: Mutex::default(),
            stderr: Mutex::default(),
            ended: AtomicBool::new(false),
            news: Notify::new(),
        });
        tokio::spawn(read_stdout(Arc::clone(&inner), stdout));
        tokio::spawn(read_stderr(Arc::clone(&inner), stderr));
        Ok(Self(inner))
    }

    /// Calls a tool to its end, answering what it asks by the policy. Arguments must be an object.
    ///
    /// # Errors
    /// A protocol error ([`RpcError`], by `downcast_ref`), a server that went away or never answered.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallResult> {
        let mut round = self.first_round(tool, arguments.clone()).await?;
        // A server may ask again, for instance when its state ran out; it must come to an end though.
        for _ in 0..5 {
            let (requests, state) = match round {
                Round::Done(result) => return Ok(result),
                Round::Ask { requests, state } => (requests, state),
            };
            let responses = self.answer_all(&requests).await?;
            round = self.next_round(tool, arguments.clone(), responses, state).await?;
        }
        bail!("`{tool}` asked five times in a row")
    }

    /// Sends a call once and returns what comes: the result, or the questions of the modern era unanswered.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn first_round(&self, tool: &str, arguments: Value) -> Result<Round> {
        Round::read(self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await?)
    }

    /// Sends a call again with answers and the server's state, which the test may have changed.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn next_round(
        &self,
        tool: &str,
        arguments: Value,
        responses: Value,
        state: Option<Value>,
    ) -> Result<Round> {
        let mut params = json!({ "name": tool, "arguments": arguments, "inputResponses": responses });
        if let (Some(params), Some(state)) = (params.as_object_mut(), state) {
            params.insert("requestState".to_owned(), state);
        }
        Round::read(self.request("tools/call", params).await?)
    }

    /// Answers each question of a round by the policy, in the form of `inputResponses`.
    ///
    /// # Errors
    /// A question that is no elicitation.
    pub async fn answer_all(&self, requests: &Map<String, Value>) -> Result<Value> {
        let mut responses = Map::new();
        for (key, request) in requests {
            ensure!(request.get("method") == Some(&"elicitation/create".into()), "asked for {request}");
            let params = request.get("params").cloned().unwrap_or_default();
            let answer = self.0.answer(params).await.context("the policy is to answer nothing")?;
            responses.insert(key.clone(), answer);
        }
        Ok(Value::Object(responses))
    }

    /// The tools, as the server lists them.
    ///
    /// # Errors
    /// As [`Self::request`], or a list without tools.
    pub async fn tools(&self) -> Result<Vec<Value>> {
        let list = self.request("tools/list", json!({})).await?;
        list.get("tools").and_then(Value::as_array).cloned().context("no tools in the list")
    }

    /// Checks a tool's structured result against the schema that the server lists for it, as published clients do.
    ///
    /// # Errors
    /// It does not fit, or there is one without the other.
    pub async fn fits(&self, tool: &str, result: &CallResult) -> Result<()> {
        let tools = self.tools().await?;
        let row = tools.iter().find(|row| row.get("name") == Some(&tool.into()));
        let schema = row.with_context(|| format!("no tool {tool}"))?.get("outputSchema");
        match (schema, &result.structured) {
            (None, None) => Ok(()),
            (Some(schema), Some(value)) => {
                schema::check(schema, value).with_context(|| format!("{tool}: {value}"))
            }
            (schema, value) => bail!("{tool} has the schema {schema:?} and the structured result {value:?}"),
        }
    }

    /// Sends one request and waits for its result. In the modern era the `_meta` it needs is added, unless the
    /// parameters bring their own.
    ///
    /// # Errors
    /// A protocol error ([`RpcError`]), a server that went away or never answered.
    pub async fn request(&self, method: &str, mut params: Value) -> Result<Value> {
        if self.0.era == Era::Modern
            && let Some(params) = params.as_object_mut()
        {
            params.entry("_meta").or_insert_with(|| self.meta());
        }
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        lock(&self.0.pending).insert(id, sender);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        let answer = match timeout(PATIENCE, receiver).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => bail!("the server went away during `{method}`: {}", self.stderr()),
            Err(_) => bail!("no answer to `{method}` in {PATIENCE:?}: {}", self.stderr()),
        };
        if let Some(error) = answer.get("error") {
            return Err(RpcError::read(error).into());
        }
        answer.get("result").cloned().with_context(|| format!("neither result nor error: {answer}"))
    }

    /// The `_meta` of a modern request, for tests that change it.
    pub fn meta(&self) -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": self.0.era.version(),
            "io.modelcontextprotocol/clientInfo": client_info(),
            "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
        })
    }

    /// Changes how questions are answered from now on. Whether elicitation is declared was settled at the start
    /// for the older eras, and goes with each request in the modern one.
    pub fn elicit(&self, elicit: Elicit) {
        *lock(&self.0.elicit) = elicit;
    }

    /// What the person was asked so far, in order.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.0.asked).clone()
    }

    /// Waits until the person was asked this often, which an unanswered question is too.
    ///
    /// # Errors
    /// It did not happen in time.
    pub async fn wait_asked(&self, times: usize) -> Result<Vec<Asked>> {
        self.wait("the question", || lock(&self.0.asked).len() >= times).await?;
        Ok(self.asked())
    }

    /// The answer to `initialize` or `server/discover`.
    pub fn hello(&self) -> Value {
        lock(&self.0.hello).clone()
    }

    /// The notifications that came so far.
    pub fn notifications(&self) -> Vec<Value> {
        lock(&self.0.notifications).clone()
    }

    /// What the server wrote to standard error so far.
    pub fn stderr(&self) -> String {
        lock(&self.0.stderr).clone()
    }

    /// The server's process id while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.0.id
    }

    /// Whether standard output carried JSON-RPC alone: one message a line, no answer to what was never asked.
    ///
    /// # Errors
    /// It carried something else, which the error shows.
    pub fn clean(&self) -> Result<()> {
        let stray = lock(&self.0.stray);
        ensure!(stray.is_empty(), "not JSON-RPC on standard output: {stray:?}");
        Ok(())
    }

    /// Writes a message as it is.
    ///
    /// # Errors
    /// The server's input is closed.
    pub async fn send(&self, message: &Value) -> Result<()> {
        self.send_bytes(format!("{message}\n").as_bytes()).await
    }

    /// Writes any bytes, for messages that are none.
    ///
    /// # Errors
    /// The server's input is closed.
    pub async fn send_bytes(&self, bytes: &[u8]) -> Result<()> {
        self.0.write(bytes).await
    }

    /// Kills the server at once (SIGKILL) and waits until it is gone.
    ///
    /// # Errors
    /// It could not be killed.
    pub async fn kill(&self) -> Result<()> {
        Ok(self.0.child.lock().await.kill().await?)
    }

    /// Closes the server's input, as a host does that ends, and waits for the server to end.
    ///
    /// # Errors
    /// It did not end in time.
    pub async fn close(&self) -> Result<Exit> {
        drop(self.0.stdin.lock().await.take());
        let started = Instant::now();
        let mut child = self.0.child.lock().await;
        let status =
            timeout(PATIENCE, child.wait()).await.context("the server stays after its input ended")??;
        let took = started.elapsed();
        // What it wrote last is to be read before anyone looks.
        drop(child);
        self.wait("the end of the server's output", || self.0.ended.load(Ordering::Acquire)).await?;
        Ok(Exit { status, took })
    }

    fn capabilities(&self) -> Value {
        if matches!(*lock(&self.0.elicit), Elicit::Unsupported) {
            return json!({});
        }
        match self.0.era {
            Era::June2025 => json!({ "elicitation": {} }),
            Era::November2025 | Era::Modern => json!({ "elicitation": { "form": {} } }),
        }
    }

    async fn wait(&self, what: &str, reached: impl Fn() -> bool) -> Result<()> {
        let waiting = async {
            loop {
                let news = self.0.news.notified();
                if reached() {
                    return;
                }
                news.await;
            }
        };
        timeout(PATIENCE, waiting).await.map_err(|_| anyhow!("{what} did not come in {PATIENCE:?}"))
    }
}

impl Inner {
    async fn write(&self, bytes: &[u8]) -> Result<()> {
        let mut stdin = self.stdin.lock().await;
        let pipe = stdin.as_mut().context("the server's input is closed")?;
        pipe.write_all(bytes).await?;
        Ok(pipe.flush().await?)
    }

    /// Notes a question and answers it by the policy; `None` leaves the server waiting.
    async fn answer(&self, params: Value) -> Option<Value> {
        let asked = Asked::read(params);
        let policy = lock(&self.elicit).clone();
        lock(&self.asked).push(asked.clone());
        self.news.notify_waiters();
        policy.answer(asked).await
    }

    fn take_in(self: &Arc<Self>, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            lock(&self.stray).push(line.to_owned());
            return;
        };
        let id = message.get("id").cloned();
        match (message.get("method").and_then(Value::as_str), id) {
            _ if message.get("jsonrpc") != Some(&"2.0".into()) => lock(&self.stray).push(line.to_owned()),
            (Some(method), Some(id)) => {
                let (inner, method) = (Arc::clone(self), method.to_owned());
                let params = message.get("params").cloned().unwrap_or_default();
                tokio::spawn(async move { inner.serve(&method, params, id).await });
            }
            (Some(_), None) => lock(&self.notifications).push(message),
            (None, id) => {
                let waiting = id.and_then(|id| id.as_i64()).and_then(|id| lock(&self.pending).remove(&id));
                // A test that gave up on its call is no fault of the server.
                match waiting {
                    Some(sender) => drop(sender.send(message)),
                    None => lock(&self.stray).push(line.to_owned()),
                }
            }
        }
    }

    /// Answers a request of the server.
    async fn serve(&self, method: &str, params: Value, id: Value) {
        let answer = match method {
            "elicitation/create" => match self.answer(params).await {
                Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                None => return,
            },
            "ping" => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
            _ => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "unknown method" } })
            }
        };
        // The server may be gone by now, which the test learns otherwise.
        drop(self.write(format!("{answer}\n").as_bytes()).await);
    }
}

async fn read_stdout(inner: Arc<Inner>, stdout: ChildStdout) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
        inner.take_in(String::from_utf8_lossy(&line).trim_end_matches('\n'));
        inner.news.notify_waiters();
        line.clear();
    }
    // Whoever still waits learns that no answer comes.
    lock(&inner.pending).clear();
    inner.ended.store(true, Ordering::Release);
    inner.news.notify_waiters();
}

async fn read_stderr(inner: Arc<Inner>, mut stderr: ChildStderr) {
    let mut buffer = [0_u8; 4096];
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let part = buffer.get(..length).unwrap_or_default();
        lock(&inner.stderr).push_str(&String::from_utf8_lossy(part));
    }
}

fn client_info() -> Value {
    json!({ "name": "countersign-testkit", "version": env!("CARGO_PKG_VERSION") })
}

/// A lock that a panicking test does not spoil for the report.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
