//! Plain text bodies: the same text with nothing in it that a person wouldn't see.
//!
//! Line ends become `\n` (the Unicode separators too, so that no renderer finds a line that we didn't), controls
//! but `\t` go, invisible and bidirectional characters go, and runs of blank lines are capped. Quoted lines
//! keep their `>`: who said what must stay plain.

use super::invisible;

/// Most blank lines kept in a row. More is padding that pushes text out of sight.
pub const BLANK_LINES: usize = 2;

/// A plain text body, harmless.
pub fn to_text(body: &str) -> String {
    let stripped = invisible::strip(body);
    let mut out = String::with_capacity(stripped.len());
    let mut line = String::new();
    let mut blank = 0_usize;
    let mut chars = stripped.chars().peekable();
    while let Some(c) = chars.next() {
        if invisible::is_line_break(c) {
            if c == '\r' && chars.peek() == Some(&'\n') {
                chars.next();
            }
            end_line(&mut out, &mut line, &mut blank);
        } else if c == '\t' || !c.is_control() {
            line.push(c);
        }
    }
    end_line(&mut out, &mut line, &mut blank);
    out.truncate(out.trim_end().len());
    out
}

fn end_line(out: &mut String, line: &mut String, blank: &mut usize) {
    let text = line.trim_end();
    if text.is_empty() {
        *blank = blank.saturating_add(1);
    } else {
        *blank = 0;
    }
    if *blank <= BLANK_LINES && !(out.is_empty() && text.is_empty()) {
        out.push_str(text);
        out.push('\n');
    }
    line.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies() {
        let cases: &[(&str, &str, &str)] = &[
            ("a\r\nb\rc\n", "a\nb\nc", "every kind of line end"),
            ("x\u{2028}y\u{2029}z\u{85}w", "x\ny\nz\nw", "Unicode separators are line ends"),
            ("\u{1b}]0;title\u{7}\u{8}t", "]0;titlet", "escapes and backspace go"),
            ("a\n\n\n\n\n\n\nb", "a\n\n\nb", "padding is capped"),
            ("> quoted\n>> twice\nnew", "> quoted\n>> twice\nnew", "quotes stay marked"),
            ("tab\tstays", "tab\tstays", "tables in text use tabs"),
            ("\n\n  indented", "  indented", "leading blank lines go, indentation stays"),
            ("a\u{0}b", "ab", "NUL"),
        ];
        for (given, wanted, why) in cases {
            assert_eq!(to_text(given), *wanted, "{why}");
        }
    }
}
