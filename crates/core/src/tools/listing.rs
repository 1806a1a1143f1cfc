//! What `list_messages` and `search_messages` share: pages, the opaque cursor, and how rows are shown.

use std::fmt::Write;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Page, ToolError, view};
use crate::{
    model::{Cursor, Gap, Listing},
    protection::Screened,
};

/// Rows in a page where no limit is given.
pub(super) const DEFAULT_LIMIT: usize = 25;

/// A cursor as the model sees it: the backend's own, bound to the arguments that it belongs to, so that it can't be
/// carried over to another folder or query.
#[derive(Serialize, Deserialize)]
struct Sealed {
    /// What it belongs to.
    q: String,
    /// The backend's cursor.
    c: String,
}

/// A short digest of a query: the tool, the account and every argument but the cursor and the limit.
pub(super) fn query_digest(tool: &str, account: &str, arguments: &JsonObject) -> String {
    let mut bound: Vec<(&String, &Value)> = arguments
        .iter()
        .filter(|(name, value)| !(value.is_null() || *name == "cursor" || *name == "limit"))
        .collect();
    bound.sort_by_key(|(name, _)| name.as_str());
    let mut hash = Sha256::new();
    for word in [tool, account] {
        hash.update(word.len().to_be_bytes());
        hash.update(word);
    }
    hash.update(serde_json::to_vec(&bound).unwrap_or_default());
    URL_SAFE_NO_PAD.encode(hash.finalize().get(..9).unwrap_or_default())
}

/// Opens a cursor that came back.
pub(super) fn open_cursor(text: Option<&str>, query: &str) -> Result<Option<Cursor>, ToolError> {
    let Some(text) = text else { return Ok(None) };
    let sealed = URL_SAFE_NO_PAD
        .decode(text)
        .ok()
        .filter(|bytes| bytes.len() <= 2_048)
        .and_then(|bytes| serde_json::from_slice::<Sealed>(&bytes).ok())
        .filter(|sealed| sealed.q == query);
    match sealed {
        Some(sealed) => Ok(Some(Cursor(sealed.c))),
        None => Err(ToolError::new(
            ToolError::NOTHING,
            "The `cursor` does not belong to this query.",
            "Start again without a cursor, or repeat the arguments that it came with.",
        )),
    }
}

fn seal_cursor(cursor: &Cursor, query: &str) -> NextCursor {
    let sealed = Sealed { q: query.to_owned(), c: cursor.0.clone() };
    NextCursor(URL_SAFE_NO_PAD.encode(serde_json::to_vec(&sealed).unwrap_or_default()))
}

/// A sealed cursor; our own text.
pub(super) struct NextCursor(pub(super) String);

/// The structured result of a list.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListingOut {
    /// The messages, newest first.
    messages: Vec<view::RowOut>,
    /// How many in all, where known.
    total: Option<u64>,
    /// Messages that match but cannot be read.
    unreadable: u64,
    /// What was not looked at.
    missing: Vec<String>,
    /// `cursor` for the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// That the content is untrusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

/// Shows a page of a list.
pub(super) fn page(listing: &Screened<Listing>, query: &str) -> Page {
    let next = listing.get().next.as_ref().map(|cursor| seal_cursor(cursor, query));
    let mut page = Page::default().show(listing, text).structure(listing, |listing| ListingOut {
        messages: listing.rows.iter().map(view::row_out).collect(),
        total: listing.total,
        unreadable: listing.unreadable,
        missing: listing.missing.iter().map(gap).collect(),
        next_cursor: None,
        notice: None,
    });
    if let Some(next) = next {
        page = page.say("More: call again with `cursor` ").own(&next).say(".").fact("next_cursor", next);
    }
    page
}

fn text(listing: &Listing) -> String {
    let mut out = String::new();
    if listing.rows.is_empty() {
        out.push_str("No messages.\n");
    }
    for row in &listing.rows {
        view::row_text(&mut out, row);
    }
    let shown = listing.rows.len();
    if let Some(total) = listing.total {
        let _ = writeln!(out, "({shown} shown of {total})");
    }
    if listing.unreadable > 0 {
        let _ = writeln!(out, "({} more could not be read)", listing.unreadable);
    }
    for gap_ in &listing.missing {
        let _ = writeln!(out, "(not complete: {})", gap(gap_));
    }
    out
}

/// What was not looked at, in words.
pub(super) fn gap(gap: &Gap) -> String {
    match gap {
        Gap::NoTime(folder) => format!("no time was left for folder {folder}"),
        Gap::Unavailable(folder) => format!("folder {folder} could not be opened"),
        Gap::TooMany => "more matched than one call looks at".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cursor_belongs_to_its_query() {
        let arguments = |folder: &str| {
            json!({ "folder": folder, "limit": 5, "cursor": "x" }).as_object().unwrap().clone()
        };
        let inbox = query_digest("list_messages", "work", &arguments("inbox"));
        let more = json!({ "folder": "inbox", "limit": 50 }).as_object().unwrap().clone();
        assert_eq!(inbox, query_digest("list_messages", "work", &more), "limit and cursor do not count");
        for other in [
            query_digest("list_messages", "work", &arguments("sent")),
            query_digest("list_messages", "home", &arguments("inbox")),
            query_digest("search_messages", "work", &arguments("inbox")),
        ] {
            assert_ne!(inbox, other);
            let sealed = seal_cursor(&Cursor("1.2".to_owned()), &inbox);
            assert!(open_cursor(Some(&sealed.0), &other).is_err());
            assert_eq!(open_cursor(Some(&sealed.0), &inbox).unwrap(), Some(Cursor("1.2".to_owned())));
        }
        assert!(open_cursor(Some("not a cursor"), &inbox).is_err());
        assert!(open_cursor(Some("e30"), &inbox).is_err());
    }
}
