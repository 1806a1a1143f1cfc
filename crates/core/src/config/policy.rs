//! The owner's policy for one account, out of the file's settings (decisions.md §1, §3, §7). Where something can't be
//! understood the account can't be used until it is corrected: guessing would widen or narrow what the owner wrote.

use countersign_send_policy::{ConfirmMode, RulesConfig, Treatment, Treatments, WithoutElicitation};
use toml::Value;

use super::{AccountConfig, ConfigFault, account::Settings};
use crate::{
    attachment::outgoing::Allowance,
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
    let attachable = attachable(written).map(|allowed| account.attachable = allowed);
    grants.and(level).and(save_dir).and(attachable).and(rules(account, written))
}

fn attachable(written: &Settings) -> Result<Allowance, ConfigFault> {
    let mut allowed = Allowance::default();
    if let Some(directories) = written.paths("attachment_dirs")? {
        if directories.iter().any(|directory| directory.parent().is_none()) {
            return Err(
                written.unusable("attachment_dirs", "the root directory would let every file be attached")
            );
        }
        allowed.directories = directories;
    }
    if let Some(megabytes) = written.number::<u64>("max_attachment_mb")? {
        if megabytes > Allowance::MOST_MEGABYTES {
            return Err(written.unusable("max_attachment_mb", "the most that can be allowed is 50"));
        }
        allowed.most_bytes = megabytes.saturating_mul(Allowance::MEGABYTE);
    }
    Ok(allowed)
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
    if let Some(known) = written.texts("known")? {
        account.rules.known = known.into_iter().map(str::to_owned).collect();
    }
    if let Some(word) = written.text("without_elicitation")? {
        account.rules.without_elicitation = word
            .parse::<WithoutElicitation>()
            .map_err(|_| written.unusable("without_elicitation", "it is \"refuse\" or \"token\""))?;
    }
    caps(&mut account.rules, written)?;
    treatments(&mut account.rules.treatments, written)?;
    if account.rules.confirm == ConfirmMode::Never && account.rules.allow.is_empty() {
        let problem =
            "\"never\" needs `allow`: without a question, mail goes only to the addresses written there";
        return Err(written.unusable("confirm", problem));
    }
    Ok(())
}

fn caps(rules: &mut RulesConfig, written: &Settings) -> Result<(), ConfigFault> {
    for (key, cap) in [
        ("max_recipients", &mut rules.max_recipients),
        ("max_sends", &mut rules.max_sends),
        ("max_new_addresses", &mut rules.max_new_addresses),
    ] {
        if let Some(number) = written.number(key)? {
            *cap = number;
        }
    }
    rules.sends_per_hour = written.number("sends_per_hour")?.or(rules.sends_per_hour);
    Ok(())
}

fn treatments(treatments: &mut Treatments, written: &Settings) -> Result<(), ConfigFault> {
    for (key, treatment) in [
        ("to_new", &mut treatments.to_new),
        ("to_new_exposed", &mut treatments.to_new_exposed),
        ("to_known", &mut treatments.to_known),
        ("to_known_exposed", &mut treatments.to_known_exposed),
    ] {
        if let Some(word) = written.text(key)? {
            *treatment = word
                .parse::<Treatment>()
                .map_err(|_| written.unusable(key, "it is \"as-is\", \"plain-text\" or \"refused\""))?;
        }
    }
    Ok(())
}
