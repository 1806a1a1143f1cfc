//! Whether a message meets search criteria. Text is compared without case, in the decoded headers and bodies.

use super::parsed::Stored;
use crate::{
    compose::mime::Parsed,
    model::{Address, Flag, Search},
};

pub(super) fn matches(message: &Stored, search: &Search) -> bool {
    let Search { scope: _, from, to, subject, text, since, before, unread, flagged, has_attachment, larger } =
        search;
    let parsed = message.parsed();
    let headers = &parsed.headers;
    let day = message.received.day();
    let met = [
        from.as_deref().is_none_or(|wanted| any_address(&headers.from, wanted)),
        to.as_deref()
            .is_none_or(|wanted| any_address(&headers.to, wanted) || any_address(&headers.cc, wanted)),
        subject.as_deref().is_none_or(|wanted| contains(&headers.subject, wanted)),
        text.as_deref().is_none_or(|wanted| anywhere(parsed, wanted)),
        since.is_none_or(|since| day >= since),
        before.is_none_or(|before| day < before),
        unread.is_none_or(|unread| message.flags.has(Flag::Seen) != unread),
        flagged.is_none_or(|flagged| message.flags.has(Flag::Flagged) == flagged),
        has_attachment.is_none_or(|wanted| message.has_attachments() == wanted),
        larger.is_none_or(|bytes| message.size() > bytes),
    ];
    met.into_iter().all(|met| met)
}

fn anywhere(parsed: &Parsed, wanted: &str) -> bool {
    let Parsed { headers, body, .. } = parsed;
    let addresses = [&headers.from, &headers.reply_to, &headers.to, &headers.cc];
    contains(&headers.subject, wanted)
        || addresses.into_iter().any(|list| any_address(list, wanted))
        || [&body.plain, &body.html].into_iter().flatten().any(|text| contains(text, wanted))
}

fn any_address(list: &[Address], wanted: &str) -> bool {
    let shown = |address: &Address| {
        format!("{} {}", address.display_name.as_deref().unwrap_or_default(), address.addr_spec)
    };
    list.iter().any(|address| contains(&shown(address), wanted))
}

fn contains(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(&wanted.to_lowercase())
}
