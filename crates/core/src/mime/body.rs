//! What of a message is its text.
//!
//! A person reads the HTML where there is some, so it is what is shown (a plain part beside it may say anything,
//! and often only "see the HTML"). Where the HTML shows nothing, the plain part is. Texts that follow each other
//! in a `multipart/mixed` are joined. All text parts are kept for search and for judging a message.

use super::structure::Part;
use crate::sanitise::{charset, html, plain};

/// Most bytes of text that are decoded, over all parts of a message.
const TEXT: usize = 8 * 1024 * 1024;

/// The body of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// What a person would read, harmless.
    pub text: String,
    /// Whether it comes from HTML, wholly or partly.
    pub from_html: bool,
    /// Whether text that a person wouldn't see was left out.
    pub hidden_dropped: bool,
    /// Whether it was cut.
    pub truncated: bool,
    /// Every text part, shown or not.
    pub parts: Vec<TextPart>,
}

/// A text part as it is in the message: decoded, not made harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPart {
    /// IMAP section.
    pub section: String,
    /// Whether it is HTML; else plain text.
    pub is_html: bool,
    /// The decoded text.
    pub text: String,
    /// Whether [`Body::text`] shows it.
    pub shown: bool,
}

/// Whether a leaf is text of the message and not an attachment. Outside of an alternative a name makes it one.
pub(super) fn is_text(part: &Part) -> bool {
    if part.is_multipart || part.disposition.value == "attachment" {
        return false;
    }
    let named =
        part.disposition.parameter("filename").is_some() || part.media_type.parameter("name").is_some();
    match part.media_type.value.as_str() {
        "text/html" | "application/xhtml+xml" => true,
        "text/plain" | "text/enriched" | "text/markdown" | "text" => !named,
        // A multipart that says no boundary can't be taken apart; its text is better than nothing.
        other => other.starts_with("multipart/"),
    }
}

fn is_html(part: &Part) -> bool {
    matches!(part.media_type.value.as_str(), "text/html" | "application/xhtml+xml")
}

/// A text part and what it shows.
struct Read {
    index: usize,
    part: TextPart,
    visible: String,
    hidden_dropped: bool,
    truncated: bool,
}

/// Reads the body of a message from its parts.
pub(super) fn read(raw: &[u8], parts: &[Part]) -> Body {
    let mut body = Body::default();
    let mut texts: Vec<Read> = Vec::new();
    let mut left = TEXT;
    for (index, part) in parts.iter().enumerate().filter(|(_, part)| is_text(part)) {
        let bytes = part.encoding.decode(raw.get(part.body.clone()).unwrap_or_default());
        let kept = bytes.get(..left).unwrap_or(&bytes);
        left = left.saturating_sub(kept.len());
        let text = charset::decode(kept, part.media_type.parameter("charset")).text;
        let is_html = is_html(part) || (part.is("text") && looks_like_html(&text));
        let shown = if is_html {
            html::to_text(&text)
        } else {
            html::HtmlText { text: plain::to_text(&text), ..html::HtmlText::default() }
        };
        texts.push(Read {
            index,
            part: TextPart { section: part.section.clone(), is_html, text, shown: false },
            visible: shown.text,
            hidden_dropped: shown.hidden_dropped,
            truncated: shown.truncated || kept.len() < bytes.len(),
        });
    }
    let mut shown: Vec<&str> = Vec::new();
    for index in choose(parts, &texts) {
        let Ok(at) = texts.binary_search_by_key(&index, |text| text.index) else { continue };
        let Some(text) = texts.get_mut(at) else { continue };
        text.part.shown = true;
        body.from_html |= text.part.is_html;
        body.hidden_dropped |= text.hidden_dropped;
        body.truncated |= text.truncated;
    }
    shown.extend(
        texts
            .iter()
            .filter(|text| text.part.shown && !text.visible.is_empty())
            .map(|text| text.visible.as_str()),
    );
    body.text = shown.join("\n\n");
    body.parts = texts.into_iter().map(|text| text.part).collect();
    body
}

fn looks_like_html(text: &str) -> bool {
    let start = text.trim_start();
    ["<!doctype html", "<html"]
        .iter()
        .any(|tag| start.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag)))
}

/// The text parts to show: of each alternative one.
fn choose(parts: &[Part], texts: &[Read]) -> Vec<usize> {
    let mut chosen = Vec::new();
    let mut waiting = vec![0_usize];
    while let Some(index) = waiting.pop() {
        let Some(part) = parts.get(index) else { continue };
        if !part.is_multipart {
            chosen.push(index);
            continue;
        }
        match part.media_type.value.as_str() {
            "multipart/alternative" => waiting.extend(alternative(parts, texts, &part.children)),
            "multipart/related" => waiting.extend(root_of(parts, part)),
            "multipart/signed" => waiting.extend(part.children.first()),
            _ => waiting.extend(&part.children),
        }
    }
    chosen
}

/// The last alternative with HTML that shows something, else the first with text.
fn alternative(parts: &[Part], texts: &[Read], children: &[usize]) -> Option<usize> {
    let shows = |child: usize, is_html: bool| {
        below(parts, child).into_iter().any(|at| {
            let found = texts.binary_search_by_key(&at, |text| text.index).ok().and_then(|at| texts.get(at));
            found.is_some_and(|text| text.part.is_html == is_html && !text.visible.is_empty())
        })
    };
    let html = children.iter().rev().find(|child| shows(**child, true));
    html.or_else(|| children.iter().find(|child| shows(**child, false))).or_else(|| children.first()).copied()
}

/// The part that the others of a `multipart/related` belong to (RFC 2387): the one named, or the first.
fn root_of(parts: &[Part], related: &Part) -> Option<usize> {
    let named = related
        .media_type
        .parameter("start")
        .and_then(|start| super::header::msg_ids(start).into_iter().next());
    let by_id = related
        .children
        .iter()
        .find(|child| named.is_some() && parts.get(**child).is_some_and(|part| part.content_id == named));
    by_id.or_else(|| related.children.first()).copied()
}

/// A part and all below it.
fn below(parts: &[Part], index: usize) -> Vec<usize> {
    let mut found = vec![index];
    let mut next = 0_usize;
    while let Some(part) = found.get(next).and_then(|at| parts.get(*at)) {
        found.extend(part.children.iter().copied());
        next = next.saturating_add(1);
    }
    found
}
