//! What is wrong with a configuration. The messages go to a model as well as to the owner, so they name files and settings
//! and never hold a secret or a value.

/// A configuration that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigFault {
    /// There is no configuration at all.
    #[error("No account is configured: run `{binary} login`, or write {file}.")]
    NoAccount {
        /// The server's binary.
        binary: &'static str,
        /// Where the configuration would be.
        file: String,
    },
    /// There is no place for files.
    #[error("There is no home directory: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME.")]
    NoHome,
    /// The file can't be read.
    #[error("The configuration file {file} can't be read ({problem}).")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system said, as a kind.
        problem: std::io::ErrorKind,
    },
    /// The file is not what it should be.
    #[error("The configuration file {file} has an error at line {line}: {problem}.")]
    Syntax {
        /// The file.
        file: String,
        /// Where, from 1.
        line: usize,
        /// What, in the parser's words about keys (never about values of secrets).
        problem: String,
    },
    /// A setting that doesn't exist.
    #[error("`{setting}` at line {line} of {file} is not a setting. Those of this place are: {known}.")]
    Unknown {
        /// The file.
        file: String,
        /// Where, from 1.
        line: usize,
        /// Its name, with the account's.
        setting: String,
        /// The settings that exist there.
        known: String,
    },
    /// A password in the file.
    #[error(
        "`{setting}` at line {line} of {file} is a secret, and secrets are not kept in this file: remove it and run \
         `{binary} login`."
    )]
    SecretInFile {
        /// The file.
        file: String,
        /// Where, from 1.
        line: usize,
        /// Its name, with the account's.
        setting: String,
        /// The server's binary.
        binary: &'static str,
    },
    /// A setting is missing.
    #[error("The setting `{setting}` is missing.")]
    Missing {
        /// Its name, with the account's.
        setting: String,
    },
    /// A setting can't be used.
    #[error("The setting `{setting}` can't be used: {problem}.")]
    Unusable {
        /// Its name, with the account's, or the variable's.
        setting: String,
        /// Why, in our words.
        problem: &'static str,
    },
}
