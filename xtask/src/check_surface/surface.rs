//! What `<server> surface --json` prints: one server's whole surface.

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

/// One server as an assistant, a host and a person at a shell see it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Surface {
    pub(crate) server: String,
    pub(crate) version: String,
    pub(crate) tools: Vec<Row>,
    pub(crate) prompts: Vec<Value>,
    pub(crate) resources: Vec<Value>,
    pub(crate) cli: Cli,
    pub(crate) env: Vec<Variable>,
}

/// One tool: what MCP shows of it, and what stands behind it. What is missing here is reported by the rules, not by
/// the parser, so that one run names every fault.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row {
    /// The tool exactly as `tools/list` has it.
    pub(crate) tool: Value,
    pub(crate) exposure: Option<String>,
    pub(crate) gate: Option<String>,
    pub(crate) needs: Option<Vec<String>>,
    pub(crate) transport: Option<String>,
}

impl Row {
    pub(crate) fn name(&self) -> &str {
        self.tool.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.tool.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// One of the four hints, where it is set.
    pub(crate) fn hint(&self, key: &str) -> Option<bool> {
        self.tool.get("annotations")?.get(key)?.as_bool()
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Cli {
    /// The help texts of all commands.
    pub(crate) help: String,
    pub(crate) flags: Vec<Flag>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Flag {
    pub(crate) command: String,
    pub(crate) flag: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) secret: bool,
    pub(crate) description: String,
    /// The setting of the configuration file that it stands for, where there is one.
    pub(crate) setting: Option<String>,
}

impl Surface {
    pub(crate) fn parse(printed: &str) -> Result<Self> {
        serde_json::from_str(printed).context("`surface --json` printed something unexpected")
    }

    /// The size of the `tools/list` result in bytes, as it goes over the wire.
    pub(crate) fn list_bytes(&self) -> usize {
        let tools: Vec<&Value> = self.tools.iter().map(|row| &row.tool).collect();
        serde_json::json!({ "tools": tools }).to_string().len()
    }
}
