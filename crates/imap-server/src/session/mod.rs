//! The IMAP connection: the one place that knows async-imap, TLS and the wire form of RFC 9051 and RFC 3501.
//!
//! async-imap signs in. Commands are tagged and written here, several in one flush where none holds a literal, and answers are
//! framed by [`wire`] and read by [`value`] and [`response`] instead of async-imap's own parser: that one stops for good at the first line it does not understand
//! (8-bit names, odd BODYSTRUCTUREs, stray spaces), keeps no bytes of it, and would buffer half a gigabyte. Here a line
//! that can't be understood costs that line, and what a server can make us hold is bounded.
//!
//! Every command runs under a deadline. A connection whose command was dropped half-way is closed, never used again.

mod capabilities;
mod command;
mod connect;
mod connection;
mod pool;
mod response;
mod stream;
mod tls;
mod value;
mod wire;

/// How much of a long part is fetched at a time.
pub(crate) const PIECE: u64 = 4 * 1_024 * 1_024;

pub(crate) use command::{Command, ImapDate, MONTHS, TextRefused, UidSet};
pub(crate) use connect::{dial, secure};
pub(crate) use connection::{Answer, Connection, Errand, Open, Outcome, Selected};
pub(crate) use pool::{Lease, Pool};
pub(crate) use response::{Code, Fetched, Status};
pub(crate) use stream::Stream;
pub(crate) use tls::Tls;
pub(crate) use value::Value;
#[cfg(test)]
pub(crate) use value::parse as parse_values;
