//! The MIME tree of a message as BODYSTRUCTURE tells it (RFC 2045, RFC 9051 §7.5.2): which leaves are its text and which its
//! attachments, so that text can be fetched without them.

use countersign_core::model::{AttachmentInfo, Section};

use super::decode;
use crate::session::Value;

/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 32;
/// Most leaves of one message that are looked at.
const MAX_LEAVES: usize = 500;

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Node {
    /// Its number; empty for the root of a multipart.
    pub(super) section: String,
    /// `type/subtype` in lower case.
    pub(super) media_type: String,
    pub(super) charset: Option<String>,
    pub(super) name: Option<String>,
    pub(super) content_id: Option<String>,
    /// Transfer encoding in lower case.
    pub(super) encoding: String,
    /// Size as encoded, in bytes.
    pub(super) size: u64,
    /// Disposition in lower case.
    pub(super) disposition: Option<String>,
    pub(super) children: Vec<Node>,
}

/// A message's leaves by what they are.
#[derive(Debug, Clone, Default)]
pub(super) struct View<'a> {
    /// The text as a reader of plain text sees it.
    pub(super) plain: Vec<&'a Node>,
    /// Whether `plain` leaves nothing out that only HTML says.
    pub(super) plain_is_whole: bool,
    /// The text as a reader of HTML sees it; plain parts without an HTML alternative stand in it too.
    pub(super) html: Vec<&'a Node>,
    /// Everything else.
    pub(super) attachments: Vec<&'a Node>,
}

impl Node {
    /// Reads a BODYSTRUCTURE; `None` where it makes no sense.
    pub(super) fn of_structure(value: &Value) -> Option<Self> {
        let mut leaves = 0;
        let mut node = read(value, "", 0, &mut leaves)?;
        if node.children.is_empty() {
            "1".clone_into(&mut node.section);
        }
        Some(node)
    }

    /// Size once decoded, as far as it can be told.
    pub(super) fn decoded_size(&self) -> u64 {
        // Four letters carry three bytes, and a line end stands after at most 76 of them.
        if self.encoding == "base64" { self.size.saturating_mul(73) / 100 } else { self.size }
    }

    /// The part with this number.
    pub(super) fn find(&self, section: &str) -> Option<&Self> {
        if self.children.is_empty() && self.section == section {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(section))
    }

    /// Sorts the leaves.
    pub(super) fn view(&self) -> View<'_> {
        view(self, false)
    }

    fn is_html(&self) -> bool {
        self.media_type == "text/html"
    }

    /// Whether it is text of the message, rather than something sent along.
    fn is_text(&self, alone: bool) -> bool {
        let text = self.is_html() || self.media_type == "text/plain";
        text && self.disposition.as_deref() != Some("attachment") && (alone || self.name.is_none())
    }

    /// Whether it belongs into the text (an image that HTML refers to).
    pub(super) fn is_inline(&self) -> bool {
        self.disposition.as_deref() == Some("inline")
            || (self.content_id.is_some()
                && self.disposition.is_none()
                && self.media_type.starts_with("image/"))
    }

    /// What a list says of it.
    pub(super) fn info(&self) -> Option<AttachmentInfo> {
        Some(AttachmentInfo {
            section: Section::parse(&self.section).ok()?,
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            size: self.decoded_size(),
            content_id: self.content_id.clone(),
            inline: self.is_inline(),
        })
    }
}

impl View<'_> {
    /// Whether there is anything that a person would call an attachment.
    pub(super) fn has_attachments(&self) -> bool {
        self.attachments.iter().any(|node| !(node.is_inline() && node.content_id.is_some()))
    }
}

fn view(node: &Node, in_alternative: bool) -> View<'_> {
    if node.children.is_empty() {
        return leaf(node, in_alternative || node.section == "1");
    }
    let views = node.children.iter().map(|child| view(child, node.media_type == "multipart/alternative"));
    if node.media_type == "multipart/alternative" {
        return views.fold(View::default(), |mut all, child| {
            let fuller = child.plain_is_whole && !all.plain_is_whole;
            if !child.plain.is_empty() && (all.plain.is_empty() || fuller) {
                all.plain = child.plain;
                all.plain_is_whole = child.plain_is_whole;
            }
            // The last alternative is the richest (RFC 2046 §5.1.4).
            let richer = child.html.iter().any(|node| node.is_html()) || all.html.is_empty();
            if !child.html.is_empty() && richer {
                all.html = child.html;
            }
            all.attachments.extend(child.attachments);
            all
        });
    }
    let mut all = View { plain_is_whole: true, ..View::default() };
    for child in views {
        let silent = child.plain.is_empty() && child.html.is_empty();
        all.plain.extend(child.plain);
        all.plain_is_whole &= silent || child.plain_is_whole;
        all.html.extend(child.html);
        all.attachments.extend(child.attachments);
    }
    all
}

fn leaf(node: &Node, alone: bool) -> View<'_> {
    if !node.is_text(alone) {
        return View { attachments: vec![node], ..View::default() };
    }
    if node.is_html() {
        return View { html: vec![node], ..View::default() };
    }
    View { plain: vec![node], plain_is_whole: true, html: vec![node], attachments: Vec::new() }
}

