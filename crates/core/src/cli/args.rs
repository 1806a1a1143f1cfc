//! What can be typed. The settings of a provider become flags of `login`, out of the same table that makes them variables.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::provider::Provider;

/// An MCP server that gives an AI assistant a mailbox without giving it the keys.
#[derive(Debug, Parser)]
#[command(
    disable_help_subcommand = true,
    after_help = "Without a command the server starts, as with `serve`. `demo` shows what it does, on a sample mailbox."
)]
pub(super) struct Cli {
    /// The configuration file.
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// What to do.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve MCP on stdin and stdout (what a client starts; the default).
    Serve(ServeArgs),
    /// Add an account, or renew the password of one that is there.
    ///
    /// Asks for what is not given, checks the sign-in with the server and only then keeps anything. The password is
    /// asked for without an echo, or read from stdin where that is not a terminal.
    Login(LoginArgs),
    /// Remove an account's password from the keychain or the file. Its table in the configuration stays.
    Logout(LogoutArgs),
    /// Show accounts, what they may do and where everything is.
    Status(StatusArgs),
    /// Show what is recorded of sends: claims, what the limits leave, exposure, known addresses. No mail text.
    State(StateArgs),
    /// Walk through reading, drafting, confirming and sending, on a sample mailbox in memory.
    Demo,
    /// Print everything that the server shows: tools, flags and variables.
    Surface(SurfaceArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the man page.
    Man {
        /// Write a page for each command into this directory instead.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

impl Default for Command {
    fn default() -> Self {
        Self::Serve(ServeArgs::default())
    }
}

#[derive(Debug, Default, Args)]
pub(super) struct ServeArgs {
    /// Serve the sample mailbox: no account, no network, nothing kept.
    #[arg(long)]
    pub(super) demo: bool,
    /// Leave every account only the capability to read.
    #[arg(long)]
    pub(super) read_only: bool,
}

#[derive(Debug, Default, Args)]
pub(super) struct LoginArgs {
    /// The account's name, of your choice.
    #[arg(value_name = "ACCOUNT")]
    pub(super) account: Option<String>,
    /// Keep the password in a file that only you can read, not in the keychain.
    #[arg(long)]
    pub(super) no_keychain: bool,
}

#[derive(Debug, Default, Args)]
pub(super) struct LogoutArgs {
    /// The account; may be left out where there is one.
    #[arg(value_name = "ACCOUNT")]
    pub(super) account: Option<String>,
}

#[derive(Debug, Default, Args)]
pub(super) struct StatusArgs {
    /// As JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Sign in to each account and say how that went.
    #[arg(long)]
    pub(super) check: bool,
}

#[derive(Debug, Default, Args)]
pub(super) struct StateArgs {
    /// The account; all of them without it.
    #[arg(value_name = "ACCOUNT")]
    pub(super) account: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct SurfaceArgs {
    /// As JSON, which is the only form there is.
    #[arg(long, required = true)]
    pub(super) json: bool,
}

/// The command line of a server.
pub(super) fn command<P: Provider>() -> clap::Command {
    let root = Cli::command().name(P::BINARY).bin_name(P::BINARY).version(P::VERSION);
    root.mut_subcommand("login", |login| {
        let settings = P::CONNECTION.iter().filter_map(|var| Some((var.setting?, var.description)));
        settings.fold(login, |login, (setting, description)| {
            login.arg(Arg::new(setting).long(flag(setting)).value_name("VALUE").help(description))
        })
    })
}

/// A setting's flag: `imap.host` is `--imap-host`.
fn flag(setting: &str) -> String {
    setting.replace(['.', '_'], "-")
}

/// The settings given to `login`, in the order of the provider's table.
pub(super) fn settings<P: Provider>(matches: &ArgMatches) -> Vec<(String, String)> {
    let Some(login) = matches.subcommand_matches("login") else { return Vec::new() };
    let settings = P::CONNECTION.iter().filter_map(|var| var.setting);
    settings
        .filter_map(|setting| Some((setting.to_owned(), login.get_one::<String>(setting)?.trim().to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;
    use crate::cli::testing::Fake;

    fn parse(line: &str) -> Result<(Cli, Vec<(String, String)>), clap::Error> {
        let matches = command::<Fake>().try_get_matches_from(line.split_whitespace())?;
        Ok((Cli::from_arg_matches(&matches)?, settings::<Fake>(&matches)))
    }

    #[test]
    fn the_command_line_is_sound() {
        command::<Fake>().debug_assert();
    }

    #[test]
    fn serving_is_the_default() {
        for (line, demo, read_only) in
            [("x", false, false), ("x serve", false, false), ("x serve --demo --read-only", true, true)]
        {
            let (cli, _) = parse(line).unwrap();
            let Command::Serve(serve) = cli.command.unwrap_or_default() else { panic!("{line}") };
            assert_eq!((serve.demo, serve.read_only), (demo, read_only), "{line}");
        }
    }

    #[test]
    fn the_configuration_file_may_be_named_before_and_after_the_command() {
        for line in ["x --config a.toml status", "x status --config a.toml", "x --config a.toml"] {
            assert_eq!(parse(line).unwrap().0.config, Some("a.toml".into()), "{line}");
        }
    }

    #[test]
    fn settings_are_flags_of_login() {
        let (_, settings) =
            parse("x login work --imap-host imap.example.com --address jan@example.com").unwrap();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(settings, [pair("address", "jan@example.com"), pair("imap.host", "imap.example.com")]);
        assert!(parse("x serve --imap-host y").is_err());
        assert!(
            parse("x login --password hunter2").is_err(),
            "a password would show in the list of processes"
        );
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for line in ["x serve --confirm never", "x surface", "x frobnicate", "x completions tcsh"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
