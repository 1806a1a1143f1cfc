//! Every environment variable, once: what it is for, whether it is a secret, which setting it stands for. This is the
//! only file that reads the environment, and it reads it once, into a snapshot that everything else is given; so a test
//! never has to set a variable of its process.
//!
//! Connection settings may come from here, because some hosts can pass nothing but variables. Policy may only be
//! narrowed (decisions.md §3): there is no variable that allows something the file does not.

use std::{collections::BTreeMap, ffi::OsString, fmt, path::PathBuf};

/// One variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvVar {
    /// Its name.
    pub name: &'static str,
    /// Whether its value is a secret.
    pub secret: bool,
    /// What it is for, for people.
    pub description: &'static str,
    /// The account's setting that it stands for, as it is written under `[accounts.<name>]`; none where it has no
    /// counterpart in the file.
    pub setting: Option<&'static str>,
}

impl EnvVar {
    /// A variable of a provider that stands for a connection setting.
    pub const fn connection(name: &'static str, setting: &'static str, description: &'static str) -> Self {
        Self { name, secret: false, description, setting: Some(setting) }
    }

    /// A provider's variable for the password: the one that is never a setting.
    pub const fn password(name: &'static str, description: &'static str) -> Self {
        Self { name, secret: true, description, setting: None }
    }

    const fn plain(name: &'static str, description: &'static str) -> Self {
        Self { name, secret: false, description, setting: None }
    }
}

pub(crate) const CONFIG: EnvVar =
    EnvVar::plain("COUNTERSIGN_CONFIG", "The configuration file, as `--config` gives it.");
pub(crate) const LOG: EnvVar = EnvVar::plain(
    "COUNTERSIGN_LOG",
    "What is logged to stderr: `error`, `warn` (the default), `info`, `debug`, or a tracing filter. Mail and secrets \
     are never logged.",
);
pub(crate) const READ_ONLY: EnvVar = EnvVar::plain(
    "COUNTERSIGN_READ_ONLY",
    "`1` leaves every account only the capability `read`, as `--read-only` does. It can't widen anything.",
);
pub(crate) const CAPABILITIES: EnvVar = EnvVar::plain(
    "COUNTERSIGN_CAPABILITIES",
    "The capabilities that every account keeps at most, separated by commas: `read`, `draft`, `modify`, `trash`, \
     `send`. What an account's file does not grant stays refused.",
);
pub(crate) const CONFIRM_ELICITATION: EnvVar = EnvVar::plain(
    "MCP_CONFIRM_ELICITATION",
    "`off` never shows a confirmation prompt, for a client that announces prompts and then hangs; sends are then \
     refused. Any other value leaves prompts on.",
);
pub(crate) const CONFIRM_MODE: EnvVar = EnvVar::plain(
    "MCP_CONFIRM_MODE",
    "What happens where a client can't prompt: `refuse`, `ask-user` or `auto`. Sends are refused there whatever it \
     says, and in this version nothing else asks.",
);
pub(crate) const NO_COLOR: EnvVar = EnvVar::plain("NO_COLOR", "Any value keeps colours out of the terminal.");
pub(crate) const COLUMNS: EnvVar =
    EnvVar::plain("COLUMNS", "How many columns `demo` may fill; 80 where nothing is set.");
const HOME: EnvVar = EnvVar::plain("HOME", "Where the directories below are by default.");
const CONFIG_HOME: EnvVar = EnvVar::plain(
    "XDG_CONFIG_HOME",
    "Configuration directory, `~/.config` by default (XDG base directories).",
);
const DATA_HOME: EnvVar = EnvVar::plain(
    "XDG_DATA_HOME",
    "Data directory, `~/.local/share` by default: the list of sign-ins, with the passwords that no keychain holds.",
);
const STATE_HOME: EnvVar = EnvVar::plain(
    "XDG_STATE_HOME",
    "State directory, `~/.local/state` by default: what was sent, and the key that signs confirmations.",
);
const APP_DATA: EnvVar = EnvVar::plain("APPDATA", "On Windows, the configuration directory.");
const LOCAL_APP_DATA: EnvVar = EnvVar::plain("LOCALAPPDATA", "On Windows, the data and state directory.");

