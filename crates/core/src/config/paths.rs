//! Where the files are: XDG base directories, on Windows the usual ones. Nothing is created here.

use std::path::{Path, PathBuf};

use super::{
    ConfigFault,
    env::{CONFIG, Environment},
};

const FOLDER: &str = "countersign";

/// The files of one installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The provider's configuration file.
    pub config_file: PathBuf,
    /// Whether the owner named it, so that it has to be there.
    pub config_named: bool,
    /// The sign-ins of the provider's accounts.
    pub credentials_file: PathBuf,
    /// What was sent and claimed. All servers share it, so that they share what belongs to a sign-in.
    pub state_file: PathBuf,
    /// The key that signs confirmations.
    pub key_file: PathBuf,
    /// The home directory, for settings that begin with `~/`.
    pub home: Option<PathBuf>,
}

impl Paths {
    /// The files of a provider (`imap`); `named` is what `--config` says and wins over the variable.
    ///
    /// # Errors
    /// There is neither a home directory nor a directory named in the environment.
    pub fn of(provider: &str, env: &Environment, named: Option<&Path>) -> Result<Self, ConfigFault> {
        let named = named.map(Path::to_owned).or_else(|| env.path(&CONFIG));
        let config_named = named.is_some();
        let config_file = match named {
            Some(file) => file,
            None => {
                env.config_home().ok_or(ConfigFault::NoHome)?.join(FOLDER).join(format!("{provider}.toml"))
            }
        };
        let data = env.data_home().ok_or(ConfigFault::NoHome)?.join(FOLDER);
        let state = env.state_home().ok_or(ConfigFault::NoHome)?.join(FOLDER);
        Ok(Self {
            config_file,
            config_named,
            credentials_file: data.join(format!("{provider}-credentials.json")),
            state_file: state.join("state.sqlite"),
            key_file: state.join("confirm.key"),
            home: env.home(),
        })
    }

    /// Paths that can hold nothing, for a configuration that can't be read: every call then says what is wrong.
    pub(crate) fn nowhere() -> Self {
        let none = PathBuf::new();
        Self {
            config_file: none.clone(),
            config_named: false,
            credentials_file: none.clone(),
            state_file: none.clone(),
            key_file: none,
            home: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_where_xdg_says() {
        let env = Environment::of([("HOME", "/home/jan"), ("XDG_CONFIG_HOME", "/cfg")]);
        let paths = Paths::of("imap", &env, None).unwrap();
        assert_eq!(paths.config_file, Path::new("/cfg/countersign/imap.toml"));
        assert_eq!(
            paths.credentials_file,
            Path::new("/home/jan/.local/share/countersign/imap-credentials.json")
        );
        assert_eq!(paths.state_file, Path::new("/home/jan/.local/state/countersign/state.sqlite"));
        assert_eq!(paths.key_file, Path::new("/home/jan/.local/state/countersign/confirm.key"));
        assert!(!paths.config_named);
    }

    #[test]
    fn the_flag_wins_over_the_variable() {
        let env = Environment::of([("HOME", "/home/jan"), ("COUNTERSIGN_CONFIG", "/a.toml")]);
        assert_eq!(Paths::of("imap", &env, None).unwrap().config_file, Path::new("/a.toml"));
        let named = Paths::of("imap", &env, Some(Path::new("b.toml"))).unwrap();
        assert_eq!((named.config_file.as_path(), named.config_named), (Path::new("b.toml"), true));
    }

    #[test]
    fn without_a_home_there_is_a_fault() {
        assert_eq!(Paths::of("imap", &Environment::default(), None), Err(ConfigFault::NoHome));
    }
}
