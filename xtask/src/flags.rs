//! Every command and flag of `cargo xtask`, declared once.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The project's own commands
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Run every test; as root on Debian, install the servers and clients they need first
    Test(TestOptions),
    /// Compare docs/surface and the README's tool table with what the built servers print
    CheckSurface(SurfaceOptions),
    /// Check the house rules that neither rustc nor clippy knows
    Tidy,
    /// Everything that CI runs: format, lints, licences, features, tidy, surface, tests
    Ci(CiOptions),
    /// Check licences, sources, bans and advisories with cargo-deny
    Deny(DenyOptions),
    /// Measure
    #[command(subcommand)]
    Bench(Bench),
}

#[derive(Args)]
pub(crate) struct TestOptions {
    /// Install nothing; skip what the machine lacks
    #[arg(long)]
    pub(crate) no_install: bool,
    /// Run only tests whose name contains one of these
    pub(crate) names: Vec<String>,
}

#[derive(Args)]
pub(crate) struct DenyOptions {
    /// Fail where the advisory database can't be fetched, instead of only saying so
    #[arg(long)]
    pub(crate) require_advisories: bool,
}

#[derive(Args)]
pub(crate) struct CiOptions {
    /// Install nothing; skip what the machine lacks
    #[arg(long)]
    pub(crate) no_install: bool,
    /// The revision whose surface must not be broken (default: the last `v*` tag, else HEAD)
    #[arg(long)]
    pub(crate) against: Option<String>,
}

#[derive(Args)]
pub(crate) struct SurfaceOptions {
    /// Rewrite docs/surface and the README's tool table instead of only comparing
    #[arg(long)]
    pub(crate) write: bool,
    /// The revision whose surface must not be broken (default: the last `v*` tag, else HEAD)
    #[arg(long)]
    pub(crate) against: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Start to the first `tools/list` answer: time, memory, size of the list, exit, orphans
    Start(StartOptions),
}

#[derive(Args)]
pub(crate) struct StartOptions {
    /// How often each process is started
    #[arg(long, default_value_t = 100)]
    pub(crate) runs: u32,
    /// The process to compare with, started and awaited whole (program and arguments, split at spaces)
    #[arg(long, default_value = "true")]
    pub(crate) against: String,
    /// The configuration for the plain `serve` (default: none, so no account)
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// Fail when a target is missed
    #[arg(long)]
    pub(crate) check: bool,
}
