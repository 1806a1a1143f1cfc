//! When a person is asked, and what happens where none can be: the owner's `confirm` and `without_elicitation`.

use std::{fmt, str::FromStr};

/// When a send asks the person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConfirmMode {
    /// Every send asks.
    #[default]
    Always,
    /// A send asks when a recipient is new, or when the person has to see the text because only that goes out.
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

/// What becomes of a send that asks, in a client that is known not to show prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WithoutElicitation {
    /// Nothing is sent; the draft stays.
    #[default]
    Refuse,
    /// The preview and token of `countersign-confirm`, within what the environment leaves of it.
    Token,
}

impl WithoutElicitation {
    /// The word of the configuration file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Token => "token",
        }
    }
}

/// A word that says neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is neither `refuse` nor `token`")]
pub struct UnknownWithoutElicitation;

impl FromStr for WithoutElicitation {
    type Err = UnknownWithoutElicitation;

    fn from_str(word: &str) -> Result<Self, UnknownWithoutElicitation> {
        [Self::Refuse, Self::Token]
            .into_iter()
            .find(|choice| choice.as_str() == word)
            .ok_or(UnknownWithoutElicitation)
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
        assert_eq!(ConfirmMode::default(), ConfirmMode::Always);
    }

    #[test]
    fn without_prompts_it_is_refused_unless_the_file_says_token() {
        for choice in [WithoutElicitation::Refuse, WithoutElicitation::Token] {
            assert_eq!(choice.as_str().parse(), Ok(choice));
        }
        for word in ["", "Token", "auto", "ask-user"] {
            assert_eq!(word.parse::<WithoutElicitation>(), Err(UnknownWithoutElicitation), "{word:?}");
        }
        assert_eq!(WithoutElicitation::default(), WithoutElicitation::Refuse);
    }
}
