//! A scripted client: it writes and reads JSON-RPC lines as text, in the era it is told to be of.

use std::time::Duration;

use rmcp::{RoleServer, ServerHandler, ServiceExt as _, service::serve_directly};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    sync::Notify,
};

/// Protocol revisions: two that have a connection's lifecycle, one where each request stands alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Era {
    Legacy(&'static str),
    Modern,
}

pub(crate) const LEGACY: [Era; 2] = [Era::Legacy("2025-06-18"), Era::Legacy("2025-11-25")];
pub(crate) const ALL: [Era; 3] = [LEGACY[0], LEGACY[1], Era::Modern];

/// Longer than any confirmation lives; on the paused clock it passes at once when nothing comes.
const PATIENCE: Duration = Duration::from_hours(1);

pub(crate) struct Client {
    era: Era,
    capabilities: Value,
    reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    last_id: u64,
}

/// What a call led to.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The call's text.
    Done(String),
    /// A form for the person.
    Prompt(Prompt),
}

/// A form on its way to the person, with what is needed to bring the answer back.
#[derive(Clone, Debug)]
pub(crate) struct Prompt {
    pub(crate) message: String,
    pub(crate) schema: Value,
    pub(crate) way: Way,
}

#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// The id of the server's request, and that of the call which waits for it.
    Legacy { prompt: Value, call: u64 },
    /// The state, and the call to repeat.
    Modern { state: String, call: Value },
}

impl Reply {
    #[track_caller]
    pub(crate) fn prompt(self) -> Prompt {
        match self {
            Self::Prompt(prompt) => prompt,
            Self::Done(text) => panic!("not a prompt: {text}"),
        }
    }

    #[track_caller]
    pub(crate) fn text(self) -> String {
        match self {
            Self::Done(text) => text,
            Self::Prompt(prompt) => panic!("not an answer: {prompt:?}"),
        }
    }
}

impl Prompt {
    #[track_caller]
    pub(crate) fn state(&self) -> String {
        match &self.way {
            Way::Modern { state, .. } => state.clone(),
            Way::Legacy { .. } => panic!("older clients carry no state"),
        }
    }
}

impl Client {
    /// A client that can show forms.
    pub(crate) async fn able<S: ServerHandler + Clone>(era: Era, server: &S) -> Self {
        Self::with(era, json!({"elicitation": {"form": {}}}), server).await
    }

    pub(crate) async fn with<S: ServerHandler + Clone>(era: Era, capabilities: Value, server: &S) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = server.clone();
        tokio::spawn(async move {
            let running = server.serve(tokio::io::split(theirs)).await.unwrap();
            running.waiting().await.unwrap();
        });
        let mut client = Self::over(ours, era, capabilities);
        if let Era::Legacy(version) = era {
            client.initialize(version).await;
        }
        client
    }

    /// A connection on which nobody said anything about the client, as behind a stateless gateway.
    pub(crate) fn unknown<S: ServerHandler + Clone>(server: &S) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let running =
            serve_directly::<RoleServer, _, _, _, _>(server.clone(), tokio::io::split(theirs), None);
        tokio::spawn(running.waiting());
        Self::over(ours, LEGACY[1], Value::Null)
    }

    fn over(pipe: DuplexStream, era: Era, capabilities: Value) -> Self {
        let (reader, writer) = tokio::io::split(pipe);
        Self { era, capabilities, reader: BufReader::new(reader).lines(), writer, last_id: 0 }
    }

    async fn initialize(&mut self, version: &str) {
        let params = json!({
            "protocolVersion": version,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "script", "version": "1"},
        });
        let id = self.request("initialize", params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["protocolVersion"], version);
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }

    pub(crate) async fn shred(&mut self, paper: &str) -> Reply {
        self.call("shred", json!({"paper": paper})).await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        self.call_with(json!({"name": tool, "arguments": arguments})).await
    }

    /// A call with these parameters, whatever they are.
    pub(crate) async fn call_with(&mut self, mut params: Value) -> Reply {
        self.sign(&mut params);
        let id = self.request("tools/call", params.clone()).await;
        self.reply(id, params).await
    }

    /// The person's answer to a prompt, and what it leads to.
    pub(crate) async fn answer(&mut self, prompt: &Prompt, answer: Value) -> Reply {
        let (call, params) = self.send_answer(prompt, answer).await;
        self.reply(call, params).await
    }

    /// The person's answer, without waiting for what it leads to: the call that it belongs to, and its parameters.
    pub(crate) async fn send_answer(&mut self, prompt: &Prompt, answer: Value) -> (u64, Value) {
        match &prompt.way {
            Way::Legacy { prompt, call } => {
                self.send(json!({"jsonrpc": "2.0", "id": prompt, "result": answer})).await;
                (*call, Value::Null)
            }
            Way::Modern { state, call } => {
                let mut call = call.clone();
                call["requestState"] = json!(state);
                call["inputResponses"] = json!({"confirm": answer});
                self.sign(&mut call);
                (self.request("tools/call", call.clone()).await, call)
            }
        }
    }

    pub(crate) async fn cancel(&mut self, call: u64) {
        let params = json!({"requestId": call});
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    }

    /// Returns when the server has taken in all that was sent before.
    pub(crate) async fn settle(&mut self) {
        let mut params = json!({});
        self.sign(&mut params);
        let id = self.request("tools/list", params).await;
        while self.receive().await["id"] != id {}
    }

    /// What a 2026-07-28 client says about itself with each request.
    pub(crate) fn sign(&self, params: &mut Value) {
        if self.era != Era::Modern {
            return;
        }
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "script", "version": "1"});
    }

    pub(crate) async fn accept(&mut self, prompt: &Prompt) -> Reply {
        self.answer(prompt, json!({"action": "accept", "content": {"confirm": true}})).await
    }

    async fn reply(&mut self, call: u64, params: Value) -> Reply {
        let message = self.receive().await;
        if message["method"] == "elicitation/create" {
            assert_ne!(self.era, Era::Modern, "not sent to these clients: {message}");
            let way = Way::Legacy { prompt: message["id"].clone(), call };
            return prompt(&message["params"], way);
        }
        assert_eq!(message["id"], call, "{message}");
        let result = &message["result"];
        if result["resultType"] == "input_required" {
            assert_eq!(self.era, Era::Modern, "not sent to these clients: {message}");
            let questions = result["inputRequests"].as_object().unwrap();
            assert_eq!(questions.len(), 1);
            assert_eq!(questions["confirm"]["method"], "elicitation/create");
            let state = result["requestState"].as_str().unwrap().to_owned();
            return prompt(&questions["confirm"]["params"], Way::Modern { state, call: params });
        }
        let text = result["content"][0]["text"].as_str();
        Reply::Done(text.unwrap_or_else(|| panic!("no text: {message}")).to_owned())
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id = self.last_id.wrapping_add(1);
        let id = self.last_id;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.reader.next_line()).await.expect("an answer in time");
        serde_json::from_str(&line.unwrap().expect("the connection stays open")).unwrap()
    }
}

/// Waits for a signal from the server, but not for ever.
pub(crate) async fn signalled(signal: &Notify) {
    tokio::time::timeout(PATIENCE, signal.notified()).await.expect("a signal in time");
}

fn prompt(params: &Value, way: Way) -> Reply {
    let message = params["message"].as_str().unwrap().to_owned();
    Reply::Prompt(Prompt { message, schema: params["requestedSchema"].clone(), way })
}
