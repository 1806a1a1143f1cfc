//! Protection levels (seed mailmcp-audit §17): set by the owner's configuration file only.

/// How much verification mail is kept from the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Level {
    /// Nothing is kept back. Only a written `off` means this.
    Off,
    /// One-time codes and sign-in links.
    Basic,
    /// Basic, recovery and security alerts.
    Standard,
    /// Standard, bank and payment mail.
    Strict,
    /// Chosen categories.
    Custom(Vec<String>),
}

impl Level {
    /// Reads a level; a word that is none of them reads as `strict`, so that a typing error never opens anything.
    pub fn parse(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "off" => Self::Off,
            "basic" => Self::Basic,
            "standard" => Self::Standard,
            _ => Self::Strict,
        }
    }

    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Basic => "basic",
            Self::Standard => "standard",
            Self::Strict => "strict",
            Self::Custom(_) => "custom",
        }
    }

    /// Whether this version can apply the level.
    pub fn is_available(&self) -> bool {
        matches!(self, Self::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::Level;

    #[test]
    fn an_unknown_word_reads_as_strict() {
        assert_eq!(Level::parse(" OFF "), Level::Off);
        assert_eq!(Level::parse("standard"), Level::Standard);
        for typo in ["of", "none", "", "0", "false", "disabled"] {
            assert_eq!(Level::parse(typo), Level::Strict, "{typo:?}");
        }
    }
}
