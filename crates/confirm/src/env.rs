//! The `MCP_CONFIRM_*` variables: what they mean, given their values. The environment itself is read by whoever composes
//! the server.
//!
//! Everything fails closed. A mode that is not known refuses; a lifetime that is none takes the token rail away; an
//! elicitation switch that is not known leaves prompts on, which is the stronger confirmation.

use std::{fmt, path::Path, time::Duration};

use crate::{
    KeySource, Spent,
    key::Secret,
    write::{Mode, Settings},
};

/// Variable: what a gated write does where nobody can be prompted.
pub const MODE: &str = "MCP_CONFIRM_MODE";
/// Variable: whether prompts are shown at all.
pub const ELICITATION: &str = "MCP_CONFIRM_ELICITATION";
/// Variable: how long a confirmation counts.
pub const TTL_SECONDS: &str = "MCP_CONFIRM_TTL_SECONDS";
/// Variable: the owner's secret, for tokens that outlive a restart.
pub const SECRET: &str = "MCP_CONFIRM_SECRET";
/// Variable: the secret that a host gave this server.
pub const HOST_SECRET: &str = "MCP_HOST_CONFIRM_SECRET";
/// Variable: a directory that lasts, where spent tokens are recorded.
pub const DATA_DIR: &str = "MCP_DATA_DIR";

/// Where spent tokens are recorded, below the data directory.
const SPENT: [&str; 2] = [".mcp-confirm", "spent"];
/// How long a confirmation counts where nothing is set.
const TTL: Duration = Duration::from_mins(10);
/// The longest lifetime in seconds: what JSON readers that know only doubles still tell apart as milliseconds.
const MAX_TTL: u64 = (1 << 53) / 1000;

/// The variables' values as they are set; `None` where one isn't.
#[derive(Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "a new variable must be read by every composition root")]
pub struct Variables<'a> {
    /// [`MODE`]
    pub mode: Option<&'a str>,
    /// [`ELICITATION`]
    pub elicitation: Option<&'a str>,
    /// [`TTL_SECONDS`]
    pub ttl_seconds: Option<&'a str>,
    /// [`SECRET`]
    pub secret: Option<&'a str>,
    /// [`HOST_SECRET`]
    pub host_secret: Option<&'a str>,
    /// [`DATA_DIR`]
    pub data_dir: Option<&'a str>,
}

impl fmt::Debug for Variables<'_> {
    /// Two of the values are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables(..)")
    }
}

/// A value that is not understood, to be logged once.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Of [`MODE`].
    #[error("{MODE} is none of ask-user, auto and refuse; taken as refuse")]
    Mode,
    /// Of [`ELICITATION`].
    #[error("{ELICITATION} is neither on nor off; prompts stay on")]
    Elicitation,
    /// Of [`TTL_SECONDS`].
    #[error("{TTL_SECONDS} is not a whole number of seconds above zero; two-step confirmation is off")]
    Lifetime,
}

/// What the variables set, and what of them was not understood.
#[must_use]
pub fn settings(variables: &Variables<'_>) -> (Settings, Vec<Warning>) {
    let mut warnings = Vec::new();
    let mut warned = |warning| warnings.push(warning);
    let mode = word(variables.mode).map_or(Mode::AskUser, |mode| match &*mode {
        "ask-user" => Mode::AskUser,
        "auto" => Mode::Auto,
        "refuse" => Mode::Refuse,
        _ => {
            warned(Warning::Mode);
            Mode::Refuse
        }
    });
    let elicitation = word(variables.elicitation).is_none_or(|switch| match &*switch {
        "on" => true,
        "off" => false,
        _ => {
            warned(Warning::Elicitation);
            true
        }
    });
    let lifetime = set(variables.ttl_seconds).map_or(Some(TTL), seconds);
    if lifetime.is_none() {
        warned(Warning::Lifetime);
    }
    let lasting = set(variables.data_dir).map(Path::new).filter(|path| path.is_absolute());
    let host_secret = lasting.and(set(variables.host_secret));
    let secret = set(variables.secret).or(host_secret);
    let spent = match (secret, lasting) {
        (Some(_), Some(path)) => Spent::directory(path.join(SPENT[0]).join(SPENT[1])),
        // A key that ends with the process needs no store that outlives it.
        (None, _) | (_, None) => Spent::process(),
    };
    let key = secret.map_or(KeySource::Process, |secret| KeySource::Secret(Secret::new(secret)));
    (Settings { mode, elicitation, lifetime, key, spent }, warnings)
}

/// A value that is one. Hosts pass on what their user left out as an empty text, as the words of JavaScript for nothing,
/// or as the placeholder itself.
fn set(value: Option<&str>) -> Option<&str> {
    let value = value?.trim();
    let placeholder = value.starts_with("${") && value.ends_with('}');
    (!placeholder && !["", "null", "undefined"].contains(&value)).then_some(value)
}

fn word(value: Option<&str>) -> Option<String> {
    set(value).map(str::to_ascii_lowercase)
}

