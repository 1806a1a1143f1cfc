//! The inspector's command line: one process, and so one server, for each call. It can't show a question, and says so
//! when it connects.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::{available, command_line, hand_environment, npm, run};
use crate::require::Need;

/// The inspector in front of one server.
pub struct Inspector<'s> {
    server: &'s Command,
    era: &'static str,
}

impl<'s> Inspector<'s> {
    /// Opens with `initialize`.
    pub fn legacy(server: &'s Command) -> Self {
        Self { server, era: "legacy" }
    }

    /// Insists on 2026-07-28.
    pub fn modern(server: &'s Command) -> Self {
        Self { server, era: "modern" }
    }

    /// Lists the tools and fails where the inspector finds a schema that some hosts could not take.
    ///
    /// # Errors
    /// The inspector is missing, failed, or found fault.
    pub fn tools(&self) -> Result<Option<Value>> {
        self.run(&["--method", "tools/list", "--strict"])
    }

    /// Calls a tool. The result is the protocol's, also where the tool reported an error.
    ///
    /// # Errors
    /// The inspector is missing or failed.
    pub fn call(&self, tool: &str, arguments: &Value) -> Result<Option<Value>> {
        let arguments = arguments.to_string();
        self.run(&["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments])
    }

    /// `None` means that the inspector is missing and that the run allows to skip the test.
    fn run(&self, request: &[&str]) -> Result<Option<Value>> {
        let command = npm::modules().and_then(|modules| {
            let mut command = npm::node()?;
            command.arg(modules.join("node_modules/.bin/mcp-inspector")).arg("--cli");
            Ok(command)
        });
        let Some(mut command) = available(Need::Inspector, command)? else { return Ok(None) };
        let (program, arguments) = command_line(self.server);
        command.args(["--protocol-era", self.era, "--format", "json", "--quiet"]).args(request);
        hand_environment(self.server, &mut command);
        // The inspector hands its server only what is named here.
        for (name, value) in self.server.get_envs() {
            if let Some(value) = value {
                let pair = format!("{}={}", name.to_string_lossy(), value.to_string_lossy());
                command.args(["-e", &pair]);
            }
        }
        command.arg("--").arg(program).args(arguments);
        let output = run(command)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        // It ends with 5 when the tool itself reported an error.
        if !matches!(output.status.code(), Some(0 | 5)) {
            bail!("the inspector ended with {}: {errors}", output.status);
        }
        let text = String::from_utf8(output.stdout)?;
        let answer: Value = serde_json::from_str(&text)
            .with_context(|| format!("the inspector printed {text:?} and {errors}"))?;
        answer.get("result").cloned().map(Some).with_context(|| format!("no result in {answer}"))
    }
}
