//! The tree of parts, found in one pass over the lines of a message.
//!
//! A line is compared with the boundaries of the multiparts that are open, innermost first, so an outer boundary
//! also ends inner parts that forgot to end. What stands before the first part and after the last one of a
//! multipart belongs to nobody (RFC 2046, section 5.1.1). Sections are numbered as IMAP counts.

use std::ops::Range;

use super::header::{self, Field, Parameterised};
use super::transfer::TransferEncoding;

/// Deepest nesting of multiparts; one deeper is a part of unknown content.
pub(super) const DEPTH: usize = 30;
/// Most parts; the rest of a message with more isn't read.
pub(super) const PARTS: usize = 1_000;
/// Longest boundary compared. RFC 2046 allows 70 characters; some senders use more.
const BOUNDARY: usize = 250;

/// A part: leaf or multipart.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// `1.2`; empty for the message itself where it is a multipart.
    pub(super) section: String,
    pub(super) fields: Vec<Field>,
    pub(super) media_type: Parameterised,
    pub(super) disposition: Parameterised,
    pub(super) encoding: TransferEncoding,
    pub(super) content_id: Option<String>,
    pub(super) body: Range<usize>,
    pub(super) children: Vec<usize>,
    /// Whether it is one of several ways to say the same.
    pub(super) in_alternative: bool,
    /// Whether it was read as a multipart.
    pub(super) is_multipart: bool,
}

impl Part {
    pub(super) fn is(&self, media_type: &str) -> bool {
        self.media_type.value == media_type
    }
}

struct Open {
    part: usize,
    boundary: Vec<u8>,
}

/// The parts of a message, the message itself first.
pub(super) fn parts(raw: &[u8]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut leaf: Option<usize> = None;
    let mut at = start(raw, &mut parts, &mut open, &mut leaf, 0, None);
    while at < raw.len() {
        let end = line_end(raw, at);
        let line = raw.get(at..end).unwrap_or_default();
        let Some((level, closes)) = delimiter(line, &open) else {
            at = end;
            continue;
        };
        finish(raw, &mut parts, &mut leaf, at);
        open.truncate(level.saturating_add(usize::from(!closes)));
        if closes {
            at = end;
            continue;
        }
        let Some(parent) = open.last().map(|open| open.part).filter(|_| parts.len() < PARTS) else { break };
        at = start(raw, &mut parts, &mut open, &mut leaf, end, Some(parent));
    }
    finish(raw, &mut parts, &mut leaf, raw.len());
    number(&mut parts);
    parts
}

/// Reads the header of a part at `at` and adds the part. Returns where its body starts.
fn start(
    raw: &[u8],
    parts: &mut Vec<Part>,
    open: &mut Vec<Open>,
    leaf: &mut Option<usize>,
    at: usize,
    parent: Option<usize>,
) -> usize {
    let (header_end, body_start) = header_block(raw, at, open);
    let fields = header::fields(raw, at..header_end);
    let value = |name: &str| {
        let field = fields.iter().find(|field| field.name == name)?;
        Some(header::unfolded(raw, field.value.clone(), None))
    };
    let default = if parent.and_then(|at| parts.get(at)).is_some_and(|parent| parent.is("multipart/digest")) {
        "message/rfc822"
    } else {
        "text/plain"
    };
    let media_type =
        value("content-type").filter(|value| value.contains('/')).unwrap_or_else(|| default.to_owned());
    let media_type = Parameterised::parse(&media_type);
    let boundary = media_type.parameter("boundary").map(|boundary| boundary.trim_end().as_bytes().to_vec());
    let boundary = boundary.filter(|boundary| {
        media_type.value.starts_with("multipart/")
            && !boundary.is_empty()
            && boundary.len() <= BOUNDARY
            && open.len() < DEPTH
    });
    let index = parts.len();
    parts.push(Part {
        section: String::new(),
        disposition: value("content-disposition")
            .map(|value| Parameterised::parse(&value))
            .unwrap_or_default(),
        encoding: value("content-transfer-encoding")
            .map(|value| TransferEncoding::from_field(&value))
            .unwrap_or_default(),
        content_id: value("content-id").and_then(|value| header::msg_ids(&value).into_iter().next()),
        fields,
        media_type,
        body: body_start..raw.len(),
        children: Vec::new(),
        in_alternative: false,
        is_multipart: boundary.is_some(),
    });
    if let Some(parent) = parent.and_then(|at| parts.get_mut(at)) {
        parent.children.push(index);
    }
    match boundary {
        Some(boundary) => open.push(Open { part: index, boundary }),
        None => *leaf = Some(index),
    }
    body_start
}

/// Ends the open leaf before the delimiter line at `at`; the line end before it belongs to the delimiter.
fn finish(raw: &[u8], parts: &mut [Part], leaf: &mut Option<usize>, at: usize) {
    let Some(part) = leaf.take().and_then(|index| parts.get_mut(index)) else { return };
    let body = raw.get(part.body.start..at).unwrap_or_default();
    let trimmed = if at == raw.len() { body } else { body.strip_suffix(b"\n").unwrap_or(body) };
    let trimmed =
        if trimmed.len() < body.len() { trimmed.strip_suffix(b"\r").unwrap_or(trimmed) } else { trimmed };
    part.body.end = part.body.start.saturating_add(trimmed.len()).min(raw.len());
}

/// The end of a header block and the start of what follows: the block ends at an empty line, or before a
/// delimiter where the empty line is missing.
fn header_block(raw: &[u8], from: usize, open: &[Open]) -> (usize, usize) {
    let mut at = from;
    while at < raw.len() {
        let end = line_end(raw, at);
        let line = raw.get(at..end).unwrap_or_default();
        if matches!(line, b"\n" | b"\r\n") {
            return (at, end);
        }
        if delimiter(line, open).is_some() {
            return (at, at);
        }
        at = end;
    }
    (raw.len(), raw.len())
}

fn line_end(raw: &[u8], at: usize) -> usize {
    let rest = raw.get(at..).unwrap_or_default();
    let length =
        rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |found| found.saturating_add(1));
    at.saturating_add(length)
}

/// Which open multipart a line delimits, and whether it closes it.
fn delimiter(line: &[u8], open: &[Open]) -> Option<(usize, bool)> {
    let rest = line.strip_prefix(b"--")?;
    open.iter().enumerate().rev().find_map(|(level, open)| {
        let after = rest.strip_prefix(open.boundary.as_slice())?;
        if after.starts_with(b"--") {
            return Some((level, true));
        }
        after.trim_ascii().is_empty().then_some((level, false))
    })
}

/// Numbers the parts: children of a multipart from one, a single part `1`.
fn number(parts: &mut [Part]) {
    if let Some(root) = parts.first_mut()
        && !root.is_multipart
    {
        "1".clone_into(&mut root.section);
        return;
    }
    // A child always comes after its parent.
    for index in 0..parts.len() {
        let Some(parent) = parts.get(index) else { return };
        let (prefix, children) = (parent.section.clone(), parent.children.clone());
        let in_alternative = parent.in_alternative || parent.is("multipart/alternative");
        for (place, child) in (1_usize..).zip(children) {
            let section = if prefix.is_empty() { place.to_string() } else { format!("{prefix}.{place}") };
            if let Some(part) = parts.get_mut(child) {
                part.section = section;
                part.in_alternative = in_alternative;
            }
        }
    }
}
