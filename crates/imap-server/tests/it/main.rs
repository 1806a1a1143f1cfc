//! The backend against a real Dovecot and a real Postfix, looked at through core's protection at level off. What a test
//! checks of a mailbox comes from the servers' own tools.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in what several tests share"
)]

mod account;
mod conformance;
mod drafts;
mod errors;
mod folders;
mod organise;
mod reading;
mod search;
