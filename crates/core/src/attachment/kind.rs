//! What an attachment is, by the stricter of declared type, name and first bytes.
//!
//! Each of the three may say what it likes; where the bytes can speak (`%PDF-`, the signatures of pictures) they
//! must agree. A declared picture with other bytes, or a text with binary bytes, is [`Kind::Other`], which is never
//! opened here.

/// What to do with an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text to show as it is: plain text, CSV, JSON, XML, Markdown, logs.
    Text,
    /// HTML, which goes through the sanitiser.
    Html,
    /// A calendar object (RFC 5545): text.
    Calendar,
    /// A contact card (RFC 6350): text.
    Card,
    /// PDF.
    Pdf,
    /// A picture that models read.
    Image(Image),
    /// A message, to be parsed like any other.
    Message,
    /// Anything else.
    Other,
}

/// The formats of pictures that go to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Image {
    /// `image/png`.
    Png,
    /// `image/jpeg`.
    Jpeg,
    /// `image/gif`.
    Gif,
    /// `image/webp`.
    Webp,
}

impl Image {
    /// The media type that the bytes have, whatever was declared.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

/// First bytes looked at to tell text from binary.
const SAMPLE: usize = 8 * 1024;

/// Decides by the declared media type, the name and the first bytes (all of them, or some kilobytes).
pub fn of(media_type: &str, name: Option<&str>, bytes: &[u8]) -> Kind {
    let declared = by_type(media_type);
    let named = name.and_then(by_name);
    let found = by_bytes(bytes);
    // A type that says nothing leaves the word to the name; one that says something must not be contradicted.
    let claimed =
        match (declared, named) {
            (Some(declared), None) => declared,
            (None, Some(named)) => named,
            (Some(declared), Some(named))
                if declared == named || (is_textual(declared) && is_textual(named)) =>
            {
                if declared == Kind::Html || named == Kind::Html { Kind::Html } else { declared }
            }
            // Pictures are often misnamed among each other; the bytes decide below.
            (Some(Kind::Image(image)), Some(Kind::Image(_))) => Kind::Image(image),
            (Some(_), Some(_)) => return Kind::Other,
            (None, None) => match found {
                Some(kind @ (Kind::Image(_) | Kind::Pdf)) if says_nothing(media_type) => kind,
                _ => return Kind::Other,
            },
        };
    match (claimed, found) {
        (Kind::Image(_), Some(Kind::Image(actual))) => Kind::Image(actual),
        (Kind::Pdf, Some(Kind::Pdf)) => Kind::Pdf,
        (Kind::Pdf | Kind::Image(_), _) | (_, Some(_)) => Kind::Other,
        (Kind::Message, None) => Kind::Message,
        (textual, None) if looks_like_text(bytes) => textual,
        (_, None) => Kind::Other,
    }
}

fn is_textual(kind: Kind) -> bool {
    matches!(kind, Kind::Text | Kind::Html | Kind::Calendar | Kind::Card)
}

pub(super) fn says_nothing(media_type: &str) -> bool {
    matches!(
        essence(media_type).as_str(),
        "" | "application/octet-stream"
            | "application/x-download"
            | "binary/octet-stream"
            | "application/download"
            | "application/unknown"
    )
}

pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn by_type(media_type: &str) -> Option<Kind> {
    let essence = essence(media_type);
    Some(match essence.as_str() {
        _ if says_nothing(media_type) => return None,
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "text/calendar" | "application/ics" => Kind::Calendar,
        "text/vcard" | "text/x-vcard" | "text/directory" => Kind::Card,
        "application/pdf" | "application/x-pdf" => Kind::Pdf,
        "image/png" | "image/x-png" => Kind::Image(Image::Png),
        "image/jpeg" | "image/jpg" | "image/pjpeg" => Kind::Image(Image::Jpeg),
        "image/gif" => Kind::Image(Image::Gif),
        "image/webp" => Kind::Image(Image::Webp),
        "message/rfc822" | "message/global" => Kind::Message,
        "application/json"
        | "application/xml"
        | "application/yaml"
        | "application/x-yaml"
        | "application/csv"
        | "application/x-ndjson"
        | "application/toml"
        | "application/sql"
        | "message/delivery-status"
        | "message/disposition-notification"
        | "message/feedback-report"
        | "application/pgp-signature" => Kind::Text,
        other if other.starts_with("text/") && other != "text/rtf" => Kind::Text,
        other if other.ends_with("+json") || (other.ends_with("+xml") && !other.starts_with("image/")) => {
            Kind::Text
        }
        _ => Kind::Other,
    })
}

fn by_name(name: &str) -> Option<Kind> {
    let (_, ending) = name.trim().rsplit_once('.')?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "txt" | "text" | "log" | "md" | "markdown" | "csv" | "tsv" | "json" | "ndjson" | "xml" | "yaml"
        | "yml" | "toml" | "ini" | "diff" | "patch" | "asc" | "sql" => Kind::Text,
        "html" | "htm" | "xhtml" => Kind::Html,
        "ics" | "ifb" => Kind::Calendar,
        "vcf" | "vcard" => Kind::Card,
        "pdf" => Kind::Pdf,
        "png" => Kind::Image(Image::Png),
        "jpg" | "jpeg" | "jfif" => Kind::Image(Image::Jpeg),
        "gif" => Kind::Image(Image::Gif),
        "webp" => Kind::Image(Image::Webp),
        "eml" => Kind::Message,
        "exe" | "dll" | "scr" | "com" | "bat" | "cmd" | "msi" | "js" | "vbs" | "ps1" | "jar" | "sh"
        | "lnk" | "zip" | "rar" | "7z" | "gz" | "doc" | "docx" | "xls" | "xlsx" | "ppt" | "pptx" | "rtf"
        | "iso" | "svg" => Kind::Other,
        _ => return None,
    })
}

