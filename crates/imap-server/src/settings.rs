//! What an account's configuration says about its servers.

use std::{path::PathBuf, time::Duration};

use countersign_core::model::{Address, Origin};

/// How a connection is protected. Certificates are always checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte (RFC 8314): 993, 465.
    Tls,
    /// STARTTLS before anything else (RFC 3207, RFC 9051 §6.2.1): 143, 587. A server without it is not used.
    StartTls,
    /// No TLS, because the owner asked for it in so many words (a loopback proxy).
    PlainTextAllowed,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Host name or IP address (IPv6 with or without brackets).
    pub host: String,
    /// Port.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
}

/// Who files the copy of a sent message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileSent {
    /// Look into Sent by Message-ID first: Gmail and Outlook.com file one themselves.
    #[default]
    Auto,
    /// The server files one, always.
    Never,
    /// The server never files one, so no time is spent looking.
    Always,
}

/// How long things may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// From the first packet to the end of the sign-in, for each of name resolution with TCP, TLS and sign-in.
    pub connect: Duration,
    /// How long a server may stay silent while it owes an answer.
    pub silence: Duration,
    /// How long one call may hold the connection in all.
    pub call: Duration,
    /// How long a connection may have been unused before it is tried with NOOP first.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            silence: Duration::from_secs(30),
            call: Duration::from_secs(110),
            idle: Duration::from_secs(5),
        }
    }
}

/// One account's settings.
#[derive(Debug, Clone)]
pub struct ImapSettings {
    /// Where mail is read.
    pub imap: Endpoint,
    /// Where mail is handed in.
    pub smtp: Endpoint,
    /// The user name at both.
    pub user: String,
    /// A PEM file with further certificate authorities, added to the system's.
    pub ca_file: Option<PathBuf>,
    /// The account's own addresses; the first is the default sender.
    pub addresses: Vec<Address>,
    /// Who files the copy in Sent.
    pub file_sent: FileSent,
    /// Limits.
    pub timeouts: Timeouts,
}

impl ImapSettings {
    /// Whose store this is, the same for the state and for the permits that it takes.
    pub(crate) fn origin(&self) -> Origin {
        Origin::new("imap", &self.imap.host, &self.user)
    }
}
