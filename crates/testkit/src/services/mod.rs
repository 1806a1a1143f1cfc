//! A real Dovecot and a real Postfix for each test process, isolated from every other one.
//!
//! [`mail`] starts one pair at first use and shares it among the tests of the process; a test that needs other
//! settings starts its own with [`Mail::start`]. Everything listens on free ports of 127.0.0.1, keeps its state
//! in a temporary directory and ends with the process, also when that panics or is killed: a shell supervisor
//! stops it all when its standard input ends. Each test makes its own users ([`Mail::user`]), so tests don't see
//! one another's mail.
//!
//! What a test learns of a mailbox here comes from `doveadm` and from the files on disk, never from our own IMAP
//! code.

mod dovecot;
mod log;
mod postfix;
pub mod scripted_imap;
pub mod tls;
mod user;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

pub use log::Delivery;
pub use user::{Put, Received, Stored, User};

use crate::require::{Need, program, require};

const SUPERVISOR: &str = include_str!("supervisor.sh");
/// Postfix checks its whole installation before it starts, which takes seconds on a busy machine.
const START_LIMIT: Duration = Duration::from_secs(30);
/// Ports are chosen before the servers bind them, so another process may be faster.
const START_TRIES: u32 = 5;

/// How to start a pair of servers; the default is what most tests want.
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// The hierarchy delimiter of folder names, `/` or `.`.
    pub separator: char,
    /// Replaces the capabilities of a signed-in session, for example to take UIDPLUS and MOVE away.
    pub imap_capability: Option<String>,
    /// Whether the standard folders carry their attributes of RFC 6154.
    pub special_use: bool,
    /// Whether IMAP takes a password without TLS.
    pub plaintext_auth: bool,
    /// Whether Postfix runs too.
    pub smtp: bool,
    /// Postfix' limit, which EHLO announces as SIZE.
    pub message_size_limit: u64,
}

impl Default for MailConfig {
    fn default() -> Self {
        Self {
            separator: '/',
            imap_capability: None,
            special_use: true,
            plaintext_auth: true,
            smtp: true,
            message_size_limit: 50 * 1024 * 1024,
        }
    }
}

/// Where Dovecot listens.
#[derive(Clone, Copy, Debug)]
pub struct ImapPorts {
    /// IMAP in the clear, with STARTTLS (RFC 9051 §6.2.1).
    pub plain_starttls: SocketAddr,
    /// IMAP over TLS from the first byte (RFC 8314 §3.2).
    pub tls: SocketAddr,
}

/// Where Postfix listens.
#[derive(Clone, Copy, Debug)]
pub struct SmtpPorts {
    /// Submission that insists on STARTTLS before it takes a password.
    pub submission_starttls: SocketAddr,
    /// Submission over TLS from the first byte (RFC 8314 §3.3).
    pub smtps: SocketAddr,
    /// Submission without any TLS, for loopback relays and for [`crate::faults::Proxy`].
    pub plain: SocketAddr,
}

/// A running Dovecot and, unless it was left out, its Postfix.
pub struct Mail {
    /// Dovecot's addresses.
    pub imap: ImapPorts,
    /// Postfix' addresses; nothing listens there when it was left out.
    pub smtp: SmtpPorts,
    /// The certificate authority that clients must be given.
    pub ca_pem: PathBuf,
    /// The authority itself, for listeners that show other certificates.
    pub authority: tls::Authority,
    /// What this pair was started with.
    pub config: MailConfig,
    dir: PathBuf,
    doveadm: PathBuf,
    users: AtomicU64,
    // The supervisor lives as long as this pipe; see `Drop`.
    supervisor: Child,
    pipe: Option<ChildStdin>,
}

