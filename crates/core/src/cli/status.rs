//! `status`: accounts, what they may do, and where everything is. Without `--check` it opens neither the network nor the
//! keychain.

use std::{process::ExitCode, sync::Arc};

use countersign_send_policy::Origin;
use serde::Serialize;

use super::{args::StatusArgs, console::Console, load, runtime, words};
use crate::{
    config::{AccountConfig, Config, CredentialStore, Keychain, Place, Sources},
    mailbox::Mailbox,
    protection::Level,
    provider::Provider,
};

/// Everything that is said, in the order in which it is said.
#[derive(Serialize)]
struct Report {
    server: &'static str,
    version: &'static str,
    config_file: String,
    credentials_file: String,
    state_file: String,
    prompts: bool,
    fault: Option<String>,
    warnings: Vec<String>,
    accounts: Vec<Account>,
}

#[derive(Serialize)]
struct Account {
    name: String,
    address: Option<String>,
    origin: Option<SignIn>,
    capabilities: Vec<&'static str>,
    protection: Protection,
    credential: Option<&'static str>,
    fault: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
}

/// Which account at the provider it is: provider, host and user.
#[derive(Serialize)]
struct SignIn {
    provider: String,
    host: String,
    user: String,
}

#[derive(Serialize)]
struct Protection {
    level: &'static str,
    written: bool,
    available: bool,
}

#[derive(Serialize)]
struct Check {
    signed_in: bool,
    problem: Option<String>,
}

/// Says how things stand; a failure where something can't be used.
pub(super) fn run<P: Provider>(
    console: &mut Console,
    sources: &Sources<'_>,
    asked: &StatusArgs,
    keychain: Arc<dyn Keychain>,
) -> anyhow::Result<ExitCode> {
    let (config, credentials) = load(sources, keychain);
    let mut report = report::<P>(&config, &credentials);
    if asked.check {
        for (account, said) in config.accounts.iter().zip(&mut report.accounts) {
            if said.fault.is_none() {
                said.check = Some(check::<P>(account, &credentials)?);
            }
        }
    }
    if asked.json {
        console.say(&serde_json::to_string_pretty(&report)?)?;
    } else {
        for line in lines(&report) {
            console.say(&line)?;
        }
    }
    Ok(if is_well(&report) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report<P: Provider>(config: &Config, credentials: &Arc<CredentialStore>) -> Report {
    Report {
        server: P::BINARY,
        version: P::VERSION,
        config_file: config.paths.config_file.display().to_string(),
        credentials_file: config.paths.credentials_file.display().to_string(),
        state_file: config.state_file.display().to_string(),
        prompts: config.elicitation,
        fault: config.fault.as_ref().map(ToString::to_string),
        warnings: config.warnings.clone(),
        accounts: config.accounts.iter().map(|account| of_account::<P>(account, credentials)).collect(),
    }
}

fn of_account<P: Provider>(account: &AccountConfig, credentials: &CredentialStore) -> Account {
    let origin = P::origin(account);
    let place = origin.as_ref().map(|origin| credentials.place(account, origin));
    let (credential, kept_badly) = match place {
        Ok(Ok(place)) => (place.map(Place::name), None),
        Ok(Err(fault)) => (None, Some(fault.to_string())),
        Err(_) => (None, None),
    };
    let unprotectable = (!account.level.is_available()).then(|| {
        format!(
            "The protection level \"{}\" is not available in this version, so calls are refused; only \"off\" is.",
            account.level.name()
        )
    });
    let fault = account.fault.as_ref().or(origin.as_ref().err()).map(ToString::to_string);
    Account {
        name: account.name.to_string(),
        address: account.address.clone(),
        origin: origin.ok().map(|Origin { provider, host, user }| SignIn { provider, host, user }),
        capabilities: account.grants.names(),
        protection: Protection {
            level: account.level.name(),
            written: account.level_written,
            available: account.level.is_available(),
        },
        credential,
        fault: fault.or(unprotectable).or(kept_badly),
        check: None,
    }
}

fn check<P: Provider>(account: &AccountConfig, credentials: &Arc<CredentialStore>) -> anyhow::Result<Check> {
    let opened = P::origin(account)
        .and_then(|origin| P::mailbox(account, credentials.for_account(account, &origin)))
        .map_err(|fault| fault.to_string());
    let runtime = runtime()?;
    let checked = match opened {
        Ok(mailbox) => runtime.block_on(mailbox.check()).map_err(|error| words::sign_in(&error)),
        Err(problem) => Err(problem),
    };
    runtime.shutdown_background();
    Ok(Check { signed_in: checked.is_ok(), problem: checked.err() })
}

fn is_well(report: &Report) -> bool {
    let failed = |account: &Account| {
        account.fault.is_some() || account.check.as_ref().is_some_and(|check| !check.signed_in)
    };
    report.fault.is_none() && !report.accounts.iter().any(failed)
}

fn lines(report: &Report) -> Vec<String> {
    let mut lines = vec![
        format!("{} {}", report.server, report.version),
        format!("  configuration  {}", report.config_file),
        format!("  sign-ins       {}", report.credentials_file),
        format!("  state          {}", report.state_file),
    ];
    if !report.prompts {
        lines.push("  prompts        off (MCP_CONFIRM_ELICITATION): nothing can be sent".to_owned());
    }
    lines.extend(report.fault.iter().chain(&report.warnings).map(|problem| format!("  ! {problem}")));
    for account in &report.accounts {
        lines.push(String::new());
        lines.extend(of_account_lines(account));
    }
    lines
}

fn of_account_lines(account: &Account) -> Vec<String> {
    let address = account.address.as_deref().unwrap_or("no address");
    let mut lines = vec![format!("{} ({address})", account.name)];
    if let Some(SignIn { host, user, .. }) = &account.origin {
        lines.push(format!("  signs in as    {user} at {host}"));
    }
    let may =
        if account.capabilities.is_empty() { "nothing".to_owned() } else { account.capabilities.join(", ") };
    lines.push(format!("  may            {may}"));
    lines.push(format!("  protection     {}", protection(&account.protection)));
    let password = account.credential.map_or("not kept: run `login`", |place| match place {
        "environment" => "from the environment",
        "keychain" => "in the keychain",
        _ => "in the file of sign-ins",
    });
    lines.push(format!("  password       {password}"));
    if let Some(check) = &account.check {
        lines.push(match &check.problem {
            None => "  sign-in        works".to_owned(),
            Some(problem) => format!("  sign-in        failed: {problem}"),
        });
    }
    lines.extend(account.fault.iter().map(|fault| format!("  ! {fault}")));
    lines
}

fn protection(protection: &Protection) -> String {
    let Protection { level, written, available } = protection;
    match (written, available) {
        (true, true) => (*level).to_owned(),
        (true, false) => format!("{level} (not available in this version)"),
        (false, _) => format!("{} (nothing is written; in this version that means off)", Level::Off.name()),
    }
}

#[cfg(test)]
mod tests;
