//! When a person is asked: the owner's `confirm` setting.
//!
//! All three words are read, so that a configuration file can't be misread as another one; this version acts on
//! `always` alone and refuses sends under the other two, because asking less than the file says, or more, would both
//! be a surprise.

use std::{fmt, str::FromStr};

use crate::refusal::Refusal;

/// When a send asks the person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConfirmMode {
    /// Every send asks.
    #[default]
    Always,
    /// A send asks when a recipient is new.
    NewRecipients,
    /// No send asks; sends go only to the addresses the owner allows.
    Never,
}

impl ConfirmMode {
    /// The word of the configuration file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::NewRecipients => "new-recipients",
            Self::Never => "never",
        }
    }

    /// Refuses a mode that this version doesn't carry out.
    pub(crate) fn check(self) -> Result<(), Refusal> {
        match self {
            Self::Always => Ok(()),
            Self::NewRecipients | Self::Never => Err(Refusal::ModeUnsupported(self)),
        }
    }
}

impl fmt::Display for ConfirmMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that isn't a confirmation mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the confirmation mode is none of `always`, `new-recipients` and `never`")]
pub struct UnknownMode;

impl FromStr for ConfirmMode {
    type Err = UnknownMode;

    fn from_str(word: &str) -> Result<Self, UnknownMode> {
        [Self::Always, Self::NewRecipients, Self::Never]
            .into_iter()
            .find(|m| m.as_str() == word)
            .ok_or(UnknownMode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_read_and_nothing_else() {
        for mode in [ConfirmMode::Always, ConfirmMode::NewRecipients, ConfirmMode::Never] {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        for word in ["", "Always", "new_recipients", "off", "always "] {
            assert_eq!(word.parse::<ConfirmMode>(), Err(UnknownMode), "{word:?}");
        }
    }

    #[test]
    fn only_always_is_carried_out() {
        assert_eq!(ConfirmMode::default().check(), Ok(()));
        for mode in [ConfirmMode::NewRecipients, ConfirmMode::Never] {
            assert_eq!(mode.check(), Err(Refusal::ModeUnsupported(mode)));
        }
    }
}
