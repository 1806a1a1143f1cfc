//! Characters that a person doesn't see: zero-width, bidirectional formatting, tags, fillers, private use.
//!
//! They carry hidden text (tag characters spell ASCII), break words that a filter looks for, and reorder what is
//! read (UTS #39, UAX #9, "Trojan Source"). [`strip`] drops them, with two exceptions that change what a person
//! reads: a variation selector right after the character that it styles (an emoji, a keycap), and one joiner
//! between two emoji or between two letters of a script that needs it (Arabic, Indic and their neighbours).
//! Tag characters always go, also behind a black flag: the flag of a region is not worth a hidden channel.
//! Control characters are not this file's: [`super::plain`] and [`super::header`] decide about line breaks.

use std::borrow::Cow;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Whether a character has no glyph of its own, or is of private use (its look depends on a font that the
/// reader doesn't have). Where an exception of [`strip`] may apply, this still says yes.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}'                    // soft hyphen
        | '\u{034f}'                  // combining grapheme joiner
        | '\u{061c}'                  // Arabic letter mark
        | '\u{115f}'..='\u{1160}'     // Hangul fillers
        | '\u{17b4}'..='\u{17b5}'     // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}'     // Mongolian variation selectors and vowel separator
        | '\u{200b}'..='\u{200f}'     // zero-width space, joiners, direction marks
        | '\u{202a}'..='\u{202e}'     // embeddings and overrides
        | '\u{2060}'..='\u{206f}'     // word joiner, invisible operators, isolates
        | '\u{2800}'                  // Braille blank
        | '\u{3164}'                  // Hangul filler
        | '\u{e000}'..='\u{f8ff}'     // private use
        | '\u{fdd0}'..='\u{fdef}'     // noncharacters
        | '\u{fe00}'..='\u{fe0f}'     // variation selectors
        | '\u{feff}'                  // zero-width no-break space, byte order mark
        | '\u{ffa0}'                  // halfwidth Hangul filler
        | '\u{fff0}'..='\u{fffc}'     // unassigned, annotation, object replacement
        | '\u{1bca0}'..='\u{1bca3}'   // shorthand format controls
        | '\u{1d173}'..='\u{1d17a}'   // musical format controls
        | '\u{e0000}'..='\u{e0fff}'   // tags, variation selectors supplement
        | '\u{f0000}'..='\u{10ffff}'  // private use planes
    ) || is_noncharacter(c)
}

fn is_noncharacter(c: char) -> bool {
    u32::from(c) & 0xfffe == 0xfffe
}

/// Characters that end a line for some renderer although they are not `\n`: vertical tab, form feed, NEL and the
/// two Unicode separators.
pub fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text without invisible characters; see the top of this file for the two exceptions.
pub fn strip(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut last: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_invisible(c) && !is_needed(last, c, chars.peek().copied()) {
            continue;
        }
        kept.push(c);
        last = Some(c);
    }
    Cow::Owned(kept)
}

/// Whether an invisible character changes what a person sees, so that it stays.
fn is_needed(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{fe0e}' | '\u{fe0f}' => takes_presentation(before),
        ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER => {
            let Some(after) = after else { return false };
            let between_emoji =
                c == ZERO_WIDTH_JOINER && (is_emoji(before) || before == '\u{fe0f}') && is_emoji(after);
            between_emoji || (is_joining_letter(before) && is_joining_letter(after))
        }
        _ => false,
    }
}

/// Bases of emoji variation sequences: the emoji, and the digits and signs of keycaps.
fn takes_presentation(c: char) -> bool {
    is_emoji(c)
        || matches!(
            c,
            '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        )
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}'
        | '\u{2934}'..='\u{2935}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Scripts in which a joiner or non-joiner changes the shape of letters (UAX #31, section 2.3).
fn is_joining_letter(c: char) -> bool {
    matches!(c, '\u{0620}'..='\u{065f}' | '\u{066e}'..='\u{06ef}' | '\u{06fa}'..='\u{07ff}' | '\u{08a0}'..='\u{08ff}'
        | '\u{0900}'..='\u{0dff}' | '\u{0f00}'..='\u{0fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}'
        | '\u{17b6}'..='\u{17ff}' | '\u{1820}'..='\u{18aa}' | '\u{fb50}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_and_what_stays() {
        let cases: &[(&str, &str, &str)] = &[
            ("c\u{200b}o\u{200c}d\u{2060}e", "code", "zero-width characters split a word"),
            ("a\u{202e}txt.exe\u{202c}", "atxt.exe", "an override turns a file name round"),
            ("x\u{e0041}\u{e0042}y", "xy", "tag characters spell hidden ASCII"),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", "\u{1f3f4}", "tags behind a flag go too"),
            ("a\u{fe0f}b\u{fe01}c", "abc", "a selector after a letter styles nothing"),
            (
                "❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "a heart and a keycap keep theirs",
            ),
            ("👩\u{200d}💻", "👩\u{200d}💻", "a joined emoji is one picture"),
            ("👩\u{200d}\u{200d}💻", "👩\u{200d}💻", "a run of joiners is one joiner"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم", "Persian needs the non-joiner"),
            ("क्\u{200d}ष", "क्\u{200d}ष", "Devanagari needs the joiner"),
            ("a\u{200d}b", "ab", "Latin doesn't"),
            ("\u{ad}so\u{ad}ft", "soft", "soft hyphens"),
            ("ㅤ\u{ffa0}\u{115f}x", "x", "Hangul fillers"),
            ("\u{e001}\u{f8ff}\u{10fffd}x", "x", "private use"),
            ("plain é 漢字", "plain é 漢字", "ordinary text stays"),
        ];
        for (given, wanted, why) in cases {
            assert_eq!(strip(given), *wanted, "{why}");
        }
    }
}
