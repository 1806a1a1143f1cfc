//! Header text (subjects, display names, file names, ids) on one line.
//!
//! A header value that holds a line break could pass for another header or another line of a listing, so every
//! line break and tab becomes a space. Controls, invisible and bidirectional characters go. Long values are cut
//! with a note that says so: nobody writes a subject of 200 kB for a person to read.

use super::invisible;

/// Longest header value shown, in characters. RFC 5322 allows lines of 998; longer subjects are noise or abuse.
pub const LIMIT: usize = 1_000;

/// One line of harmless text, cut at [`LIMIT`].
pub fn line(text: &str) -> String {
    line_within(text, LIMIT)
}

/// One line of harmless text, cut with a note after `limit` characters.
pub fn line_within(text: &str, limit: usize) -> String {
    let stripped = invisible::strip(text);
    let mut out = String::with_capacity(stripped.len().min(limit.saturating_mul(4)));
    let mut count = 0_usize;
    let mut space = false;
    for c in stripped.chars() {
        if c.is_whitespace() || invisible::is_line_break(c) {
            space = true;
            continue;
        }
        if c.is_control() {
            continue;
        }
        if space && count > 0 {
            count = count.saturating_add(1);
            if count <= limit {
                out.push(' ');
            }
        }
        space = false;
        count = count.saturating_add(1);
        if count <= limit {
            out.push(c);
        }
    }
    if count > limit {
        out.truncate(out.trim_end().len());
        let note = format!(" [cut: {count} characters in all]");
        out.push_str(&note);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_harmless_line() {
        let cases: &[(&str, &str, &str)] = &[
            ("a\r\nBcc: b", "a Bcc: b", "a line break can't start another header"),
            ("a\u{2028}b\u{85}c\u{b}d", "a b c d", "nor can the rarer ones"),
            ("\u{1b}[31mred\u{7}\u{9b}x", "[31mredx", "terminal escapes lose their escape"),
            ("  many \t  spaces ", "many spaces", "runs of blanks are one"),
            ("a\u{0}b", "ab", "NUL goes"),
            ("inv\u{202e}oice\u{200b}", "invoice", "bidi and zero-width go"),
            ("", "", "nothing stays nothing"),
        ];
        for (given, wanted, why) in cases {
            assert_eq!(line(given), *wanted, "{why}");
        }
    }

    #[test]
    fn a_huge_subject_is_cut_and_says_so() {
        let cut = line(&"A".repeat(200_000));
        assert!(cut.ends_with("A [cut: 200000 characters in all]"), "{}", cut.len());
        assert_eq!(line_within("abcdef", 6), "abcdef");
        assert_eq!(line_within("abcdefg", 6), "abcdef [cut: 7 characters in all]");
    }
}
