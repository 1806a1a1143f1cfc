//! Text of others made inert for a prompt: it can be read, and it can't act on how the prompt is read.
//!
//! Escaped as `\u{…}` are controls, line and paragraph separators, and everything that a reader can't see: all format
//! characters (bidi controls, zero-width and tag characters among them), variation selectors, the other default
//! ignorable code points, blank letters, private-use characters and noncharacters. The result is injective: a text
//! that contains the seven characters `\u{41}` doesn't look like an escape, because the backslash of such a text is
//! escaped too.
//!
//! Combining marks stay as they are up to eight on one character, which is more than any script writes. Escaped are
//! those beyond, because a pile of them is drawn over the lines above and below.
//!
//! Not done here: look-alike letters stay as they are (an address is judged by the caller), and spaces of unusual
//! width stay, being visible as spaces.

use unicode_normalization::char::is_combining_mark;

/// Shown where a text was cut.
const CUT: char = '…';
/// Before each line of a block.
const INDENT: &str = "    ";
/// Combining marks that may stand on one character.
const MAX_MARKS: u32 = 8;

/// One line: nothing in `text` can end it, reorder it or hide in it.
#[must_use]
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for shown in units(text) {
        shown.write(&mut out);
    }
    out
}

/// As [`line()`], of at most `limit` characters, escapes counted as they are shown; a cut ends in `…`.
///
/// For what is only decoration. What will be delivered is shown whole.
#[must_use]
pub fn line_within(text: &str, limit: usize) -> String {
    let whole = line(text);
    if whole.chars().count() <= limit {
        return whole;
    }
    let mut out = String::new();
    let mut left = limit.saturating_sub(1);
    for shown in units(text) {
        let Some(rest) = left.checked_sub(shown.width()) else { break };
        left = rest;
        shown.write(&mut out);
    }
    out.push(CUT);
    out
}

/// Several lines for a prompt, made by [`block`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Block {
    /// The lines, each indented, without a line break at the end.
    pub text: String,
    /// Whether all of the text is there.
    pub whole: bool,
}

/// Several lines, each indented by four spaces so that none can pass for a line of the prompt itself, and of at most
/// `limit` characters in all: line breaks count as one, escapes as they are shown, the indentation not.
///
/// CR LF, LF and a lone CR each end a line; every other control is escaped. A text that doesn't fit is cut between
/// two characters, and [`Block::whole`] is false.
#[must_use]
pub fn block(text: &str, limit: usize) -> Block {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::new();
    let mut left = limit;
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            let Some(rest) = left.checked_sub(1) else { return Block { text: out, whole: false } };
            left = rest;
            out.push('\n');
        }
        out.push_str(INDENT);
        for shown in units(line) {
            let Some(rest) = left.checked_sub(shown.width()) else {
                return Block { text: out, whole: false };
            };
            left = rest;
            shown.write(&mut out);
        }
    }
    Block { text: out, whole: true }
}

/// Whether a reader sees the character, and it leaves the text around it alone. Any other is escaped.
#[must_use]
pub fn is_visible(c: char) -> bool {
    let c = u32::from(c);
    // Printable ASCII is nearly everything.
    if (0x20..0x7F).contains(&c) {
        return true;
    }
    let index = ESCAPED.partition_point(|&(_, last)| last < c);
    ESCAPED.get(index).is_none_or(|&(first, _)| c < first) && c & 0xFFFE != 0xFFFE
}

/// One character as it is shown.
enum Unit {
    Plain(char),
    Escaped(char),
}

impl Unit {
    fn width(&self) -> usize {
        match self {
            Self::Plain(_) => 1,
            Self::Escaped(c) => c.escape_unicode().len(),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Plain(c) => out.push(*c),
            Self::Escaped(c) => out.extend(c.escape_unicode()),
        }
    }
}

fn units(text: &str) -> impl Iterator<Item = Unit> {
    let mut marks = 0_u32;
    text.char_indices().map(move |(at, c)| {
        marks = if is_combining_mark(c) { marks.saturating_add(1) } else { 0 };
        let forges_an_escape = c == '\\' && text.get(at..).is_some_and(|rest| rest.starts_with("\\u{"));
        if is_visible(c) && !forges_an_escape && marks <= MAX_MARKS {
            Unit::Plain(c)
        } else {
            Unit::Escaped(c)
        }
    })
}

