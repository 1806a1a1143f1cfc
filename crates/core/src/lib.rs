//! The shared core of the Countersign mail servers.
//!
//! Two chains carry everything, and the compiler keeps both:
//!
//! * **Reading**: a backend ([`mailbox::Mailbox`]) returns [`protection::Unscreened`]; only [`protection`] opens it and
//!   makes [`protection::Screened`]; only that can enter a result ([`tools::Page`]).
//! * **Sending**: a draft is read as a sealed `DraftContent`, confirmed by a person through `countersign-confirm`, claimed
//!   once through `countersign-send-policy`, and the permit that comes out is the only thing that
//!   [`mailbox::Mailbox::send`] takes.
//!
//! Where to start: a tool is one file under `tools/`; a provider implements [`mailbox::Mailbox`] and
//! [`provider::Provider`]; the rules of what may be shown are under `protection/policy/`; serving is under `server/`, the
//! command line under `cli/`.

pub mod account;
pub mod attachment;
pub mod cli;
pub mod compose;
pub mod config;
pub mod mailbox;
pub mod memory;
pub mod mime;
pub mod model;
pub mod protection;
pub mod provider;
pub mod sanitise;
pub mod server;
pub mod tools;
