//! `cargo xtask deny`: licences, sources, bans and advisories (`deny.toml`), by a pinned cargo-deny under `target/tools`.

use anyhow::Result;

use crate::command;
use crate::flags::DenyOptions;
use crate::workspace::Workspace;

/// Pinned, so that a new version never turns the same tree red.
const VERSION: &str = "0.20.2";
/// The tool runs for seconds: it is built for a short build, not for speed.
const PROFILE: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "false"),
];

/// Checks everything; where the advisory database can't be fetched, everything else, and says so.
pub(crate) fn command(options: &DenyOptions) -> Result<bool> {
    let outcome = run(&Workspace::load()?)?;
    let complete = outcome.note.is_none();
    if let Some(note) = outcome.note {
        println!("{note}");
    }
    Ok(outcome.passed && (complete || !options.require_advisories))
}

/// Whether all that could be checked passed, and what could not be.
pub(crate) struct Outcome {
    pub(crate) passed: bool,
    pub(crate) note: Option<String>,
}

pub(crate) fn run(workspace: &Workspace) -> Result<Outcome> {
    let tools = workspace.target.join("tools");
    let program = tools.join("bin/cargo-deny");
    let root = &workspace.root;
    let installed = command::stdout_of(&mut command::new(&program, &["--version"], root)).unwrap_or_default();
    if installed.trim() != format!("cargo-deny {VERSION}") {
        let tools = tools.to_string_lossy();
        let args = ["install", "cargo-deny", "--locked", "--version", VERSION, "--root", &tools, "--force"];
        let mut install = command::new("cargo", &args, root);
        install.envs(PROFILE);
        anyhow::ensure!(command::passes(&mut install)?, "cargo-deny {VERSION} could not be installed");
    }
    let check = ["--workspace", "--all-features", "check", "bans", "licenses", "sources"];
    let passed = command::passes(&mut command::new(&program, &check, root))?;
    if !command::quietly_passes(&mut command::new(&program, &["fetch", "db"], root)) {
        let note = "not checked: security advisories (their database could not be fetched)".to_owned();
        return Ok(Outcome { passed, note: Some(note) });
    }
    let check = ["--workspace", "--all-features", "check", "--disable-fetch", "advisories"];
    let sound = command::passes(&mut command::new(&program, &check, root))?;
    Ok(Outcome { passed: passed && sound, note: None })
}
