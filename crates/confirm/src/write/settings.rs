//! How writes are confirmed on one server.

use std::time::Duration;

use crate::{Declined, KeySource, Spent, outcome::Prompts};

/// What a write does where nobody can be prompted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "another mode would have to be decided on everywhere")]
pub enum Mode {
    /// Preview and token, and the model is told to have the user's word before it uses the token.
    AskUser,
    /// Preview and token, and the model may use the token itself once it has looked at the preview.
    Auto,
    /// Nothing.
    Refuse,
}

/// How writes are confirmed: by the owner's variables ([`crate::env::settings`]), or written out.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "whoever composes a server decides on each")]
pub struct Settings {
    /// What happens where nobody can be prompted.
    pub mode: Mode,
    /// Whether prompts are shown at all.
    pub elicitation: bool,
    /// How long a confirmation counts; `None` when what was set is no lifetime, which leaves no token rail.
    pub lifetime: Option<Duration>,
    /// The key that signs tokens and what travels with a prompt.
    pub key: KeySource,
    /// Where spent tokens are recorded. Under a key that outlives the process it should last too.
    pub spent: Spent,
}

impl Settings {
    /// How the token rail runs, or why there is none. `Refuse` never comes back as a mode.
    pub(crate) fn fallback(&self, prompts: Prompts) -> Result<(Mode, Duration), Declined> {
        match (self.mode, self.lifetime) {
            (Mode::Refuse, _) => Err(Declined::ModeRefuses(prompts)),
            (Mode::AskUser | Mode::Auto, None) => Err(Declined::LifetimeInvalid(prompts)),
            (mode @ (Mode::AskUser | Mode::Auto), Some(lifetime)) => Ok((mode, lifetime)),
        }
    }
}
