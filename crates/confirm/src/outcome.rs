//! How a confirmation ended: [`Outcome`], and every way of not having been given in [`Declined`].

use crate::{Confirmed, wording};

/// How a confirmation ended.
///
/// `Q` is the question to put to the person in the next round (`Question` behind the feature `rmcp`).
#[must_use]
pub enum Outcome<S, Q> {
    /// The person agreed to exactly this.
    Confirmed(Confirmed<S>),
    /// The client has to ask the person and call again.
    Ask(Q),
    /// It was not confirmed; nothing was done.
    Declined(Declined),
}

/// Why nobody can be prompted.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "either the client or the owner")]
pub enum Prompts {
    /// The client is known not to show form prompts.
    Undeclared,
    /// The owner turned prompts off (`MCP_CONFIRM_ELICITATION=off`).
    Off,
}

impl Prompts {
    /// The no of an act that is never done without a prompt.
    #[cfg(feature = "rmcp")]
    pub(crate) const fn declined(self) -> Declined {
        match self {
            Self::Undeclared => Declined::CannotPrompt,
            Self::Off => Declined::PromptsOff,
        }
    }
}

/// Why an act was not confirmed. Nothing was done in any of these cases.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Declined {
    /// The client is known not to show form prompts.
    CannotPrompt,
    /// The owner turned prompts off (`MCP_CONFIRM_ELICITATION=off`).
    PromptsOff,
    /// The person said no.
    Refused,
    /// The person closed the prompt, or the call was cancelled.
    Cancelled,
    /// The prompt was accepted without its box being ticked.
    Unticked,
    /// The prompt failed, was answered with something else than an answer, or stood unanswered for its lifetime.
    Unanswered,
    /// What would be done is not what the person was shown.
    Changed,
    /// A restriction came into force after the prompt was shown.
    Stricter,
    /// The confirmation that came back was not issued by this installation for this very call.
    BadState,
    /// The confirmation came back too late.
    Expired,
    /// The key that signs confirmations cannot be used.
    KeyUnavailable,
    /// Nobody can be prompted, and the owner allows nothing else (`MCP_CONFIRM_MODE=refuse`).
    ModeRefuses(Prompts),
    /// Nobody can be prompted, and the lifetime of tokens that the owner set is none (`MCP_CONFIRM_TTL_SECONDS`).
    LifetimeInvalid(Prompts),
    /// A prompt was accepted, and the client did not bring back what belongs to it.
    NoState,
    /// The token was not issued for this call.
    TokenInvalid,
    /// The token was used already.
    TokenReused,
    /// The token came too late.
    TokenExpired,
    /// It can't be found out or recorded that a confirmation was used.
    StoreUnavailable,
    /// The tool does not say completely what it would do, which is this server's fault.
    Incomplete,
}

impl Declined {
    /// Every case, for tables and tests.
    pub const ALL: [Self; 21] = [
        Self::CannotPrompt,
        Self::PromptsOff,
        Self::Refused,
        Self::Cancelled,
        Self::Unticked,
        Self::Unanswered,
        Self::Changed,
        Self::Stricter,
        Self::BadState,
        Self::Expired,
        Self::KeyUnavailable,
        Self::ModeRefuses(Prompts::Undeclared),
        Self::ModeRefuses(Prompts::Off),
        Self::LifetimeInvalid(Prompts::Undeclared),
        Self::LifetimeInvalid(Prompts::Off),
        Self::NoState,
        Self::TokenInvalid,
        Self::TokenReused,
        Self::TokenExpired,
        Self::StoreUnavailable,
        Self::Incomplete,
    ];

