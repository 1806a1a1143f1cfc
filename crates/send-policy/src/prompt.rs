//! The prompt: what the person reads before they confirm.
//!
//! Every recipient field stands there, `Bcc` too, with "—" when it is empty, so that nothing can be missing without
//! being seen to be. Header fields take one line each and are shown whole; only display names, which decide nothing,
//! are capped. The body is indented, so that no line of it can pass for one of ours. All of it is inert. Domains are
//! shown as A-labels, because that is what decides where the message goes, and whoever was never written to is marked. No time stands in it: the same draft under
//! the same terms has the same prompt.

use countersign_confirm::inert;

use crate::{
    address::{Address, quoted},
    fields::{DraftAttachment, DraftFields},
    html,
};

/// Characters of the body that are shown, escapes as they are shown.
pub(crate) const BODY_LIMIT: usize = 1_500;
/// Of each part, where text and formatted version say different things.
const PART_LIMIT: usize = BODY_LIMIT / 2;
/// Characters of a display name that are shown, escapes as they are shown.
const NAME_LIMIT: usize = 60;
/// Stands where there is nothing.
const NOTHING: &str = "—";

/// Stands at the head of a prompt while the sign-in is exposed.
const EXPOSURE_LINE: &str = "Caution: other people's mail was read in the last 10 minutes, and it may have told the \
     assistant what to write. Confirm only what you yourself want to send.";
/// Stands where the body is cut.
const CUT_LINE: &str = "[The text goes on. Read the whole draft in your Drafts folder before you confirm.]";

/// Stands after an address that is new.
const NEW_MARK: &str = "(new: never emailed before)";
/// Stands before the fields where only the plain text goes out.
const PLAIN_LINE: &str =
    "Only the plain text below goes out: nothing formatted, no attachment, addresses without names.";

/// What a prompt shows.
pub(crate) struct Shown<'a> {
    /// What goes out.
    pub(crate) fields: &'a DraftFields,
    /// Whether that is the plain text alone.
    pub(crate) plain: bool,
    /// Whether other people's mail was just read.
    pub(crate) exposed: bool,
    /// The addresses that are new, in comparable form.
    pub(crate) new: &'a [String],
}

/// The prompt for a draft.
pub(crate) fn of(shown: &Shown<'_>) -> String {
    let Shown { fields, plain, exposed, new } = *shown;
    let addresses = |list: &[Address]| addresses(list, new);
    let mut lines = Vec::new();
    if exposed {
        lines.extend([EXPOSURE_LINE.to_owned(), String::new()]);
    }
    lines.extend(["Send this message now?".to_owned(), String::new()]);
    if plain {
        lines.extend([PLAIN_LINE.to_owned(), String::new()]);
    }
    lines.push(format!("From: {}", address(&fields.from)));
    lines.push(format!("To: {}", addresses(&fields.to)));
    lines.push(format!("Cc: {}", addresses(&fields.cc)));
    lines.push(format!("Bcc: {}", addresses(&fields.bcc)));
    if !fields.reply_to.is_empty() {
        lines.push(format!("Reply-To (answers go there): {}", addresses(&fields.reply_to)));
    }
    let subject = inert::line(&fields.subject);
    lines.push(format!("Subject: {}", if subject.is_empty() { NOTHING } else { &subject }));
    if fields.attachments.is_empty() {
        lines.push(format!("Attachments: {NOTHING}"));
    }
    let count = fields.attachments.len();
    for (at, item) in fields.attachments.iter().enumerate() {
        lines.push(format!("Attachment {} of {count}: {}", at.saturating_add(1), attachment(item)));
    }
    lines.push(String::new());
    if plain {
        part(
            "Text, exactly as it goes out:",
            fields.text.as_deref().unwrap_or_default(),
            BODY_LIMIT,
            &mut lines,
        );
    } else {
        body(fields.text.as_deref(), fields.html.as_deref(), &mut lines);
    }
    lines.join("\n")
}

fn addresses(list: &[Address], new: &[String]) -> String {
    if list.is_empty() {
        return NOTHING.to_owned();
    }
    let marked = |one: &Address| {
        let shown = address(one);
        if one.key().is_ok_and(|key| new.contains(&key)) { format!("{shown} {NEW_MARK}") } else { shown }
    };
    list.iter().map(marked).collect::<Vec<_>>().join(", ")
}

/// `"Name" <local@a-label> (u-label)`: the name in quotes that it can't end, the address whole.
fn address(address: &Address) -> String {
    let path = address.path().unwrap_or_else(|_| address.addr_spec.clone());
    let mut shown = format!("<{}>", inert::line(&path));
    if let Some(name) = address.display_name.as_deref().filter(|name| !name.is_empty()) {
        let capped = capped(name);
        shown = format!("{} {shown}", inert::line(&quoted(&capped)));
    }
    if let Some(domain) = address.unicode_domain() {
        shown = format!("{shown} ({})", inert::line(&domain));
    }
    shown
}

/// As much of a name as takes up [`NAME_LIMIT`] once it is inert. It is cut before it is quoted, so that the cut can't
/// fall between a backslash and what it escapes.
fn capped(name: &str) -> String {
    let mut shown: String = name.chars().take(NAME_LIMIT).collect();
    while inert::line(&shown).chars().count() > NAME_LIMIT {
        shown.pop();
    }
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown
}

fn attachment(attachment: &DraftAttachment) -> String {
    let name = inert::line(&quoted(&attachment.name));
    let media_type = inert::line(&attachment.media_type);
    let place = if attachment.inline { ", shown in the text" } else { "" };
    format!("{name} ({media_type}, {} bytes{place})", grouped(attachment.size))
}

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        let left = digits.len().saturating_sub(at);
        if at > 0 && left.is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The body. A formatted version that says the same as the text is only mentioned; one that doesn't is shown, as
/// text, because it is what most people will see.
fn body(text: Option<&str>, html: Option<&str>, lines: &mut Vec<String>) {
    match (text, html.map(html::to_text)) {
        (None, None) => lines.push(format!("Text: {NOTHING}")),
        (Some(text), None) => part("Text:", text, BODY_LIMIT, lines),
        (None, Some(formatted)) => part("Text, from its formatted version:", &formatted, BODY_LIMIT, lines),
        (Some(text), Some(formatted)) if same_words(text, &formatted) => {
            part("Text (a formatted version of the same text goes with it):", text, BODY_LIMIT, lines);
        }
        (Some(text), Some(formatted)) => {
            part("Formatted version, which most people will see, as text:", &formatted, PART_LIMIT, lines);
            lines.push(String::new());
            part("Plain version, which differs from it:", text, PART_LIMIT, lines);
        }
    }
}

fn part(heading: &str, text: &str, limit: usize, lines: &mut Vec<String>) {
    let block = inert::block(text.trim_end(), limit);
    lines.push(heading.to_owned());
    lines.push(block.text);
    if !block.whole {
        lines.push(CUT_LINE.to_owned());
    }
}

/// Whether two texts differ in nothing but their spacing.
fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
