//! `state`: what is recorded of sends, for the owner to look at. Addresses and message ids, no mail text; nothing is sent,
//! read from a mail server or changed.

use std::{
    process::ExitCode,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use countersign_confirm::inert;
use countersign_send_policy::{
    ClaimRecord, KnownAddress, PolicyStatus, RulesConfig, SentOutcome, Sqlite, StateStore,
};
use serde::Serialize;

use super::{args::StateArgs, console::Console, load, runtime, words};
use crate::{
    config::{AccountConfig, CredentialStore, Keychain, Sources},
    model::Timestamp,
    provider::Provider,
    server,
};

/// Everything that is said.
#[derive(Serialize)]
struct Report {
    state_file: String,
    accounts: Vec<Account>,
}

#[derive(Serialize)]
struct Account {
    name: String,
    #[serde(flatten)]
    recorded: Option<Recorded>,
    problem: Option<String>,
}

#[derive(Serialize)]
struct Recorded {
    first_seen: Option<String>,
    exposed_until: Option<String>,
    sends: Cap,
    sends_per_hour: Option<u32>,
    new_addresses: Cap,
    unsettled: u32,
    claims: Vec<Claim>,
    new: Vec<New>,
    known: Vec<Known>,
}

/// A limit of 24 hours and what is left of it now.
#[derive(Serialize)]
struct Cap {
    max: u32,
    left: u32,
}

#[derive(Serialize)]
struct Claim {
    draft: String,
    begun: String,
    outcome: &'static str,
}

#[derive(Serialize)]
struct New {
    address: String,
    last_send: String,
}

#[derive(Serialize)]
struct Known {
    address: String,
    found_in_sent: Option<String>,
    confirmed: Option<String>,
}

/// Says what is recorded; a failure where it can't be told.
pub(super) fn run<P: Provider>(
    console: &mut Console,
    sources: &Sources<'_>,
    asked: &StateArgs,
    keychain: Arc<dyn Keychain>,
) -> anyhow::Result<ExitCode> {
    let (config, credentials) = load(sources, keychain);
    if let Some(fault) = &config.fault {
        anyhow::bail!("{fault}");
    }
    let chosen: Vec<&AccountConfig> = match &asked.account {
        None => config.accounts.iter().collect(),
        Some(name) => vec![config.account(name).context("No account has that name")?],
    };
    // Looking must not make the file.
    let store: Option<Arc<dyn StateStore>> =
        config.state_file.exists().then(|| Arc::new(Sqlite::at(config.state_file.clone())) as _);
    let runtime = runtime()?;
    let mut report = Report { state_file: config.state_file.display().to_string(), accounts: Vec::new() };
    for account in chosen {
        let recorded = match &store {
            Some(store) => runtime.block_on(recorded::<P>(account, &credentials, store)).map(Some),
            None => Ok(None),
        };
        let (recorded, problem) = match recorded {
            Ok(recorded) => (recorded, None),
            Err(problem) => (None, Some(problem)),
        };
        report.accounts.push(Account { name: account.name.to_string(), recorded, problem });
    }
    if asked.json {
        console.say(&serde_json::to_string_pretty(&report)?)?;
    } else {
        for line in lines(&report) {
            console.say(&line)?;
        }
    }
    let well = report.accounts.iter().all(|account| account.problem.is_none());
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn recorded<P: Provider>(
    account: &AccountConfig,
    credentials: &Arc<CredentialStore>,
    store: &Arc<dyn StateStore>,
) -> Result<Recorded, String> {
    let fault = |fault: crate::config::ConfigFault| fault.to_string();
    if let Some(fault) = &account.fault {
        return Err(fault.to_string());
    }
    let origin = P::origin(account).map_err(fault)?;
    let principal = credentials.for_account(account, &origin).principal().await;
    let principal = principal.map_err(|error| words::sign_in(&error))?;
    let policy = server::policy(account, origin, principal, Arc::clone(store));
    let status = policy.status().await.map_err(|refusal| refusal.words().why)?;
    Ok(Recorded::of(status, &account.rules))
}

impl Recorded {
    fn of(status: PolicyStatus, rules: &RulesConfig) -> Self {
        Self {
            first_seen: status.first_seen.map(shown),
            exposed_until: status.exposed_until.map(shown),
            sends: Cap { max: rules.max_sends, left: status.sends_left },
            sends_per_hour: rules.sends_per_hour,
            new_addresses: Cap { max: rules.max_new_addresses, left: status.new_addresses_left },
            unsettled: status.unsettled,
            claims: status.claims.into_iter().map(claim).collect(),
            new: status
                .new_addresses
                .into_iter()
                .map(|(address, at)| New { address, last_send: shown(at) })
                .collect(),
            known: status.known.into_iter().map(known).collect(),
        }
    }
}

fn claim(ClaimRecord { key, at, outcome }: ClaimRecord) -> Claim {
    let outcome = match outcome {
        Some(SentOutcome::Accepted) => "sent",
        Some(SentOutcome::Unknown) => "unknown",
        None => "refused by the server",
    };
    // A Message-ID may be another program's.
    Claim { draft: inert::line(&key), begun: shown(at), outcome }
}

fn known(KnownAddress { address, found_at, confirmed_at }: KnownAddress) -> Known {
    Known { address, found_in_sent: found_at.map(shown), confirmed: confirmed_at.map(shown) }
}

/// A time in UTC (RFC 3339).
fn shown(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX)).to_string()
}

