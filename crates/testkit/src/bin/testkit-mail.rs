//! Starts a Dovecot and a Postfix for trying things by hand, says in one line of JSON where they are, and stops
//! them when standard input ends.
//!
//! `cargo run -p countersign-testkit --bin testkit-mail`

use std::io::{Read as _, Write as _};

use anyhow::Result;
use countersign_testkit::services::{Mail, MailConfig};
use serde_json::json;

fn main() -> Result<()> {
    let Some(mail) = Mail::start(&MailConfig::default())? else { return Ok(()) };
    let user = mail.user("anna")?;
    let facts = json!({
        "dir": mail.dir(), "ca": mail.ca_pem, "user": user.address, "password": user.password,
        "imap": { "starttls": mail.imap.plain_starttls, "tls": mail.imap.tls },
        "smtp": { "starttls": mail.smtp.submission_starttls, "tls": mail.smtp.smtps, "plain": mail.smtp.plain },
    });
    writeln!(std::io::stdout(), "{facts}")?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
