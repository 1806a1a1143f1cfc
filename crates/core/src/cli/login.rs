//! `login`: adds an account, or renews the password of one. Nothing is kept before the server has accepted the sign-in.
//!
//! The order at the end is: credential, then configuration. A credential without an account does nothing; an account
//! without a credential would fail on its first call.

use std::{fmt, fs, io, sync::Arc};

use anyhow::{Context as _, bail};
use countersign_send_policy::{Origin, Principal};

use super::{args::LoginArgs, console::Console, runtime, words};
use crate::{
    account::AccountName,
    config::{
        self, AccountConfig, Config, ConfigFault, Credential, CredentialStore, Keychain, KeychainFault,
        Place, Secret, Sources,
    },
    mailbox::{Mailbox, MailboxError},
    provider::Provider,
    tools::BoxFuture,
};

/// What an account is called where nobody says otherwise.
const USUAL_NAME: &str = "default";

/// Signs in and keeps what is needed for it.
pub(super) fn run<P: Provider>(
    console: &mut Console,
    sources: &Sources<'_>,
    asked: &LoginArgs,
    given: Vec<(String, String)>,
    keychain: Arc<dyn Keychain>,
) -> anyhow::Result<()> {
    let text = text_of(sources)?;
    let config = Config::of_text(sources, &text)?;
    if let Some(fault) = config.fault.as_ref().filter(|fault| !matches!(fault, ConfigFault::NoAccount { .. }))
    {
        bail!("{fault}");
    }
    let file = config.paths.config_file.clone();
    let name = choose_name(&config, asked.account.as_deref())?;
    let (account, new_text) = match config.account(name.as_str()) {
        Some(account) if account.from_environment => {
            bail!("The account `{name}` comes from the environment: change it where its variables are set");
        }
        Some(_) if !given.is_empty() => {
            bail!("The account `{name}` is in {} already: change its settings there", file.display());
        }
        Some(account) => {
            console.say(&format!("Renewing the sign-in of `{name}`."))?;
            (account.clone(), None)
        }
        None => {
            let settings = ask::<P>(console, given)?;
            let text = config::with_account(&text, &name, &settings);
            let config = Config::of_text(sources, &text)?;
            if let Some(fault) = config.fault {
                bail!("{fault}");
            }
            let account = config.accounts.into_iter().find(|account| account.name == name);
            (account.context("The new account is not in the configuration")?, Some(text))
        }
    };
    if let Some(fault) = &account.fault {
        bail!("{fault}");
    }
    let origin = P::origin(&account)?;
    let password =
        console.secret(&format!("Password for {}", origin.user)).context("No password was given")?;
    console.say(&format!("Signing in to {} …", origin.host))?;
    let password = Arc::new(password);
    check::<P>(&account, &password)?;
    let store = CredentialStore::of(&config, keychain);
    let stored = store.keep(&origin, &password, !asked.no_keychain).context("Keep the password")?;
    if let Some(text) = new_text {
        config::replace(&file, text.as_bytes(), true).with_context(|| format!("Write {}", file.display()))?;
        console.say(&format!("The account `{name}` is in {}.", file.display()))?;
    }
    say_where(console, &config, stored.place, stored.instead_of_keychain)?;
    if asked.account.is_none() && config.accounts.is_empty() {
        console.say(&format!(
            "\nAdd the server to your client, for example:\n  claude mcp add countersign -- {}",
            P::BINARY
        ))?;
    }
    Ok(())
}

/// The configuration file as it is; nothing where it isn't there yet.
fn text_of(sources: &Sources<'_>) -> anyhow::Result<String> {
    let file = config::Paths::of(sources.provider, sources.environment, sources.config_file)?.config_file;
    match fs::read_to_string(&file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("Read {}", file.display())),
    }
}

