//! The media type under which something goes out: what is declared, or else what the name says, held to the first bytes.
//!
//! A type decides what a recipient's program does on a click, so one that the bytes contradict is not passed on: where
//! they say what they are that counts, and otherwise they are bytes.

use super::kind::{self, Kind};

/// The type of what is known to be nothing else.
pub const BYTES: &str = "application/octet-stream";

/// First bytes and the type that has them. Those of containers stand for more types than one.
const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"\x1f\x8b", "application/gzip"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"{\\rtf", "application/rtf"),
    (b"MZ", PROGRAM),
    (b"\x7fELF", PROGRAM),
];

const ZIP: &str = "application/zip";
/// The container of the older Office formats; there is no registered type for it as such.
const OLE: &str = "application/x-ole-storage";
const PROGRAM: &str = "application/x-executable";

/// Types by the ending of a name.
const ENDINGS: &[(&str, &str)] = &[
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("eml", "message/rfc822"),
    ("epub", "application/epub+zip"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("heic", "image/heic"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("log", "text/plain"),
    ("m4a", "audio/mp4"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("rtf", "application/rtf"),
    ("svg", "image/svg+xml"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("vcf", "text/vcard"),
    ("wav", "audio/wav"),
    ("webp", "image/webp"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", ZIP),
];

/// Whether a text is a media type without parameters (RFC 6838 §4.2).
pub fn is_media_type(text: &str) -> bool {
    let token = |part: &str| {
        (1..=127).contains(&part.len())
            && part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
    };
    text.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

/// The type of content: declared, by its name, and by its first bytes, the bytes having the last word.
pub fn judged(declared: Option<&str>, name: &str, bytes: &[u8]) -> String {
    let declared =
        declared.map(kind::essence).filter(|text| is_media_type(text) && !kind::says_nothing(text));
    let claimed = declared.map(usual).or_else(|| by_ending(name).map(str::to_owned));
    let found = signature(bytes);
    match (claimed, found) {
        (Some(claimed), Some(found)) if may_be(&claimed, found) => claimed,
        (_, Some(OLE | PROGRAM)) => BYTES.to_owned(),
        (_, Some(found)) => found.to_owned(),
        (Some(claimed), None) if needs_signature(&claimed) || is_broken_text(&claimed, bytes) => {
            BYTES.to_owned()
        }
        (Some(claimed), None) => claimed,
        (None, None) if is_plain_text(bytes) => "text/plain".to_owned(),
        (None, None) => BYTES.to_owned(),
    }
}

fn signature(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    SIGNATURES.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, media_type)| *media_type)
}

/// The registered name of a type that has others.
fn usual(media_type: String) -> String {
    let usual = match media_type.as_str() {
        "image/jpg" | "image/pjpeg" => "image/jpeg",
        "image/x-png" => "image/png",
        "application/x-pdf" => "application/pdf",
        "application/x-zip-compressed" | "application/x-zip" => ZIP,
        "application/x-gzip" => "application/gzip",
        "application/x-rar-compressed" | "application/x-rar" => "application/vnd.rar",
        "text/rtf" => "application/rtf",
        _ => return media_type,
    };
    usual.to_owned()
}

fn by_ending(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, media_type)| *media_type)
}

/// Whether content of the claimed type begins with the signature found. Containers hold many formats of programs.
fn may_be(claimed: &str, found: &str) -> bool {
    let of_a_program = claimed.starts_with("application/") && !needs_signature(claimed) && !is_text(claimed);
    claimed == found || (matches!(found, ZIP | OLE | PROGRAM) && of_a_program)
}

/// Whether there is no content of a type without its signature.
fn needs_signature(claimed: &str) -> bool {
    claimed == "image/webp" || SIGNATURES.iter().any(|(_, media_type)| *media_type == claimed)
}

fn is_text(claimed: &str) -> bool {
    // An empty text is a text of every kind, so this asks for the type alone.
    matches!(
        kind::of(claimed, None, b""),
        Kind::Text | Kind::Html | Kind::Calendar | Kind::Card | Kind::Message
    )
}

fn is_broken_text(claimed: &str, bytes: &[u8]) -> bool {
    is_text(claimed) && !kind::looks_like_text(bytes)
}

fn is_plain_text(bytes: &[u8]) -> bool {
    !bytes.is_empty() && kind::looks_like_text(bytes) && std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

    /// Declared type, name, first bytes, the type that goes out, why.
    type Case = (Option<&'static str>, &'static str, &'static [u8], &'static str, &'static str);

    #[test]
    fn the_bytes_have_the_last_word() {
        let cases: &[Case] = &[
            (None, "a.pdf", b"%PDF-1.7", "application/pdf", "all agree"),
            (None, "a", b"%PDF-1.7", "application/pdf", "only the bytes speak"),
            (Some("text/plain"), "a.txt", b"%PDF-1.7", "application/pdf", "the bytes say otherwise"),
            (Some("application/pdf"), "a.pdf", b"<html>", BYTES, "declared and named, and it is none"),
            (None, "a.pdf", b"", BYTES, "nothing is no PDF"),
            (Some("image/png"), "a.png", b"\xff\xd8\xff\xe0", "image/jpeg", "another picture"),
            (Some("IMAGE/JPG"), "a", b"\xff\xd8\xff\xe0", "image/jpeg", "another name of the type"),
            (Some("image/png; x=1"), "a", b"\x89PNG\r\n\x1a\n", "image/png", "parameters are left out"),
            (None, "a.docx", b"PK\x03\x04", DOCX, "a container of its format"),
            (Some("application/zip"), "a.docx", b"PK\x03\x04", "application/zip", "as declared"),
            (Some("text/plain"), "a.txt", b"PK\x03\x04", "application/zip", "an archive in disguise"),
            (Some("image/svg+xml"), "a.svg", b"<svg/>", "image/svg+xml", "no signature to look for"),
            (None, "a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword", "older Office"),
            (None, "a", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", BYTES, "older Office, unnamed"),
            (Some("text/plain"), "a.txt", b"MZ\x90\0", BYTES, "a program"),
            (
                Some("application/x-msdownload"),
                "a.exe",
                b"MZ\x90\0",
                "application/x-msdownload",
                "so declared",
            ),
            (Some("text/csv"), "a.csv", b"a,b", "text/csv", "text"),
            (None, "a.csv", b"a\0\x01", BYTES, "a text with bytes that no text has"),
            (None, "notes", "něco".as_bytes(), "text/plain", "text without an ending"),
            (None, "notes", b"\xff\x80", BYTES, "no text"),
            (None, "notes", b"", BYTES, "nothing at all"),
            (Some("evil\r\nBcc: x@y/z"), "a.csv", b"a", "text/csv", "no media type"),
            (Some("application/octet-stream"), "a.csv", b"a", "text/csv", "a type that says nothing"),
            (Some("audio/x-unheard"), "a.xyz", b"\0\x01", "audio/x-unheard", "an unknown type is believed"),
            (None, "a.webp", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp", "a picture in RIFF"),
        ];
        for (declared, name, bytes, wanted, why) in cases {
            assert_eq!(judged(*declared, name, bytes), *wanted, "{why}");
        }
    }

    #[test]
    fn media_types_are_two_tokens() {
        for good in ["text/plain", "application/vnd.ms-excel", "image/svg+xml"] {
            assert!(is_media_type(good), "{good}");
        }
        for bad in
            ["", "text", "text/", "/plain", "text/plain; charset=x", "text/pl ain", "text/plain\n", "a/b/c"]
        {
            assert!(!is_media_type(bad), "{bad:?}");
        }
        let long = format!("text/{}", "x".repeat(128));
        assert!(!is_media_type(&long));
    }

    #[test]
    fn endings_are_sorted_and_name_media_types() {
        assert!(ENDINGS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(ENDINGS.iter().all(|(_, media_type)| is_media_type(media_type)));
    }
}
