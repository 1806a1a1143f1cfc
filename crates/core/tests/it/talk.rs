//! A scripted client over a duplex pipe: it writes and reads JSON-RPC lines as text, in the era that it is told to be
//! of, and answers what the person is asked by a policy. The server's side is the one that the binaries serve with.
//!
//! Tests run on tokio's paused clock: a limit passes at once when nothing else can happen, and never otherwise.

use std::{collections::BTreeMap, time::Duration};

use countersign_core::{mailbox::Mailbox, protection::Raw, server::Server};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};

/// Longer than anything that a server waits for.
const PATIENCE: Duration = Duration::from_hours(1);

/// What the person does when asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Person {
    /// Ticks the box and accepts.
    Accepts,
    /// Accepts without ticking it.
    ForgetsTheTick,
    Declines,
    Cancels,
    /// The client declares that it can't ask.
    CannotBeAsked,
}

impl Person {
    pub(crate) fn answer(self) -> Value {
        match self {
            Self::Accepts => json!({ "action": "accept", "content": { "confirm": true } }),
            Self::ForgetsTheTick => json!({ "action": "accept", "content": { "confirm": false } }),
            Self::Declines => json!({ "action": "decline" }),
            Self::Cancels => json!({ "action": "cancel" }),
            Self::CannotBeAsked => panic!("a client that can't ask was asked"),
        }
    }
}

/// A conversation.
pub(crate) struct Talk {
    era: Era,
    person: Person,
    reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    last_id: u64,
    /// Answers to requests that were waited for out of order.
    early: BTreeMap<u64, Value>,
    pub(crate) serving: JoinHandle<anyhow::Result<()>>,
    /// The answer to `initialize`.
    pub(crate) hello: Value,
    /// What the person was shown, in order.
    pub(crate) asked: Vec<String>,
}

/// What a call led to.
#[derive(Debug)]
pub(crate) enum Step {
    Done(Got),
    Asked(Prompt),
}

/// A tool's result.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    /// `structuredContent`, or null.
    pub(crate) structured: Value,
    /// Everything.
    pub(crate) raw: Value,
}

/// A form on its way to the person, with what is needed to bring the answer back.
#[derive(Clone, Debug)]
pub(crate) struct Prompt {
    pub(crate) message: String,
    pub(crate) way: Way,
}

#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// The id of the server's request, and that of the call which waits for it.
    Request { prompt: Value, call: u64 },
    /// The state, and the call to repeat.
    State { state: String, call: Value },
}

impl Step {
    #[track_caller]
    pub(crate) fn prompt(self) -> Prompt {
        match self {
            Self::Asked(prompt) => prompt,
            Self::Done(got) => panic!("not a prompt: {got:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn done(self) -> Got {
        match self {
            Self::Done(got) => got,
            Self::Asked(prompt) => panic!("not a result: {prompt:?}"),
        }
    }
}

impl Got {
    fn read(result: &Value) -> Self {
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("no content: {result}"));
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        Self {
            text: texts.join("\n"),
            is_error: result["isError"] == true,
            structured: result["structuredContent"].clone(),
            raw: result.clone(),
        }
    }

    /// A value of the structured result as text.
    #[track_caller]
    pub(crate) fn fact(&self, name: &str) -> String {
        let value = &self.structured[name];
        value.as_str().unwrap_or_else(|| panic!("no text under {name}: {self:?}")).to_owned()
    }

    /// The result of a call that has to have worked.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(!self.is_error, "{}", self.text);
        self
    }

    /// The text of a call that has to have failed.
    #[track_caller]
    pub(crate) fn error(self) -> String {
        assert!(self.is_error, "{}", self.raw);
        self.text
    }
}

impl Talk {
    /// Opens the conversation as the era does.
    pub(crate) async fn open<M: Mailbox<Stage = Raw>>(server: Server<M>, era: Era, person: Person) -> Self {
        let mut talk = Self::silent(server, era, person);
        if era != Era::Modern {
            let hello = talk.initialize(era.version()).await;
            assert_eq!(hello["protocolVersion"], era.version());
            talk.hello = hello;
        }
        talk
    }

