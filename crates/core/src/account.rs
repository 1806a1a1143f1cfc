//! Accounts as tools see them. An account is opened on its first call: starting a server reads no keychain, takes no lock
//! and opens no connection.

use std::{collections::BTreeMap, fmt, sync::Arc};

use countersign_send_policy::SendPolicy;
use tokio::sync::OnceCell;

use crate::{
    attachment::outgoing::Allowance,
    config::ConfigFault,
    mailbox::{Features, Mailbox},
    protection::{Level, ProtectedMailbox, Raw},
    tools::{BoxFuture, Grants, Recent, ToolError},
};

/// The name that the owner gave an account: 1 to 64 letters, digits, `-`, `_` or `.`, so it can stand in any result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName(String);

impl AccountName {
    /// Takes a name, if it is one.
    pub fn parse(name: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        ((1..=64).contains(&name.len()) && name.chars().all(plain)).then(|| Self(name.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is known of an account without opening it.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its name.
    pub name: AccountName,
    /// Its address, as the owner wrote it.
    pub address: Option<String>,
    /// What the owner lets it do.
    pub grants: Grants,
    /// The protection level, and whether the owner wrote one.
    pub level: Level,
    /// Whether the level was written.
    pub level_written: bool,
    /// Where attachments may be saved.
    pub save_dir: Option<std::path::PathBuf>,
    /// What may be attached to drafts.
    pub attachable: Allowance,
}

/// One open account.
pub struct Account<M: Mailbox<Stage = Raw>> {
    profile: Profile,
    mailbox: ProtectedMailbox<M>,
    policy: SendPolicy,
    principal: String,
    recent: Recent,
}

impl<M: Mailbox<Stage = Raw>> Account<M> {
    /// Puts an account together. For the composition root (`server/root.rs`).
    pub(crate) fn new(
        profile: Profile,
        mailbox: ProtectedMailbox<M>,
        policy: SendPolicy,
        principal: String,
    ) -> Self {
        Self { profile, mailbox, policy, principal, recent: Recent::default() }
    }

    /// What is known of it without opening it.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Its name.
    pub fn name(&self) -> &AccountName {
        &self.profile.name
    }

    /// Its mailbox, behind protection.
    pub fn mailbox(&self) -> &ProtectedMailbox<M> {
        &self.mailbox
    }

    pub(crate) fn policy(&self) -> &SendPolicy {
        &self.policy
    }

    /// What its sending tools stored a short while ago.
    pub(crate) fn recent(&self) -> &Recent {
        &self.recent
    }

    pub(crate) fn principal(&self) -> &str {
        &self.principal
    }
}

/// Opens an account's mailbox and policy when it is first used.
pub(crate) type Opener<M> = Box<dyn Fn() -> BoxFuture<'static, Result<Account<M>, ToolError>> + Send + Sync>;

/// A configured account: usable, or with the reason why not.
pub struct Slot<M: Mailbox<Stage = Raw>> {
    profile: Profile,
    opener: Result<Opener<M>, ConfigFault>,
    opened: OnceCell<Arc<Account<M>>>,
}

impl<M: Mailbox<Stage = Raw>> Slot<M> {
    pub(crate) fn new(profile: Profile, opener: Result<Opener<M>, ConfigFault>) -> Self {
        Self { profile, opener, opened: OnceCell::new() }
    }

    /// What is known of it without opening it.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What is wrong with its configuration, if anything.
    pub fn fault(&self) -> Option<&ConfigFault> {
        self.opener.as_ref().err()
    }

    /// The account, opened now if it wasn't. A failure is tried again on the next call.
    pub(crate) async fn open(&self) -> Result<Arc<Account<M>>, ToolError> {
        let opener = self.opener.as_ref().map_err(ToolError::configuration)?;
        let account = self.opened.get_or_try_init(|| async { opener().await.map(Arc::new) }).await?;
        Ok(Arc::clone(account))
    }
}

/// Every configured account, by name.
pub struct Accounts<M: Mailbox<Stage = Raw>> {
    slots: BTreeMap<AccountName, Slot<M>>,
    fault: Option<ConfigFault>,
}

impl<M: Mailbox<Stage = Raw>> Accounts<M> {
    /// The accounts; `fault` is what is wrong with the configuration as a whole.
    pub(crate) fn new(slots: Vec<Slot<M>>, fault: Option<ConfigFault>) -> Self {
        Self { slots: slots.into_iter().map(|slot| (slot.profile.name.clone(), slot)).collect(), fault }
    }

    /// All of them, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = &Slot<M>> {
        self.slots.values()
    }

    /// What is wrong with the configuration as a whole, if anything.
    pub fn fault(&self) -> Option<&ConfigFault> {
        self.fault.as_ref()
    }

    /// The names, for schemas and messages.
    pub fn names(&self) -> Vec<&str> {
        self.slots.keys().map(AccountName::as_str).collect()
    }

    /// The account that a call names; a name may be left out only where there is one account.
    pub(crate) fn choose(&self, named: Option<&str>) -> Result<&Slot<M>, ToolError> {
        if let Some(fault) = &self.fault {
            return Err(ToolError::configuration(fault));
        }
        let slot = match named {
            Some(name) => AccountName::parse(name).and_then(|name| self.slots.get(&name)),
            None if self.slots.len() == 1 => self.slots.values().next(),
            None => None,
        };
        slot.ok_or_else(|| ToolError::account(&self.names()))
    }

    /// Whether some account meets a tool's needs. Where nothing usable is configured every tool is listed, so that a
    /// person sees what the server does and each call says what to correct.
    pub(crate) fn any_meets(&self, needs: &crate::tools::Needs, features: Features) -> bool {
        self.slots.is_empty()
            || self
                .slots
                .values()
                .any(|slot| needs.met_by(&slot.profile.grants, features, slot.profile.save_dir.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::AccountName;

    #[test]
    fn account_names_are_plain() {
        assert!(AccountName::parse("work-2.old_x").is_some());
        for bad in ["", "a b", "práce", "a\n", &"x".repeat(65)] {
            assert!(AccountName::parse(bad).is_none(), "{bad:?}");
        }
    }
}
