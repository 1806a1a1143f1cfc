//! One mail user: putting messages in, and reading back what is there, by `doveadm` and the files of the Maildir.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::Mail;
use super::dovecot::{MAIL_UID, SPECIAL};

/// The system flags that a Maildir file name carries, in the alphabetical order it needs.
const LETTERS: [(&str, char); 5] =
    [("\\Draft", 'D'), ("\\Flagged", 'F'), ("\\Answered", 'R'), ("\\Seen", 'S'), ("\\Deleted", 'T')];

/// A user of one [`Mail`].
#[derive(Clone)]
pub struct User<'a> {
    /// The address, which is the user name too.
    pub address: String,
    /// The password, for IMAP and SMTP.
    pub password: String,
    mail: &'a Mail,
}

/// How a message is put into a folder.
#[derive(Clone, Debug, Default)]
pub struct Put<'a> {
    /// INTERNALDATE (RFC 9051 §2.3.3); the present time when absent.
    pub internal_date: Option<SystemTime>,
    /// System flags with their backslash, keywords without.
    pub flags: &'a [&'a str],
}

/// A message as the server keeps it.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its UID in the folder.
    pub uid: u32,
    /// Its flags, without \Recent.
    pub flags: Vec<String>,
    /// INTERNALDATE in seconds since 1970.
    pub internal_date: u64,
    /// Its bytes, with CRLF line ends.
    pub raw: Vec<u8>,
}

/// A message that came by SMTP, taken apart where Dovecot and Postfix put their trace.
#[derive(Clone, Debug)]
pub struct Received {
    /// The envelope sender (MAIL FROM).
    pub envelope_from: String,
    /// The envelope recipient (RCPT TO) this copy is for.
    pub envelope_to: String,
    /// What the client sent after DATA, with CRLF line ends: the trace fields are taken off.
    pub on_the_wire: Vec<u8>,
}

impl<'a> User<'a> {
    pub(super) fn create(mail: &'a Mail, address: &str, password: &str) -> Result<Self> {
        let plain = |text: &str| !text.is_empty() && !text.contains([':', '/', '\n', '\r']);
        ensure!(plain(address) && plain(password), "a user's name or password that its file can't hold");
        let path = mail.dir.join("users").join(address);
        fs::write(&path, format!("{address}:{{PLAIN}}{password}::::::\n"))?;
        let user = Self { address: address.to_owned(), password: password.to_owned(), mail };
        // Dovecot makes standard folders at first use, and two first uses at once would fail one of the two.
        for (folder, _) in [("INBOX", "")].iter().chain(&SPECIAL) {
            user.doveadm(&["mailbox", "status", "-u", address, "messages", folder])?;
        }
        Ok(user)
    }

