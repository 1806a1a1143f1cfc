//! `cargo xtask bench start`: what it costs a host to start a server and ask for its tools.
//!
//! The release build is started many times over stdio, alternating with a process to compare with, so that both meet the same
//! machine. Each round: spawn, `initialize`, `tools/list`, memory at that moment, stdin closed, exit. Times are wall clock
//! and include what this process adds (a thread's wake-up a line); figures are least / median / greatest, and targets are
//! judged by the median.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::round::{Round, play};
use super::stats::Series;
use crate::check_surface::LIST_LIMIT;
use crate::command;
use crate::flags::StartOptions;
use crate::workspace::Workspace;

/// Start to the first `tools/list` answer, in milliseconds.
const START_MS: f64 = 5.0;
/// Resident at that moment, in megabytes.
const RESIDENT_MB: f64 = 10.0;
/// From stdin closed to exit, in milliseconds.
const EXIT_MS: f64 = 50.0;

/// Measures every server; true unless `--check` was given and a target is missed.
pub(crate) fn command(options: &StartOptions) -> Result<bool> {
    let workspace = Workspace::load()?;
    anyhow::ensure!(options.runs > 0, "--runs must be at least 1");
    let mut met = true;
    for (package, binary) in workspace.servers() {
        let args = ["build", "--release", "--package", package.name.as_str(), "--bin", binary];
        anyhow::ensure!(
            command::passes(&mut command::new("cargo", &args, &workspace.root))?,
            "`{binary}` does not build"
        );
        let program = workspace.target.join("release").join(binary);
        let size = std::fs::metadata(&program)?.len();
        println!("\n{binary}: {size} bytes, {} runs, least / median / greatest", options.runs);
        met &= measure(&program, "serve --demo", &["serve", "--demo"], options)?;
        let config = options.config.as_ref().map(|path| path.to_string_lossy().into_owned());
        met &= match &config {
            Some(path) => measure(&program, "serve, configured", &["serve", "--config", path], options)?,
            None => measure(&program, "serve, no account", &["serve"], options)?,
        };
    }
    Ok(met || !options.check)
}

/// Measures one way to start a server beside the process to compare with, and prints the figures.
fn measure(program: &Path, title: &str, args: &[&str], options: &StartOptions) -> Result<bool> {
    let home = tempfile::tempdir()?;
    let mut words = options.against.split_whitespace();
    let other = words.next().context("--against needs a program")?;
    let other_args: Vec<&str> = words.collect();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The first round of each warms the page cache and is not counted.
    for counted in std::iter::once(false).chain((0..options.runs).map(|_| true)) {
        let mut command = command::new(program, args, home.path());
        let our_round = play(isolated(&mut command, home.path()))?;
        let their_round = play(&mut command::new(other, &other_args, home.path()))?;
        if counted {
            ours.push(our_round);
            theirs.push(their_round);
        }
    }
    let answered = ours.iter().filter(|round| round.answer.is_some()).count();
    anyhow::ensure!(answered == ours.len(), "{title}: {answered} of {} rounds were answered", ours.len());
    Ok(report(title, &options.against, &ours, &theirs))
}

/// A home of its own, so that this machine's accounts and variables play no part.
fn isolated<'a>(command: &'a mut Command, home: &Path) -> &'a mut Command {
    command.env_clear().env("HOME", home)
}

fn report(title: &str, against: &str, ours: &[Round], theirs: &[Round]) -> bool {
    println!("  {title}");
    let start = of_answers(ours, "ms", |answer| answer.milliseconds);
    let resident = of_answers(ours, "MB", |answer| answer.resident_mb);
    let list = of_answers(ours, "bytes", |answer| answer.list_bytes);
    let exit = Series::new("ms", ours.iter().map(|round| round.exit_milliseconds).collect());
    let limit = u32::try_from(LIST_LIMIT).map_or(f64::NAN, f64::from);
    let mut met = true;
    let lines = [
        ("start to tools/list", &start, START_MS),
        ("resident then", &resident, RESIDENT_MB),
        ("tools/list result", &list, limit),
        ("exit when stdin closes", &exit, EXIT_MS),
    ];
    for (name, series, target) in lines {
        let within = series.median() <= target;
        met &= within;
        println!("    {name:<25}{series}; target {target}: {}", verdict(within));
    }
    let orphans = ours.iter().filter(|round| round.orphans > 0).count();
    met &= orphans == 0;
    println!("    {:<25}{orphans}; target 0: {}", "runs that left a process", verdict(orphans == 0));
    let whole =
        |rounds: &[Round]| Series::new("ms", rounds.iter().map(|round| round.whole_milliseconds).collect());
    let (our_whole, their_whole) = (whole(ours), whole(theirs));
    let ratio = our_whole.median() / their_whole.median();
    println!("    whole process            {our_whole}; `{against}` {their_whole}; ratio {ratio:.2}");
    if theirs.iter().all(|round| round.answer.is_some()) {
        let their_start = of_answers(theirs, "ms", |answer| answer.milliseconds);
        let their_resident = of_answers(theirs, "MB", |answer| answer.resident_mb);
        let ratio = start.median() / their_start.median();
        println!("    `{against}` to tools/list {their_start}, resident {their_resident}; ratio {ratio:.2}");
    }
    met
}

fn of_answers(rounds: &[Round], unit: &'static str, figure: impl Fn(&super::round::Answer) -> f64) -> Series {
    Series::new(unit, rounds.iter().filter_map(|round| round.answer.as_ref()).map(figure).collect())
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}
