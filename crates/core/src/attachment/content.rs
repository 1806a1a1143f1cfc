//! What an attachment has to say, ready for a result: its text, a picture, or the file itself.

use std::fmt::Write;

use super::{
    kind::{self, Kind},
    pdf, text,
};
use crate::{
    compose::mime,
    model::Attachment,
    sanitise::{body, header},
};

/// An attachment's content.
#[derive(Clone, PartialEq, Eq)]
pub enum Content {
    /// Text that was read from it.
    Text {
        /// Name and type in a line.
        about: String,
        /// The text.
        text: String,
    },
    /// A picture of a format that models read.
    Image {
        /// Name and type in a line.
        about: String,
        /// The media type that the bytes have.
        media_type: &'static str,
        /// The picture.
        bytes: Vec<u8>,
    },
    /// Anything else.
    File {
        /// Name and type in a line.
        about: String,
        /// The declared media type.
        media_type: String,
        /// The file.
        bytes: Vec<u8>,
    },
    /// It should have text and has none that can be read.
    Unreadable {
        /// Name and type in a line.
        about: String,
        /// Why, in our words.
        why: String,
    },
}

/// Reads an attachment. Blocks for as long as a PDF takes ([`pdf::DEADLINE`] at most).
pub fn read(attachment: Attachment) -> Content {
    let Attachment { info, charset, bytes } = attachment;
    let name = info.name.as_deref();
    let about = format!("Attachment {}: {} ({})", info.section, name.unwrap_or("(no name)"), info.media_type);
    let kind = kind::of(&info.media_type, name, &bytes);
    match kind {
        Kind::Text | Kind::Html | Kind::Calendar | Kind::Card => {
            let read = text::of(kind, &bytes, charset.as_deref()).unwrap_or_default();
            Content::Text { about, text: with_cut(read.text, read.truncated) }
        }
        Kind::Pdf => match pdf::text(&bytes) {
            Ok(read) if read.text.trim().is_empty() => {
                Content::Unreadable { about, why: "the PDF holds no text; it may be a scan".to_owned() }
            }
            Ok(read) => Content::Text { about, text: with_cut(read.text, read.truncated) },
            Err(error) => Content::Unreadable { about, why: error.to_string() },
        },
        Kind::Message => Content::Text { about, text: message(&bytes) },
        Kind::Image(image) => Content::Image { about, media_type: image.media_type(), bytes },
        Kind::Other => Content::File { about, media_type: info.media_type, bytes },
    }
}

fn with_cut(mut text: String, truncated: bool) -> String {
    if truncated {
        text.push_str("\n\n(longer than the server reads; the rest was left out)");
    }
    text
}

/// An attached message (message/rfc822): its main fields and its text.
fn message(bytes: &[u8]) -> String {
    let parsed = mime::parse(bytes);
    let shown = body::readable(parsed.body.plain.as_deref(), parsed.body.html.as_deref());
    let from: Vec<String> = parsed
        .headers
        .from
        .iter()
        .map(|a| match &a.display_name {
            Some(name) => format!("{} <{}>", header::line(name), header::line(&a.addr_spec)),
            None => header::line(&a.addr_spec),
        })
        .collect();
    let date = parsed.headers.date.map(|date| date.to_string()).unwrap_or_default();
    let mut text = format!(
        "Subject: {}\nFrom: {}\nDate: {date}\n\n{}",
        header::line(&parsed.headers.subject),
        from.join(", "),
        shown.text
    );
    for part in &parsed.attachments {
        let name = part.info.name.as_deref().map_or_else(|| "(no name)".to_owned(), header::line);
        let _ = write!(
            text,
            "\n[attachment of the attached message: {name}, {}]",
            header::line(&part.info.media_type)
        );
    }
    with_cut(text, shown.truncated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AttachmentInfo, Section};

    fn attachment(media_type: &str, name: &str, bytes: &[u8]) -> Attachment {
        Attachment {
            info: AttachmentInfo {
                section: Section::parse("2").unwrap(),
                name: Some(name.to_owned()),
                media_type: media_type.to_owned(),
                size: 0,
                content_id: None,
                inline: false,
            },
            charset: None,
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn each_kind_comes_as_what_it_is() {
        let text = |content| match content {
            Content::Text { text, .. } => text,
            Content::Image { .. } | Content::File { .. } | Content::Unreadable { .. } => {
                "(not text)".to_owned()
            }
        };
        assert_eq!(text(read(attachment("text/csv", "a.csv", b"a,b\r\n1,2"))), "a,b\n1,2");
        let inner = text(read(attachment(
            "message/rfc822",
            "m.eml",
            b"Subject: Inner\r\nFrom: a@b.example\r\n\r\nHello",
        )));
        assert!(
            inner.starts_with("Subject: Inner\nFrom: a@b.example") && inner.ends_with("Hello"),
            "{inner}"
        );
        assert!(matches!(
            read(attachment("image/png", "p.png", b"\x89PNG\r\n\x1a\n0000")),
            Content::Image { media_type: "image/png", .. }
        ));
        // A name and type that say picture over bytes that say otherwise is a file, not a picture.
        assert!(matches!(read(attachment("image/png", "p.png", b"MZ\x90\0")), Content::File { .. }));
    }
}
