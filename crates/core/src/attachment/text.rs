//! The text of text-like attachments, harmless and bounded.

use super::kind::Kind;
use crate::sanitise::{charset, html, plain};

/// Most bytes read of an attachment.
pub const INPUT_LIMIT: usize = 4 * 1024 * 1024;

/// Text of an attachment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// What a person would read.
    pub text: String,
    /// Whether it was cut.
    pub truncated: bool,
}

/// The text of an attachment of a textual kind; nothing for other kinds. `label` is the declared charset.
pub fn of(kind: Kind, bytes: &[u8], label: Option<&str>) -> Option<Text> {
    match kind {
        Kind::Text | Kind::Html | Kind::Calendar | Kind::Card => {}
        Kind::Pdf | Kind::Image(_) | Kind::Message | Kind::Other => return None,
    }
    let kept = bytes.get(..INPUT_LIMIT).unwrap_or(bytes);
    let cut = kept.len() < bytes.len();
    let text = charset::decode(kept, label).text;
    Some(if kind == Kind::Html {
        let shown = html::to_text(&text);
        Text { text: shown.text, truncated: cut || shown.truncated }
    } else {
        Text { text: plain::to_text(&text), truncated: cut }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let text = |kind, bytes: &[u8], label| of(kind, bytes, label).map(|text| text.text);
        assert_eq!(text(Kind::Text, b"a,b\r\n1,2", None).as_deref(), Some("a,b\n1,2"));
        assert_eq!(text(Kind::Text, b"\x8elu\x9d", Some("windows-1250")).as_deref(), Some("Žluť"));
        assert_eq!(text(Kind::Html, b"<p>x<p hidden>y", None).as_deref(), Some("x"));
        assert_eq!(text(Kind::Calendar, b"SUMMARY:x\r\n", None).as_deref(), Some("SUMMARY:x"));
        assert_eq!(text(Kind::Pdf, b"%PDF", None), None);
        assert!(of(Kind::Text, &vec![b'a'; INPUT_LIMIT + 1], None).unwrap().truncated);
    }
}
