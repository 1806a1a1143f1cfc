//! The binary as a host starts it: directories of an owner's own, nothing of the test run's environment, and an account on
//! the test's servers.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use anyhow::{Context as _, Result};
use countersign_testkit::{
    mcp::{CallResult, Elicit, Era, RawClient},
    services::User,
};
use serde_json::{Value, json};

/// How the connections to both servers are secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// From the first byte.
    Tls,
    /// By STARTTLS.
    StartTls,
}

/// The home directory of one owner, and what the host passes on.
pub(crate) struct Home {
    dir: tempfile::TempDir,
    environment: BTreeMap<&'static str, String>,
}

impl Home {
    /// Nothing is configured.
    pub(crate) fn empty() -> Result<Self> {
        Ok(Self { dir: tempfile::tempdir()?, environment: BTreeMap::new() })
    }

    /// The account of a user, by the environment, over TLS at both servers.
    pub(crate) fn of(user: &User<'_>) -> Result<Self> {
        Self::over(user, Wire::Tls)
    }

    /// As [`Self::of`], secured as wanted.
    pub(crate) fn over(user: &User<'_>, wire: Wire) -> Result<Self> {
        let mail = user.mail();
        let (imap, smtp, security) = match wire {
            Wire::Tls => (mail.imap.tls, mail.smtp.smtps, "tls"),
            Wire::StartTls => (mail.imap.plain_starttls, mail.smtp.submission_starttls, "starttls"),
        };
        let home = Self::empty()?
            .with("COUNTERSIGN_IMAP_ADDRESS", &user.address)
            .with("COUNTERSIGN_IMAP_DISPLAY_NAME", "Own Name")
            .with("COUNTERSIGN_IMAP_PASSWORD", &user.password)
            .with("COUNTERSIGN_IMAP_HOST", "127.0.0.1")
            .with("COUNTERSIGN_IMAP_SECURITY", security)
            .with("COUNTERSIGN_IMAP_SMTP_SECURITY", security)
            .with("COUNTERSIGN_IMAP_CA_FILE", mail.ca_pem.to_str().context("a path that is not UTF-8")?);
        Ok(home.imap(imap).smtp(smtp))
    }

    /// Sets a variable of the server's environment.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.insert(name, value.to_owned());
        self
    }

    /// Sends IMAP to another port, such as a proxy's.
    pub(crate) fn imap(self, at: SocketAddr) -> Self {
        self.with("COUNTERSIGN_IMAP_PORT", &at.port().to_string())
    }

    /// Sends mail to another port, such as a proxy's.
    pub(crate) fn smtp(self, at: SocketAddr) -> Self {
        self.with("COUNTERSIGN_IMAP_SMTP_PORT", &at.port().to_string())
    }

    /// A path below the home directory.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// The configuration file.
    pub(crate) fn config_file(&self) -> PathBuf {
        self.path("config/countersign/imap.toml")
    }

    /// The file of sign-ins.
    pub(crate) fn credentials_file(&self) -> PathBuf {
        self.path("data/countersign/imap-credentials.json")
    }

    /// Writes the configuration file.
    pub(crate) fn configure(&self, toml: &str) -> Result<()> {
        let file = self.config_file();
        fs::create_dir_all(file.parent().context("a file without a directory")?)?;
        Ok(fs::write(file, toml)?)
    }

    /// Every file that the server has written or was given, with its content.
    pub(crate) fn files(&self) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut found = Vec::new();
        collect(self.dir.path(), &mut found)?;
        Ok(found)
    }

    /// The server's command line.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign-imap"));
        command.args(arguments).env_clear().envs(&self.environment).env("HOME", self.dir.path());
        for (name, below) in
            [("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state")]
        {
            command.env(name, self.path(below));
        }
        command
    }

    /// Serves a client of that era.
    pub(crate) async fn serve(&self, era: Era, elicit: Elicit) -> Result<RawClient> {
        RawClient::spawn(self.command(&[]), era, elicit).await
    }

    /// Runs one of the owner's commands to its end, with this on stdin.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> Result<Output> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // A command that reads nothing may have ended by now.
        let written = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
        drop(written);
        Ok(child.wait_with_output()?)
    }
}

fn collect(directory: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else {
            let content = fs::read(&path)?;
            found.push((path, content));
        }
    }
    Ok(())
}

/// Calls a tool that must do its work, with a structured result that fits the listed schema.
pub(crate) async fn ok(client: &RawClient, tool: &str, arguments: Value) -> Result<CallResult> {
    let got = client.call(tool, arguments).await.with_context(|| tool.to_owned())?;
    assert!(!got.is_error, "{tool}: {}", got.text);
    client.fits(tool, &got).await?;
    Ok(got)
}

/// Calls a tool that must fail, and returns its words.
pub(crate) async fn error(client: &RawClient, tool: &str, arguments: Value) -> Result<String> {
    let got = client.call(tool, arguments).await.with_context(|| tool.to_owned())?;
    assert!(got.is_error, "{tool}: {}", got.text);
    Ok(got.text)
}

/// Stores a draft to one recipient; its id.
pub(crate) async fn draft(client: &RawClient, to: &str, subject: &str) -> Result<String> {
    let arguments = json!({ "to": [to], "subject": subject, "text": "Please go ahead.\n.\nFrom here on." });
    Ok(ok(client, "create_draft", arguments).await?.str_at("/draft")?.to_owned())
}

/// The arguments that name a draft.
pub(crate) fn by_id(draft: &str) -> Value {
    json!({ "draft": draft })
}

/// The first value of a header field in a stored message.
pub(crate) fn header(raw: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(raw).replace("\r\n ", " ").replace("\r\n\t", " ");
    let fields = text.split("\r\n\r\n").next().unwrap_or_default().to_owned();
    let mut lines = fields.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
}
