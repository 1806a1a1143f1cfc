//! `cargo xtask test`: every test of the workspace, with the real servers and clients that they need.
//!
//! cargo's own runner does the work, so doc tests and compile-fail tests run too; its output passes through. A test whose
//! server or client this machine lacks says so in a file and returns (testkit's `require`); the runner counts it as passed,
//! and here it is taken off again. The last line is always `N passed, N failed, N skipped`.

mod tally;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result};

use crate::command;
use crate::flags::TestOptions;
use crate::services::{self, Provision};
use crate::workspace::Workspace;
use tally::Tally;

/// Tells the test kit what may be missing, by name, with commas between; anything else that is missing fails its tests.
const WITHOUT: &str = "COUNTERSIGN_TEST_SKIP_SERVERS";
/// Tells the test kit where to write a line (need, test, reason, with tabs between) for each test that it skips.
const SKIPPED: &str = "COUNTERSIGN_TEST_SKIP_REPORT";

/// What a run did.
pub(crate) struct Report {
    tally: Tally,
    provision: Provision,
    /// What each skipped test said.
    skips: Vec<String>,
}

/// Runs the tests, prints the report.
pub(crate) fn command(options: &TestOptions) -> Result<bool> {
    let report = run(&Workspace::load()?, !options.no_install, &options.names)?;
    report.print();
    Ok(report.passed())
}

/// Runs the tests; the report is still to be printed.
pub(crate) fn run(workspace: &Workspace, may_install: bool, names: &[String]) -> Result<Report> {
    let provision = services::provide(may_install);
    let skipped = tempfile::NamedTempFile::new().context("no place for the list of skipped tests")?;
    let without: Vec<&str> = provision.missing.iter().map(|(need, _)| need.name).collect();
    let mut tally = run_cargo(&workspace.root, names, &without.join(","), skipped.path())?;
    let said = std::fs::read_to_string(skipped.path()).context("the list of skipped tests")?;
    let skips: Vec<String> = said.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    tally.move_to_skipped(skips.len());
    Ok(Report { tally, provision, skips })
}

fn run_cargo(root: &Path, names: &[String], without: &str, skipped: &Path) -> Result<Tally> {
    let mut args = vec!["test", "--workspace", "--no-fail-fast"];
    if !names.is_empty() {
        args.push("--");
        args.extend(names.iter().map(String::as_str));
    }
    let mut command = command::new("cargo", &args, root);
    command.env(WITHOUT, without).env(SKIPPED, skipped).stdin(Stdio::null()).stdout(Stdio::piped());
    let line = command::shown(&command);
    println!("$ {line}");
    let mut child = command.spawn().with_context(|| format!("`{line}` could not be started"))?;
    let mut tally = Tally::default();
    let mut output = BufReader::new(child.stdout.take().context("cargo's output")?);
    let mut bytes = Vec::new();
    // Read as bytes: a failing test may print anything.
    while output.read_until(b'\n', &mut bytes)? > 0 {
        std::io::stdout().write_all(&bytes)?;
        tally.read(&String::from_utf8_lossy(&bytes));
        bytes.clear();
    }
    tally.finish(child.wait()?.success());
    Ok(tally)
}

impl Report {
    /// Whether nothing failed. A run without a single test (a misspelt name) has shown nothing and does not pass.
    pub(crate) fn passed(&self) -> bool {
        self.tally.failed == 0 && (self.tally.passed > 0 || self.tally.skipped > 0)
    }

    /// What was done and what could not be, then the closing line.
    pub(crate) fn print(&self) {
        println!();
        for done in &self.provision.done {
            println!("{done}");
        }
        for (need, reason) in &self.provision.missing {
            println!("missing: {}, for {}: {reason}", need.name, need.covers);
        }
        for skip in &self.skips {
            let mut parts = skip.split('\t');
            let (need, test) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            println!("skipped: {test} needs {need}: {}", parts.collect::<Vec<_>>().join(" "));
        }
        if self.tally.unfinished > 0 {
            println!(
                "{} test binaries did not build or did not finish; each counts as failed",
                self.tally.unfinished
            );
        }
        if self.tally == Tally::default() {
            println!("no test has such a name");
        }
        println!("{}", self.tally);
    }
}
