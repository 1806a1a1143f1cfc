//! Message flags and keywords (RFC 9051 §2.3.2).

use std::fmt;

/// A system flag that tools may show. `\Deleted` is deliberately not settable anywhere outside a backend's own moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// The message has been read.
    Seen,
    /// The message has been answered.
    Answered,
    /// The message is flagged (starred).
    Flagged,
    /// The message is a draft.
    Draft,
    /// The message is marked for removal by some client.
    Deleted,
}

/// A keyword (IMAP), label or category: 1 to 64 visible ASCII characters that need no quoting in any IMAP command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Keyword(String);

impl Keyword {
    /// Longest keyword, in characters.
    pub const MAX_CHARS: usize = 64;

    /// Takes a keyword if every character of it is a letter, digit or one of `$ - _ . + & : ! # ' /` (a subset of RFC
    /// 9051's `flag-keyword`, so it can stand in a command as it is).
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "$-_.+&:!#'/".contains(c);
        ((1..=Self::MAX_CHARS).contains(&text.len()) && text.chars().all(plain))
            .then(|| Self(text.to_owned()))
    }

    /// The keyword as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The flags of one message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flags {
    /// System flags, each at most once.
    pub system: Vec<Flag>,
    /// Keywords that can be shown; ones with odd characters are left out.
    pub keywords: Vec<Keyword>,
}

impl Flags {
    /// Whether a system flag is set.
    pub fn has(&self, flag: Flag) -> bool {
        self.system.contains(&flag)
    }
}

/// What `modify_message` changes. A field left `None` or empty stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlagChange {
    /// Mark as read (`true`) or unread (`false`).
    pub seen: Option<bool>,
    /// Flag (`true`) or unflag (`false`).
    pub flagged: Option<bool>,
    /// Keywords to add.
    pub add: Vec<Keyword>,
    /// Keywords to remove.
    pub remove: Vec<Keyword>,
}

impl FlagChange {
    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.seen.is_none() && self.flagged.is_none() && self.add.is_empty() && self.remove.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_cannot_carry_a_command() {
        for good in ["$Forwarded", "work", "follow-up", "NonJunk"] {
            assert!(Keyword::parse(good).is_some(), "{good}");
        }
        for bad in ["", "\\Deleted", "a b", "a)", "a\r\nX", "štítek", "a\"", "{3}", "%", "*", &"k".repeat(65)]
        {
            assert!(Keyword::parse(bad).is_none(), "{bad:?}");
        }
    }
}