fn choose_name(config: &Config, asked: Option<&str>) -> anyhow::Result<AccountName> {
    let mine: Vec<&AccountConfig> =
        config.accounts.iter().filter(|account| !account.from_environment).collect();
    match (asked, mine.as_slice()) {
        (Some(name), _) => AccountName::parse(name)
            .context("An account's name is 1 to 64 of the characters A-Z, a-z, 0-9, `-`, `_` and `.`"),
        (None, []) => AccountName::parse(USUAL_NAME).context("The usual name is no name"),
        (None, [only]) => Ok(only.name.clone()),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|account| account.name.as_str()).collect();
            bail!("Say which account: {}, or a new name", names.join(", "))
        }
    }
}

/// The new account's settings: those given, and the answers for the rest. Without a person the proposals are taken.
fn ask<P: Provider>(
    console: &mut Console,
    mut given: Vec<(String, String)>,
) -> anyhow::Result<Vec<(String, String)>> {
    let find = |given: &[(String, String)], key: &str| {
        given.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
    };
    let mut settings = Vec::new();
    let address = match find(&given, "address") {
        Some(address) => address,
        None if console.interactive => console.ask("Email address", None)?,
        None => bail!("Give the address with --address: there is no terminal to ask on"),
    };
    let domain = address.rsplit_once('@').map(|(_, domain)| domain.to_ascii_lowercase()).unwrap_or_default();
    let user = match find(&given, "user") {
        Some(user) => user,
        None if console.interactive => console.ask("User name", Some(&address))?,
        None => address.clone(),
    };
    if user != address {
        settings.push(("user".to_owned(), user));
    }
    for question in P::QUESTIONS {
        if find(&given, question.setting).is_none() {
            let proposed = (question.propose)(&domain);
            let answer =
                if console.interactive { console.ask(question.label, Some(&proposed))? } else { proposed };
            settings.push((question.setting.to_owned(), answer));
        }
    }
    given.retain(|(name, _)| name != "address" && name != "user");
    settings.insert(0, ("address".to_owned(), address));
    settings.extend(given);
    Ok(settings)
}

/// Signs in once, with the password that was typed.
fn check<P: Provider>(account: &AccountConfig, password: &Arc<Secret>) -> anyhow::Result<()> {
    let mailbox = P::mailbox(account, Arc::new(Typed(Arc::clone(password))))?;
    let runtime = runtime()?;
    let checked = runtime.block_on(mailbox.check());
    runtime.shutdown_background();
    checked.map_err(|error| anyhow::anyhow!("Nothing was kept: {}", words::sign_in(&error)))
}

fn say_where(
    console: &mut Console,
    config: &Config,
    place: Place,
    instead: Option<KeychainFault>,
) -> anyhow::Result<()> {
    let file = config.paths.credentials_file.display();
    if let Some(fault) = instead {
        console.say(&format!("Warning: {fault}."))?;
    }
    match place {
        Place::Keychain => console.say("Signed in. The password is in the keychain.")?,
        Place::File | Place::Environment => console.say(&format!(
            "Signed in. The password is in {file}, which only you can read. Whoever can read your files can read it."
        ))?,
    }
    Ok(())
}

/// The password that was typed, for the one sign-in that checks it.
struct Typed(Arc<Secret>);

impl Credential for Typed {
    /// A sign-in that is being checked has no history, and sends nothing.
    fn principal(&self) -> BoxFuture<'_, Result<Principal, MailboxError>> {
        Box::pin(async { Err(MailboxError::NoCredential) })
    }

    fn secret(&self) -> BoxFuture<'_, Result<Secret, MailboxError>> {
        Box::pin(async { Ok(Secret::new(self.0.expose().to_owned())) })
    }
}

impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed(..)")
    }
}

/// The origin of a configured account, for commands that name one.
pub(super) fn origin_of<P: Provider>(
    config: &Config,
    asked: Option<&str>,
) -> anyhow::Result<(AccountName, Origin)> {
    if let Some(fault) = &config.fault {
        bail!("{fault}");
    }
    let name = choose_name(config, asked)?;
    let Some(account) = config.account(name.as_str()) else {
        let names: Vec<&str> = config.accounts.iter().map(|account| account.name.as_str()).collect();
        bail!("There is no account `{name}`; there is: {}", names.join(", "))
    };
    Ok((name, P::origin(account)?))
}

#[cfg(test)]
mod tests;
