//! Writes that are confirmed as the confirm-token specification has it: by a prompt where the client shows one, else by
//! a preview and a token, else not at all. Everything here works on values, without an MCP library: [`Writes::step`] is
//! given what came with a call and says what to answer.

mod binding;
mod plan;
mod preview;
mod settings;
mod step;

use serde_json::{Map, Value};

pub use plan::{Plan, Request};
pub use preview::{Changed, Preview};
pub use settings::{Mode, Settings};
pub use step::{Incoming, Step, Way, Writes};
#[cfg(feature = "rmcp")]
pub(crate) use step::{Next, Tokened, millis};

/// The argument that carries the token on the second call.
pub const CONFIRM_TOKEN: &str = "confirmToken";

/// A write that can say what it would do.
pub trait Write {
    /// What would happen, all of it, as it was read just now.
    fn plan(&self) -> Plan;
}

/// The call that is to be confirmed, named in full. There is no `Default`, so that neither the account nor the arguments
/// can be left out: a server with one account writes `account: None`.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a new field must be decided by every caller")]
pub struct WriteAct<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What is done, as a word for programs: `thing.delete`.
    pub action: &'a str,
    /// The account that acts; `None` on a server that has only one.
    pub account: Option<&'a str>,
    /// The tool's arguments as the client sent them, the token among them.
    pub arguments: &'a Map<String, Value>,
}

/// The arguments that a confirmation is bound to: all but the token, which differs between the calls.
pub(crate) fn bound_arguments(arguments: &Map<String, Value>) -> crate::Payload {
    let kept = arguments.iter().filter(|(name, _)| *name != CONFIRM_TOKEN);
    crate::Payload::record(kept.map(|(name, value)| (name, value.into())))
}

#[cfg(test)]
mod tests;
