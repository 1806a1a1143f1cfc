//! How the demo looks: headings, framed text, short lists; set to the terminal's width, with colour only where a terminal
//! shows it. What comes out of mail is shown as text and nothing else: control characters are dropped.

use serde_json::Value;

use crate::cli::console::Console;

/// A page on a console.
pub(super) struct Page<'a> {
    console: &'a mut Console,
    /// Whether the last line is empty, so that empty lines don't add up.
    open: bool,
}

/// What stands before a framed line.
const GUTTER: &str = "  │ ";

impl<'a> Page<'a> {
    pub(super) fn new(console: &'a mut Console) -> Self {
        Self { console, open: true }
    }

    /// Whether a person answers.
    pub(super) fn interactive(&self) -> bool {
        self.console.interactive
    }

    /// The heading of the whole.
    pub(super) fn title(&mut self, title: &str) -> anyhow::Result<()> {
        for line in wrap(title, self.console.width()) {
            self.bold(&line)?;
        }
        self.blank()
    }

    /// The heading of a step, with the tool that is called.
    pub(super) fn step(&mut self, number: usize, what: &str, tool: &str) -> anyhow::Result<()> {
        self.blank()?;
        self.bold(&format!("{number}. {what}"))?;
        self.dim(&format!("   {tool}"))?;
        self.blank()
    }

    /// A paragraph.
    pub(super) fn text(&mut self, text: &str) -> anyhow::Result<()> {
        for line in wrap(text, self.console.width()) {
            self.line(&line)?;
        }
        Ok(())
    }

    /// Text as somebody else sees it, word for word.
    pub(super) fn frame(&mut self, text: &str) -> anyhow::Result<()> {
        let width = self.console.width().saturating_sub(GUTTER.chars().count());
        self.blank()?;
        for line in text.lines().flat_map(|line| wrap(line, width)) {
            self.line(format!("{GUTTER}{line}").trim_end())?;
        }
        self.blank()
    }

    /// The first rows of a listing: date, who, subject. `who` is the field that names people.
    pub(super) fn rows(&mut self, listing: &Value, who: &str, most: usize) -> anyhow::Result<()> {
        let rows = listing.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for row in rows.iter().take(most) {
            let line = row_line(row, who);
            let line = cut(&line, self.console.width());
            self.line(&line)?;
        }
        let total =
            listing.get("total").and_then(Value::as_u64).and_then(|total| usize::try_from(total).ok());
        let more = total.unwrap_or(rows.len()).saturating_sub(most.min(rows.len()));
        if more > 0 {
            self.dim(&format!("  … and {more} more"))?;
        }
        Ok(())
    }

    /// Asks, or shows the answer where nobody can be asked.
    pub(super) fn agrees(&mut self, question: &str, unattended: &str) -> anyhow::Result<bool> {
        if self.console.interactive {
            self.open = false;
            return Ok(self.console.agrees(question)?);
        }
        self.line(&format!("{question} [y/N] {unattended} (no terminal: answered by the demo)"))?;
        Ok(unattended == "yes")
    }

    /// The last words.
    pub(super) fn end(&mut self, text: &str) -> anyhow::Result<()> {
        self.blank()?;
        self.text(text)
    }

    fn blank(&mut self) -> anyhow::Result<()> {
        if !self.open {
            self.console.say("")?;
        }
        self.open = true;
        Ok(())
    }

    fn line(&mut self, line: &str) -> anyhow::Result<()> {
        self.open = false;
        Ok(self.console.say(line)?)
    }

    fn bold(&mut self, line: &str) -> anyhow::Result<()> {
        self.styled("1", line)
    }

    fn dim(&mut self, line: &str) -> anyhow::Result<()> {
        self.styled("2", line)
    }

    fn styled(&mut self, code: &str, line: &str) -> anyhow::Result<()> {
        let line =
            if self.console.colour() { format!("\u{1b}[{code}m{line}\u{1b}[0m") } else { line.to_owned() };
        self.line(&line)
    }
}

fn row_line(row: &Value, who: &str) -> String {
    let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default();
    // RFC 3339: the day is the first ten characters.
    let day: String = text("date").chars().take(10).collect();
    let people = row.get(who).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let first = people.first().and_then(|person| person.get("name").or_else(|| person.get("address")));
    let person = first.and_then(Value::as_str).unwrap_or("(nobody)");
    let mark = if row.get("unread").and_then(Value::as_bool) == Some(true) { "•" } else { " " };
    format!("  {mark} {day}  {:<18}  {}", cut(&plain(person), 18), plain(text("subject")))
}

/// Lines of at most `width` characters, broken between words where that is possible. What a line begins with (white
/// space, quote marks) stands before what is carried over, too, so that quoted text stays recognisable as quoted.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let text = plain(text);
    let mut rest: Vec<char> = text.chars().collect();
    let mark: Vec<char> = rest.iter().copied().take_while(|c| [' ', '>'].contains(c)).collect();
    let mark = if mark.len() < width / 2 { mark } else { Vec::new() };
    let mut lines = Vec::new();
    while rest.len() > width {
        let mut window = rest.iter().take(width.saturating_add(1));
        let space = window.rposition(|c| *c == ' ').filter(|at| *at > mark.len());
        let tail = rest.split_off(space.unwrap_or(width.max(1)));
        lines.push(rest.iter().collect());
        let carried = tail.into_iter().skip(usize::from(space.is_some()));
        rest = mark.iter().copied().chain(carried).collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// At most `width` characters, with a mark where some are missing.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Without what a terminal would obey.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_nothing_is_lost() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one two", 7), ["one two"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("  indented text", 11), ["  indented", "  text"]);
        assert_eq!(wrap("  > a quoted line", 12), ["  > a quoted", "  > line"]);
        assert_eq!(wrap("> > > > > deep", 6), ["> > >", "> >", "deep"]);
        let text = "Monday 11 January suits me, so please book that week.";
        for width in 1..60 {
            let lines = wrap(text, width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""), "{width}");
        }
    }

    #[test]
    fn mail_does_not_drive_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\u{7}\tc\u{9b}d"), "a[2Jb cd");
    }

    #[test]
    fn long_lines_are_cut_with_a_mark() {
        assert_eq!(cut("příliš dlouhé", 7), "příliš…");
        assert_eq!(cut("přesně", 6), "přesně");
    }
}
