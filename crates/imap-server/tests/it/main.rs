//! Against a real Dovecot and a real Postfix: the backend, looked at through core's protection at level off, and the binary,
//! driven over stdio. What a test checks of a mailbox comes from the servers' own tools.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, also in what several tests share"
)]

mod account;
mod bad_input;
mod bad_manners;
mod clients;
mod conformance;
mod corpus;
mod drafts;
mod errors;
mod folders;
mod home;
mod injection;
mod organise;
mod pdf;
mod reading;
mod round_trips;
mod rounds;
mod search;
mod secured;
mod send_faults;
mod sending_new;
mod server;
mod signin;
mod submission;
mod tools;
mod vanishing;
mod wire_forms;
