//! What the draft tools share: recipients as typed, storing, and how a stored draft is reported.

use std::fmt::Write;

use countersign_send_policy::Fingerprint;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Page, ToolError, view};
use crate::{
    account::Account,
    compose::{ComposeError, recipients},
    mailbox::Mailbox,
    model::{Address, DraftEdit, DraftRef, DraftView, NewDraft, StoredDraft},
    protection::{Raw, Screened},
};

/// The structured result of a draft tool.
#[derive(Serialize, JsonSchema)]
pub(super) struct DraftOut {
    /// The draft's id.
    draft: String,
    /// A digest of exactly what was stored.
    fingerprint: String,
}

/// The structured result of a draft tool that answers or forwards.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReplyDraftOut {
    /// The draft's id.
    draft: String,
    /// A digest of exactly what was stored.
    fingerprint: String,
    /// The draft's subject.
    subject: String,
    /// Recipients (To).
    to: Vec<view::AddressOut>,
    /// Recipients (Cc).
    cc: Vec<view::AddressOut>,
    /// Recipients (Bcc).
    bcc: Vec<view::AddressOut>,
    /// Names of its attachments.
    attachments: Vec<String>,
    /// That the content is untrusted.
    notice: String,
}

/// What of a reply or forward goes into its structured result.
#[derive(Serialize)]
struct ViewOut {
    subject: String,
    to: Vec<view::AddressOut>,
    cc: Vec<view::AddressOut>,
    bcc: Vec<view::AddressOut>,
    attachments: Vec<String>,
}

/// Recipients as the caller typed them: each entry is exactly one address.
pub(super) fn people(argument: &'static str, typed: Option<Vec<String>>) -> Result<Vec<Address>, ToolError> {
    let typed = typed.unwrap_or_default();
    let mut people = Vec::with_capacity(typed.len());
    for (number, entry) in (1_usize..).zip(&typed) {
        let address = recipients::parse(entry).map_err(|fault| {
            ToolError::arguments(format!("Entry {number} of `{argument}` is not one email address: {fault}."))
        })?;
        people.push(address);
    }
    Ok(people)
}

/// The caller's part of a draft.
pub(super) fn edit(
    to: Option<Vec<String>>,
    cc: Option<Vec<String>>,
    bcc: Option<Vec<String>>,
    subject: Option<String>,
    text: String,
) -> Result<DraftEdit, ToolError> {
    Ok(DraftEdit { to: people("to", to)?, cc: people("cc", cc)?, bcc: people("bcc", bcc)?, subject, text })
}

impl From<ComposeError> for ToolError {
    fn from(error: ComposeError) -> Self {
        Self::arguments(format!("The draft can't be written: {error}."))
    }
}

/// Stores a draft and remembers that this server wrote it.
pub(super) async fn store<M: Mailbox<Stage = Raw>>(
    account: &Account<M>,
    draft: &NewDraft,
) -> Result<StoredDraft, ToolError> {
    let stored = account.mailbox().create_draft(draft).await?;
    // A draft that can't be remembered is still stored: removing it later will then move it to Trash instead.
    if account.policy().wrote_draft(stored.id.as_str()).await.is_err() {
        tracing::warn!("a stored draft could not be recorded as this server's own");
    }
    Ok(stored)
}

/// Reports a stored draft.
pub(super) fn stored(page: Page, id: &DraftRef, fingerprint: Fingerprint) -> Page {
    page.say("The draft is stored in Drafts; nothing was sent. Draft id: ")
        .own(id)
        .say("\n")
        .fact("draft", id)
        .fact("fingerprint", fingerprint)
}

/// Reports a reply or forward: what it holds is partly other people's words.
pub(super) fn stored_reply(view: &Screened<DraftView>, stored_draft: &StoredDraft) -> Page {
    stored(Page::default(), &stored_draft.id, stored_draft.fingerprint).show(view, text).structure(
        view,
        |view| ViewOut {
            subject: view.headers.subject.clone(),
            to: view::addresses_out(&view.headers.to),
            cc: view::addresses_out(&view.headers.cc),
            bcc: view::addresses_out(&view.headers.bcc),
            attachments: view.attachments.clone(),
        },
    )
}

/// The most of a draft's text that its report repeats, in characters.
const TEXT_SHOWN: usize = 4_000;

fn text(view: &DraftView) -> String {
    let mut out = String::new();
    view::headers_text(&mut out, &view.headers);
    if !view.attachments.is_empty() {
        let _ = writeln!(out, "Attachments: {}", view.attachments.join(", "));
    }
    out.push('\n');
    out.extend(view.text.chars().take(TEXT_SHOWN));
    if view.text.chars().nth(TEXT_SHOWN).is_some() {
        out.push_str("\n(the rest is in the draft)");
    }
    out
}