/// Formats whose first bytes tell; nothing means that they could be text.
fn by_bytes(bytes: &[u8]) -> Option<Kind> {
    const BINARY: [&[u8]; 9] = [
        b"PK\x03\x04",
        b"MZ",
        b"\x7fELF",
        b"\x1f\x8b",
        b"Rar!",
        b"7z\xbc\xaf",
        b"\xd0\xcf\x11\xe0",
        b"{\\rtf",
        b"\xca\xfe\xba\xbe",
    ];
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(Kind::Image(Image::Png))
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some(Kind::Image(Image::Jpeg))
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some(Kind::Image(Image::Gif))
    } else if webp {
        Some(Kind::Image(Image::Webp))
    } else if bytes.starts_with(b"%PDF-") {
        Some(Kind::Pdf)
    } else if BINARY.iter().any(|magic| bytes.starts_with(magic)) {
        Some(Kind::Other)
    } else {
        None
    }
}

/// Whether there are no bytes that no text has. UTF-16 has zeros and starts with its mark.
pub(super) fn looks_like_text(bytes: &[u8]) -> bool {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let is_utf_16 = sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff");
    let odd = sample.iter().filter(|byte| matches!(byte, 0..=8 | 0x10..=0x1a | 0x1c..=0x1f)).count();
    is_utf_16 || odd == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Declared type, name, first bytes, what it is, why.
    type Case = (&'static str, Option<&'static str>, &'static [u8], Kind, &'static str);

    #[test]
    fn the_stricter_of_three() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";
        const JPEG: &[u8] = b"\xff\xd8\xff\xe0";
        let cases: &[Case] = &[
            ("text/plain", Some("a.txt"), b"hello", Kind::Text, "all agree"),
            ("application/octet-stream", Some("a.csv"), b"a,b", Kind::Text, "the type says nothing"),
            ("text/plain", Some("a.html"), b"<p>x", Kind::Html, "HTML by either is HTML"),
            ("text/plain", Some("a.exe"), b"hello", Kind::Other, "a name of a program"),
            ("text/plain", Some("a.txt"), b"MZ\x90", Kind::Other, "bytes of a program"),
            ("text/plain", None, b"a\0b\x01", Kind::Other, "binary bytes"),
            ("application/pdf", Some("a.pdf"), b"%PDF-1.7", Kind::Pdf, "a PDF"),
            ("application/pdf", Some("a.pdf"), b"<html>", Kind::Other, "not a PDF"),
            ("text/html", Some("a.html"), b"%PDF-1.7", Kind::Other, "a PDF in disguise"),
            ("application/octet-stream", None, b"%PDF-1.7", Kind::Pdf, "only the bytes speak"),
            ("image/png", Some("a.png"), PNG, Kind::Image(Image::Png), "a picture"),
            ("image/png", Some("a.png"), JPEG, Kind::Image(Image::Jpeg), "a picture of another format"),
            ("image/png", Some("a.pdf"), PNG, Kind::Other, "type and name disagree"),
            ("image/svg+xml", Some("a.svg"), b"<svg>", Kind::Other, "SVG holds scripts"),
            ("image/png", None, b"<svg>", Kind::Other, "no picture at all"),
            (
                "text/calendar; method=REQUEST",
                Some("invite.ics"),
                b"BEGIN:VCALENDAR",
                Kind::Calendar,
                "an invitation",
            ),
            ("message/rfc822", None, b"From: a@x.example", Kind::Message, "a message"),
            ("application/zip", Some("a.zip"), b"PK\x03\x04", Kind::Other, "an archive"),
            ("application/x-unheard", None, b"text", Kind::Other, "an unknown type"),
            ("application/atom+xml", None, b"<feed/>", Kind::Text, "XML of some kind"),
            ("text/plain", Some("a.txt"), b"\xff\xfeh\0", Kind::Text, "UTF-16"),
            ("", None, b"", Kind::Other, "nothing"),
        ];
        for (media_type, name, bytes, wanted, why) in cases {
            assert_eq!(of(media_type, *name, bytes), *wanted, "{why}");
        }
    }
}
