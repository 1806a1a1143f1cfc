//! The configuration of one Postfix with configuration, queue and data of its own, so that several run side by
//! side. It takes mail from signed-in users only and delivers it by LMTP into its Dovecot.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::{MailConfig, SmtpPorts, run};
use crate::require::program;

/// The Postfix services that a receiving and delivering server needs: name, type, wake-up, limit, command.
const SERVICES: [(&str, &str, &str, &str, &str); 16] = [
    ("pickup", "unix", "60", "1", "pickup"),
    ("cleanup", "unix", "-", "0", "cleanup"),
    ("qmgr", "unix", "300", "1", "qmgr"),
    ("rewrite", "unix", "-", "-", "trivial-rewrite"),
    ("bounce", "unix", "-", "0", "bounce"),
    ("defer", "unix", "-", "0", "bounce"),
    ("trace", "unix", "-", "0", "bounce"),
    ("verify", "unix", "-", "1", "verify"),
    ("flush", "unix", "1000?", "0", "flush"),
    ("proxymap", "unix", "-", "-", "proxymap"),
    ("error", "unix", "-", "-", "error"),
    ("retry", "unix", "-", "-", "error"),
    ("lmtp", "unix", "-", "-", "lmtp"),
    ("anvil", "unix", "-", "1", "anvil"),
    ("tlsmgr", "unix", "1000?", "1", "tlsmgr"),
    ("postlog", "unix-dgram", "-", "1", "postlogd"),
];

/// Writes `main.cf` and `master.cf` and makes the directories they name.
pub(super) fn write(base: &Path, config: &MailConfig, ports: &SmtpPorts, nonce: &str) -> Result<()> {
    let own = base.join("postfix");
    for dir in ["conf", "queue", "data"] {
        fs::create_dir_all(own.join(dir))?;
    }
    let (uid, gid) = user("postfix")?;
    std::os::unix::fs::chown(own.join("data"), Some(uid), Some(gid))?;
    fs::write(own.join("conf/main.cf"), main_cf(base, config, nonce)?)?;
    fs::write(own.join("conf/master.cf"), master_cf(ports)?)?;
    Ok(())
}

fn main_cf(base: &Path, config: &MailConfig, nonce: &str) -> Result<String> {
    let postconf = program("postconf", "install the package `postfix`")?;
    let daemons = run(&postconf, &["-d", "-h", "daemon_directory"], None)?;
    let daemons = String::from_utf8_lossy(&daemons);
    let commands = postconf.parent().context("postconf has no directory")?.display();
    let (base, limit, daemons) = (base.display(), config.message_size_limit, daemons.trim());
    Ok(format!(
        "compatibility_level = 3.6\n\
         queue_directory = {base}/postfix/queue\n\
         data_directory = {base}/postfix/data\n\
         daemon_directory = {daemons}\n\
         command_directory = {commands}\n\
         mail_owner = postfix\n\
         setgid_group = postdrop\n\
         maillog_file = {base}/postfix/mail.log\n\
         maillog_file_prefixes = {base}\n\
         myhostname = mail.test\n\
         smtpd_banner = mail.test ESMTP ready {nonce}\n\
         mydestination =\n\
         mynetworks =\n\
         inet_interfaces = 127.0.0.1\n\
         inet_protocols = ipv4\n\
         virtual_mailbox_domains = mail.test, other.test\n\
         virtual_mailbox_maps = static:ok\n\
         virtual_transport = lmtp:unix:{base}/run/lmtp-in\n\
         lmtp_destination_recipient_limit = 1\n\
         default_transport = error:no mail leaves the test\n\
         alias_maps =\n\
         alias_database =\n\
         local_recipient_maps =\n\
         local_transport = error:no local mail\n\
         # Postfix would hide a client that leaks Bcc.\n\
         message_drop_headers =\n\
         # Nor may it complete or rewrite what the client wrote.\n\
         local_header_rewrite_clients =\n\
         smtputf8_enable = yes\n\
         smtpd_tls_cert_file = {base}/tls/chain.pem\n\
         smtpd_tls_key_file = {base}/tls/key.pem\n\
         smtpd_sasl_type = dovecot\n\
         smtpd_sasl_path = {base}/run/sasl\n\
         smtpd_relay_restrictions = permit_sasl_authenticated, reject\n\
         smtpd_recipient_restrictions = \
         check_recipient_access inline:{{{{refused@mail.test = 550 5.1.1 no such person}}}}, \
         permit_sasl_authenticated, reject\n\
         smtpd_error_sleep_time = 0\n\
         smtpd_client_connection_count_limit = 0\n\
         queue_run_delay = 5s\n\
         message_size_limit = {limit}\n\
         virtual_mailbox_limit = 0\n"
    ))
}

fn master_cf(ports: &SmtpPorts) -> Result<String> {
    let mut out = String::new();
    let mut listen = |at: SocketAddr, options: &[&str]| {
        write!(out, "{at} inet n - n - - smtpd -o smtpd_sasl_auth_enable=yes")?;
        for option in options {
            write!(out, " -o {option}")?;
        }
        out.push('\n');
        anyhow::Ok(())
    };
    listen(ports.submission_starttls, &["smtpd_tls_security_level=encrypt", "smtpd_tls_auth_only=yes"])?;
    listen(ports.smtps, &["smtpd_tls_wrappermode=yes"])?;
    listen(ports.plain, &["smtpd_tls_security_level=none", "smtpd_sasl_security_options=noanonymous"])?;
    for (name, kind, wake, limit, command) in SERVICES {
        let private =
            if matches!(name, "pickup" | "cleanup" | "qmgr" | "flush" | "postlog") { "n" } else { "-" };
        writeln!(out, "{name} {kind} {private} - n {wake} {limit} {command}")?;
    }
    Ok(out)
}

/// The numeric ids of a user, from `/etc/passwd`.
fn user(name: &str) -> Result<(u32, u32)> {
    let passwd = fs::read_to_string("/etc/passwd")?;
    let line = passwd
        .lines()
        .find(|line| line.split(':').next() == Some(name))
        .with_context(|| format!("there is no user `{name}`"))?;
    let mut fields = line.split(':').skip(2);
    let mut next = || fields.next().and_then(|id| id.parse().ok()).context("a line of /etc/passwd");
    Ok((next()?, next()?))
}
