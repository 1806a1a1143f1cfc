//! The owner's policy for one account, out of the file's settings (decisions.md §1, §3, §7). Where something can't be
//! understood the account can't be used until it is corrected: guessing would widen or narrow what the owner wrote.

use countersign_send_policy::ConfirmMode;
use toml::Value;

use super::{AccountConfig, ConfigFault, account::Settings};
use crate::{
    protection::Level,
    tools::{Grant, Grants},
};

/// Reads the policy into the account. Everything readable is taken over; the first fault is what comes back.
pub(super) fn apply(account: &mut AccountConfig, written: &Settings) -> Result<(), ConfigFault> {
    let grants = grants(written).map(|grants| account.grants = grants);
    let level = level(written).map(|level| {
        account.level_written = level.is_some();
        account.level = level.unwrap_or(Level::Off);
    });
    let save_dir = written.path("attachment_dir").map(|dir| account.save_dir = dir);
    grants.and(level).and(save_dir).and(rules(account, written))
}

fn grants(written: &Settings) -> Result<Grants, ConfigFault> {
    let granted = match written.texts("capabilities")? {
        None => Grants::all(),
        Some(words) => parse_grants(&words).ok_or_else(|| {
            written.unusable(
                "capabilities",
                "the capabilities are \"read\", \"draft\", \"modify\", \"trash\" and \"send\"",
            )
        })?,
    };
    Ok(match written.flag("read_only")? {
        Some(true) => granted.narrowed_to(&read_only()),
        Some(false) | None => granted,
    })
}

/// Capabilities by their words; none if a word is not one.
pub(super) fn parse_grants(words: &[&str]) -> Option<Grants> {
    words.iter().map(|word| Grant::from_name(word)).collect::<Option<Vec<_>>>().map(Grants::of)
}

/// What read-only leaves.
pub(super) fn read_only() -> Grants {
    Grants::of(vec![Grant::Read])
}

/// The level written; a list chooses categories. A value that is neither reads as the strictest, as an unknown word does.
fn level(written: &Settings) -> Result<Option<Level>, ConfigFault> {
    Ok(match written.value("protection") {
        None => None,
        Some(Value::String(word)) => Some(Level::parse(word)),
        Some(Value::Array(_)) => {
            let categories = written.texts("protection")?.unwrap_or_default();
            Some(Level::Custom(categories.into_iter().map(str::to_owned).collect()))
        }
        Some(_) => Some(Level::Strict),
    })
}

fn rules(account: &mut AccountConfig, written: &Settings) -> Result<(), ConfigFault> {
    if let Some(word) = written.text("confirm")? {
        account.rules.confirm = word
            .parse::<ConfirmMode>()
            .map_err(|_| written.unusable("confirm", "it is \"always\", \"new-recipients\" or \"never\""))?;
    }
    if let Some(allow) = written.texts("allow")? {
        if allow.is_empty() {
            let problem =
                "an empty list allows nobody; leave the line out, or take \"send\" out of `capabilities`";
            return Err(written.unusable("allow", problem));
        }
        account.rules.allow = allow.into_iter().map(str::to_owned).collect();
    }
    if let Some(number) = written.number("max_recipients")? {
        account.rules.max_recipients = number;
    }
    if let Some(number) = written.number("max_sends")? {
        account.rules.max_sends = number;
    }
    Ok(())
}
