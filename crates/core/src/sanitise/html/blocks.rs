//! Writes readable text: blanks collapsed, blocks apart, quotes and list items prefixed, the whole bounded.
//!
//! The writer holds what is owed (a blank, line breaks, prefixes) and pays it when the next visible character
//! comes, so hidden and empty elements leave no trace.

use super::super::invisible;

/// Most prefixes written in front of a line: deeper quotes and lists look like this depth.
const PREFIXES: usize = 24;
/// Longest link text remembered for comparing it with its target.
const CAPTURE: usize = 1_000;

#[derive(Debug)]
struct Prefix {
    first: String,
    later: String,
    used: bool,
    quote: bool,
}

/// Collects text under a limit.
#[derive(Debug)]
pub(crate) struct Writer {
    out: String,
    limit: usize,
    prefixes: Vec<Prefix>,
    breaks: u8,
    blank: bool,
    at_line_start: bool,
    /// Above zero inside a row: breaks become blanks there.
    in_row: usize,
    capture: Option<String>,
    full: bool,
}

impl Writer {
    /// A writer that stops at `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            out: String::new(),
            limit,
            prefixes: Vec::new(),
            breaks: 0,
            blank: false,
            at_line_start: true,
            in_row: 0,
            capture: None,
            full: false,
        }
    }

    /// Whether the limit was reached.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The text.
    pub(crate) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out
    }

    /// Asks for `breaks` line breaks before what comes next: one starts a line, two leave a blank line.
    pub(crate) fn separate(&mut self, breaks: u8) {
        if self.in_row > 0 {
            self.blank = true;
        } else {
            // At the start of an item or quote its own first line is enough of a break.
            let starts = self.prefixes.last().is_some_and(|prefix| !prefix.used);
            self.breaks = self.breaks.max(if starts { breaks.min(1) } else { breaks });
        }
    }

    /// One more line break, as `br` makes them: two in a row leave a blank line, more don't.
    pub(crate) fn line_break(&mut self) {
        if self.in_row > 0 {
            self.blank = true;
        } else {
            self.breaks = self.breaks.saturating_add(1).min(2);
        }
    }

    /// Running text: blanks of any kind are one blank.
    pub(crate) fn text(&mut self, text: &str) {
        for c in invisible::strip(text).chars() {
            if c.is_whitespace() || invisible::is_line_break(c) {
                self.blank = true;
            } else if !c.is_control() {
                self.push(c);
            }
        }
    }

    /// Text whose blanks and line ends count.
    pub(crate) fn preformatted(&mut self, text: &str) {
        let stripped = invisible::strip(text);
        let mut chars = stripped.chars().peekable();
        while let Some(c) = chars.next() {
            if invisible::is_line_break(c) {
                if c == '\r' && chars.peek() == Some(&'\n') {
                    continue;
                }
                self.line_break();
            } else if c == '\t' || c.is_whitespace() {
                if self.breaks > 0 || self.in_row == 0 {
                    self.pay();
                    self.emit(if c == '\t' { '\t' } else { ' ' });
                } else {
                    self.blank = true;
                }
            } else if !c.is_control() {
                self.push(c);
            }
        }
    }

    /// Words of our own, after a blank where text stands before them.
    pub(crate) fn note(&mut self, note: &str) {
        self.blank = true;
        let capture = self.capture.take();
        self.text(note);
        self.capture = capture;
    }

    /// Starts a quote: its lines begin with `> `.
    pub(crate) fn open_quote(&mut self) {
        self.prefixes.push(Prefix { first: "> ".into(), later: "> ".into(), used: false, quote: true });
    }

    /// Starts a list item: its first line begins with the marker, the others with as many blanks.
    pub(crate) fn open_item(&mut self, marker: &str) {
        let later = " ".repeat(marker.chars().count());
        self.prefixes.push(Prefix { first: marker.to_owned(), later, used: false, quote: false });
    }

    /// Ends the innermost quote or item.
    pub(crate) fn close(&mut self) {
        self.prefixes.pop();
    }

    /// Starts a table row: its cells stay on one line.
    pub(crate) fn open_row(&mut self) {
        self.separate(1);
        self.in_row = self.in_row.saturating_add(1);
    }

    /// Writes what stands between two cells.
    pub(crate) fn cell(&mut self) {
        self.blank = false;
        self.pay();
        if !self.out.ends_with(' ') && !self.at_line_start {
            self.emit(' ');
        }
        for c in "| ".chars() {
            self.emit(c);
        }
    }

    /// Ends a table row.
    pub(crate) fn close_row(&mut self) {
        self.in_row = self.in_row.saturating_sub(1);
        self.blank = false;
        self.separate(1);
    }

    /// Remembers the text from here on.
    pub(crate) fn start_capture(&mut self) {
        self.capture = Some(String::new());
    }

    /// What was written since [`Self::start_capture`].
    pub(crate) fn end_capture(&mut self) -> String {
        self.capture.take().unwrap_or_default()
    }

    fn push(&mut self, c: char) {
        self.pay();
        self.emit(c);
        if let Some(capture) = &mut self.capture
            && capture.len() < CAPTURE
        {
            capture.push(c);
        }
    }

    /// Pays what is owed before a visible character.
    fn pay(&mut self) {
        if self.full {
            return;
        }
        if self.breaks > 0 {
            if !self.out.is_empty() {
                for step in 0..self.breaks {
                    self.out.truncate(self.out.trim_end_matches([' ', '\t']).len());
                    if step > 0 {
                        // A blank line within a quote stays part of it.
                        let quotes = self
                            .prefixes
                            .iter()
                            .take(PREFIXES)
                            .take_while(|prefix| prefix.quote && prefix.used);
                        let marks: String = quotes.map(|_| ">").collect();
                        marks.chars().for_each(|mark| self.emit(mark));
                    }
                    self.emit('\n');
                }
                self.at_line_start = true;
            }
            self.breaks = 0;
            self.blank = false;
        }
        if self.at_line_start {
            let mut line = String::new();
            for prefix in self.prefixes.iter_mut().take(PREFIXES) {
                line.push_str(if prefix.used { &prefix.later } else { &prefix.first });
                prefix.used = true;
            }
            line.chars().for_each(|c| self.emit(c));
            self.at_line_start = false;
            self.blank = false;
        }
        if self.blank && self.out.ends_with(' ') {
            self.blank = false;
        }
        if self.blank {
            self.blank = false;
            self.emit(' ');
            if let Some(capture) = &mut self.capture
                && !capture.is_empty()
                && capture.len() < CAPTURE
            {
                capture.push(' ');
            }
        }
    }

    fn emit(&mut self, c: char) {
        if self.out.len().saturating_add(c.len_utf8()) > self.limit {
            self.full = true;
        } else {
            self.out.push(c);
            self.at_line_start = false;
        }
    }
}
