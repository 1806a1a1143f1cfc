//! What the environment may say about policy: less. Each switch can only take something away, and a value that can't be
//! understood takes away as much as it could have meant (decisions.md §3, §6; `MCP_CONFIRM_*` as in the confirmation seed).

use super::{
    ConfigFault,
    env::{CAPABILITIES, CONFIRM_ELICITATION, CONFIRM_MODE, Environment, READ_ONLY},
    policy::{parse_grants, read_only},
};
use crate::tools::Grants;

/// What the switches leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Switches {
    /// What every account keeps at most.
    pub(super) ceiling: Grants,
    /// Whether prompts may be shown.
    pub(super) elicitation: bool,
    /// Whether the file may open the rail of previews and tokens for sends.
    pub(super) token_rail: bool,
    /// Values that were not understood, for the log.
    pub(super) warnings: Vec<String>,
    /// A value that was not understood and has no safe reading.
    pub(super) fault: Option<ConfigFault>,
}

impl Switches {
    pub(super) fn read(env: &Environment) -> Self {
        let mut switches = Self {
            ceiling: Grants::all(),
            elicitation: true,
            token_rail: true,
            warnings: Vec::new(),
            fault: None,
        };
        switches.read_only(env);
        switches.capabilities(env);
        switches.confirmation(env);
        switches
    }

    fn read_only(&mut self, env: &Environment) {
        let Some(value) = env.text(&READ_ONLY) else { return };
        match value.trim().to_ascii_lowercase().as_str() {
            "0" | "false" | "no" | "off" | "" => {}
            word => {
                self.ceiling = self.ceiling.narrowed_to(&read_only());
                if !["1", "true", "yes", "on"].contains(&word) {
                    let name = READ_ONLY.name;
                    self.warnings.push(format!("{name} is neither 1 nor 0: every account is read-only."));
                }
            }
        }
    }

    fn capabilities(&mut self, env: &Environment) {
        let Some(value) = env.text(&CAPABILITIES) else { return };
        let words: Vec<&str> = value.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let Some(grants) = parse_grants(&words) else {
            self.ceiling = Grants::of(Vec::new());
            self.fault = Some(ConfigFault::Unusable {
                setting: CAPABILITIES.name.to_owned(),
                problem: "the capabilities are read, draft, modify, trash and send, separated by commas",
            });
            return;
        };
        self.ceiling = self.ceiling.narrowed_to(&grants);
    }

    fn confirmation(&mut self, env: &Environment) {
        if let Some(value) = env.text(&CONFIRM_ELICITATION) {
            match value.trim().to_ascii_lowercase().as_str() {
                "off" => self.elicitation = false,
                "on" | "" => {}
                _ => self.warnings.push(format!(
                    "{} is neither `on` nor `off`: prompts stay on.",
                    CONFIRM_ELICITATION.name
                )),
            }
        }
        if let Some(value) = env.text(&CONFIRM_MODE) {
            let word = value.trim().to_ascii_lowercase();
            self.token_rail = ["ask-user", "auto", ""].contains(&word.as_str());
            if !self.token_rail && word != "refuse" {
                self.warnings.push(format!(
                    "{} is none of `ask-user`, `auto` and `refuse`: it counts as `refuse`.",
                    CONFIRM_MODE.name
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Switches {
        Switches::read(&Environment::of(variables.iter().copied()))
    }

    #[test]
    fn nothing_set_changes_nothing() {
        let switches = read(&[]);
        assert_eq!(switches.ceiling, Grants::all());
        assert!(
            switches.elicitation
                && switches.token_rail
                && switches.warnings.is_empty()
                && switches.fault.is_none()
        );
    }

    #[test]
    fn read_only_closes_on_anything_but_no() {
        for (value, narrowed, warned) in [
            ("1", true, false),
            ("TRUE ", true, false),
            ("0", false, false),
            ("off", false, false),
            ("nope", true, true),
            ("2", true, true),
        ] {
            let switches = read(&[("COUNTERSIGN_READ_ONLY", value)]);
            assert_eq!(switches.ceiling == read_only(), narrowed, "{value:?}");
            assert_eq!(!switches.warnings.is_empty(), warned, "{value:?}");
        }
    }

    #[test]
    fn capabilities_are_a_ceiling_and_a_wrong_word_closes_everything() {
        let some = read(&[("COUNTERSIGN_CAPABILITIES", " read, draft")]);
        assert_eq!(some.ceiling.names(), ["read", "draft"]);
        let none = read(&[("COUNTERSIGN_CAPABILITIES", "read,sned")]);
        assert!(none.ceiling.names().is_empty());
        assert_eq!(
            none.fault.unwrap().to_string(),
            "The setting `COUNTERSIGN_CAPABILITIES` can't be used: the capabilities are read, draft, modify, trash and \
             send, separated by commas."
        );
        let both = read(&[("COUNTERSIGN_CAPABILITIES", "draft,send"), ("COUNTERSIGN_READ_ONLY", "1")]);
        assert!(both.ceiling.names().is_empty());
    }

    #[test]
    fn prompts_go_off_by_one_word_only() {
        for (value, on, warned) in [
            ("off", false, false),
            (" OFF", false, false),
            ("on", true, false),
            ("0", true, true),
            ("false", true, true),
        ] {
            let switches = read(&[("MCP_CONFIRM_ELICITATION", value)]);
            assert_eq!((switches.elicitation, !switches.warnings.is_empty()), (on, warned), "{value:?}");
        }
        for (value, open, warned) in [
            ("Ask-User", true, false),
            ("auto", true, false),
            ("refuse", false, false),
            ("Refuse ", false, false),
            ("token", false, true),
        ] {
            let switches = read(&[("MCP_CONFIRM_MODE", value)]);
            assert_eq!((switches.token_rail, !switches.warnings.is_empty()), (open, warned), "{value:?}");
        }
    }
}