    /// The sentence for the model: what was not done, why, and what to do next.
    pub const fn words(self) -> &'static str {
        wording::declined(self)
    }

    /// A stable word for programs. Both ways of not being able to ask share one.
    pub const fn code(self) -> &'static str {
        match self {
            Self::CannotPrompt | Self::PromptsOff | Self::ModeRefuses(_) | Self::LifetimeInvalid(_) => {
                "confirmation-unsupported"
            }
            Self::Refused => "confirmation-declined",
            Self::Cancelled => "confirmation-cancelled",
            Self::Unticked => "confirmation-unticked",
            Self::Unanswered => "confirmation-unanswered",
            Self::Changed => "payload-changed",
            Self::Stricter => "terms-changed",
            Self::BadState => "confirmation-invalid",
            Self::Expired => "confirmation-expired",
            Self::KeyUnavailable => "confirmation-key-unavailable",
            Self::NoState => "confirmation-state-missing",
            Self::TokenInvalid => "TOKEN_INVALID",
            Self::TokenReused => "TOKEN_REUSED",
            Self::TokenExpired => "TOKEN_EXPIRED",
            Self::StoreUnavailable => "confirmation-store-unavailable",
            Self::Incomplete => "confirmation-incomplete",
        }
    }

    /// Whether a result that says so is an error result: the client, the model or this server did something wrong, where
    /// otherwise a person or the owner said no.
    pub const fn is_error(self) -> bool {
        match self {
            Self::BadState
            | Self::Expired
            | Self::KeyUnavailable
            | Self::NoState
            | Self::TokenInvalid
            | Self::TokenReused
            | Self::TokenExpired
            | Self::StoreUnavailable
            | Self::Incomplete => true,
            Self::CannotPrompt
            | Self::PromptsOff
            | Self::Refused
            | Self::Cancelled
            | Self::Unticked
            | Self::Unanswered
            | Self::Changed
            | Self::Stricter
            | Self::ModeRefuses(_)
            | Self::LifetimeInvalid(_) => false,
        }
    }

    /// The text of a result that says so of `action`: a JSON object with the specification's fields.
    #[cfg(feature = "token")]
    #[must_use]
    pub fn text(self, action: &str) -> String {
        let (code, note) = (self.code(), self.words());
        let token = matches!(self, Self::TokenInvalid | Self::TokenReused | Self::TokenExpired);
        crate::render::json(&Fields {
            status: token.then_some("confirmation-rejected"),
            confirmed: false,
            dispatched: false,
            error: token.then_some(code),
            action,
            reason: (!token).then_some(code),
            note,
        })
    }
}

#[cfg(feature = "token")]
#[derive(serde::Serialize)]
struct Fields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    confirmed: bool,
    dispatched: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    note: &'a str,
}

#[cfg(all(test, feature = "token"))]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_no_has_the_fields_of_the_specification() {
        for why in Declined::ALL {
            let said: Value = serde_json::from_str(&why.text("thing.delete")).unwrap();
            let expected = if why.code().starts_with("TOKEN_") {
                json!({
                    "status": "confirmation-rejected", "confirmed": false, "dispatched": false,
                    "error": why.code(), "action": "thing.delete", "note": why.words(),
                })
            } else {
                json!({
                    "confirmed": false, "dispatched": false, "action": "thing.delete", "reason": why.code(),
                    "note": why.words(),
                })
            };
            assert_eq!(said, expected);
        }
        let text = Declined::TokenReused.text("thing.delete");
        assert!(text.starts_with("{\n  \"status\": \"confirmation-rejected\",\n  \"confirmed\""), "{text}");
    }

    #[test]
    fn a_no_of_a_person_or_the_owner_is_not_an_error() {
        let errors: Vec<_> =
            Declined::ALL.into_iter().filter(|why| why.is_error()).map(Declined::code).collect();
        assert_eq!(
            errors,
            [
                "confirmation-invalid",
                "confirmation-expired",
                "confirmation-key-unavailable",
                "confirmation-state-missing",
                "TOKEN_INVALID",
                "TOKEN_REUSED",
                "TOKEN_EXPIRED",
                "confirmation-store-unavailable",
                "confirmation-incomplete",
            ]
        );
    }
}
