//! The configuration file's text taken apart: which accounts, which settings, and at which line. A setting that is not
//! known is refused by name, because a misspelt one would silently loosen or change what the owner meant.

use std::{collections::BTreeMap, ops::Range};

use toml::{
    Spanned, Value,
    de::{DeTable, DeValue},
};

use super::{ConfigFault, EnvVar};
use crate::account::AccountName;

/// The settings of an account that every server knows.
pub(super) const COMMON_SETTINGS: &[&str] = &[
    "address",
    "aliases",
    "allow",
    "attachment_dir",
    "attachment_dirs",
    "capabilities",
    "confirm",
    "display_name",
    "known",
    "max_attachment_mb",
    "max_new_addresses",
    "max_recipients",
    "max_sends",
    "protection",
    "read_only",
    "sends_per_hour",
    "to_known",
    "to_known_exposed",
    "to_new",
    "to_new_exposed",
    "user",
    "without_elicitation",
];

/// Names under which people look for a place for a secret.
const SECRET_NAMES: &[&str] = &["password", "pass", "passwd", "secret", "token"];

/// The settings outside the accounts.
const TOP: &[&str] = &["accounts", "read_only"];

/// What a file is read with.
pub(super) struct Reader<'a> {
    pub(super) binary: &'static str,
    /// The file's name, for messages.
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    /// The provider's variables, which name its settings.
    pub(super) connection: &'static [EnvVar],
}

/// What stands in the file.
pub(super) struct Written {
    pub(super) read_only: bool,
    pub(super) accounts: Vec<WrittenAccount>,
}

/// What stands in the file of one account.
pub(super) struct WrittenAccount {
    pub(super) name: AccountName,
    /// Settings by their dotted names.
    pub(super) settings: BTreeMap<String, Value>,
    pub(super) fault: Option<ConfigFault>,
}

impl Reader<'_> {
    /// Takes the file apart. A fault inside an account stays with the account; one outside concerns the whole file.
    pub(super) fn read(&self) -> Result<Written, ConfigFault> {
        let table = DeTable::parse(self.text).map_err(|error| self.syntax(&error))?;
        let mut written = Written { read_only: false, accounts: Vec::new() };
        for (key, value) in table.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("accounts", DeValue::Table(accounts)) => written.accounts = self.accounts(accounts)?,
                ("accounts", _) => {
                    return Err(self.wrong(&key.span(), "`accounts` must hold tables, as in [accounts.work]"));
                }
                ("read_only", DeValue::Boolean(flag)) => written.read_only = *flag,
                ("read_only", _) => return Err(self.wrong(&key.span(), "`read_only` must be true or false")),
                (other, _) => return Err(self.unknown(&key.span(), other.to_owned(), TOP.join(", "))),
            }
        }
        Ok(written)
    }

    fn accounts(&self, accounts: &DeTable<'_>) -> Result<Vec<WrittenAccount>, ConfigFault> {
        let mut found = Vec::new();
        for (key, value) in accounts {
            let DeValue::Table(table) = value.get_ref() else {
                let problem = "every entry of `accounts` must be a table, as in [accounts.work]";
                return Err(self.wrong(&key.span(), problem));
            };
            let Some(name) = AccountName::parse(key.get_ref()) else {
                let problem =
                    "an account's name is 1 to 64 of the characters A-Z, a-z, 0-9, `-`, `_` and `.`";
                return Err(self.wrong(&key.span(), problem));
            };
            let mut account = WrittenAccount { name, settings: BTreeMap::new(), fault: None };
            account.fault = self.settings(&mut account, "", table).err();
            found.push(account);
        }
        Ok(found)
    }

    /// Collects settings; those in tables within get dotted names. Goes on after a fault, so that policy that is
    /// written further down still counts.
    fn settings(
        &self,
        account: &mut WrittenAccount,
        prefix: &str,
        table: &DeTable<'_>,
    ) -> Result<(), ConfigFault> {
        let mut first = Ok(());
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let taken = if self.is_setting(&name) {
                account.settings.insert(name, plain(value.get_ref()));
                Ok(())
            } else if let (DeValue::Table(inner), true) = (value.get_ref(), self.is_group(&name)) {
                self.settings(account, &format!("{name}."), inner)
            } else {
                Err(self.refused(&account.name, &key.span(), &name))
            };
            first = first.and(taken);
        }
        first
    }

    fn refused(&self, account: &AccountName, place: &Range<usize>, name: &str) -> ConfigFault {
        let setting = format!("accounts.{account}.{name}");
        let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        if SECRET_NAMES.contains(&last.as_str()) {
            return ConfigFault::SecretInFile {
                file: self.file.to_owned(),
                line: self.line(place),
                setting,
                binary: self.binary,
            };
        }
        let mut known: Vec<&str> = self.known().collect();
        known.sort_unstable();
        known.dedup();
        self.unknown(place, setting, known.join(", "))
    }

    fn known(&self) -> impl Iterator<Item = &'static str> {
        COMMON_SETTINGS.iter().copied().chain(self.connection.iter().filter_map(|var| var.setting))
    }

    fn is_setting(&self, name: &str) -> bool {
        self.known().any(|known| known == name)
    }

    fn is_group(&self, name: &str) -> bool {
        self.known().any(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }

    fn syntax(&self, error: &toml::de::Error) -> ConfigFault {
        let place = error.span().unwrap_or(0..0);
        self.wrong(&place, error.message())
    }

    fn wrong(&self, place: &Range<usize>, problem: &str) -> ConfigFault {
        // The parser's longer messages have a second line about what it expected.
        let problem = problem.lines().collect::<Vec<_>>().join("; ");
        ConfigFault::Syntax { file: self.file.to_owned(), line: self.line(place), problem }
    }

    fn unknown(&self, place: &Range<usize>, setting: String, known: String) -> ConfigFault {
        ConfigFault::Unknown { file: self.file.to_owned(), line: self.line(place), setting, known }
    }

    fn line(&self, place: &Range<usize>) -> usize {
        let before = self.text.bytes().take(place.start).filter(|byte| *byte == b'\n').count();
        before.saturating_add(1)
    }
}

/// The value without its places.
fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.clone().into_owned()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map_or_else(|_| Value::Float(f64::NAN), Value::Integer)
        }
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Datetime(time) => Value::Datetime(*time),
        DeValue::Array(items) => Value::Array(items.iter().map(Spanned::get_ref).map(plain).collect()),
        DeValue::Table(inner) => {
            let inner = inner.iter();
            Value::Table(
                inner.map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref()))).collect(),
            )
        }
    }
}
