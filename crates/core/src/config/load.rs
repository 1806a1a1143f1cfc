//! The configuration put together: the file, the environment's connection settings, the switches. Nothing here opens a
//! network connection, a keychain or a lock, and nothing stops the start.

use std::{fs, io, path::Path, sync::Arc};

use countersign_send_policy::{Profile, RulesConfig, WithoutElicitation};

use super::{
    AccountConfig, ConfigFault, EnvVar, Environment, Paths, Secret,
    account::Settings,
    file::{COMMON_SETTINGS, Reader, Written, WrittenAccount},
    policy,
    switches::Switches,
};
use crate::{account::AccountName, attachment::outgoing::Allowance, protection::Level, tools::Grants};

/// The account that the environment configures.
const ENVIRONMENT_ACCOUNT: &str = "default";

/// The settings that say whose account it is; like connection settings they may come from the environment.
const IDENTITY: &[&str] = &["address", "aliases", "display_name", "user"];

/// Where a configuration comes from.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The server's binary, `countersign-imap`.
    pub binary: &'static str,
    /// The provider's word, `imap`.
    pub provider: &'static str,
    /// The provider's variables.
    pub connection: &'static [EnvVar],
    /// The environment.
    pub environment: &'a Environment,
    /// What `--config` says.
    pub config_file: Option<&'a Path>,
    /// Whether `--read-only` was given.
    pub read_only: bool,
}

/// A configuration, usable or with what is wrong with it.
pub struct Config {
    /// Every account, whether it can be used or not.
    pub accounts: Vec<AccountConfig>,
    /// Where the files are.
    pub paths: Paths,
    /// Where sends are recorded.
    pub state_file: std::path::PathBuf,
    /// The key that signs confirmations.
    pub key_file: std::path::PathBuf,
    /// Whether confirmation prompts may be shown.
    pub elicitation: bool,
    /// The password from the environment, for the account that the environment configures.
    pub password: Option<Arc<Secret>>,
    /// What should be said in the log.
    pub warnings: Vec<String>,
    /// What is wrong with the configuration as a whole.
    pub fault: Option<ConfigFault>,
}

impl Config {
    /// Reads the configuration.
    pub fn load(sources: &Sources<'_>) -> Self {
        let (paths, no_home) = match Paths::of(sources.provider, sources.environment, sources.config_file) {
            Ok(paths) => (paths, None),
            Err(fault) => (Paths::nowhere(), Some(fault)),
        };
        let text = match no_home {
            Some(fault) => Err(fault),
            None => read_file(&paths),
        };
        Self::assemble(sources, paths, text)
    }

    /// The same, with a text in place of the file: what `login` would write is read before it is written.
    pub(crate) fn of_text(sources: &Sources<'_>, text: &str) -> Result<Self, ConfigFault> {
        let paths = Paths::of(sources.provider, sources.environment, sources.config_file)?;
        Ok(Self::assemble(sources, paths, Ok(Some(text.to_owned()))))
    }

    /// The account with this name.
    pub fn account(&self, name: &str) -> Option<&AccountConfig> {
        self.accounts.iter().find(|account| account.name.as_str() == name)
    }

    fn assemble(sources: &Sources<'_>, paths: Paths, text: Result<Option<String>, ConfigFault>) -> Self {
        let file = paths.config_file.display().to_string();
        let written = text.and_then(|text| {
            let nothing = Written { read_only: false, accounts: Vec::new() };
            let (binary, connection) = (sources.binary, sources.connection);
            text.map_or(Ok(nothing), |text| Reader { binary, file: &file, text: &text, connection }.read())
        });
        let (written, mut fault) = match written {
            Ok(written) => (written, None),
            Err(fault) => (Written { read_only: false, accounts: Vec::new() }, Some(fault)),
        };
        let mut switches = Switches::read(sources.environment);
        if written.read_only || sources.read_only {
            switches.ceiling = switches.ceiling.narrowed_to(&policy::read_only());
        }
        let given = Given::read(sources);
        if given.password.is_some() && given.settings.is_empty() && !has_default(&written) {
            switches.warnings.push(format!(
                "A password is in the environment, and there is no account named `{ENVIRONMENT_ACCOUNT}` that it could \
                 be for."
            ));
        }
        let mut accounts = written.accounts;
        // Without a readable file nothing of the owner's policy is known, so nothing is added to it.
        if fault.is_none() {
            given.add_to(&mut accounts);
        }
        let accounts: Vec<AccountConfig> = accounts
            .into_iter()
            .map(|account| configured(sources.provider, account, &given, &paths, &switches))
            .collect();
        fault = fault.or(switches.fault);
        if accounts.is_empty() {
            fault = fault.or(Some(ConfigFault::NoAccount { binary: sources.binary, file }));
        }
        Self {
            accounts,
            state_file: paths.state_file.clone(),
            key_file: paths.key_file.clone(),
            paths,
            elicitation: switches.elicitation,
            password: given.password,
            warnings: switches.warnings,
            fault,
        }
    }
}

