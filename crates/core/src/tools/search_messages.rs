//! `search_messages`: by structured criteria, in one folder or all. There is no query language to get wrong: each
//! criterion is an argument, and every one given must hold.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answered, Desk, Grant, Handler, Hints, Needs, Reply, ToolDef, ToolError, args,
    listing::{DEFAULT_LIMIT, ListingOut, open_cursor, page, query_digest},
};
use crate::{
    account::Account,
    mailbox::{Feature, Mailbox},
    model::{Day, FolderScope, Search, Window},
    protection::Raw,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Where to search: all (the default: every folder but junk and trash), inbox, sent, archive, junk, trash, drafts, or an
    /// id from `list_folders`.
    folder: Option<String>,
    /// The sender contains this.
    from: Option<String>,
    /// A recipient contains this.
    to: Option<String>,
    /// The subject contains this.
    subject: Option<String>,
    /// Headers or body contain this.
    text: Option<String>,
    /// Arrived on this day or later, as 2026-11-30.
    since: Option<String>,
    /// Arrived before this day, as 2026-11-30.
    before: Option<String>,
    /// true: unread only; false: read only.
    unread: Option<bool>,
    /// true: flagged only; false: not flagged only.
    flagged: Option<bool>,
    /// true: with attachments only; false: without.
    has_attachment: Option<bool>,
    /// Larger than this many bytes.
    #[schemars(range(min = 1, max = 4_294_967_295_u64))]
    larger: Option<u64>,
    /// Most messages to return; 25 if left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u64>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "search_messages",
        title: "Search messages",
        description: "Search emails by sender, recipient, subject, text, date range, unread, flagged, attachment or size, in \
                      one folder or everywhere, newest first. All criteria given must hold. Page with `cursor`.",
        hints: Hints::READ,
        needs: Needs { grants: &[Grant::Read], features: &[Feature::Search], save_dir: false },
        input: args::schema::<Args>,
        output: Some(args::output::<ListingOut>),
        handler: Handler::Foreign(run::<M>),
    }
}

fn run<'a, M: Mailbox<Stage = Raw>>(
    account: &'a Account<M>,
    arguments: JsonObject,
    desk: Desk<'a>,
) -> Answered<'a> {
    Box::pin(async move {
        let query = query_digest("search_messages", account.name().as_str(), &arguments);
        let args: Args = args::parse(arguments)?;
        let window = Window {
            limit: args.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT),
            cursor: open_cursor(args.cursor.as_deref(), &query)?,
            budget: desk.work.budget,
        };
        let search = criteria(args)?;
        let receipt = desk.receipt().await?;
        let listing = account.mailbox().search_messages(&search, &window, &receipt).await?;
        Ok(Reply::Page(page(&listing, &query)))
    })
}

fn criteria(args: Args) -> Result<Search, ToolError> {
    let scope = match args.folder.as_deref() {
        None => FolderScope::All,
        Some(folder) if folder.eq_ignore_ascii_case("all") => FolderScope::All,
        Some(folder) => args::folder(folder)?,
    };
    let search = Search {
        scope,
        from: text("from", args.from)?,
        to: text("to", args.to)?,
        subject: text("subject", args.subject)?,
        text: text("text", args.text)?,
        since: day("since", args.since.as_deref())?,
        before: day("before", args.before.as_deref())?,
        unread: args.unread,
        flagged: args.flagged,
        has_attachment: args.has_attachment,
        larger: args.larger,
    };
    if search == Search::everything(search.scope.clone()) {
        return Err(ToolError::arguments(
            "No criterion was given; `list_messages` lists a whole folder.".to_owned(),
        ));
    }
    Ok(search)
}

/// A search text: not blank, bounded, and free of control characters (a line break could end a command).
fn text(argument: &str, value: Option<String>) -> Result<Option<String>, ToolError> {
    let Some(value) = value else { return Ok(None) };
    if value.trim().is_empty() || value.len() > Search::MAX_TEXT_BYTES || value.chars().any(char::is_control)
    {
        return Err(ToolError::arguments(format!(
            "The argument `{argument}` must hold 1 to {} bytes of text without line breaks.",
            Search::MAX_TEXT_BYTES
        )));
    }
    Ok(Some(value))
}

fn day(argument: &str, value: Option<&str>) -> Result<Option<Day>, ToolError> {
    value
        .map(|value| {
            Day::parse(value).ok_or_else(|| {
                ToolError::arguments(format!("The argument `{argument}` must be a day such as 2026-11-30."))
            })
        })
        .transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: &serde_json::Value) -> Result<Search, String> {
        let args: Args = args::parse(value.as_object().unwrap().clone()).map_err(|e| e.text())?;
        criteria(args).map_err(|e| e.text())
    }

    #[test]
    fn criteria_are_checked_before_anything_is_read() {
        for bad in [
            json!({}),
            json!({ "folder": "all" }),
            json!({ "text": " " }),
            json!({ "from": "a\r\nb LOGOUT" }),
            json!({ "subject": "x".repeat(501) }),
            json!({ "since": "last week" }),
            json!({ "before": "2026-02-30" }),
            json!({ "larger": 0 }),
        ] {
            assert!(of(&bad).is_err(), "{bad}");
        }
        let found = of(&json!({ "from": "Jiří", "since": "2026-11-01", "unread": true })).unwrap();
        assert_eq!((found.scope, found.unread), (FolderScope::All, Some(true)));
        assert_eq!(found.from.as_deref(), Some("Jiří"));
    }
}
