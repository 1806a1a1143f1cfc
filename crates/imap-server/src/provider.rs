//! What this server is called and how an account's configuration becomes its settings.

use std::sync::Arc;

use countersign_core::{
    cli::Question,
    config::{AccountConfig, ConfigFault, Credential, EnvVar, Settings},
    mailbox::Mailbox,
    model::{Address, Origin},
    protection::Raw,
    provider::Provider,
    tools::ToolDef,
};

use crate::{
    ImapMailbox,
    settings::{Endpoint, FileSent, ImapSettings, Security, Timeouts},
    tools,
};

/// IMAP for reading, SMTP for sending.
pub struct Imap;

impl Provider for Imap {
    type Mailbox = ImapMailbox;
    const BINARY: &'static str = "countersign-imap";
    const NAME: &'static str = "imap";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const CONNECTION: &'static [EnvVar] = CONNECTION;
    const QUESTIONS: &'static [Question] = QUESTIONS;

    fn table<M: Mailbox<Stage = Raw>>() -> &'static [ToolDef<M>] {
        tools::table()
    }

    fn origin(account: &AccountConfig) -> Result<Origin, ConfigFault> {
        Ok(settings(account)?.origin())
    }

    fn mailbox(account: &AccountConfig, credential: Arc<dyn Credential>) -> Result<ImapMailbox, ConfigFault> {
        Ok(ImapMailbox::new(settings(account)?, credential))
    }
}

const CONNECTION: &[EnvVar] = &[
    EnvVar::connection("COUNTERSIGN_IMAP_ADDRESS", "address", "The account's address."),
    EnvVar::connection("COUNTERSIGN_IMAP_DISPLAY_NAME", "display_name", "The name beside it in From."),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_USER",
        "user",
        "The name that signs in, where it is not the address.",
    ),
    EnvVar::password(
        "COUNTERSIGN_IMAP_PASSWORD",
        "The password. A keychain is the better place for it: see `login`.",
    ),
    EnvVar::connection("COUNTERSIGN_IMAP_HOST", "imap.host", "The IMAP server."),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_PORT",
        "imap.port",
        "Its port: 993 with TLS, 143 otherwise, where nothing is set.",
    ),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_SECURITY",
        "imap.security",
        "`tls` (the default), `starttls`, or `plain-text-without-encryption`.",
    ),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_SMTP_HOST",
        "smtp.host",
        "The outgoing server; the IMAP server where nothing is set.",
    ),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_SMTP_PORT",
        "smtp.port",
        "Its port: 465 with TLS, 587 otherwise, where nothing is set.",
    ),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_SMTP_SECURITY",
        "smtp.security",
        "The same words as for the IMAP server.",
    ),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_CA_FILE",
        "ca_file",
        "A PEM file with further certificate authorities.",
    ),
    EnvVar::connection(
        "COUNTERSIGN_IMAP_FILE_SENT",
        "file_sent",
        "Who files the copy in Sent: `auto` (the default), `always` or `never`.",
    ),
];

const QUESTIONS: &[Question] = &[
    Question { setting: "imap.host", label: "IMAP server", propose: |domain| format!("imap.{domain}") },
    Question {
        setting: "smtp.host",
        label: "Outgoing (SMTP) server",
        propose: |domain| format!("smtp.{domain}"),
    },
];

/// The settings of an account, checked one by one so that a fault names the setting that it is in.
fn settings(account: &AccountConfig) -> Result<ImapSettings, ConfigFault> {
    let written = &account.connection;
    let host = written.required("imap.host")?;
    let imap = endpoint(written, host, ["imap.port", "imap.security"], [993, 143])?;
    let outgoing = written.text("smtp.host")?.unwrap_or(host);
    let smtp = endpoint(written, outgoing, ["smtp.port", "smtp.security"], [465, 587])?;
    let own = Address {
        display_name: account.display_name.clone(),
        addr_spec: account.required_address()?.to_owned(),
    };
    let aliases = account.aliases.iter().map(|alias| Address { addr_spec: alias.clone(), ..own.clone() });
    Ok(ImapSettings {
        user: account.sign_in_name()?.to_owned(),
        ca_file: written.path("ca_file")?,
        addresses: [own.clone()].into_iter().chain(aliases).collect(),
        file_sent: file_sent(written)?,
        timeouts: Timeouts::default(),
        imap,
        smtp,
    })
}

fn endpoint(
    written: &Settings,
    host: &str,
    [port, security]: [&str; 2],
    [with_tls, without]: [u16; 2],
) -> Result<Endpoint, ConfigFault> {
    const TLS: &str = "tls";
    const START_TLS: &str = "starttls";
    const PLAIN: &str = "plain-text-without-encryption";
    let word = written.word(
        security,
        &[TLS, START_TLS, PLAIN],
        "it must be \"tls\", \"starttls\" or \"plain-text-without-encryption\"",
    )?;
    let security = match word {
        Some(START_TLS) => Security::StartTls,
        Some(PLAIN) => Security::PlainTextAllowed,
        _ => Security::Tls,
    };
    let usual = if security == Security::Tls { with_tls } else { without };
    Ok(Endpoint { host: host.to_owned(), port: written.port(port)?.unwrap_or(usual), security })
}

fn file_sent(written: &Settings) -> Result<FileSent, ConfigFault> {
    const WORDS: [&str; 3] = ["auto", "always", "never"];
    let word = written.word("file_sent", &WORDS, "it must be \"auto\", \"always\" or \"never\"")?;
    Ok(match word {
        Some("always") => FileSent::Always,
        Some("never") => FileSent::Never,
        _ => FileSent::Auto,
    })
}
