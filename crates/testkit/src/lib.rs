//! Real servers, real clients, faults on demand and generated mail, for the tests of the other crates.
//!
//! Nothing here is published and nothing here is a double of our own code: Dovecot and Postfix are the
//! packaged servers, the MCP clients are the published ones, and what a test sees of a mailbox comes from the
//! server's own tools, never from our IMAP code. What isn't installed is named and fails the test, unless the
//! owner of the run allowed that very thing to be skipped (see [`require`]).

pub mod clients;
pub mod conformance;
pub mod corpus;
pub mod faults;
pub mod mcp;
pub mod require;
pub mod services;

pub use require::{Need, require};
