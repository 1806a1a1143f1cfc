//! What comes back from a tool call.

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};

/// The result of a finished call.
#[derive(Clone, Debug)]
pub struct CallResult {
    /// The text blocks, one after the other, with a line feed between.
    pub text: String,
    /// `structuredContent`.
    pub structured: Option<Value>,
    /// `isError`.
    pub is_error: bool,
    /// The whole result.
    pub raw: Value,
}

/// What one round of a call gave.
#[derive(Clone, Debug)]
pub enum Round {
    /// The call is finished.
    Done(CallResult),
    /// The server needs answers first (2026-07-28).
    Ask {
        /// The questions by their keys.
        requests: Map<String, Value>,
        /// What must come back with the answers.
        state: Option<Value>,
    },
}

/// An error of the protocol, not of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    /// JSON-RPC's code.
    pub code: i64,
    /// The message.
    pub message: String,
    /// More, if any.
    pub data: Option<Value>,
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for RpcError {}

impl RpcError {
    pub(super) fn read(error: &Value) -> Self {
        Self {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            data: error.get("data").cloned(),
        }
    }
}

impl Round {
    pub(super) fn read(result: Value) -> Result<Self> {
        if result.get("resultType") == Some(&"input_required".into()) {
            let requests =
                result.get("inputRequests").and_then(Value::as_object).cloned().unwrap_or_default();
            return Ok(Self::Ask { requests, state: result.get("requestState").cloned() });
        }
        Ok(Self::Done(CallResult::read(result)?))
    }

    /// The finished call.
    ///
    /// # Errors
    /// The server asked something instead.
    pub fn done(self) -> Result<CallResult> {
        match self {
            Self::Done(result) => Ok(result),
            Self::Ask { requests, .. } => Err(anyhow::anyhow!("not finished, asks {requests:?}")),
        }
    }

    /// The questions and the state.
    ///
    /// # Errors
    /// The call finished without asking.
    pub fn ask(self) -> Result<(Map<String, Value>, Option<Value>)> {
        match self {
            Self::Ask { requests, state } => Ok((requests, state)),
            Self::Done(result) => Err(anyhow::anyhow!("finished without asking: {}", result.text)),
        }
    }
}

impl CallResult {
    fn read(raw: Value) -> Result<Self> {
        let content = raw.get("content").and_then(Value::as_array).context("a result without content")?;
        let texts: Vec<&str> = content.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        Ok(Self {
            text: texts.join("\n"),
            structured: raw.get("structuredContent").cloned(),
            is_error: raw.get("isError").and_then(Value::as_bool).unwrap_or_default(),
            raw,
        })
    }

    /// A field of the structured content by JSON pointer (RFC 6901), for example `/messages/0/id`.
    ///
    /// # Errors
    /// It is not there; the error shows what is.
    pub fn at(&self, pointer: &str) -> Result<&Value> {
        let found = self.structured.as_ref().and_then(|value| value.pointer(pointer));
        found.with_context(|| format!("no {pointer} in {:?}; text: {}", self.structured, self.text))
    }

    /// As [`Self::at`], for strings.
    ///
    /// # Errors
    /// It is not there or not a string.
    pub fn str_at(&self, pointer: &str) -> Result<&str> {
        self.at(pointer)?.as_str().with_context(|| format!("{pointer} is not a string"))
    }
}
