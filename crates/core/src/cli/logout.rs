//! `logout`: removes an account's credential from wherever it is kept. The account's table stays in the configuration,
//! and what was recorded of its sends stays, so that a draft is not sent again after a new sign-in.

use std::sync::Arc;

use super::{args::LogoutArgs, console::Console, load, login::origin_of};
use crate::{
    config::{Keychain, Place, Sources},
    provider::Provider,
};

/// Removes a credential.
pub(super) fn run<P: Provider>(
    console: &mut Console,
    sources: &Sources<'_>,
    asked: &LogoutArgs,
    keychain: Arc<dyn Keychain>,
) -> anyhow::Result<()> {
    let (config, credentials) = load(sources, keychain);
    let (name, origin) = origin_of::<P>(&config, asked.account.as_deref())?;
    let said = match credentials.remove(&origin)? {
        Some(Place::Keychain) => format!("The password of `{name}` is gone from the keychain."),
        Some(Place::File | Place::Environment) => {
            format!("The password of `{name}` is gone from {}.", config.paths.credentials_file.display())
        }
        None => format!("No password of `{name}` was kept."),
    };
    console.say(&said)?;
    if config.password.is_some()
        && config.account(name.as_str()).is_some_and(|account| account.from_environment)
    {
        console.say("The environment holds one, which this command can't remove.")?;
    }
    Ok(())
}
