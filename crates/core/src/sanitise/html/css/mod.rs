//! As much of CSS as decides whether text is visible: declarations ([`block`]), values ([`value`], [`colour`]),
//! selectors ([`selector`]) and style sheets with media queries ([`sheet`]).
//!
//! Everything is bounded by the input and by named limits; matching is charged to a budget that the walk owns.

pub(super) mod block;
pub(super) mod colour;
pub(super) mod selector;
pub(super) mod sheet;
pub(super) mod value;

/// Reads on through CSS: what stands in quotes, in a bare `url(…)` or after a backslash is no syntax.
#[derive(Default)]
struct Lexer {
    quote: Option<char>,
    in_url: bool,
    escaped: bool,
}

impl Lexer {
    /// Whether the character `c` at `at` is syntax.
    fn is_syntax(&mut self, css: &str, at: usize, c: char) -> bool {
        if std::mem::take(&mut self.escaped) {
            return false;
        }
        if c == '\\' {
            self.escaped = true;
            return false;
        }
        if self.in_url {
            self.in_url = c != ')';
            return !self.in_url;
        }
        match self.quote {
            Some(open) => {
                if open == c || c == '\n' {
                    self.quote = None;
                }
                return false;
            }
            None if matches!(c, '"' | '\'') => {
                self.quote = Some(c);
                return false;
            }
            None => {}
        }
        // A quote or `/*` in an address without quotes means nothing: `url(it's.jpg)`.
        self.in_url = c == '(' && opens_bare_url(css, at);
        true
    }
}

/// Whether the bracket at `at` opens an address without quotes.
fn opens_bare_url(css: &str, at: usize) -> bool {
    let named = at
        .checked_sub(3)
        .and_then(|from| css.get(from..at))
        .is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let first =
        css.get(at..).and_then(|rest| rest.get(1..)).and_then(|rest| rest.trim_start().chars().next());
    named && !matches!(first, Some('"' | '\''))
}

/// Removes comments and decodes nothing: an escape is decoded where its token is read.
pub(super) fn without_comments(css: &str) -> std::borrow::Cow<'_, str> {
    if !css.contains("/*") {
        return css.into();
    }
    let mut out = String::with_capacity(css.len());
    let mut lexer = Lexer::default();
    let mut chars = css.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if lexer.is_syntax(css, at, c) && c == '/' && chars.peek().is_some_and(|(_, next)| *next == '*') {
            chars.next();
            let mut star = false;
            for (_, inner) in chars.by_ref() {
                if star && inner == '/' {
                    break;
                }
                star = inner == '*';
            }
            // A comment separates tokens: `dis/**/play` is two words.
            out.push(' ');
        } else {
            out.push(c);
        }
    }
    out.into()
}

/// Splits at a character that stands outside quotes, brackets and escapes.
pub(super) fn split(css: &str, at: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(css);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(found) = position(text, |c| c == at) else {
            rest = None;
            return Some(text);
        };
        let (head, tail) = text.split_at_checked(found)?;
        rest = tail.strip_prefix(at);
        Some(head)
    })
}

/// The first place outside quotes, brackets and escapes where `wanted` holds.
pub(super) fn position(css: &str, wanted: impl Fn(char) -> bool) -> Option<usize> {
    let mut lexer = Lexer::default();
    let mut depth = 0_usize;
    for (at, c) in css.char_indices() {
        if !lexer.is_syntax(css, at, c) {
            continue;
        }
        match c {
            _ if depth == 0 && wanted(c) => return Some(at),
            '(' | '[' => depth = depth.saturating_add(1),
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Decodes escapes (`\64 isplay`, `\:`) and lowers the case: names and keywords of CSS ignore it.
pub(super) fn plain(token: &str) -> String {
    let token = token.trim();
    if !token.contains('\\') {
        return token.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c.to_ascii_lowercase());
            continue;
        }
        let mut code = 0_u32;
        let mut digits = 0_u8;
        while digits < 6 {
            let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) else { break };
            code = code.saturating_mul(16).saturating_add(digit);
            digits = digits.saturating_add(1);
            chars.next();
        }
        if digits == 0 {
            out.extend(chars.next().map(|c| c.to_ascii_lowercase()));
            continue;
        }
        if chars.peek().is_some_and(char::is_ascii_whitespace) {
            chars.next();
        }
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).to_ascii_lowercase());
    }
    out
}
