//! The configuration of one Dovecot 2.3 that keeps everything below a directory of its own.
//!
//! Each user has a passwd-file of its own name, so that a user made while the server runs is seen at once:
//! Dovecot reads one shared file at most once a second.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::Result;

use super::MailConfig;

/// The numeric owner of every mailbox; no such user needs to exist.
pub(super) const MAIL_UID: u32 = 20500;

/// The standard folders, with their attributes of RFC 6154.
pub(super) const SPECIAL: [(&str, &str); 5] = [
    ("Drafts", "\\Drafts"),
    ("Sent", "\\Sent"),
    ("Trash", "\\Trash"),
    ("Junk", "\\Junk"),
    ("Archive", "\\Archive"),
];

/// Writes `dovecot.conf` and makes the directories it names.
pub(super) fn write(
    base: &Path,
    config: &MailConfig,
    starttls: SocketAddr,
    tls: SocketAddr,
    nonce: &str,
) -> Result<()> {
    for dir in ["run", "state", "mail", "users"] {
        fs::create_dir_all(base.join(dir))?;
    }
    std::os::unix::fs::chown(base.join("mail"), Some(MAIL_UID), Some(MAIL_UID))?;
    fs::write(base.join("dovecot.conf"), text(base, config, starttls, tls, nonce)?)?;
    Ok(())
}

fn text(
    base: &Path,
    config: &MailConfig,
    starttls: SocketAddr,
    tls: SocketAddr,
    nonce: &str,
) -> Result<String> {
    let (base, sep) = (base.display(), config.separator);
    let (starttls, tls) = (starttls.port(), tls.port());
    let plaintext = if config.plaintext_auth { "no" } else { "yes" };
    let mut out = format!(
        "base_dir = {base}/run\n\
         state_dir = {base}/state\n\
         log_path = {base}/dovecot.log\n\
         protocols = imap lmtp\n\
         listen = 127.0.0.1\n\
         login_greeting = ready {nonce}\n\
         default_internal_user = dovecot\n\
         default_login_user = dovenull\n\
         mail_uid = {MAIL_UID}\n\
         mail_gid = {MAIL_UID}\n\
         first_valid_uid = 1\n\
         mail_home = {base}/mail/%u\n\
         mail_location = maildir:{base}/mail/%u/Maildir:LAYOUT=fs\n\
         mail_fsync = never\n\
         mail_max_userip_connections = 200\n\
         mail_attribute_dict = file:{base}/mail/%u/attributes\n\
         ssl = yes\n\
         ssl_cert = <{base}/tls/chain.pem\n\
         ssl_key = <{base}/tls/key.pem\n\
         disable_plaintext_auth = {plaintext}\n\
         auth_mechanisms = plain login\n\
         auth_failure_delay = 0\n\
         auth_verbose = yes\n\
         passdb {{\n driver = passwd-file\n args = scheme=plain username_format=%u {base}/users/%u\n}}\n\
         userdb {{\n driver = passwd-file\n args = username_format=%u {base}/users/%u\n}}\n\
         service imap-login {{\n chroot =\n process_limit = 100\n \
         inet_listener imap {{\n  port = {starttls}\n }}\n \
         inet_listener imaps {{\n  port = {tls}\n  ssl = yes\n }}\n}}\n\
         service imap {{\n process_limit = 200\n}}\n\
         service anvil {{\n chroot =\n}}\n\
         service stats {{\n chroot =\n}}\n\
         service lmtp {{\n unix_listener {base}/run/lmtp-in {{\n  mode = 0666\n }}\n}}\n\
         service auth {{\n unix_listener {base}/run/sasl {{\n  mode = 0666\n }}\n}}\n\
         protocol lmtp {{\n postmaster_address = postmaster@mail.test\n}}\n"
    );
    out.push_str("protocol imap {\n mail_plugins = $mail_plugins imap_zlib\n imap_metadata = yes\n}\n");
    if let Some(capability) = &config.imap_capability {
        writeln!(out, "imap_capability = {capability}")?;
    }
    writeln!(out, "namespace inbox {{\n inbox = yes\n separator = {sep}")?;
    for (name, attribute) in SPECIAL {
        writeln!(out, " mailbox {name} {{\n  auto = subscribe")?;
        if config.special_use {
            writeln!(out, "  special_use = {attribute}")?;
        }
        out.push_str(" }\n");
    }
    out.push_str("}\n");
    Ok(out)
}
