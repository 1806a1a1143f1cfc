//! Decoding what was fetched, with core's own readers, so that a part fetched alone reads like the same part of a message
//! fetched whole. Nothing is cleaned here; that is the sanitiser's.

use countersign_core::{
    compose::mime::parse,
    mime::{encoded_word, header::Parameterised, transfer::TransferEncoding},
    model::Headers,
    sanitise::charset,
};

use super::structure::Node;

/// The header fields that lists and messages show, out of a header block.
pub(super) fn headers(raw: &[u8]) -> Headers {
    parse(&[raw, b"\r\n"].concat()).headers
}

/// Plain text that stands within HTML.
pub(super) fn preformatted(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<pre>{escaped}</pre>")
}

/// A message id or content id without its angle brackets.
pub(super) fn without_brackets(id: &str) -> String {
    id.trim().trim_start_matches('<').trim_end_matches('>').trim().to_owned()
}

/// A file name out of a part's parameters: plain, in encoded words (RFC 2047) or in pieces with a charset (RFC 2231). The
/// parameters are put into a field again, so that one reader knows all these forms.
pub(super) fn file_name(params: &[(String, Vec<u8>)], name: &str) -> Option<String> {
    let ours =
        |found: &str| found == name || found.strip_prefix(name).is_some_and(|rest| rest.starts_with('*'));
    let mut field = String::from("attachment");
    for (found, value) in params.iter().filter(|(found, _)| ours(found)) {
        if found.bytes().any(|b| !b.is_ascii_alphanumeric() && b != b'*') {
            continue;
        }
        let value = charset::decode_header(value, None);
        field.extend(["; ", found, "="]);
        if found.ends_with('*') {
            // Dovecot joins the pieces into one extended value and leaves what stood in quotes as it was.
            for c in value.chars().filter(|c| c.is_ascii_graphic() || *c == ' ') {
                if matches!(c, ' ' | '"' | ';' | '\\') {
                    field.extend([
                        "%",
                        match c {
                            ' ' => "20",
                            '"' => "22",
                            ';' => "3B",
                            _ => "5C",
                        },
                    ]);
                } else {
                    field.push(c);
                }
            }
        } else {
            field.push('"');
            for c in value.chars().filter(|c| !c.is_control()) {
                if matches!(c, '"' | '\\') {
                    field.push('\\');
                }
                field.push(c);
            }
            field.push('"');
        }
    }
    let parsed = Parameterised::parse(&field);
    let found = parsed.parameter(name)?;
    let found: String = encoded_word::decode(found).chars().filter(|c| !c.is_control()).collect();
    (!found.trim().is_empty()).then_some(found)
}

/// A part's content with its transfer encoding removed.
pub(super) fn transfer(encoding: &str, raw: Vec<u8>) -> Vec<u8> {
    match TransferEncoding::from_field(encoding) {
        TransferEncoding::Identity => raw,
        decoded @ (TransferEncoding::Base64 | TransferEncoding::QuotedPrintable) => {
            decoded.decode(&raw).into_owned()
        }
    }
}

/// A text part's content as text.
pub(super) fn text(node: &Node, raw: &[u8]) -> String {
    charset::decode(&TransferEncoding::from_field(&node.encoding).decode(raw), node.charset.as_deref()).text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(params: &[(&str, &str)], name: &str) -> Option<String> {
        let params: Vec<_> = params.iter().map(|(n, v)| ((*n).to_owned(), v.as_bytes().to_vec())).collect();
        file_name(&params, name)
    }

    #[test]
    fn file_names_are_read_in_all_their_forms() {
        assert_eq!(named(&[("name", "a \"b\".pdf")], "name").as_deref(), Some("a \"b\".pdf"));
        assert_eq!(
            named(&[("filename*", "utf-8''%C5%BElu%C5%A5.pdf")], "filename").as_deref(),
            Some("žluť.pdf")
        );
        let pieces = [("filename*0*", "utf-8''%C5%BE"), ("filename*1", "lu.pdf")];
        assert_eq!(named(&pieces, "filename").as_deref(), Some("žlu.pdf"));
        let joined = [("filename*", "utf-8''%C4%8Db c;\"d.pdf")];
        assert_eq!(named(&joined, "filename").as_deref(), Some("čb c;\"d.pdf"));
        assert_eq!(named(&[("name", "=?utf-8?Q?=C5=BE.pdf?=")], "name").as_deref(), Some("ž.pdf"));
        assert_eq!(named(&[("charset", "utf-8")], "name"), None);
    }

    #[test]
    fn transfer_encodings_are_removed() {
        assert_eq!(transfer("base64", b"aGVsbG8g\r\nd29ybGQ=".to_vec()), b"hello world");
        assert_eq!(transfer("quoted-printable", b"a=3Db".to_vec()), b"a=b");
        assert_eq!(transfer("8bit", vec![0xff, 0]), [0xff, 0]);
    }

    #[test]
    fn text_is_decoded_by_charset_and_encoding() {
        let node = |charset: &str, encoding: &str| Node {
            media_type: "text/plain".to_owned(),
            charset: Some(charset.to_owned()),
            encoding: encoding.to_owned(),
            ..Node::default()
        };
        assert_eq!(text(&node("iso-8859-2", "8bit"), &[0xbe, b'a']), "ža");
        assert_eq!(text(&node("utf-8", "quoted-printable"), b"=C5=BEa"), "ža");
        assert_eq!(text(&node("utf-8", "base64"), b"xb5h"), "ža");
    }
}
