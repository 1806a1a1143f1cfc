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
}

impl Declined {
    /// Every case, for tables and tests.
    pub const ALL: [Self; 11] = [
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
    ];

    /// The sentence for the model: what was not done, why, and what to do next.
    pub const fn words(self) -> &'static str {
        wording::declined(self)
    }

    /// A stable word for programs. Both ways of not being able to ask share one.
    pub const fn code(self) -> &'static str {
        match self {
            Self::CannotPrompt | Self::PromptsOff => "confirmation-unsupported",
            Self::Refused => "confirmation-declined",
            Self::Cancelled => "confirmation-cancelled",
            Self::Unticked => "confirmation-unticked",
            Self::Unanswered => "confirmation-unanswered",
            Self::Changed => "payload-changed",
            Self::Stricter => "terms-changed",
            Self::BadState => "confirmation-invalid",
            Self::Expired => "confirmation-expired",
            Self::KeyUnavailable => "confirmation-key-unavailable",
        }
    }
}
