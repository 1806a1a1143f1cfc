//! The IMAP and SMTP backend of Countersign: one account's store behind core's [`Mailbox`], and nothing else.
//!
//! `session` is the only module that speaks IMAP's wire form, [`smtp`] the only one that speaks SMTP's; `backend` turns
//! core's questions into commands and the answers into core's types. What a server or a message says is untrusted: it
//! never reaches a command, an error or a log line.
//!
//! [`Mailbox`]: countersign_core::mailbox::Mailbox

mod backend;
mod error;
mod mutf7;
mod provider;
mod refs;
mod session;
mod settings;
mod smtp;
mod special_use;
mod tools;

pub use backend::{ImapMailbox, Outbox};
pub use provider::Imap;
pub use settings::{Endpoint, FileSent, ImapSettings, Security, Timeouts};
