//! The first answer of the token rail: what would happen, and the token that lets it happen once the person agreed.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Mode;
use crate::{payload::Date, render, wording};

/// What changed between the calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the specification has these two")]
pub enum Changed {
    /// The target was edited.
    Revision,
    /// What would happen is something else.
    Payload,
}

impl Changed {
    /// The word for programs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Revision => "revision-changed",
            Self::Payload => "payload-changed",
        }
    }

    /// The sentence for the model.
    #[must_use]
    pub const fn note(self) -> &'static str {
        wording::changed(self)
    }
}

/// What would happen, shown before it does, with the token for the second call. Nothing was done.
#[derive(Clone, Debug)]
pub struct Preview {
    pub(super) action: String,
    pub(super) shown: Map<String, Value>,
    pub(super) token: String,
    /// Milliseconds since 1970.
    pub(super) expires: u64,
    pub(super) lifetime: Duration,
    pub(super) mode: Mode,
    pub(super) changed: Option<Changed>,
}

impl Preview {
    /// What the person has to see.
    #[must_use]
    pub const fn shown(&self) -> &Map<String, Value> {
        &self.shown
    }

    /// The token for the second call.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Until when the token counts, in ISO 8601.
    #[must_use]
    pub fn expires_at(&self) -> String {
        i64::try_from(self.expires).map_or(Date::INVALID, Date::from_millis).to_string()
    }

    /// How long it counts from now.
    #[must_use]
    pub const fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// What the model is to do with it.
    #[must_use]
    pub const fn instruction(&self) -> &'static str {
        wording::instruction(self.mode)
    }

    /// Set when a token was given and what it stood for is no longer so; this is then the preview of what is there now,
    /// and an error result.
    #[must_use]
    pub const fn changed(&self) -> Option<Changed> {
        self.changed
    }

    /// The text of the result: a JSON object with the specification's fields.
    #[must_use]
    pub fn text(&self) -> String {
        let rejected = self.changed.map(|changed| Rejected {
            error: "DRAFT_CHANGED",
            reason: changed.reason(),
            note: changed.note(),
        });
        render::json(&Fields {
            status: if rejected.is_some() { "confirmation-rejected" } else { "confirmation-required" },
            confirmed: false,
            dispatched: false,
            rejected,
            action: &self.action,
            preview: &self.shown,
            confirm_token: &self.token,
            expires_at: self.expires_at(),
            ttl_seconds: self.lifetime.as_secs(),
            instruction: self.instruction(),
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    status: &'a str,
    confirmed: bool,
    dispatched: bool,
    #[serde(flatten)]
    rejected: Option<Rejected>,
    action: &'a str,
    preview: &'a Map<String, Value>,
    confirm_token: &'a str,
    expires_at: String,
    ttl_seconds: u64,
    instruction: &'a str,
}

#[derive(Serialize)]
struct Rejected {
    error: &'static str,
    reason: &'static str,
    note: &'static str,
}
