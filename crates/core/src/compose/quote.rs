//! The original's text in an answer or a forward. It is built from text that protection let through and the sanitiser
//! cleaned, so it carries no markup, and what a person would not have seen is not quoted.

use std::fmt::Write as _;

use super::{beginning, mime::line_feeds};
use crate::model::{Address, Headers, Message, Timestamp};

/// Most bytes of an original that an answer quotes.
const MAX_QUOTE_BYTES: usize = 64 * 1024;
/// Most bytes of an original that a forward carries as text.
const MAX_FORWARD_BYTES: usize = 512 * 1024;
/// Stands where the original's text was cut.
const CUT: &str = "[The rest of this message is left out.]";

/// An attribution line and the original's text with `> ` before each line (RFC 3676 §4.5: `>` stacks without a space).
pub(super) fn quoted(original: &Message) -> String {
    let headers = &original.row.headers;
    let who = headers.from.first().map_or_else(|| "somebody".to_owned(), readable);
    let mut out = match written(original) {
        Some(when) => format!("On {when}, {who} wrote:\n"),
        None => format!("{who} wrote:\n"),
    };
    for line in text(original, MAX_QUOTE_BYTES).lines() {
        let line = line.trim_end();
        out.push_str(if line.is_empty() || line.starts_with('>') { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out.trim_end().to_owned()
}

/// The block that stands above and holds a forwarded message.
pub(super) fn forwarded(original: &Message) -> String {
    let Headers { subject, from, to, cc, .. } = &original.row.headers;
    let mut out = "---------- Forwarded message ----------\n".to_owned();
    let mut field = |name: &str, value: String| {
        if !value.is_empty() {
            writeln!(out, "{name}: {value}").ok();
        }
    };
    field("From", list(from));
    field("Date", written(original).unwrap_or_default());
    field("Subject", subject.clone());
    field("To", list(to));
    field("Cc", list(cc));
    out.push('\n');
    out.push_str(text(original, MAX_FORWARD_BYTES).trim_end());
    out
}

/// The original's text within a limit, the cut said.
fn text(original: &Message, limit: usize) -> String {
    let whole: String = line_feeds(original.body.plain.as_deref().unwrap_or_default())
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    let kept = beginning(&whole, limit);
    let mut out = kept.trim_matches('\n').to_owned();
    if kept.len() < whole.len() || original.body.truncated {
        out.push_str("\n\n");
        out.push_str(CUT);
    }
    out
}

/// When it was written, or else when it arrived: `2026-11-30 09:15 UTC`.
fn written(original: &Message) -> Option<String> {
    let Timestamp(seconds) = original.row.headers.date.or(original.row.received)?;
    let rfc3339 = Timestamp(seconds).to_string();
    let (day, time) = rfc3339.split_once('T')?;
    Some(format!("{day} {} UTC", time.get(..5)?))
}

fn list(addresses: &[Address]) -> String {
    addresses.iter().map(readable).collect::<Vec<_>>().join(", ")
}

fn readable(address: &Address) -> String {
    match address.display_name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => format!("{name} <{}>", address.addr_spec),
        None => address.addr_spec.clone(),
    }
}
