//! How messages look in results, as text and as structure. Everything here is called with screened content only.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::own::PageNumber;
use crate::model::{Address, AttachmentInfo, Flag, Headers, Message, MessageRow};

/// Characters of a long text in one page.
pub(super) const TEXT_PAGE: usize = 20_000;

/// An address in a structured result.
#[derive(Serialize, JsonSchema)]
pub(super) struct AddressOut {
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Bare address.
    address: String,
}

/// A message in a list.
#[derive(Serialize, JsonSchema)]
pub(super) struct RowOut {
    /// The message's id.
    id: String,
    /// Its folder's id.
    folder: String,
    /// Subject.
    subject: String,
    /// Senders.
    from: Vec<AddressOut>,
    /// Recipients (To).
    to: Vec<AddressOut>,
    /// Recipients (Cc).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cc: Vec<AddressOut>,
    /// As the sender dated it, RFC 3339 in UTC.
    date: Option<String>,
    /// When it arrived, RFC 3339 in UTC.
    received: Option<String>,
    /// Is unread.
    unread: bool,
    /// Is flagged.
    flagged: bool,
    /// Was answered.
    answered: bool,
    /// Keywords (labels).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<String>,
    /// Size in bytes.
    size: u64,
    /// Has attachments, where known.
    has_attachments: Option<bool>,
}

pub(super) fn addresses_out(list: &[Address]) -> Vec<AddressOut> {
    list.iter().map(|a| AddressOut { name: a.display_name.clone(), address: a.addr_spec.clone() }).collect()
}

pub(super) fn row_out(row: &MessageRow) -> RowOut {
    RowOut {
        id: row.id.to_string(),
        folder: row.folder.to_string(),
        subject: row.headers.subject.clone(),
        from: addresses_out(&row.headers.from),
        to: addresses_out(&row.headers.to),
        cc: addresses_out(&row.headers.cc),
        date: row.headers.date.map(|date| date.to_string()),
        received: row.received.map(|date| date.to_string()),
        unread: !row.flags.has(Flag::Seen),
        flagged: row.flags.has(Flag::Flagged),
        answered: row.flags.has(Flag::Answered),
        keywords: row.flags.keywords.iter().map(ToString::to_string).collect(),
        size: row.size,
        has_attachments: row.has_attachments,
    }
}

/// An address as a line shows it.
pub(super) fn address(address: &Address) -> String {
    match &address.display_name {
        Some(name) => format!("{name} <{}>", address.addr_spec),
        None => address.addr_spec.clone(),
    }
}

pub(super) fn addresses(list: &[Address]) -> String {
    list.iter().map(address).collect::<Vec<_>>().join(", ")
}

/// A row of a list as text.
pub(super) fn row_text(out: &mut String, row: &MessageRow) {
    let subject = if row.headers.subject.is_empty() { "(no subject)" } else { &row.headers.subject };
    let date =
        row.received.or(row.headers.date).map_or_else(|| "no date".to_owned(), |date| date.to_string());
    let _ = writeln!(out, "- {subject}");
    let _ =
        write!(out, "  {date} | from {} | to {}", addresses(&row.headers.from), addresses(&row.headers.to));
    if !row.headers.cc.is_empty() {
        let _ = write!(out, " | cc {}", addresses(&row.headers.cc));
    }
    out.push('\n');
    let _ = writeln!(out, "  {} | id {} | folder {}", facts(row).join(", "), row.id, row.folder);
}

/// Flags and other facts of a message in words.
fn facts(row: &MessageRow) -> Vec<String> {
    let mut facts = vec![if row.flags.has(Flag::Seen) { "read" } else { "unread" }.to_owned()];
    for (flag, word) in [(Flag::Flagged, "flagged"), (Flag::Answered, "answered"), (Flag::Draft, "draft")] {
        if row.flags.has(flag) {
            facts.push(word.to_owned());
        }
    }
    facts.extend(row.flags.keywords.iter().map(|keyword| format!("keyword {keyword}")));
    if row.has_attachments == Some(true) {
        facts.push("has attachments".to_owned());
    }
    facts.push(size(row.size));
    facts
}