/// The pair of servers that the tests of this process share, started at first use.
///
/// `None` means that a server is missing and that the run allows to skip the test, which must then return.
///
/// # Errors
/// A server is missing, or did not start.
pub fn mail() -> Result<Option<&'static Mail>> {
    static SHARED: OnceLock<Result<Mail, String>> = OnceLock::new();
    if !require(&[Need::Dovecot, Need::Postfix])? {
        return Ok(None);
    }
    let shared =
        SHARED.get_or_init(|| Mail::launch(&MailConfig::default()).map_err(|error| format!("{error:#}")));
    shared.as_ref().map(Some).map_err(|words| anyhow::anyhow!("{words}"))
}

impl Mail {
    /// Starts a pair of servers of the caller's own, stopped when the value is dropped.
    ///
    /// `None` means what it means for [`mail`].
    ///
    /// # Errors
    /// A server is missing, or did not start.
    pub fn start(config: &MailConfig) -> Result<Option<Self>> {
        let needs: &[Need] = if config.smtp { &[Need::Dovecot, Need::Postfix] } else { &[Need::Dovecot] };
        if !require(needs)? {
            return Ok(None);
        }
        Self::launch(config).map(Some)
    }

    /// Makes a user `<name>.<number>@mail.test` with a password of its own. The number keeps tests apart that
    /// chose the same name.
    ///
    /// # Errors
    /// The user's file could not be written.
    pub fn user(&self, name: &str) -> Result<User<'_>> {
        let number = self.users.fetch_add(1, Ordering::Relaxed);
        User::create(self, &format!("{name}.{number}@mail.test"), &format!("pass-{name}-{number}"))
    }

    /// Makes a user with exactly this address and password; both stand in a file with `:` between fields.
    ///
    /// # Errors
    /// The user's file could not be written.
    pub fn user_named(&self, address: &str, password: &str) -> Result<User<'_>> {
        User::create(self, address, password)
    }

    /// The directory that holds everything of these servers.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Dovecot's log so far.
    ///
    /// # Errors
    /// The log could not be read.
    pub fn dovecot_log(&self) -> Result<String> {
        read_log(&self.dir.join("dovecot.log"))
    }

    /// Postfix' log so far.
    ///
    /// # Errors
    /// The log could not be read.
    pub fn postfix_log(&self) -> Result<String> {
        read_log(&self.dir.join("postfix/mail.log"))
    }

    /// What Postfix did with mail to this recipient, one entry for each attempt that ended.
    ///
    /// # Errors
    /// The log could not be read.
    pub fn deliveries(&self, recipient: &str) -> Result<Vec<Delivery>> {
        Ok(log::deliveries(&self.postfix_log()?, recipient))
    }

    /// As [`Self::deliveries`], once there are so many: Postfix logs a delivery a little after it is done.
    ///
    /// # Errors
    /// There were not so many in 20 seconds.
    pub fn wait_deliveries(&self, recipient: &str, at_least: usize) -> Result<Vec<Delivery>> {
        let started = Instant::now();
        loop {
            let found = self.deliveries(recipient)?;
            if found.len() >= at_least {
                return Ok(found);
            }
            ensure!(started.elapsed() < Duration::from_secs(20), "only {found:?} for {recipient}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// How often Postfix queued a message with this Message-ID (written without angle brackets).
    ///
    /// # Errors
    /// The log could not be read.
    pub fn accepted(&self, message_id: &str) -> Result<usize> {
        Ok(log::accepted(&self.postfix_log()?, message_id))
    }

    /// The process that supervises the servers, for tests of this crate.
    pub fn supervisor_id(&self) -> u32 {
        self.supervisor.id()
    }

    fn launch(config: &MailConfig) -> Result<Self> {
        let mut problems = String::new();
        for _ in 0..START_TRIES {
            match Self::launch_once(config) {
                Ok(mail) => return Ok(mail),
                Err(error) if format!("{error:#}").contains("ddress already in use") => {
                    problems = format!("{error:#}");
                }
                Err(error) => return Err(error),
            }
        }
        bail!("no free ports after {START_TRIES} tries: {problems}")
    }

    fn launch_once(config: &MailConfig) -> Result<Self> {
        ensure!(matches!(config.separator, '/' | '.'), "a separator of {:?}", config.separator);
        // UNIX sockets allow about 100 characters of path, so the directory stays near the root.
        let dir = tempfile::Builder::new().prefix("countersign-mail-").tempdir_in("/tmp")?.keep();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755))?;
        let nonce = dir.file_name().context("the directory has no name")?.to_string_lossy().into_owned();
        let [starttls, imaps, submission, smtps, plain] = free_ports()?;
        let imap = ImapPorts { plain_starttls: starttls, tls: imaps };
        let smtp = SmtpPorts { submission_starttls: submission, smtps, plain };
        let authority = tls::Authority::new()?;
        let ca_pem = authority.write(&dir.join("tls"))?;
        dovecot::write(&dir, config, starttls, imaps, &nonce)?;
        let mut postfix = PathBuf::from("postfix");
        if config.smtp {
            postfix = program("postfix", "install the package `postfix`")?;
            postfix::write(&dir, config, &smtp, &nonce)?;
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SUPERVISOR, "supervisor"]).arg(&dir).arg(program("dovecot", "")?).arg(postfix);
        // Its own group: an interrupt from the terminal must not reach the servers before the tests end.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut supervisor = command.spawn().context("the servers' supervisor")?;
        let pipe = supervisor.stdin.take();
        let mail = Self {
            imap,
            smtp,
            ca_pem,
            authority,
            config: config.clone(),
            dir,
            doveadm: program("doveadm", "install the package `dovecot-core`")?,
            users: AtomicU64::new(1),
            supervisor,
            pipe,
        };
        mail.wait_ready(starttls, &nonce)?;
        if config.smtp {
            mail.wait_ready(plain, &nonce)?;
        }
        Ok(mail)
    }

    /// Waits for the greeting that only our own server gives.
    fn wait_ready(&self, at: SocketAddr, nonce: &str) -> Result<()> {
        let started = Instant::now();
        loop {
            if greeting(at).is_ok_and(|line| line.contains(nonce)) {
                return Ok(());
            }
            let ended = ["dovecot.exit", "postfix.exit"].iter().any(|name| self.dir.join(name).exists());
            if ended || started.elapsed() > START_LIMIT {
                let mut said = String::new();
                for name in ["dovecot.out", "postfix.out", "dovecot.log", "postfix/mail.log"] {
                    said.push_str(&fs::read_to_string(self.dir.join(name)).unwrap_or_default());
                }
                bail!("a mail server did not start on {at}: {said}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn doveadm(&self, arguments: &[&str], input: Option<&[u8]>) -> Result<Vec<u8>> {
        let config = self.dir.join("dovecot.conf");
        let config = config.to_str().context("a directory that is not UTF-8")?;
        let mut all = vec!["-c", config];
        all.extend_from_slice(arguments);
        run(&self.doveadm, &all, input)
    }
}

impl Drop for Mail {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // The supervisor ends by killing its own group, so its status says nothing.
        drop(self.supervisor.wait());
    }
}

/// Five ports that were free a moment ago.
fn free_ports() -> Result<[SocketAddr; 5]> {
    let mut held = Vec::new();
    let mut ports = [SocketAddr::from((Ipv4Addr::LOCALHOST, 0)); 5];
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        *port = listener.local_addr()?;
        held.push(listener);
    }
    Ok(ports)
}

fn greeting(at: SocketAddr) -> std::io::Result<String> {
    let stream = TcpStream::connect_timeout(&at, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line)?;
    Ok(line)
}

fn read_log(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs a program to its end and returns what it wrote.
fn run(program: &Path, arguments: &[&str], input: Option<&[u8]>) -> Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| program.display().to_string())?;
    // Neither output of these programs comes before they have read all their input.
    if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
        pipe.write_all(input)?;
    }
    let output = child.wait_with_output()?;
    ensure!(
        output.status.success(),
        "{} {arguments:?}: {}: {}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