    /// A connection on which nothing has been said.
    pub(crate) fn silent<M: Mailbox<Stage = Raw>>(server: Server<M>, era: Era, person: Person) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (stdin, stdout) = tokio::io::split(theirs);
        let serving = tokio::spawn(countersign_core::server::serve_over(server, stdin, stdout));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            era,
            person,
            reader: BufReader::new(reader).lines(),
            writer,
            last_id: 0,
            early: BTreeMap::new(),
            serving,
            hello: Value::Null,
            asked: Vec::new(),
        }
    }

    /// `initialize` with any revision; the result.
    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": self.capabilities(),
            "clientInfo": { "name": "script", "version": "1" },
        });
        let id = self.request("initialize", params).await;
        let answer = self.answer_to(id).await;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        answer["result"].clone()
    }

    fn capabilities(&self) -> Value {
        if self.person == Person::CannotBeAsked {
            json!({})
        } else {
            json!({ "elicitation": { "form": {} } })
        }
    }

    /// What a modern client says about itself with each request.
    fn sign(&self, params: &mut Value) {
        if self.era == Era::Modern {
            let capabilities = self.capabilities();
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(self.era.version());
            meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "script", "version": "1" });
        }
    }

    /// Calls a tool to its end, the person answering what is asked.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Got {
        let mut step = self.first(tool, arguments).await;
        loop {
            match step {
                Step::Done(got) => return got,
                Step::Asked(prompt) => step = self.answer(&prompt, self.person.answer()).await,
            }
        }
    }

    /// Calls a tool and stops where the person is asked.
    pub(crate) async fn first(&mut self, tool: &str, arguments: Value) -> Step {
        let (id, params) = self.start(tool, arguments).await;
        self.step(id, params).await
    }

    /// Sends a call without waiting for anything.
    pub(crate) async fn start(&mut self, tool: &str, arguments: Value) -> (u64, Value) {
        let mut params = json!({ "name": tool, "arguments": arguments });
        self.sign(&mut params);
        (self.request("tools/call", params.clone()).await, params)
    }

    /// The person's answer, and what it leads to.
    pub(crate) async fn answer(&mut self, prompt: &Prompt, answer: Value) -> Step {
        let (id, params) = self.send_answer(prompt, answer).await;
        self.step(id, params).await
    }

    /// The person's answer, without waiting for what it leads to: the call that it belongs to, and its parameters.
    pub(crate) async fn send_answer(&mut self, prompt: &Prompt, answer: Value) -> (u64, Value) {
        match &prompt.way {
            Way::Request { prompt, call } => {
                self.send(&json!({ "jsonrpc": "2.0", "id": prompt, "result": answer })).await;
                (*call, Value::Null)
            }
            Way::State { state, call } => {
                let mut call = call.clone();
                call["requestState"] = json!(state);
                call["inputResponses"] = json!({ "confirm": answer });
                (self.request("tools/call", call.clone()).await, call)
            }
        }
    }

    /// What a call that was sent leads to.
    pub(crate) async fn step(&mut self, call: u64, params: Value) -> Step {
        let message = self.answer_or_question(call).await;
        if message["method"] == "elicitation/create" {
            assert_ne!(self.era, Era::Modern, "not sent to these clients: {message}");
            let way = Way::Request { prompt: message["id"].clone(), call };
            return self.shown(&message["params"], way);
        }
        let result = &message["result"];
        if result["resultType"] == "input_required" {
            assert_eq!(self.era, Era::Modern, "not sent to these clients: {message}");
            let questions = result["inputRequests"].as_object().unwrap();
            assert_eq!(questions.len(), 1);
            assert_eq!(questions["confirm"]["method"], "elicitation/create");
            let state = result["requestState"].as_str().unwrap().to_owned();
            return self.shown(&questions["confirm"]["params"], Way::State { state, call: params });
        }
        assert!(message["error"].is_null(), "{message}");
        Step::Done(Got::read(result))
    }

    fn shown(&mut self, params: &Value, way: Way) -> Step {
        let message = params["message"].as_str().unwrap().to_owned();
        self.asked.push(message.clone());
        Step::Asked(Prompt { message, way })
    }

    /// Sends a request and waits for the whole answer, result or error.
    pub(crate) async fn rpc(&mut self, method: &str, mut params: Value) -> Value {
        self.sign(&mut params);
        let id = self.request(method, params).await;
        self.answer_to(id).await
    }

    /// The tools as they are listed.
    pub(crate) async fn tools(&mut self) -> Vec<Value> {
        self.rpc("tools/list", json!({})).await["result"]["tools"].as_array().unwrap().clone()
    }

    /// Tells the server that a call's answer is no longer wanted.
    pub(crate) async fn cancel(&mut self, call: u64) {
        let params = json!({ "requestId": call });
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    }

    /// Returns when the server has taken in all that was sent before.
    pub(crate) async fn settle(&mut self) {
        self.rpc("tools/list", json!({})).await;
    }

    /// Sends a request as it is.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id = self.last_id.wrapping_add(1);
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.line(&message.to_string()).await;
    }

    /// Sends a line, whatever it is.
    pub(crate) async fn line(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Says no more, as a client that leaves; what is still on the way can be read.
    pub(crate) async fn leave(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    /// The answer to a request; other answers are kept for later, notifications passed over.
    pub(crate) async fn answer_to(&mut self, id: u64) -> Value {
        let message = self.answer_or_question(id).await;
        assert!(message["method"].is_null(), "{message}");
        message
    }

    async fn answer_or_question(&mut self, id: u64) -> Value {
        if let Some(message) = self.early.remove(&id) {
            return message;
        }
        loop {
            let message = self.receive().await;
            let answers = message["method"].is_null();
            match message["id"].as_u64() {
                Some(other) if answers && other != id => drop(self.early.insert(other, message)),
                None if !answers && message["id"].is_null() => {}
                _ => return message,
            }
        }
    }

    /// The next line from the server.
    pub(crate) async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.reader.next_line()).await.expect("an answer in time");
        serde_json::from_str(&line.unwrap().expect("the connection stays open")).unwrap()
    }

    /// Whether the server has closed its side with nothing more to say.
    pub(crate) async fn is_over(&mut self) -> bool {
        tokio::time::timeout(PATIENCE, self.reader.next_line()).await.expect("an end").unwrap().is_none()
    }
}
