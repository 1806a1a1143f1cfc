//! Which alternative of a message is shown. A person's mail program shows the HTML part where there is one, so that is what
//! the model gets: text that stands only in the plain alternative would be text that the person never saw, and a plain
//! part is often a stub ("this mail needs HTML"). The plain part is shown where the HTML has no readable text.

use super::{html, plain};

/// The text of a message as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// The text, clean.
    pub text: String,
    /// Whether hidden text was left out.
    pub hidden_dropped: bool,
    /// Whether it was cut.
    pub truncated: bool,
}

/// The readable text of a message's alternatives.
pub fn readable(plain_part: Option<&str>, html_part: Option<&str>) -> Readable {
    let from_html = html_part.map(html::to_text).filter(|shown| !shown.text.trim().is_empty());
    match (from_html, plain_part) {
        (Some(shown), _) => {
            Readable { text: shown.text, hidden_dropped: shown.hidden_dropped, truncated: shown.truncated }
        }
        (None, Some(part)) => {
            Readable { text: plain::to_text(part), hidden_dropped: false, truncated: false }
        }
        (None, None) => Readable { text: String::new(), hidden_dropped: false, truncated: false },
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn the_html_part_wins_over_a_stub() {
        let shown =
            readable(Some("Please view this mail in HTML."), Some("<p>The meeting is at <b>ten</b>.</p>"));
        assert_eq!(shown.text.trim(), "The meeting is at ten.");
    }

    #[test]
    fn plain_text_shows_where_the_html_says_nothing() {
        assert_eq!(readable(Some("Hello"), Some("<p style='display:none'>x</p>")).text.trim(), "Hello");
        assert_eq!(readable(Some("Hello"), None).text.trim(), "Hello");
        assert_eq!(readable(None, None).text, "");
    }
}
