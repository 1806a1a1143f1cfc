//! How a draft may go out, and the four cells in which the owner says so: to someone new or to known people, while
//! exposed or not.

use std::{fmt, str::FromStr};

/// How a draft may go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// As it is: its formatted version and its attachments too.
    AsIs,
    /// The plain text that the person is shown, and nothing else.
    PlainText,
    /// Not at all.
    Refused,
}

impl Treatment {
    /// The word of the configuration file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AsIs => "as-is",
            Self::PlainText => "plain-text",
            Self::Refused => "refused",
        }
    }
}

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that isn't a treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the treatment is none of `as-is`, `plain-text` and `refused`")]
pub struct UnknownTreatment;

impl FromStr for Treatment {
    type Err = UnknownTreatment;

    fn from_str(word: &str) -> Result<Self, UnknownTreatment> {
        [Self::AsIs, Self::PlainText, Self::Refused]
            .into_iter()
            .find(|treatment| treatment.as_str() == word)
            .ok_or(UnknownTreatment)
    }
}

/// The treatment in each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Treatments {
    /// To someone new.
    pub to_new: Treatment,
    /// To someone new, while other people's mail was just read.
    pub to_new_exposed: Treatment,
    /// To known people.
    pub to_known: Treatment,
    /// To known people, while other people's mail was just read.
    pub to_known_exposed: Treatment,
}

impl Treatments {
    /// The treatment of one case.
    pub(crate) fn of(self, case: Case) -> Treatment {
        match case {
            Case { new: true, exposed: false } => self.to_new,
            Case { new: true, exposed: true } => self.to_new_exposed,
            Case { new: false, exposed: false } => self.to_known,
            Case { new: false, exposed: true } => self.to_known_exposed,
        }
    }
}

/// What decides the treatment of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Whether someone on it is new.
    pub new: bool,
    /// Whether the sign-in is exposed.
    pub exposed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_and_nothing_else() {
        for treatment in [Treatment::AsIs, Treatment::PlainText, Treatment::Refused] {
            assert_eq!(treatment.to_string().parse(), Ok(treatment));
        }
        for word in ["", "As-Is", "asis", "plain", "refuse", "as-is "] {
            assert_eq!(word.parse::<Treatment>(), Err(UnknownTreatment), "{word:?}");
        }
    }
}