fn read(value: &Value, section: &str, depth: usize, leaves: &mut usize) -> Option<Node> {
    let items = value.items();
    if depth > MAX_DEPTH || *leaves > MAX_LEAVES {
        return None;
    }
    let parts = items.iter().take_while(|item| matches!(item, Value::List(_)));
    let mut children = Vec::new();
    for (at, part) in parts.enumerate() {
        let number = at.saturating_add(1);
        let number = if section.is_empty() { number.to_string() } else { format!("{section}.{number}") };
        children.push(read(part, &number, depth.saturating_add(1), leaves)?);
    }
    if !children.is_empty() {
        let subtype = items.get(children.len()).and_then(Value::text).unwrap_or("mixed").to_ascii_lowercase();
        let section = section.to_owned();
        return Some(Node {
            section,
            media_type: format!("multipart/{subtype}"),
            children,
            ..Node::default()
        });
    }
    *leaves = leaves.saturating_add(1);
    let [kind, subtype, params, id, _description, encoding, size, rest @ ..] = items else { return None };
    let (kind, subtype) = (kind.text()?.to_ascii_lowercase(), subtype.text()?.to_ascii_lowercase());
    // Fields for text and messages differ in number, and servers leave them out; a disposition is told by its shape.
    let disposition = rest.iter().find_map(disposition_of);
    let (disposition, disposition_params) =
        disposition.map_or((None, &[][..]), |(name, params)| (Some(name), params));
    let words = |params: &[Value]| -> Vec<(String, Vec<u8>)> {
        let pairs = params.chunks(2).filter_map(|pair| match pair {
            [name, value] => Some((name.text()?.to_ascii_lowercase(), value.bytes()?.to_vec())),
            _ => None,
        });
        pairs.collect()
    };
    let (params, disposition_params) = (words(params.items()), words(disposition_params));
    let charset = params.iter().find(|(name, _)| name == "charset");
    Some(Node {
        section: section.to_owned(),
        media_type: format!("{kind}/{subtype}"),
        charset: charset.and_then(|(_, value)| String::from_utf8(value.clone()).ok()),
        name: decode::file_name(&disposition_params, "filename")
            .or_else(|| decode::file_name(&params, "name")),
        content_id: id.text().map(decode::without_brackets).filter(|id| !id.is_empty()),
        encoding: encoding.text().unwrap_or("7bit").to_ascii_lowercase(),
        size: size.number().unwrap_or(0),
        disposition,
        children: Vec::new(),
    })
}

/// `("attachment" ("filename" "x"))`, and nothing else that stands after the size.
fn disposition_of(value: &Value) -> Option<(String, &[Value])> {
    let [name, params] = value.items() else { return None };
    let name = name.text()?.to_ascii_lowercase();
    matches!(name.as_str(), "attachment" | "inline" | "form-data").then(|| (name, params.items()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::parse_values;

    fn node(text: &str) -> Option<Node> {
        Node::of_structure(parse_values(text.as_bytes()).first()?)
    }

    fn check(text: &str, plain: &[&str], html: &[&str], attachments: &[&str]) {
        let node = node(text).unwrap();
        let view = node.view();
        let sections = |nodes: &[&Node]| nodes.iter().map(|n| n.section.clone()).collect::<Vec<_>>();
        assert_eq!(sections(&view.plain), plain, "plain of {text}");
        assert_eq!(sections(&view.html), html, "html of {text}");
        assert_eq!(sections(&view.attachments), attachments, "attachments of {text}");
    }

    const PLAIN: &str = r#"("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "7BIT" 10 1)"#;
    const HTML: &str = r#"("text" "html" ("charset" "utf-8") NIL NIL "quoted-printable" 10 1 NIL NIL NIL)"#;
    const PDF: &str = r#"("application" "pdf" ("name" "a.pdf") NIL NIL "base64" 1000 NIL ("attachment" ("filename" "a.pdf")) NIL)"#;
    const IMAGE: &str = r#"("image" "png" NIL "<i@x>" NIL "base64" 100 NIL ("inline" NIL) NIL)"#;

    #[test]
    fn text_and_attachments_are_told_apart() {
        check(PLAIN, &["1"], &["1"], &[]);
        check(HTML, &[], &["1"], &[]);
        check(PDF, &[], &[], &["1"]);
        check(&format!("({PLAIN}{HTML} \"alternative\")"), &["1"], &["2"], &[]);
        check(
            &format!("(({PLAIN} {HTML} \"alternative\") {PDF} \"mixed\" (\"boundary\" \"b\"))"),
            &["1.1"],
            &["1.2"],
            &["2"],
        );
        let related = format!("(({PLAIN}({HTML}{IMAGE} \"related\") \"alternative\"){PDF} \"mixed\")");
        check(&related, &["1.1"], &["1.2.1"], &["1.2.2", "2"]);
    }

    #[test]
    fn a_footer_does_not_hide_what_only_html_says() {
        let with_footer = node(&format!("({HTML}{PLAIN} \"mixed\")")).unwrap();
        let view = with_footer.view();
        assert!(!view.plain_is_whole);
        assert_eq!(view.html.len(), 2);
    }

    #[test]
    fn an_image_within_the_text_is_no_attachment_to_a_person() {
        let only_image = node(&format!("({HTML}{IMAGE} \"related\")")).unwrap();
        assert!(!only_image.view().has_attachments());
        assert!(node(&format!("({PLAIN}{PDF} \"mixed\")")).unwrap().view().has_attachments());
    }

    #[test]
    fn odd_structures_are_read_or_given_up() {
        assert!(node("()").is_none());
        assert!(node(r#"("mixed")"#).is_none());
        assert!(node(r#"(("text" "plain"))"#).is_none());
        // One part in a multipart, no line count, no extension data, NIL for the encoding.
        check(r#"(("text" "plain" NIL NIL NIL NIL 4) "mixed")"#, &["1"], &["1"], &[]);
    }

    #[test]
    fn nested_messages_are_attachments() {
        let message = r#"("message" "rfc822" NIL NIL NIL "7bit" 300 (NIL "s" NIL NIL NIL NIL NIL NIL NIL NIL) ("text" "plain" NIL NIL NIL "7bit" 3 1) 9)"#;
        check(&format!("({PLAIN}{message} \"mixed\")"), &["1"], &["1"], &["2"]);
    }
}
