//! Protection: the only place that opens what a backend returns, and the chain that every read goes through.
//!
//! ```text
//! backend ──Unscreened<T>──▶ ProtectedMailbox ──judge──▶ sanitise ──Screened<T>──▶ Page::show
//!                             (receipt covers             (protection/policy: what each
//!                              this account?)              kind of method may show)
//! ```
//!
//! What comes in is untrusted: every field of every message may be hostile. What this does not protect from: a person
//! reading the same mail in their own client, and an owner who writes `protection = "off"`.
//!
//! At level `off` everything is shown, sanitised. Any other written level needs the classifier, which this version does
//! not have; it then fails closed: nothing is shown (decisions.md §7).

mod level;
pub(crate) mod policy;
mod protected;
mod stage;

pub use level::Level;
pub use protected::{ProtectedMailbox, ProviderRead};
pub use stage::{Foreign, Raw, Safe, Screened, Stage, Unscreened};