    /// The servers this user is on.
    pub fn mail(&self) -> &'a Mail {
        self.mail
    }

    /// Makes a folder and subscribes to it. The name is UTF-8, with the server's separator between levels.
    ///
    /// # Errors
    /// Dovecot refused it.
    pub fn create_folder(&self, name: &str) -> Result<()> {
        self.doveadm(&["mailbox", "create", "-s", "-u", &self.address, "--", name]).map(drop)
    }

    /// The names of all folders, in UTF-8, sorted.
    ///
    /// # Errors
    /// Dovecot could not list them.
    pub fn folders(&self) -> Result<Vec<String>> {
        let out = self.doveadm(&["mailbox", "list", "-8", "-u", &self.address])?;
        let mut names: Vec<String> = String::from_utf8(out)?.lines().map(str::to_owned).collect();
        names.sort();
        Ok(names)
    }

    /// Puts a message into a folder and returns its UID.
    ///
    /// # Errors
    /// The folder does not exist, or Dovecot did not take the message.
    pub fn put(&self, folder: &str, raw: &[u8], how: &Put<'_>) -> Result<u32> {
        let guid = self.drop_file(&self.directory(folder)?, raw, how)?;
        let all = self.rows(folder)?;
        let row = all
            .iter()
            .find(|row| text(row, "guid") == guid)
            .context("Dovecot did not see the new message")?;
        let uid: u32 = text(row, "uid").parse()?;
        for keyword in how.flags.iter().filter(|flag| !flag.starts_with('\\')) {
            let uid = uid.to_string();
            self.doveadm(&["flags", "add", "-u", &self.address, keyword, "mailbox", folder, "uid", &uid])?;
        }
        Ok(uid)
    }

    /// Puts many messages with the same flags into a folder; their UIDs follow the given order.
    ///
    /// # Errors
    /// The folder does not exist, a keyword was asked for, or Dovecot did not see all of them.
    pub fn put_all<'m>(
        &self,
        folder: &str,
        messages: impl IntoIterator<Item = &'m [u8]>,
        how: &Put<'_>,
    ) -> Result<usize> {
        ensure!(how.flags.iter().all(|flag| flag.starts_with('\\')), "keywords are set by `put` only");
        let directory = self.directory(folder)?;
        let before = self.rows(folder)?.len();
        let mut count = 0_usize;
        for raw in messages {
            self.drop_file(&directory, raw, how)?;
            count = count.saturating_add(1);
        }
        let seen = self.rows(folder)?.len();
        ensure!(seen == before.saturating_add(count), "{count} messages put, {before} before, {seen} seen");
        Ok(count)
    }

    /// Everything in a folder, in UID order.
    ///
    /// # Errors
    /// The folder does not exist or could not be read.
    pub fn messages(&self, folder: &str) -> Result<Vec<Stored>> {
        // A flag change by another client renames the file between the two looks; then look again.
        let mut last = None;
        for _ in 0..5 {
            match self.messages_once(folder) {
                Ok(found) => return Ok(found),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| anyhow::anyhow!("not read")))
    }

    /// How many messages a folder holds.
    ///
    /// # Errors
    /// The folder does not exist or could not be read.
    pub fn count(&self, folder: &str) -> Result<usize> {
        Ok(self.rows(folder)?.len())
    }

    /// Waits until the inbox holds at least this many messages that came by SMTP, and returns them all.
    ///
    /// # Errors
    /// They did not come within 20 seconds; what Postfix logged of them is in the error.
    pub fn wait_received(&self, at_least: usize) -> Result<Vec<Received>> {
        let started = Instant::now();
        loop {
            let found = self.received()?;
            if found.len() >= at_least {
                return Ok(found);
            }
            if started.elapsed() > Duration::from_secs(20) {
                let log = self.mail.postfix_log()?;
                let mut tail: Vec<&str> = log.lines().rev().take(20).collect();
                tail.reverse();
                bail!(
                    "{} of {at_least} messages came to {}:\n{}",
                    found.len(),
                    self.address,
                    tail.join("\n")
                );
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The messages in the inbox that came by SMTP.
    ///
    /// # Errors
    /// The inbox could not be read.
    pub fn received(&self) -> Result<Vec<Received>> {
        Ok(self.messages("INBOX")?.iter().filter_map(|stored| untrace(&stored.raw)).collect())
    }

    /// Changes the password, as an owner would: the old one no longer signs in.
    ///
    /// # Errors
    /// The user's file could not be written.
    pub fn set_password(&mut self, password: &str) -> Result<()> {
        *self = Self::create(self.mail, &self.address, password)?;
        // Dovecot compares time and size of the file, and looks once a second.
        std::thread::sleep(Duration::from_millis(1100));
        Ok(())
    }

    /// Runs `doveadm` on this server, for what has no method here.
    ///
    /// # Errors
    /// It failed; its words are in the error.
    pub fn doveadm(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        self.mail.doveadm(arguments, None)
    }

    fn messages_once(&self, folder: &str) -> Result<Vec<Stored>> {
        let directory = self.directory(folder)?;
        let mut out = Vec::new();
        for row in self.rows(folder)? {
            let flags = text(&row, "flags");
            out.push(Stored {
                uid: text(&row, "uid").parse()?,
                flags: flags
                    .split(' ')
                    .filter(|f| !matches!(*f, "" | "\\Recent"))
                    .map(str::to_owned)
                    .collect(),
                internal_date: text(&row, "date.received.unixtime").parse()?,
                raw: crlf(&fs::read(find(&directory, text(&row, "guid"))?)?),
            });
        }
        Ok(out)
    }

    fn rows(&self, folder: &str) -> Result<Vec<Value>> {
        let fields = "uid guid flags date.received.unixtime";
        let out = self.doveadm(&["-f", "json", "fetch", "-u", &self.address, fields, "mailbox", folder])?;
        let mut rows: Vec<Value> = if out.is_empty() { Vec::new() } else { serde_json::from_slice(&out)? };
        rows.sort_by_key(|row| text(row, "uid").parse::<u32>().unwrap_or_default());
        Ok(rows)
    }

    /// The Maildir directory of a folder.
    fn directory(&self, folder: &str) -> Result<PathBuf> {
        let out = self.doveadm(&["mailbox", "path", "-u", &self.address, folder])?;
        Ok(PathBuf::from(String::from_utf8(out)?.trim_end_matches('\n')))
    }

    /// Writes one message file as Maildir wants it and returns Dovecot's name for it.
    fn drop_file(&self, directory: &Path, raw: &[u8], how: &Put<'_>) -> Result<String> {
        static NUMBER: AtomicU64 = AtomicU64::new(1_000_000_000);
        let mut letters = String::new();
        for (flag, letter) in LETTERS {
            if how.flags.iter().any(|wanted| wanted.eq_ignore_ascii_case(flag)) {
                letters.push(letter);
            }
        }
        // Dovecot orders new files by the number at the start of their names.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let guid =
            format!("{number}.P{}Q{}.test", std::process::id(), self.mail.users.load(Ordering::Relaxed));
        let written = directory.join("tmp").join(&guid);
        fs::write(&written, raw).with_context(|| written.display().to_string())?;
        chown(&written, Some(MAIL_UID), Some(MAIL_UID))?;
        let date = how.internal_date.unwrap_or_else(SystemTime::now);
        fs::File::options().write(true).open(&written)?.set_modified(date)?;
        fs::rename(&written, directory.join("cur").join(format!("{guid}:2,{letters}")))?;
        Ok(guid)
    }
}

impl Put<'_> {
    /// At a moment given in seconds since 1970, without flags.
    pub fn at(seconds: u64) -> Self {
        Self { internal_date: UNIX_EPOCH.checked_add(Duration::from_secs(seconds)), flags: &[] }
    }
}

fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The file of a message, whatever flags its name carries now. A copy has a name of its own, which Dovecot's list of the
/// folder gives beside the GUID.
fn find(directory: &Path, guid: &str) -> Result<PathBuf> {
    let list = fs::read(directory.join("dovecot-uidlist")).unwrap_or_default();
    let list = String::from_utf8_lossy(&list);
    let entry = list.lines().find(|line| line.split(' ').any(|field| field.strip_prefix('G') == Some(guid)));
    let copied = entry.and_then(|line| line.split_once(" :")).map(|(_, name)| name);
    let wanted = copied.unwrap_or(guid);
    let wanted = wanted.split(':').next().unwrap_or(wanted);
    for part in ["cur", "new"] {
        for entry in fs::read_dir(directory.join(part))? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.split(':').next() == Some(wanted) {
                return Ok(entry.path());
            }
        }
    }
    bail!("no file {guid} in {}", directory.display())
}

