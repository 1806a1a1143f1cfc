//! The shared core of the Countersign mail servers.
//!
//! Two chains carry everything, and the compiler keeps both:
//!
//! * **Reading**: a backend ([`mailbox::Mailbox`]) returns [`protection::Unscreened`]; only [`protection`] opens it and
//!   makes [`protection::Screened`]; only that can enter a result.
//! * **Sending**: a draft is read as a sealed `DraftContent`, confirmed by a person through `countersign-confirm`, claimed
//!   once through `countersign-send-policy`, and the permit that comes out is the only thing that
//!   [`mailbox::Mailbox::send`] takes.

pub mod attachment;
pub mod compose;
pub mod mailbox;
pub mod memory;
pub mod mime;
pub mod model;
pub mod protection;
pub mod sanitise;
