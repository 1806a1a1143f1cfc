//! As much of CSS as decides whether text is visible: declarations ([`block`]), values ([`value`], [`colour`]),
//! selectors ([`selector`]) and style sheets with media queries ([`sheet`]).
//!
//! Everything is bounded by the input and by named limits; matching is charged to a budget that the walk owns.

pub(super) mod block;
pub(super) mod colour;
pub(super) mod selector;
pub(super) mod sheet;
pub(super) mod value;

/// Removes comments and decodes nothing: an escape is decoded where its token is read.
pub(super) fn without_comments(css: &str) -> std::borrow::Cow<'_, str> {
    if !css.contains("/*") {
        return css.into();
    }
    let mut out = String::with_capacity(css.len());
    let mut quote = None;
    let mut chars = css.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\\') => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            (Some(open), _) if open == c || c == '\n' => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '/') if chars.peek() == Some(&'*') => {
                chars.next();
                let mut star = false;
                for inner in chars.by_ref() {
                    if star && inner == '/' {
                        break;
                    }
                    star = inner == '*';
                }
                // A comment separates tokens: `dis/**/play` is two words.
                out.push(' ');
                continue;
            }
            _ => {}
        }
        out.push(c);
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
    let mut quote = None;
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in css.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, c) {
            (_, '\\') => escaped = true,
            (Some(open), _) if open == c || c == '\n' => quote = None,
            (None, _) if depth == 0 && wanted(c) => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth = depth.saturating_add(1),
            (None, ')' | ']') => depth = depth.saturating_sub(1),
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
