//! The project's own commands: `cargo xtask <command>`.
//!
//! This crate depends on none of the others. It runs cargo and the built servers and reads what they print, so it can
//! judge them from outside, and it stays quick to build. One file or folder a command; `flags.rs` lists them all.
//! Avoid adding dependencies here.
#![expect(
    clippy::print_stdout,
    reason = "these commands talk to a person or a CI log; none of them speaks MCP on stdout"
)]

mod bench;
mod check_surface;
mod ci;
mod command;
mod deny;
mod flags;
mod services;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::Parser as _;
use flags::{Bench, Cli, Task};

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Test(options) => test::command(&options),
        Task::CheckSurface(options) => check_surface::command(&options),
        Task::Tidy => tidy::command(),
        Task::Ci(options) => ci::command(&options),
        Task::Deny(options) => deny::command(&options),
        Task::Bench(Bench::Start(options)) => bench::start::command(&options),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