/// What is escaped, as inclusive ranges in order: the general categories Cc, Cf, Zl, Zp, Co, the properties
/// `Default_Ignorable_Code_Point`, `Variation_Selector` and `Noncharacter_Code_Point` (the last two of each plane are
/// tested by arithmetic), U+2800, which is a letter without a dot. A test compares it with the Unicode tables.
const ESCAPED: [(u32, u32); 32] = [
    (0x0000, 0x001F),           // C0 controls
    (0x007F, 0x009F),           // delete, C1 controls
    (0x00AD, 0x00AD),           // soft hyphen
    (0x034F, 0x034F),           // combining grapheme joiner
    (0x0600, 0x0605),           // Arabic number signs
    (0x061C, 0x061C),           // Arabic letter mark
    (0x06DD, 0x06DD),           // Arabic end of ayah
    (0x070F, 0x070F),           // Syriac abbreviation mark
    (0x0890, 0x0891),           // Arabic pound and piastre marks
    (0x08E2, 0x08E2),           // Arabic disputed end of ayah
    (0x115F, 0x1160),           // Hangul fillers
    (0x17B4, 0x17B5),           // Khmer inherent vowels
    (0x180B, 0x180F),           // Mongolian variation selectors, vowel separator
    (0x200B, 0x200F),           // zero width, directional marks
    (0x2028, 0x202E),           // line and paragraph separators, bidi embeddings and overrides
    (0x2060, 0x206F), // word joiner, invisible operators, bidi isolates, deprecated format characters
    (0x2800, 0x2800), // Braille pattern blank
    (0x3164, 0x3164), // Hangul filler
    (0xE000, 0xF8FF), // private use
    (0xFDD0, 0xFDEF), // noncharacters
    (0xFE00, 0xFE0F), // variation selectors
    (0xFEFF, 0xFEFF), // zero width no-break space
    (0xFFA0, 0xFFA0), // halfwidth Hangul filler
    (0xFFF0, 0xFFFB), // reserved, interlinear annotation
    (0x110BD, 0x110BD), // Kaithi number sign
    (0x110CD, 0x110CD), // Kaithi number sign above
    (0x13430, 0x1343F), // Egyptian hieroglyph format controls
    (0x1BCA0, 0x1BCA3), // shorthand format controls
    (0x1D173, 0x1D17A), // musical format controls
    (0xE0000, 0xE0FFF), // tags, variation selectors supplement, reserved
    (0xF0000, 0xFFFFD), // private use
    (0x0010_0000, 0x0010_FFFD), // private use
];

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    #[test]
    fn everything_invisible_in_the_unicode_tables_is_escaped_and_nothing_else() {
        let pattern = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{DI}\p{VS}\p{NChar}\u{2800}]";
        let hir = regex_syntax::Parser::new().parse(pattern).unwrap();
        let HirKind::Class(Class::Unicode(class)) = hir.kind() else { panic!("a class") };
        let mut escaped = std::collections::BTreeSet::new();
        for range in class.iter() {
            escaped.extend(range.start()..=range.end());
        }
        for c in '\0'..=char::MAX {
            assert_eq!(is_visible(c), !escaped.contains(&c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn a_line_stays_one_line_in_reading_order() {
        for (text, shown) in [
            ("plain, žluťoučký 日本語 «ok»", "plain, žluťoučký 日本語 «ok»"),
            ("a\r\nBcc: x", r"a\u{d}\u{a}Bcc: x"),
            ("a\u{2028}b\u{85}c\td", r"a\u{2028}b\u{85}c\u{9}d"),
            ("\u{202e}moc.elpmaxe", r"\u{202e}moc.elpmaxe"),
            ("a\u{200b}\u{ad}\u{feff}b", r"a\u{200b}\u{ad}\u{feff}b"),
            ("\u{e0041}\u{fe0f}\u{e000}\u{10fffd}", r"\u{e0041}\u{fe0f}\u{e000}\u{10fffd}"),
            ("\u{3164}\u{2800}\u{ffff}", r"\u{3164}\u{2800}\u{ffff}"),
            ("\u{1b}[2J", r"\u{1b}[2J"),
            (r"C:\users\u{41}", r"C:\users\u{5c}u{41}"),
        ] {
            assert_eq!(line(text), shown);
        }
    }

    #[test]
    fn marks_piled_on_one_character_are_escaped_and_those_of_a_script_are_not() {
        // Vietnamese in decomposed form, Hebrew with points and accents, Devanagari, Tibetan.
        for text in [
            "e\u{302}\u{301}\u{323}",
            "\u{5d1}\u{5bc}\u{5b8}\u{591}\u{5bd}",
            "\u{915}\u{94d}\u{937}\u{93f}",
            "\u{f40}\u{fb5}\u{f72}\u{f7e}",
        ] {
            assert_eq!(line(text), text);
        }
        let pile = "\u{301}".repeat(8);
        assert_eq!(line(&format!("e{pile}")), format!("e{pile}"));
        assert_eq!(
            line(&format!("e{pile}\u{301}\u{308}o{pile}")),
            format!("e{pile}\\u{{301}}\\u{{308}}o{pile}")
        );
        // An invisible character between them doesn't start the count anew at the same place: it is seen.
        assert_eq!(line(&format!("e{pile}\u{200d}\u{301}")), format!("e{pile}\\u{{200d}}\u{301}"));
        assert_eq!(
            block(&format!("e{}", "\u{301}".repeat(10_000)), 100)
                .text
                .chars()
                .filter(|c| *c == '\u{301}')
                .count(),
            8
        );
    }

    #[test]
    fn a_capped_line_says_that_it_is_cut() {
        for (text, limit, shown) in [
            ("abcd", 4, "abcd"),
            ("abcde", 4, "abc…"),
            ("a\u{200b}", 9, r"a\u{200b}"),
            ("a\u{200b}", 8, "a…"),
            ("ab", 0, "…"),
            ("", 0, ""),
        ] {
            assert_eq!(line_within(text, limit), shown, "{text:?} in {limit}");
        }
    }

    #[test]
    fn a_block_keeps_its_lines_and_indents_each() {
        let shown = block("Dear all,\r\n\rTo: you\n\u{202e}x", 100);
        assert_eq!(shown.text, "    Dear all,\n    \n    To: you\n    \\u{202e}x");
        assert!(shown.whole);
    }

    #[test]
    fn a_block_is_measured_as_it_is_shown() {
        for (text, limit, shown, whole) in [
            ("abc", 3, "    abc", true),
            ("abcd", 3, "    abc", false),
            ("a\nb", 3, "    a\n    b", true),
            ("a\nb", 2, "    a\n    ", false),
            ("a\nb", 1, "    a", false),
            ("\u{200b}", 8, "    \\u{200b}", true),
            ("\u{200b}", 7, "    ", false),
            ("", 0, "    ", true),
        ] {
            assert_eq!(block(text, limit), Block { text: shown.to_owned(), whole }, "{text:?} in {limit}");
        }
    }
}
