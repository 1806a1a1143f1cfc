//! One account as it is configured, and the typed readers with which a provider takes its own settings out. Every fault
//! names what the owner wrote: `accounts.work.imap.port`, or the variable where it came from there.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use countersign_send_policy::RulesConfig;
use toml::Value;

use super::ConfigFault;
use crate::{
    account::{AccountName, Profile},
    attachment::outgoing::Allowance,
    protection::Level,
    tools::Grants,
};

/// One configured account.
#[derive(Debug, Clone)]
pub struct AccountConfig {
    /// The name that the owner gave it.
    pub name: AccountName,
    /// Its address.
    pub address: Option<String>,
    /// The name that goes with the address in From.
    pub display_name: Option<String>,
    /// Other addresses that mail of this account is from.
    pub aliases: Vec<String>,
    /// The user name at the provider, where it is not the address.
    pub user: Option<String>,
    /// What it may be used for.
    pub grants: Grants,
    /// The protection level.
    pub level: Level,
    /// Whether the owner wrote one.
    pub level_written: bool,
    /// The rules for sending.
    pub rules: RulesConfig,
    /// Where attachments may be saved.
    pub save_dir: Option<PathBuf>,
    /// What may be attached.
    pub attachable: Allowance,
    /// The provider's own settings, the environment's merged in.
    pub connection: Settings,
    /// Whether the environment gave any of it.
    pub from_environment: bool,
    /// What is wrong with it.
    pub fault: Option<ConfigFault>,
}

impl AccountConfig {
    /// What tools know of the account before it is opened.
    pub fn profile(&self) -> Profile {
        Profile {
            name: self.name.clone(),
            address: self.address.clone(),
            grants: self.grants.clone(),
            level: self.level.clone(),
            level_written: self.level_written,
            save_dir: self.save_dir.clone(),
            attachable: self.attachable.clone(),
        }
    }

    /// The user name that signs in: what is written, else the address.
    ///
    /// # Errors
    /// Neither is configured.
    pub fn sign_in_name(&self) -> Result<&str, ConfigFault> {
        self.user.as_deref().or(self.address.as_deref()).ok_or_else(|| self.connection.missing("address"))
    }

    /// The address.
    ///
    /// # Errors
    /// None is configured.
    pub fn required_address(&self) -> Result<&str, ConfigFault> {
        self.address.as_deref().ok_or_else(|| self.connection.missing("address"))
    }
}

const NO_LIST: &str = "it must be a list of texts, as in [\"one\", \"two\"]";

/// Settings under one account, by their dotted names (`imap.host`).
#[derive(Debug, Clone, Default)]
pub struct Settings {
    place: String,
    values: BTreeMap<String, Value>,
    variables: BTreeMap<String, &'static str>,
    home: Option<PathBuf>,
}

impl Settings {
    /// No settings, of an account.
    pub(super) fn of_account(name: &AccountName, home: Option<&Path>) -> Self {
        Self { place: format!("accounts.{name}"), home: home.map(Path::to_owned), ..Self::default() }
    }

    /// Takes a setting from the file.
    pub(super) fn set(&mut self, key: String, value: Value) {
        self.values.insert(key, value);
    }

    /// Takes a setting from a variable, which wins over the file.
    pub(super) fn set_from(&mut self, key: &str, value: String, variable: &'static str) {
        self.values.insert(key.to_owned(), Value::String(value));
        self.variables.insert(key.to_owned(), variable);
    }

    /// A setting as it stands.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// The settings written, by name.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// A text, without white space around it.
    ///
    /// # Errors
    /// It is no text, or empty, or has control characters in it.
    pub fn text(&self, key: &str) -> Result<Option<&str>, ConfigFault> {
        let Some(value) = self.values.get(key) else { return Ok(None) };
        let Value::String(text) = value else {
            return Err(self.unusable(key, "it must be a text in quotes"));
        };
        self.sound(key, text).map(Some)
    }

