//! Just enough of Rust's lexical grammar to tell code, string literals and comments apart, line by line.
//!
//! It knows nested block comments, escapes, raw strings, and characters from lifetimes (Rust reference, "Tokens").
//! Macros and `cfg` other than `cfg(test)` are not understood; the rules that use this need neither.

use std::iter::Peekable;
use std::str::Chars;

/// One Rust file taken apart.
pub(crate) struct Source {
    pub(crate) lines: Vec<Line>,
}

/// One line: its code with strings emptied, the text of strings and of comments on it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) code: String,
    pub(crate) strings: Vec<String>,
    pub(crate) comment: String,
    /// Inside an item behind `#[cfg(test)]`.
    pub(crate) in_test: bool,
}

impl Source {
    pub(crate) fn read(text: &str) -> Self {
        let mut reader = Reader { rest: text.chars().peekable(), lines: Vec::new(), line: Line::default() };
        reader.run();
        let mut lines = reader.lines;
        mark_tests(&mut lines);
        Self { lines }
    }

    /// Lines with their numbers, counted from 1.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &Line)> {
        (1..).zip(self.lines.iter())
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    lines: Vec<Line>,
    line: Line,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\n' => self.end_line(),
                '/' if self.rest.peek() == Some(&'/') => self.line_comment(),
                '/' if self.rest.peek() == Some(&'*') => self.block_comment(),
                '"' => self.string(),
                'r' if self.starts_raw() => self.raw_string(),
                '\'' => self.quote(),
                other => self.line.code.push(other),
            }
        }
        self.end_line();
    }

    fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
    }

    fn line_comment(&mut self) {
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            self.line.comment.push(c);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 1_u32;
        self.rest.next();
        while depth > 0 {
            match self.rest.next() {
                None => return,
                Some('\n') => self.end_line(),
                Some('*') if self.rest.next_if_eq(&'/').is_some() => depth = depth.saturating_sub(1),
                Some('/') if self.rest.next_if_eq(&'*').is_some() => depth = depth.saturating_add(1),
                Some(c) => self.line.comment.push(c),
            }
        }
    }

    /// A string belongs to the line on which it begins; each of its own lines is kept as a piece there.
    fn string(&mut self) {
        let mut piece = String::new();
        self.line.code.push('"');
        while let Some(c) = self.rest.next() {
            match c {
                '"' => break,
                '\\' => {
                    piece.push(c);
                    match self.rest.next() {
                        Some('\n') => self.cut(&mut piece),
                        Some(escaped) => piece.push(escaped),
                        None => break,
                    }
                }
                '\n' => self.cut(&mut piece),
                other => piece.push(other),
            }
        }
        self.line.strings.push(piece);
        self.line.code.push('"');
    }

    fn cut(&mut self, piece: &mut String) {
        self.line.strings.push(std::mem::take(piece));
        self.end_line();
    }

    /// `r` opens a raw string unless it ends an identifier (`for"` can't occur, `br"` can).
    fn starts_raw(&self) -> bool {
        let mut before = self.line.code.chars().rev();
        let joined = match before.next() {
            Some('b' | 'c') => before.next().is_some_and(is_word),
            Some(c) => is_word(c),
            None => false,
        };
        let mut ahead = self.rest.clone();
        while ahead.next_if_eq(&'#').is_some() {}
        !joined && ahead.peek() == Some(&'"')
    }

    fn raw_string(&mut self) {
        let mut hashes = 0_usize;
        while self.rest.next_if_eq(&'#').is_some() {
            hashes = hashes.saturating_add(1);
        }
        self.rest.next();
        let mut piece = String::new();
        self.line.code.push('"');
        while let Some(c) = self.rest.next() {
            match c {
                '"' if self.closes(hashes) => break,
                '\n' => self.cut(&mut piece),
                other => piece.push(other),
            }
        }
        self.line.strings.push(piece);
        self.line.code.push('"');
    }

    fn closes(&mut self, hashes: usize) -> bool {
        let closed = self.rest.clone().take(hashes).filter(|c| *c == '#').count() == hashes;
        if closed {
            self.rest.by_ref().take(hashes).for_each(drop);
        }
        closed
    }

    /// A character literal is emptied; a lifetime stays code.
    fn quote(&mut self) {
        self.line.code.push('\'');
        let mut ahead = self.rest.clone();
        let first = ahead.next();
        let is_char = first == Some('\\') || (first != Some('\n') && ahead.next() == Some('\''));
        if !is_char {
            return;
        }
        if self.rest.next() == Some('\\') {
            self.rest.next();
        }
        while self.rest.next_if(|c| *c != '\'' && *c != '\n').is_some() {}
        self.rest.next_if_eq(&'\'');
        self.line.code.push('\'');
    }
}

/// Marks everything from a `#[cfg(test)]` to the end of the item behind it.
fn mark_tests(lines: &mut [Line]) {
    let mut pending = false;
    let mut depth = 0_u32;
    for line in lines {
        if depth == 0 && line.code.contains("#[cfg(test)]") {
            pending = true;
        }
        line.in_test = pending || depth > 0;
        if !line.in_test {
            continue;
        }
        for c in line.code.chars() {
            match c {
                '{' => {
                    pending = false;
                    depth = depth.saturating_add(1);
                }
                '}' => depth = depth.saturating_sub(1),
                ';' if depth == 0 => pending = false,
                _ => {}
            }
        }
    }
}

/// Whether a character may stand in an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `word` stands in `text` with no identifier character on either side.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, found)| {
        let (before, from) = text.split_at_checked(at).unwrap_or_default();
        let after = from.strip_prefix(found).unwrap_or_default();
        !before.chars().next_back().is_some_and(is_word) && !after.chars().next().is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_strings_and_comments_are_told_apart() {
        let source = Source::read(concat!(
            "let a = \"s // no \\\" comment\"; // c \"not a string\"\n",
            "let b = r#\"raw \" here\"#; /* block /* nested */ still */ let c = '\"';\n",
            "fn f<'a>(x: &'a str, q: char) { matches!(q, '\\'' | '{') }\n",
            "let d = br\"bytes\"; let e = \"two\nlines\";\n",
        ));
        let line = |n: usize| source.lines.get(n).unwrap();
        assert_eq!(line(0).code, "let a = \"\"; ");
        assert_eq!(line(0).strings, ["s // no \\\" comment"]);
        assert_eq!(line(0).comment, "/ c \"not a string\"");
        assert_eq!(line(1).code, "let b = \"\";  let c = '';");
        assert_eq!(line(1).strings, ["raw \" here"]);
        assert_eq!(line(2).code, "fn f<'a>(x: &'a str, q: char) { matches!(q, '' | '') }");
        assert_eq!(line(3).strings, ["bytes", "two"]);
        assert_eq!(line(4).strings, ["lines"]);
    }

    #[test]
    fn what_stands_behind_cfg_test_is_marked_and_the_rest_is_not() {
        let source = Source::read(
            "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nuse x::y;\nfn d() {}\n",
        );
        let marked: Vec<bool> = source.lines.iter().map(|line| line.in_test).collect();
        assert_eq!(marked, [false, true, true, true, true, false, true, true, false, false]);
    }

    #[test]
    fn words_have_edges() {
        assert!(has_word("mod get_message;", "get_message"));
        assert!(!has_word("mod get_messages;", "get_message"));
    }
}