fn crlf(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut before = 0;
    for byte in raw {
        if *byte == b'\n' && before != b'\r' {
            out.push(b'\r');
        }
        out.push(*byte);
        before = *byte;
    }
    out
}

/// Takes off what Dovecot's LMTP and Postfix put on top: Return-Path, Delivered-To and one Received each.
fn untrace(raw: &[u8]) -> Option<Received> {
    let mut rest = raw;
    let (mut from, mut to, mut hops) = (None, None, 0_u8);
    while hops < 2 {
        let (field, after) = field(rest)?;
        let (name, value) = field.split_once(':')?;
        let value = value.trim().trim_start_matches('<').trim_end_matches('>').to_owned();
        match name.to_ascii_lowercase().as_str() {
            "return-path" => from = Some(value),
            "delivered-to" => to = Some(value),
            "received" => hops = hops.saturating_add(1),
            _ => return None,
        }
        rest = after;
    }
    Some(Received { envelope_from: from?, envelope_to: to?, on_the_wire: rest.to_vec() })
}

/// The first header field with its continuation lines, and what follows.
fn field(raw: &[u8]) -> Option<(String, &[u8])> {
    let mut from = 0_usize;
    loop {
        let end = raw.get(from..)?.windows(2).position(|pair| pair == b"\r\n")?;
        from = from.checked_add(end)?.checked_add(2)?;
        if !matches!(raw.get(from), Some(b' ' | b'\t')) {
            let (field, rest) = raw.split_at_checked(from)?;
            return Some((String::from_utf8_lossy(field).into_owned(), rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_comes_off_and_the_message_stays_as_it_was_sent() {
        let raw = b"Return-Path: <a@x.test>\r\nDelivered-To: b@x.test\r\nReceived: from x\r\n\tby y\r\n\
            Received: from z\r\nReceived: sent by the client itself\r\nSubject: s\r\n\r\nbody\r\n";
        let got = untrace(raw).unwrap();
        assert_eq!((got.envelope_from.as_str(), got.envelope_to.as_str()), ("a@x.test", "b@x.test"));
        assert_eq!(got.on_the_wire, b"Received: sent by the client itself\r\nSubject: s\r\n\r\nbody\r\n");
        assert!(untrace(b"Subject: put by hand\r\n\r\n").is_none());
    }

    #[test]
    fn bare_line_feeds_become_crlf() {
        assert_eq!(crlf(b"a\nb\r\nc"), b"a\r\nb\r\nc");
    }
}