/// `[1-9][0-9]*`
fn seconds(value: &str) -> Option<Duration> {
    if value.starts_with('0') || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    value.parse().ok().filter(|seconds| *seconds <= MAX_TTL).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &Variables<'_>) -> String {
        let (Settings { mode, elicitation, lifetime, key, spent }, warnings) = settings(variables);
        let spent = match format!("{spent:?}") {
            memory if memory.contains("Memory") => "memory".to_owned(),
            directory => directory,
        };
        let lifetime = lifetime.map(|lifetime| lifetime.as_secs());
        format!("{mode:?} {elicitation} {lifetime:?} {key:?} {spent} {warnings:?}")
    }

    #[test]
    fn nothing_set_asks_the_user_for_ten_minutes_under_a_key_of_the_process() {
        assert_eq!(read(&Variables::default()), "AskUser true Some(600) Process memory []");
    }

    #[test]
    fn a_mode_that_is_not_known_refuses() {
        for (mode, read_as) in [
            ("ask-user", "AskUser .* []"),
            (" Auto\n", "Auto .* []"),
            ("REFUSE", "Refuse .* []"),
            ("token", "Refuse .* [Mode]"),
            ("ask user", "Refuse .* [Mode]"),
            ("yes", "Refuse .* [Mode]"),
            ("  ", "AskUser .* []"),
            ("null", "AskUser .* []"),
            ("undefined", "AskUser .* []"),
            ("${MODE}", "AskUser .* []"),
            ("${MODE", "Refuse .* [Mode]"),
            ("MODE}", "Refuse .* [Mode]"),
        ] {
            let read = read(&Variables { mode: Some(mode), ..Variables::default() });
            let (head, tail) = read_as.split_once(" .* ").unwrap();
            assert!(read.starts_with(head) && read.ends_with(tail), "{mode:?}: {read}");
        }
    }

    #[test]
    fn prompts_are_turned_off_by_one_word_only() {
        for (switch, on, warned) in [
            ("on", true, false),
            ("off", false, false),
            (" OFF ", false, false),
            ("false", true, true),
            ("0", true, true),
            ("", true, false),
        ] {
            let (read, warnings) = settings(&Variables { elicitation: Some(switch), ..Variables::default() });
            assert_eq!(read.elicitation, on, "{switch:?}");
            assert_eq!(warnings, if warned { vec![Warning::Elicitation] } else { vec![] }, "{switch:?}");
        }
    }

    #[test]
    fn a_lifetime_that_is_none_takes_the_token_rail_away() {
        for (ttl, seconds) in [
            ("1", Some(1)),
            (" 90 ", Some(90)),
            ("9007199254740", Some(9_007_199_254_740)),
            ("9007199254741", None),
            ("99999999999999999999", None),
            ("0", None),
            ("060", None),
            ("60s", None),
            ("1e3", None),
            ("-5", None),
            ("+5", None),
            ("1.5", None),
            ("\u{663}", None),
            ("", Some(600)),
        ] {
            let (read, warnings) = settings(&Variables { ttl_seconds: Some(ttl), ..Variables::default() });
            assert_eq!(read.lifetime.map(|lifetime| lifetime.as_secs()), seconds, "{ttl:?}");
            assert_eq!(warnings.is_empty(), seconds.is_some(), "{ttl:?}");
        }
    }

    #[test]
    fn a_host_s_secret_counts_beside_a_directory_that_lasts_and_the_owner_s_first() {
        let (own, host, dir) = (Some("own"), Some("host"), Some("/data"));
        let directory = format!("{:?}", Spent::directory("/data/.mcp-confirm/spent".into()));
        for (secret, host_secret, data_dir, key, spent) in [
            (None, None, None, None, "memory"),
            (None, None, dir, None, "memory"),
            (own, None, None, own, "memory"),
            (own, host, dir, own, &*directory),
            (None, host, dir, host, &*directory),
            (None, host, None, None, "memory"),
            (None, host, Some("data"), None, "memory"),
            (own, host, Some("data"), own, "memory"),
            (Some("${SECRET}"), host, dir, host, &*directory),
            (Some(" "), Some("null"), dir, None, "memory"),
            (Some("  own  "), None, None, own, "memory"),
        ] {
            let variables = Variables { secret, host_secret, data_dir, ..Variables::default() };
            let case = format!("{secret:?} {host_secret:?} {data_dir:?}");
            assert!(read(&variables).contains(spent), "{case}: {}", read(&variables));
            match (settings(&variables).0.key, key) {
                (KeySource::Process, None) => {}
                (KeySource::Secret(used), Some(key)) => assert!(used == Secret::new(key), "{case}"),
                (other, _) => panic!("{case}: {other:?}"),
            }
        }
    }

    #[test]
    fn values_do_not_print_themselves() {
        let variables = Variables { secret: Some("horse"), ..Variables::default() };
        assert_eq!(format!("{variables:?}"), "Variables(..)");
        assert!(!read(&variables).contains("horse"));
    }

    #[test]
    fn warnings_name_the_variable() {
        for (warning, name) in
            [(Warning::Mode, MODE), (Warning::Elicitation, ELICITATION), (Warning::Lifetime, TTL_SECONDS)]
        {
            assert!(warning.to_string().starts_with(name));
        }
    }
}
