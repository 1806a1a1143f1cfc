//! A small MCP client (revision 2025-11-25) that speaks to the server in this process, line by line as over stdio. It
//! announces elicitation in form mode, as desktop clients do, and leaves the answer to whoever calls.

use anyhow::{Context as _, ensure};
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use crate::{mailbox::Mailbox, protection::Raw, server::Server};

/// How much may be on its way in each direction.
const BUFFER: usize = 64 * 1024;

/// A conversation.
pub(super) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    last_id: u64,
}

/// What a tool answered.
pub(super) struct Answered {
    /// The text that a model reads.
    pub(super) text: String,
    /// The structured result.
    pub(super) structure: Value,
    /// Whether it is an error.
    pub(super) is_error: bool,
}

impl Client {
    /// Starts the server in a task of its own and introduces itself.
    pub(super) async fn start<M: Mailbox<Stage = Raw>>(server: Server<M>) -> anyhow::Result<Self> {
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        // The task ends with the conversation; nobody waits for it.
        tokio::spawn(async move {
            if let Ok(service) = server.serve(tokio::io::split(theirs)).await {
                drop(service.waiting().await);
            }
        });
        let (input, output) = tokio::io::split(ours);
        let mut client = Self { lines: BufReader::new(input).lines(), output, last_id: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "countersign-demo", "version": env!("CARGO_PKG_VERSION") },
        });
        client.request("initialize", &hello, |_| Ok(false)).await?;
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(client)
    }

    /// Calls a tool. `agrees` is given the prompt when the server asks the person.
    pub(super) async fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        agrees: impl FnMut(&str) -> anyhow::Result<bool>,
    ) -> anyhow::Result<Answered> {
        let call = json!({ "name": tool, "arguments": arguments });
        let result = self.request("tools/call", &call, agrees).await?;
        let blocks = result.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        Ok(Answered {
            text: texts.join("\n"),
            structure: result.get("structuredContent").cloned().unwrap_or_default(),
            is_error: result.get("isError").and_then(Value::as_bool) == Some(true),
        })
    }

    /// Sends a request and reads on to its answer.
    async fn request(
        &mut self,
        method: &str,
        params: &Value,
        mut agrees: impl FnMut(&str) -> anyhow::Result<bool>,
    ) -> anyhow::Result<Value> {
        self.last_id = self.last_id.saturating_add(1);
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        loop {
            let line = self.lines.next_line().await?.context("The server ended the conversation")?;
            let mut message: Value = serde_json::from_str(&line)?;
            if message.get("method").and_then(Value::as_str) == Some("elicitation/create") {
                let prompt = message.pointer("/params/message").and_then(Value::as_str).unwrap_or_default();
                let result = if agrees(prompt)? {
                    json!({ "action": "accept", "content": { "confirm": true } })
                } else {
                    json!({ "action": "decline" })
                };
                self.write(&json!({ "jsonrpc": "2.0", "id": message.get("id"), "result": result })).await?;
            } else if message.get("method").is_none() && message.get("id") == Some(&json!(id)) {
                ensure!(message.get("error").is_none(), "{method} failed: {message}");
                return Ok(message.get_mut("result").map(Value::take).unwrap_or_default());
            }
        }
    }

    async fn write(&mut self, message: &Value) -> anyhow::Result<()> {
        self.output.write_all(format!("{message}\n").as_bytes()).await?;
        Ok(self.output.flush().await?)
    }
}
