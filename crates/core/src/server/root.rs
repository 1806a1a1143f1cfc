//! The composition root: the only place that puts a mailbox behind protection and a policy over a state store. clippy's
//! disallowed methods hold that.

use std::sync::Arc;

use countersign_send_policy::{
    Origin, PolicyIdentity, Principal, RulesConfig, SendPolicy, Sqlite, StateStore,
};

use crate::{
    account::{Account, AccountName, Accounts, Opener, Profile, Slot},
    attachment::outgoing::Allowance,
    config::{AccountConfig, Config, ConfigFault, CredentialStore},
    mailbox::Mailbox,
    memory::MemoryMailbox,
    protection::{Level, ProtectedMailbox, Raw},
    provider::Provider,
    tools::{Grants, ToolError},
};

/// The accounts of a configuration, none of them opened.
pub fn accounts<P: Provider>(config: Config, credentials: &Arc<CredentialStore>) -> Accounts<P::Mailbox> {
    let store: Arc<dyn StateStore> = Arc::new(Sqlite::at(config.state_file.clone()));
    let slots = config
        .accounts
        .into_iter()
        .map(|account| {
            let profile = account.profile();
            let opener = opener::<P>(account, credentials, &store);
            Slot::new(profile, opener)
        })
        .collect();
    Accounts::new(slots, config.fault)
}

fn opener<P: Provider>(
    account: AccountConfig,
    credentials: &Arc<CredentialStore>,
    store: &Arc<dyn StateStore>,
) -> Result<Opener<P::Mailbox>, ConfigFault> {
    if let Some(fault) = &account.fault {
        return Err(fault.clone());
    }
    let origin = P::origin(&account)?;
    if !account.level.is_available() {
        return Err(ConfigFault::Unusable {
            setting: format!("accounts.{}.protection", account.name),
            problem: "this level needs the classifier, which this version does not have yet; only \"off\" is available",
        });
    }
    let (credentials, store) = (Arc::clone(credentials), Arc::clone(store));
    Ok(Box::new(move || {
        let (account, origin) = (account.clone(), origin.clone());
        let (credentials, store) = (Arc::clone(&credentials), Arc::clone(&store));
        Box::pin(async move {
            let credential = credentials.for_account(&account, &origin);
            let principal = credential.principal().await.map_err(ToolError::from)?;
            let mailbox =
                P::mailbox(&account, credential).map_err(|fault| ToolError::configuration(&fault))?;
            Ok(put_together(account.profile(), mailbox, &account.rules, store, &principal))
        })
    }))
}

/// The send policy of an account by itself, over the state as it stands: for showing its owner what is recorded.
#[expect(clippy::disallowed_methods, reason = "this is the composition root")]
pub(crate) fn policy(
    account: &AccountConfig,
    origin: Origin,
    principal: Principal,
    store: Arc<dyn StateStore>,
) -> SendPolicy {
    SendPolicy::new(store, PolicyIdentity { origin, principal }, &account.rules)
}

/// The demo's account: a mailbox in memory, its state in a directory of its own. The mailbox is made on the first call,
/// because reading a few dozen messages takes longer than the whole start of a server.
pub fn demo_accounts(
    mailbox: fn() -> MemoryMailbox,
    name: AccountName,
    address: &str,
    state_file: std::path::PathBuf,
) -> Accounts<MemoryMailbox> {
    let profile = Profile {
        name,
        address: Some(address.to_owned()),
        grants: Grants::all(),
        level: Level::Off,
        level_written: true,
        save_dir: None,
        attachable: Allowance::default(),
    };
    let store: Arc<dyn StateStore> = Arc::new(Sqlite::at(state_file));
    let opener_profile = profile.clone();
    let opener: Opener<MemoryMailbox> = Box::new(move || {
        let (profile, store) = (opener_profile.clone(), Arc::clone(&store));
        let principal = Principal::new("demo".to_owned());
        Box::pin(
            async move { Ok(put_together(profile, mailbox(), &RulesConfig::default(), store, &principal)) },
        )
    });
    Accounts::new(vec![Slot::new(profile, Ok(opener))], None)
}

#[expect(clippy::disallowed_methods, reason = "this is the composition root")]
fn put_together<M: Mailbox<Stage = Raw>>(
    profile: Profile,
    mailbox: M,
    rules: &RulesConfig,
    store: Arc<dyn StateStore>,
    principal: &Principal,
) -> Account<M> {
    let identity = PolicyIdentity { origin: mailbox.origin().clone(), principal: principal.clone() };
    let policy = SendPolicy::new(store, identity, rules);
    let level = profile.level.clone();
    Account::new(profile, ProtectedMailbox::new(mailbox, level), policy, principal.as_str().to_owned())
}
