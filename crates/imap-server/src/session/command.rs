//! Building commands. Words of ours go in as `&'static str` or numbers; everything else goes in as a string, which is quoted or
//! sent as a literal and can't hold a line end. So nothing that a model or a message brings can become a command.

use std::fmt::{Display, Write as _};

/// The text can't stand in a command: it holds CR, LF or NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextRefused;

/// One command, its tag left to the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// The text before the first literal, then each literal with the text after it.
    pub(super) start: String,
    pub(super) literals: Vec<(Vec<u8>, String)>,
}

impl Command {
    /// A command that starts with these words.
    pub(crate) fn new(words: &'static str) -> Self {
        Self { start: words.to_owned(), literals: Vec::new() }
    }

    /// Words of ours, after a space.
    pub(crate) fn word(mut self, words: &'static str) -> Self {
        self.push_space();
        self.push(words);
        self
    }

    /// Words of ours, joined to what stands before.
    pub(crate) fn join(mut self, words: &'static str) -> Self {
        self.push(words);
        self
    }

    /// A number, UID set, section, date or keyword, after a space. The types behind this trait can't hold anything else.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "values of a few bytes, and references to the larger ones"
    )]
    pub(crate) fn plain(mut self, value: impl Plain) -> Self {
        self.push_space();
        let _ = write!(self.tail(), "{value}");
        self
    }

    /// A plain value, joined to what stands before.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "values of a few bytes, and references to the larger ones"
    )]
    pub(crate) fn join_plain(mut self, value: impl Plain) -> Self {
        let _ = write!(self.tail(), "{value}");
        self
    }

    /// A string after a space: quoted where it is plain ASCII, a literal otherwise.
    pub(crate) fn string(mut self, text: &[u8]) -> Result<Self, TextRefused> {
        self.push_space();
        if text.iter().any(|b| matches!(b, 0 | b'\r' | b'\n')) {
            return Err(TextRefused);
        }
        match quoted(text) {
            Some(quoted) => self.push(&quoted),
            None => self.push_literal(text.to_vec()),
        }
        Ok(self)
    }

    /// A message as a literal, after a space (APPEND).
    pub(crate) fn message(mut self, bytes: &[u8]) -> Self {
        self.push_space();
        self.push_literal(bytes.to_vec());
        self
    }

    /// Whether a text in it is other than ASCII.
    pub(crate) fn has_literals(&self) -> bool {
        !self.literals.is_empty()
    }

    /// The whole of it, for tests: each literal after an arrow.
    #[cfg(test)]
    pub(crate) fn shown(&self) -> String {
        let literals = self
            .literals
            .iter()
            .map(|(bytes, after)| format!("\u{2193}{}{after}", String::from_utf8_lossy(bytes)));
        std::iter::once(self.start.clone()).chain(literals).collect()
    }

    fn push_space(&mut self) {
        if !self.tail().ends_with('(') {
            self.push(" ");
        }
    }

    fn push(&mut self, text: &str) {
        self.tail().push_str(text);
    }

    fn push_literal(&mut self, bytes: Vec<u8>) {
        let announcement = format!("{{{}}}", bytes.len());
        self.push(&announcement);
        self.literals.push((bytes, String::new()));
    }

    fn tail(&mut self) -> &mut String {
        self.literals.last_mut().map_or(&mut self.start, |(_, after)| after)
    }
}

/// A quoted string, where the text fits into one: printable ASCII.
pub(crate) fn quoted(text: &[u8]) -> Option<String> {
    let mut quoted = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => return None,
        }
    }
    quoted.push('"');
    Some(quoted)
}

/// Values that are made of characters without meaning in a command, by their type.
pub(crate) trait Plain: Display {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for usize {}
impl Plain for &countersign_core::model::Section {}
impl Plain for &countersign_core::model::Keyword {}
impl Plain for &UidSet {}
impl Plain for ImapDate {}

/// A set of UIDs as commands take it: `1,4:7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UidSet(Vec<(u32, u32)>);

impl UidSet {
    /// The set of these UIDs; `None` where there is none.
    pub(crate) fn of(uids: impl IntoIterator<Item = u32>) -> Option<Self> {
        let mut uids: Vec<u32> = uids.into_iter().filter(|uid| *uid > 0).collect();
        uids.sort_unstable();
        uids.dedup();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for uid in uids {
            match ranges.last_mut() {
                Some((_, end)) if end.checked_add(1) == Some(uid) => *end = uid,
                _ => ranges.push((uid, uid)),
            }
        }
        (!ranges.is_empty()).then_some(Self(ranges))
    }

    /// Every UID from one to the other.
    pub(crate) fn range(from: u32, to: u32) -> Self {
        Self(vec![(from.max(1), to.max(from).max(1))])
    }

    /// Reads a set as a server writes it, up to `most` UIDs in its order.
    pub(crate) fn parse(text: &str, most: usize) -> Option<Vec<u32>> {
        let mut uids = Vec::new();
        for part in text.split(',') {
            let (from, to) = part.split_once(':').unwrap_or((part, part));
            let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
            let (low, high) = (from.min(to), from.max(to));
            let span = usize::try_from(high.saturating_sub(low)).ok()?;
            if uids.len().saturating_add(span) >= most {
                return None;
            }
            uids.extend(low..=high);
        }
        Some(uids)
    }
}

impl Display for UidSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (from, to)) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            if from == to { write!(f, "{from}")? } else { write!(f, "{from}:{to}")? }
        }
        Ok(())
    }
}

/// A day as SEARCH takes it: `30-Nov-2026`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImapDate(pub(crate) countersign_core::model::Day);

pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Display for ImapDate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let month =
            usize::from(self.0.month).checked_sub(1).and_then(|at| MONTHS.get(at)).copied().unwrap_or("Jan");
        write!(f, "{}-{month}-{:04}", self.0.day, self.0.year)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_cannot_end_a_command() {
        let subject = |text: &str| Command::new("UID SEARCH").word("SUBJECT").string(text.as_bytes());
        assert_eq!(subject(r#"a" DELETED "b\"#).unwrap().start, r#"UID SEARCH SUBJECT "a\" DELETED \"b\\""#);
        for bad in ["a\r\nA2 LOGOUT", "a\n", "\0"] {
            assert_eq!(subject(bad), Err(TextRefused), "{bad:?}");
        }
        let literal = subject("žluť").unwrap().word("UNSEEN");
        assert_eq!(literal.start, "UID SEARCH SUBJECT {6}");
        assert_eq!(literal.literals, [("žluť".as_bytes().to_vec(), " UNSEEN".to_owned())]);
    }

    #[test]
    fn uid_sets_are_short_and_read_back() {
        let set = UidSet::of([7, 5, 6, 1, 9, 7, 0]).unwrap();
        assert_eq!(set.to_string(), "1,5:7,9");
        assert_eq!(UidSet::parse("1,5:7,9", 10), Some(vec![1, 5, 6, 7, 9]));
        assert_eq!(UidSet::parse("1:4000000000", 1_000), None);
        assert_eq!(UidSet::parse("1,x", 10), None);
        assert_eq!(UidSet::of([]), None);
    }
}