/// The variables that every server reads, besides those of its provider.
pub const COMMON: &[EnvVar] = &[
    CONFIG,
    LOG,
    READ_ONLY,
    CAPABILITIES,
    CONFIRM_ELICITATION,
    CONFIRM_MODE,
    NO_COLOR,
    COLUMNS,
    HOME,
    CONFIG_HOME,
    DATA_HOME,
    STATE_HOME,
    APP_DATA,
    LOCAL_APP_DATA,
];

/// A snapshot of the variables that mean something here. Empty ones count as absent: hosts pass an empty value for a
/// field that their user left out.
#[derive(Clone, Default)]
pub struct Environment {
    values: BTreeMap<String, OsString>,
    passwd_home: Option<PathBuf>,
}

impl Environment {
    /// Reads the process's environment: [`COMMON`] and the provider's variables, nothing else.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place, and the tables above document each variable"
    )]
    pub fn read(connection: &[EnvVar]) -> Self {
        let known = COMMON.iter().chain(connection);
        let read = known.filter_map(|var| std::env::var_os(var.name).map(|value| (var.name, value)));
        Self { passwd_home: std::env::home_dir(), ..Self::of(read) }
    }

    /// An environment made up of these variables.
    pub fn of<N: Into<String>, V: Into<OsString>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let values = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { values: values.filter(|(_, value)| !value.is_empty()).collect(), passwd_home: None }
    }

    /// A variable as text. What is not Unicode is replaced, and then fits nothing.
    pub(crate) fn text(&self, var: &EnvVar) -> Option<String> {
        self.values.get(var.name).map(|value| value.to_string_lossy().into_owned())
    }

    /// A variable as a path.
    pub(crate) fn path(&self, var: &EnvVar) -> Option<PathBuf> {
        self.values.get(var.name).map(PathBuf::from)
    }

    /// The home directory.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.directory(&HOME).or_else(|| self.passwd_home.clone().filter(|home| home.is_absolute()))
    }

    /// Where configuration goes.
    pub(crate) fn config_home(&self) -> Option<PathBuf> {
        self.base(&CONFIG_HOME, &[".config"], &APP_DATA)
    }

    /// Where data goes that should last.
    pub(crate) fn data_home(&self) -> Option<PathBuf> {
        self.base(&DATA_HOME, &[".local", "share"], &LOCAL_APP_DATA)
    }

    /// Where state goes.
    pub(crate) fn state_home(&self) -> Option<PathBuf> {
        self.base(&STATE_HOME, &[".local", "state"], &LOCAL_APP_DATA)
    }

    fn base(&self, xdg: &EnvVar, below_home: &[&str], windows: &EnvVar) -> Option<PathBuf> {
        let native = || if cfg!(windows) { self.directory(windows) } else { None };
        let usual = || Some(below_home.iter().fold(self.home()?, |path, part| path.join(part)));
        self.directory(xdg).or_else(native).or_else(usual)
    }

    /// The base directory specification ignores paths that are not absolute.
    fn directory(&self, var: &EnvVar) -> Option<PathBuf> {
        self.path(var).filter(|path| path.is_absolute())
    }
}

impl fmt::Debug for Environment {
    /// Names only: values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    #[test]
    fn every_variable_is_named_once_and_described() {
        let names: BTreeSet<&str> = COMMON.iter().map(|var| var.name).collect();
        assert_eq!(names.len(), COMMON.len());
        assert!(COMMON.iter().all(|var| var.description.ends_with('.') && !var.secret));
    }

    #[test]
    fn empty_values_are_absent_and_relative_directories_are_ignored() {
        let env =
            Environment::of([("COUNTERSIGN_CONFIG", ""), ("HOME", "/home/jan"), ("XDG_STATE_HOME", "state")]);
        assert_eq!(env.path(&CONFIG), None);
        assert_eq!(env.state_home().as_deref(), Some(Path::new("/home/jan/.local/state")));
        assert_eq!(Environment::default().config_home(), None);
    }

    #[test]
    fn values_do_not_show() {
        let env = Environment::of([("COUNTERSIGN_IMAP_PASSWORD", "hunter2")]);
        assert_eq!(format!("{env:?}"), "{\"COUNTERSIGN_IMAP_PASSWORD\"}");
    }
}