fn lines(report: &Report) -> Vec<String> {
    let mut lines = vec![format!("state  {}", report.state_file)];
    for account in &report.accounts {
        lines.extend([String::new(), account.name.clone()]);
        match (&account.recorded, &account.problem) {
            (_, Some(problem)) => lines.push(format!("  ! {problem}")),
            (None, None) => lines.push("  nothing is recorded".to_owned()),
            (Some(recorded), None) => recorded_lines(recorded, &mut lines),
        }
    }
    lines
}

fn recorded_lines(recorded: &Recorded, lines: &mut Vec<String>) {
    let Recorded { first_seen, exposed_until, sends, sends_per_hour, new_addresses, unsettled, .. } =
        recorded;
    let or = |time: &Option<String>, nothing: &str| time.clone().unwrap_or_else(|| nothing.to_owned());
    lines.push(format!("  first seen     {}", or(first_seen, "never: nothing was read or sent")));
    lines.push(format!("  exposed until  {}", or(exposed_until, "not exposed")));
    let hour = sends_per_hour.map(|max| format!(", at most {max} an hour")).unwrap_or_default();
    lines.push(format!("  sends left     {} of {} in 24 hours{hour}", sends.left, sends.max));
    lines.push(format!("  new addresses  {} of {} left in 24 hours", new_addresses.left, new_addresses.max));
    if *unsettled > 0 {
        lines.push(format!("  ! {unsettled} sends are of unknown outcome; look in Sent"));
    }
    let mut list = |heading: &str, items: Vec<String>| {
        if !items.is_empty() {
            lines.push(format!("  {heading}"));
            lines.extend(items.into_iter().map(|item| format!("    {item}")));
        }
    };
    let claims = recorded.claims.iter();
    list(
        "begun in the last 24 hours",
        claims.map(|c| format!("{}  {}  {}", c.begun, c.outcome, c.draft)).collect(),
    );
    let new = recorded.new.iter();
    list(
        "new addresses of the last 24 hours",
        new.map(|n| format!("{}  {}", n.last_send, n.address)).collect(),
    );
    list("known", recorded.known.iter().map(known_line).collect());
}

fn known_line(known: &Known) -> String {
    let how = match (&known.found_in_sent, &known.confirmed) {
        (Some(_), _) => "found in Sent".to_owned(),
        (None, Some(at)) => format!("a send was confirmed at {at}; counts a day later"),
        (None, None) => "unknown how".to_owned(),
    };
    format!("{}  {how}", known.address)
}

#[cfg(test)]
mod tests;
