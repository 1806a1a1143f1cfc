//! The IMAP connection: the one place that knows async-imap, TLS and the wire form of RFC 9051 and RFC 3501.
//!
//! async-imap signs in, tags commands and writes them. Answers are framed by [`wire`] and read by [`value`] and
//! [`response`] instead of async-imap's own parser: that one stops for good at the first line it does not understand
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

pub(crate) use command::{Command, ImapDate, MONTHS, TextRefused, UidSet};
pub(crate) use connect::{dial, secure};
pub(crate) use connection::{Answer, Connection, Open, Selected};
pub(crate) use pool::{Lease, Pool};
pub(crate) use response::{Code, Fetched, Status};
pub(crate) use stream::Stream;
pub(crate) use tls::Tls;
pub(crate) use value::Value;
#[cfg(test)]
pub(crate) use value::parse as parse_values;
