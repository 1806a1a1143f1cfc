//! Parsing with a bound on the work, since html5ever has none.
//!
//! A tree builder looks up through the open elements for many tags, and a tokenizer compares each attribute with
//! those before it: both grow with the square of hostile input (a hundred thousand open `div`, a million
//! attributes in one tag). So the input is cut before a tag with more attributes than any real one, a guard in
//! front of the tree builder stops what would nest deeper than a browser shows, and each token is charged for
//! the levels that it may look through.

use std::cell::{Cell, RefCell};

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TreeSink;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::dom::{Handle, Sink, Tree};

/// Most attributes of one tag. Real tags have a dozen.
pub(super) const ATTRIBUTES: usize = 64;
/// Deepest nesting read; browsers stop at 512.
const DEPTH: usize = 800;
/// Most nodes of one tree.
const NODES: usize = 200_000;
/// Levels looked through, over all tokens: a large newsletter takes about a million.
const WORK: usize = 100_000_000;

/// The tree, and whether some of the input isn't in it.
pub(super) fn parse(html: &str) -> (Tree, bool) {
    let whole = html.len();
    let html = html.get(..html.floor_char_boundary(super::INPUT_LIMIT)).unwrap_or(html);
    let html = html.get(..cut_at(html.as_bytes())).unwrap_or_default();
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let guard = Guard {
        builder: TreeBuilder::new(Sink::new(), options),
        work: Cell::new(0),
        closed: Cell::new(0),
        skipped: RefCell::new(0),
        cut: Cell::new(html.len() < whole),
    };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // The tokenizer stops at each script element, for a caller that would run it.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    let cut = tokenizer.sink.cut.get();
    (tokenizer.sink.builder.sink.finish(), cut)
}

struct Guard {
    builder: TreeBuilder<Handle, Sink>,
    work: Cell<usize>,
    /// Elements closed since something was last added, so that the depth is known between.
    closed: Cell<usize>,
    /// Tags opened below the deepest level, so not in the tree.
    skipped: RefCell<usize>,
    cut: Cell<bool>,
}

impl Guard {
    fn is_spent(&self) -> bool {
        self.work.get() > WORK || self.builder.sink.len() > NODES
    }

    fn charge(&self, weight: usize) {
        let levels = self.builder.sink.depth().saturating_add(1);
        self.work.set(self.work.get().saturating_add(levels.saturating_mul(weight)));
    }

    /// Levels open now, as far as can be told from outside: those of what was added last, less the end tags since.
    fn depth(&self) -> usize {
        self.builder.sink.depth().saturating_sub(self.closed.get())
    }

    /// Whether a token lies below the deepest level and so doesn't reach the tree builder. Its text doesn't
    /// either: the element that would hide it isn't there.
    fn is_too_deep(&self, token: &Token) -> bool {
        let mut skipped = self.skipped.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                if *skipped == 0 && self.depth() < DEPTH {
                    return false;
                }
                if !tag.self_closing && !is_void(&tag.name) {
                    *skipped = skipped.saturating_add(1);
                }
                true
            }
            Token::TagToken(tag) if *skipped > 0 => {
                if !is_void(&tag.name) {
                    *skipped = skipped.saturating_sub(1);
                }
                true
            }
            Token::CharacterTokens(_) | Token::CommentToken(_) | Token::NullCharacterToken => *skipped > 0,
            Token::TagToken(_) | Token::DoctypeToken(_) | Token::EOFToken | Token::ParseError(_) => false,
        }
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let at_end = matches!(token, Token::EOFToken);
        if !at_end && (self.is_spent() || self.is_too_deep(&token)) {
            if !matches!(token, Token::ParseError(_)) {
                self.cut.set(true);
            }
            return TokenSinkResult::Continue;
        }
        let weight = weight(&token);
        let closes = matches!(&token, Token::TagToken(tag) if tag.kind == TagKind::EndTag);
        let nodes = self.builder.sink.len();
        self.charge(weight);
        let result = self.builder.process_token(token, line);
        if self.builder.sink.len() > nodes {
            self.charge(weight);
            self.closed.set(0);
        } else if closes {
            self.closed.set(self.closed.get().saturating_add(1));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A formatting tag is compared, attributes and all, with the open ones of its name.
fn weight(token: &Token) -> usize {
    match token {
        Token::TagToken(Tag { name, attrs, .. }) if is_formatting(name) => {
            attrs.len().saturating_mul(8).saturating_add(2)
        }
        Token::TagToken(_) | Token::CharacterTokens(_) | Token::NullCharacterToken => 2,
        Token::DoctypeToken(_) | Token::CommentToken(_) | Token::EOFToken | Token::ParseError(_) => 0,
    }
}

fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Where to stop reading: before the first tag with more than [`ATTRIBUTES`] attributes. Comments and raw text
/// are skipped roughly; taking them for tags could only cut too early.
fn cut_at(html: &[u8]) -> usize {
    let mut at = 0_usize;
    while let Some(open) = find(html, at, b"<") {
        let after = open.saturating_add(1);
        let rest = html.get(after..).unwrap_or_default();
        if rest.starts_with(b"!--") {
            at = find(html, after.saturating_add(3), b"-->").unwrap_or(html.len());
        } else if rest.first().is_some_and(|c| c.is_ascii_alphabetic() || *c == b'/') {
            let Some(end) = end_of_tag(html, after) else { return open };
            at = end;
        } else {
            at = after;
        }
    }
    html.len()
}

/// The end of the tag that starts at `at`; nothing where it has too many attributes.
fn end_of_tag(html: &[u8], at: usize) -> Option<usize> {
    let mut attributes = 0_usize;
    let mut quote = None;
    let mut previous = b'x';
    let mut at = at;
    for &byte in html.get(at..).unwrap_or_default() {
        at = at.saturating_add(1);
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return Some(at),
            // A quote opens a value only after an equals sign; elsewhere it is part of a name.
            (None, b'"' | b'\'') if previous == b'=' => quote = Some(byte),
            (None, _) => {
                let starts_name =
                    matches!(previous, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/' | b'"' | b'\'');
                if starts_name && !byte.is_ascii_whitespace() && byte != b'/' && byte != b'=' {
                    attributes = attributes.saturating_add(1);
                    if attributes > ATTRIBUTES {
                        return None;
                    }
                }
            }
        }
        // Blanks between `=` and a value don't matter to either.
        if !(previous == b'=' && byte.is_ascii_whitespace()) {
            previous = byte;
        }
    }
    Some(html.len())
}

fn find(html: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    let rest = html.get(from..)?;
    let found = match needle {
        [byte] => rest.iter().position(|candidate| candidate == byte),
        _ => rest.windows(needle.len()).position(|window| window == needle),
    }?;
    from.checked_add(found)
}
