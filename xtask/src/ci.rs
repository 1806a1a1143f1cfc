//! `cargo xtask ci`: all that a change must pass. Every step runs, also after one that failed; the tests come last, so
//! that their closing line is the last line.

use std::time::Instant;

use anyhow::Result;

use crate::command;
use crate::flags::{CiOptions, SurfaceOptions};
use crate::workspace::Workspace;
use crate::{check_surface, deny, test, tidy};

/// Steps that are a cargo command.
const CARGO: [(&str, &[&str]); 4] = [
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"]),
    // Both are of use without MCP, so they must build without it.
    (
        "confirm without MCP",
        &["check", "--package", "countersign-confirm", "--no-default-features", "--locked"],
    ),
    ("send policy alone", &["check", "--package", "countersign-send-policy", "--locked"]),
];

/// Runs everything; true where all of it passes.
pub(crate) fn command(options: &CiOptions) -> Result<bool> {
    let workspace = Workspace::load()?;
    let mut steps = Steps::default();
    for (name, args) in CARGO {
        steps.run(name, || command::passes(&mut command::new("cargo", args, &workspace.root)));
    }
    let mut notes = Vec::new();
    steps.run("licences, bans, sources, advisories", || {
        let outcome = deny::run(&workspace)?;
        notes.extend(outcome.note);
        Ok(outcome.passed)
    });
    steps.run("tidy", tidy::command);
    let surface = SurfaceOptions { write: false, against: options.against.clone() };
    steps.run("surface", || check_surface::command(&surface));
    let mut report = None;
    steps.run("tests", || {
        let done = test::run(&workspace, !options.no_install, &[])?;
        let passed = done.passed();
        report = Some(done);
        Ok(passed)
    });
    println!();
    for line in steps.lines.iter().chain(&notes) {
        println!("{line}");
    }
    if let Some(report) = report {
        report.print();
    }
    Ok(steps.failed == 0)
}

/// What each step came to.
#[derive(Default)]
struct Steps {
    lines: Vec<String>,
    failed: u32,
}

impl Steps {
    fn run(&mut self, name: &str, step: impl FnOnce() -> Result<bool>) {
        println!("\n== {name}");
        let begun = Instant::now();
        let outcome = step();
        let seconds = begun.elapsed().as_secs();
        let word = match &outcome {
            Ok(true) => "passed".to_owned(),
            Ok(false) => "FAILED".to_owned(),
            Err(error) => format!("FAILED: {error:#}"),
        };
        if !matches!(outcome, Ok(true)) {
            self.failed = self.failed.saturating_add(1);
        }
        self.lines.push(format!("{name}: {word} ({seconds} s)"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_and_a_step_that_could_not_run_both_fail_the_whole() {
        let mut steps = Steps::default();
        steps.run("one", || Ok(true));
        assert_eq!(steps.failed, 0);
        steps.run("two", || Ok(false));
        steps.run("three", || anyhow::bail!("no such program"));
        assert_eq!(steps.failed, 2);
        assert_eq!(
            steps.lines,
            ["one: passed (0 s)", "two: FAILED (0 s)", "three: FAILED: no such program (0 s)"]
        );
    }
}