/// A size for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..=1_023 => format!("{bytes} bytes"),
        1_024..=1_048_575 => format!("{} KB", bytes.div_ceil(1_024)),
        _ => format!("{} MB", bytes.div_ceil(1_048_576)),
    }
}

/// The header block of a message as text.
pub(super) fn headers_text(out: &mut String, headers: &Headers) {
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "{name}: {value}");
        }
    };
    line("Subject", &headers.subject);
    line("From", &addresses(&headers.from));
    line("Sender", &addresses(&headers.sender));
    line("Reply-To", &addresses(&headers.reply_to));
    line("To", &addresses(&headers.to));
    line("Cc", &addresses(&headers.cc));
    line("Bcc", &addresses(&headers.bcc));
    line("Date", &headers.date.map(|date| date.to_string()).unwrap_or_default());
    line("Message-ID", headers.message_id.as_deref().unwrap_or_default());
}

/// One attachment as text.
fn attachment_line(info: &AttachmentInfo) -> String {
    let name = info.name.as_deref().unwrap_or("(no name)");
    let inline = if info.inline { ", shown within the text" } else { "" };
    format!("  {}: {name} ({}, {}{inline})", info.section, info.media_type, size(info.size))
}

/// A whole message as text: what is known of it, its attachments, its body.
pub(super) fn message_text(message: &Message) -> String {
    let mut out = String::new();
    headers_text(&mut out, &message.row.headers);
    if let Some(received) = message.row.received {
        let _ = writeln!(out, "Received: {received}");
    }
    let _ = writeln!(out, "Status: {}", facts(&message.row).join(", "));
    let _ = writeln!(out, "Id: {} (folder {})", message.row.id, message.row.folder);
    if !message.attachments.is_empty() {
        out.push_str("Attachments (number: name):\n");
        for info in &message.attachments {
            let _ = writeln!(out, "{}", attachment_line(info));
        }
    }
    out.push('\n');
    match message.body.plain.as_deref() {
        Some(text) if !text.trim().is_empty() => out.push_str(text),
        _ => out.push_str("(no text)"),
    }
    if message.body.hidden_dropped {
        out.push_str("\n\n(text that a person would not see was left out)");
    }
    if message.body.truncated {
        out.push_str("\n\n(the text is longer than the server reads; the rest was left out)");
    }
    out
}

/// One page of a long text, with a last line that says where it stands.
pub(super) fn text_page(text: &str, page: PageNumber) -> String {
    let pages = text.chars().count().div_ceil(TEXT_PAGE).max(1);
    let number = usize::try_from(page.0).unwrap_or(usize::MAX).max(1);
    if number > pages {
        return format!("(there is no page {number}: the last one is {pages})");
    }
    let skip = number.saturating_sub(1).saturating_mul(TEXT_PAGE);
    let mut out: String = text.chars().skip(skip).take(TEXT_PAGE).collect();
    if pages > 1 {
        let _ = write!(out, "\n\n(page {number} of {pages}");
        if number < pages {
            let _ = write!(out, "; call again with `page` {} for more", number.saturating_add(1));
        }
        out.push(')');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_the_text_once() {
        let text = "žluťoučký ".repeat(6_000);
        let first = text_page(&text, PageNumber(1));
        assert!(first.contains("(page 1 of 3; call again with `page` 2 for more)"), "{}", first.len());
        let joined: String = (1..=3)
            .map(|n| text_page(&text, PageNumber(n)))
            .map(|page| page.rsplit_once("\n\n(page").unwrap().0.to_owned())
            .collect();
        assert_eq!(joined, text);
        assert_eq!(text_page("short", PageNumber(1)), "short");
        assert_eq!(text_page("short", PageNumber(2)), "(there is no page 2: the last one is 1)");
    }
}
