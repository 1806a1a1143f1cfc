//! What a server binary brings: its backend and its table. Everything else (configuration, sign-in, serving, the command
//! line) is core's.

use std::sync::Arc;

use countersign_send_policy::Origin;

use crate::{
    cli::Question,
    config::{AccountConfig, ConfigFault, Credential, EnvVar},
    mailbox::Mailbox,
    protection::Raw,
    tools::ToolDef,
};

/// A provider of mailboxes.
pub trait Provider: Send + Sync + 'static {
    /// The backend.
    type Mailbox: Mailbox<Stage = Raw>;

    /// The binary's name, `countersign-imap`.
    const BINARY: &'static str;

    /// The provider's word in origins and configuration, `imap`.
    const NAME: &'static str;

    /// The binary's version.
    const VERSION: &'static str;

    /// The environment variables with which a host can give one account's connection settings.
    const CONNECTION: &'static [EnvVar];

    /// The connection settings that `login` asks for.
    const QUESTIONS: &'static [Question];

    /// The tool table, over this provider's backend or over the in-memory one (the demo).
    fn table<M: Mailbox<Stage = Raw>>() -> &'static [ToolDef<M>];

    /// Which account this is: provider, host and user, from the configuration alone.
    ///
    /// # Errors
    /// The setting that is missing or can't be used.
    fn origin(account: &AccountConfig) -> Result<Origin, ConfigFault>;

    /// The backend for an account. Opens nothing: the network and the credential are used on the first call.
    ///
    /// # Errors
    /// The setting that is missing or can't be used.
    fn mailbox(
        account: &AccountConfig,
        credential: Arc<dyn Credential>,
    ) -> Result<Self::Mailbox, ConfigFault>;
}