    /// A text that has to be there.
    ///
    /// # Errors
    /// It is missing, or not a text.
    pub fn required(&self, key: &str) -> Result<&str, ConfigFault> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    /// A list of texts. From a variable, they are separated by commas.
    ///
    /// # Errors
    /// It is no such list.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<&str>>, ConfigFault> {
        match self.values.get(key) {
            None => Ok(None),
            Some(Value::Array(items)) => {
                let texts = items.iter().map(|item| {
                    let Value::String(text) = item else { return Err(self.unusable(key, NO_LIST)) };
                    self.sound(key, text)
                });
                texts.collect::<Result<_, _>>().map(Some)
            }
            Some(Value::String(text)) if self.variables.contains_key(key) => {
                text.split(',').map(|item| self.sound(key, item)).collect::<Result<_, _>>().map(Some)
            }
            Some(_) => Err(self.unusable(key, NO_LIST)),
        }
    }

    /// A whole number that fits `T`.
    ///
    /// # Errors
    /// It is no such number.
    pub fn number<T: TryFrom<i64>>(&self, key: &str) -> Result<Option<T>, ConfigFault> {
        let number = match self.values.get(key) {
            None => return Ok(None),
            Some(Value::Integer(number)) => Some(*number),
            Some(Value::String(text)) if self.variables.contains_key(key) => text.trim().parse().ok(),
            Some(_) => None,
        };
        let number = number.ok_or_else(|| self.unusable(key, "it must be a whole number"))?;
        T::try_from(number).map(Some).map_err(|_| self.unusable(key, "the number is out of range"))
    }

    /// A port: 1 to 65535.
    ///
    /// # Errors
    /// It is none.
    pub fn port(&self, key: &str) -> Result<Option<u16>, ConfigFault> {
        match self.number(key)? {
            Some(0) => Err(self.unusable(key, "the number is out of range")),
            port => Ok(port),
        }
    }

    /// Yes or no.
    ///
    /// # Errors
    /// It is neither `true` nor `false`.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, ConfigFault> {
        match self.values.get(key) {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if self.variables.contains_key(key) => {
                match text.trim().to_ascii_lowercase().as_str() {
                    "1" | "true" => Ok(Some(true)),
                    "0" | "false" => Ok(Some(false)),
                    _ => Err(self.unusable(key, "it must be true or false")),
                }
            }
            Some(_) => Err(self.unusable(key, "it must be true or false")),
        }
    }

    /// An absolute path; `~/` stands for the home directory. A server's working directory is its host's choice, so a
    /// relative path would mean something else with each client.
    ///
    /// # Errors
    /// It is relative, or `~/` is used and there is no home directory.
    pub fn path(&self, key: &str) -> Result<Option<PathBuf>, ConfigFault> {
        self.text(key)?.map(|text| self.absolute(key, text)).transpose()
    }

    /// A list of such paths.
    ///
    /// # Errors
    /// As [`Self::path`], or it is no list.
    pub fn paths(&self, key: &str) -> Result<Option<Vec<PathBuf>>, ConfigFault> {
        let Some(texts) = self.texts(key)? else { return Ok(None) };
        texts.into_iter().map(|text| self.absolute(key, text)).collect::<Result<_, _>>().map(Some)
    }

    fn absolute(&self, key: &str, text: &str) -> Result<PathBuf, ConfigFault> {
        let path = match (text.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            (Some(_), None) => return Err(self.unusable(key, "there is no home directory for `~/`")),
            (None, _) => PathBuf::from(text),
        };
        if path.is_absolute() {
            Ok(path)
        } else {
            Err(self.unusable(key, "the path must be absolute or begin with `~/`"))
        }
    }

    /// One of some words.
    ///
    /// # Errors
    /// It is none of them; `problem` is to name them.
    pub fn word(
        &self,
        key: &str,
        words: &[&'static str],
        problem: &'static str,
    ) -> Result<Option<&'static str>, ConfigFault> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let found = words.iter().find(|word| **word == text);
        found.map(|word| Some(*word)).ok_or_else(|| self.unusable(key, problem))
    }

    /// The fault that a setting is missing.
    pub fn missing(&self, key: &str) -> ConfigFault {
        ConfigFault::Missing { setting: self.full_name(key) }
    }

    /// The fault that a setting can't be used.
    pub fn unusable(&self, key: &str, problem: &'static str) -> ConfigFault {
        ConfigFault::Unusable { setting: self.full_name(key), problem }
    }

    fn full_name(&self, key: &str) -> String {
        match self.variables.get(key) {
            Some(variable) => (*variable).to_owned(),
            None => format!("{}.{key}", self.place),
        }
    }

    fn sound<'a>(&self, key: &str, text: &'a str) -> Result<&'a str, ConfigFault> {
        let text = text.trim();
        if text.is_empty() {
            Err(self.unusable(key, "it is empty"))
        } else if text.chars().any(char::is_control) {
            Err(self.unusable(key, "it has control characters in it"))
        } else {
            Ok(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let mut settings =
            Settings::of_account(&AccountName::parse("work").unwrap(), Some(Path::new("/home/jan")));
        for (key, value) in [
            ("host", Value::from(" imap.example.com ")),
            ("port", Value::from(993)),
            ("zero", Value::from(0)),
            ("big", Value::from(70_000)),
            ("empty", Value::from(" ")),
            ("split", Value::from("a\r\nb")),
            ("ca", Value::from("~/ca.pem")),
            ("relative", Value::from("ca.pem")),
            ("list", Value::from(vec!["a", " b "])),
        ] {
            settings.set(key.to_owned(), value);
        }
        settings.set_from("smtp.port", "465".to_owned(), "COUNTERSIGN_IMAP_SMTP_PORT");
        settings.set_from("smtp.host", "x\u{0}".to_owned(), "COUNTERSIGN_IMAP_SMTP_HOST");
        settings.set_from("file_sent", "maybe".to_owned(), "COUNTERSIGN_IMAP_FILE_SENT");
        settings
    }

    #[test]
    fn values_are_read_by_type() {
        let settings = settings();
        assert_eq!(settings.text("host"), Ok(Some("imap.example.com")));
        assert_eq!(settings.port("port"), Ok(Some(993)));
        assert_eq!(settings.port("smtp.port"), Ok(Some(465)));
        assert_eq!(settings.path("ca"), Ok(Some(PathBuf::from("/home/jan/ca.pem"))));
        assert_eq!(settings.texts("list"), Ok(Some(vec!["a", "b"])));
        assert_eq!(settings.text("absent"), Ok(None));
        assert_eq!(settings.flag("absent"), Ok(None));
    }

    #[test]
    fn faults_name_what_the_owner_wrote() {
        let settings = settings();
        let fault = |fault: ConfigFault| fault.to_string();
        for (got, expected) in [
            (
                settings.text("port").map(drop),
                "`accounts.work.port` can't be used: it must be a text in quotes.",
            ),
            (
                settings.number::<u16>("host").map(drop),
                "`accounts.work.host` can't be used: it must be a whole number.",
            ),
            (
                settings.port("big").map(drop),
                "`accounts.work.big` can't be used: the number is out of range.",
            ),
            (
                settings.port("zero").map(drop),
                "`accounts.work.zero` can't be used: the number is out of range.",
            ),
            (settings.text("empty").map(drop), "`accounts.work.empty` can't be used: it is empty."),
            (
                settings.text("split").map(drop),
                "`accounts.work.split` can't be used: it has control characters in it.",
            ),
            (
                settings.path("relative").map(drop),
                "`accounts.work.relative` can't be used: the path must be absolute or begin with `~/`.",
            ),
            (settings.required("absent").map(drop), "`accounts.work.absent` is missing."),
            (
                settings.text("smtp.host").map(drop),
                "`COUNTERSIGN_IMAP_SMTP_HOST` can't be used: it has control characters in it.",
            ),
            (
                settings.flag("file_sent").map(drop),
                "`COUNTERSIGN_IMAP_FILE_SENT` can't be used: it must be true or false.",
            ),
        ] {
            assert_eq!(fault(got.unwrap_err()), format!("The setting {expected}"));
        }
    }
}
