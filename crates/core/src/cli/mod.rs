//! The command line, the same for every server: `serve` is what an MCP client starts, the rest is for the owner.
//!
//! Answers go to stdout, what concerns a person beside them to stderr; `serve` writes nothing but MCP to stdout.

mod args;
mod console;
mod demo;
mod log;
mod login;
mod logout;
mod manual;
mod question;
mod scratch;
mod serve;
mod state;
mod status;
mod surface;
mod words;

#[cfg(test)]
mod testing;

use std::{io::Write as _, process::ExitCode, sync::Arc};

use args::{Cli, Command};
use clap::{ArgMatches, FromArgMatches as _};
use console::Console;
pub use question::Question;

use crate::{
    attachment::pdf,
    config::{Config, CredentialStore, Environment, Sources, SystemKeychain},
    provider::Provider,
};

/// The whole program of a server: reads the arguments, does what they say. Returned from `main`, so that what is under
/// way is awaited.
pub fn run<P: Provider>() -> ExitCode {
    // This program started by itself to read one PDF: nothing else of it may run.
    if std::env::args_os().nth(1).is_some_and(|first| first == pdf::CHILD_ARGUMENT) {
        return if pdf::run_child().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let matches = match args::command::<P>().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Where even that can't be written there is nobody to tell.
            return if error.print().is_ok() { ExitCode::from(code) } else { ExitCode::FAILURE };
        }
    };
    let environment = Environment::read(P::CONNECTION);
    match dispatch::<P>(&matches, &environment) {
        Ok(code) => code,
        Err(error) => {
            // The same: a closed stderr is no reason to do anything else.
            writeln!(std::io::stderr(), "{}: {error:#}", P::BINARY).ok();
            ExitCode::FAILURE
        }
    }
}

fn dispatch<P: Provider>(matches: &ArgMatches, environment: &Environment) -> anyhow::Result<ExitCode> {
    let cli = Cli::from_arg_matches(matches)?;
    let mut sources = Sources {
        binary: P::BINARY,
        provider: P::NAME,
        connection: P::CONNECTION,
        environment,
        config_file: cli.config.as_deref(),
        read_only: false,
    };
    let mut console = Console::of_process(environment);
    match cli.command.unwrap_or_default() {
        Command::Serve(serve) => {
            sources.read_only = serve.read_only;
            log::start(environment, false);
            serve::run::<P>(&sources, serve.demo)?;
        }
        Command::Login(login) => {
            log::start(environment, true);
            let given = args::settings::<P>(matches);
            login::run::<P>(&mut console, &sources, &login, given, Arc::new(SystemKeychain))?;
        }
        Command::Logout(logout) => {
            log::start(environment, true);
            logout::run::<P>(&mut console, &sources, &logout, Arc::new(SystemKeychain))?;
        }
        Command::Status(status) => {
            log::start(environment, true);
            return status::run::<P>(&mut console, &sources, &status, Arc::new(SystemKeychain));
        }
        Command::State(state) => {
            log::start(environment, true);
            return state::run::<P>(&mut console, &sources, &state, Arc::new(SystemKeychain));
        }
        Command::Demo => demo::run::<P>(&mut console)?,
        Command::Surface(_) => surface::print::<P>(&mut console)?,
        Command::Completions { shell } => manual::completions::<P>(&mut console, shell)?,
        Command::Man { dir } => manual::pages::<P>(&mut console, dir.as_deref())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The configuration and the credentials that go with it.
fn load(sources: &Sources<'_>, keychain: Arc<dyn crate::config::Keychain>) -> (Config, Arc<CredentialStore>) {
    let config = Config::load(sources);
    let credentials = Arc::new(CredentialStore::of(&config, keychain));
    (config, credentials)
}

/// A runtime for one command.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