/// The file's text; nothing where there is no file and nobody named one.
fn read_file(paths: &Paths) -> Result<Option<String>, ConfigFault> {
    match fs::read_to_string(&paths.config_file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !paths.config_named => Ok(None),
        Err(error) => Err(ConfigFault::Unreadable {
            file: paths.config_file.display().to_string(),
            problem: error.kind(),
        }),
    }
}

fn is_default(account: &WrittenAccount) -> bool {
    account.name.as_str() == ENVIRONMENT_ACCOUNT
}

fn has_default(written: &Written) -> bool {
    written.accounts.iter().any(is_default)
}

/// What the environment gives.
struct Given {
    /// Setting, value and variable.
    settings: Vec<(&'static str, String, &'static str)>,
    password: Option<Arc<Secret>>,
}

impl Given {
    fn read(sources: &Sources<'_>) -> Self {
        let mut given = Self { settings: Vec::new(), password: None };
        for var in sources.connection {
            match (sources.environment.text(var), var.setting) {
                (Some(value), Some(setting)) => given.settings.push((setting, value, var.name)),
                (Some(value), None) if var.secret => given.password = Some(Arc::new(Secret::new(value))),
                _ => {}
            }
        }
        given
    }

    /// Adds the environment's account where the file has none of that name.
    fn add_to(&self, accounts: &mut Vec<WrittenAccount>) {
        if self.settings.is_empty() || accounts.iter().any(is_default) {
            return;
        }
        if let Some(name) = AccountName::parse(ENVIRONMENT_ACCOUNT) {
            accounts.push(WrittenAccount { name, settings: std::collections::BTreeMap::new(), fault: None });
        }
    }
}

fn configured(
    provider: &str,
    written: WrittenAccount,
    given: &Given,
    paths: &Paths,
    switches: &Switches,
) -> AccountConfig {
    let home = paths.home.as_deref();
    // Policy is read from what the file says alone; the other settings may be the environment's.
    let mut of_file = Settings::of_account(&written.name, home);
    let mut connection = Settings::of_account(&written.name, home);
    let own = is_default(&written);
    for (key, value) in written.settings {
        if COMMON_SETTINGS.contains(&key.as_str()) && !IDENTITY.contains(&key.as_str()) {
            of_file.set(key, value);
        } else {
            connection.set(key, value);
        }
    }
    if own {
        for (setting, value, variable) in &given.settings {
            connection.set_from(setting, value.clone(), variable);
        }
    }
    let mut account = AccountConfig {
        name: written.name,
        address: None,
        display_name: None,
        aliases: Vec::new(),
        user: None,
        grants: Grants::of(Vec::new()),
        level: Level::Strict,
        level_written: true,
        rules: RulesConfig::of(Profile::of_provider(provider)),
        save_dir: None,
        attachable: Allowance::default(),
        connection,
        from_environment: own && (!given.settings.is_empty() || given.password.is_some()),
        fault: None,
    };
    let policy = policy::apply(&mut account, &of_file);
    let identity = identity(&mut account);
    account.grants = account.grants.narrowed_to(&switches.ceiling);
    if !switches.token_rail {
        account.rules.without_elicitation = WithoutElicitation::Refuse;
    }
    account.fault = written.fault.or(policy.and(identity).err());
    account
}

fn identity(account: &mut AccountConfig) -> Result<(), ConfigFault> {
    let settings = &account.connection;
    let address = |key: &str, text: &str| match text.split_once('@') {
        Some((local, domain))
            if !local.is_empty() && !domain.is_empty() && !text.contains(char::is_whitespace) =>
        {
            Ok(text.to_owned())
        }
        _ => Err(settings.unusable(key, "it must be a bare address, as in jan@example.com")),
    };
    let aliases = settings.texts("aliases")?.unwrap_or_default();
    account.aliases = aliases.into_iter().map(|alias| address("aliases", alias)).collect::<Result<_, _>>()?;
    account.address = settings.text("address")?.map(|text| address("address", text)).transpose()?;
    account.display_name = settings.text("display_name")?.map(str::to_owned);
    account.user = settings.text("user")?.map(str::to_owned);
    Ok(())
}

#[cfg(test)]
mod tests;
