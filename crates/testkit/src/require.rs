//! What a test needs of the machine, and the one way to go without it.
//!
//! A test that needs a server says so by [`require`] (the starters in [`crate::services`] do it themselves).
//! Where the thing is missing the test fails and says why. Only `COUNTERSIGN_TEST_SKIP_SERVERS`, a list such as
//! `dovecot,postfix`, lets it pass unrun; each such test is written to standard error and, where
//! `COUNTERSIGN_TEST_SKIP_REPORT` names a file, appended there as one line `need<TAB>test<TAB>reason`, so that
//! `cargo xtask test` can say what was not tested.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// Names what may be missing, separated by commas.
pub const SKIP: &str = "COUNTERSIGN_TEST_SKIP_SERVERS";
/// Names the file that collects the tests that did not run.
pub const REPORT: &str = "COUNTERSIGN_TEST_SKIP_REPORT";

/// One thing that is not ours and that a test cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// `dovecot-imapd` and `dovecot-lmtpd`, started as root.
    Dovecot,
    /// `postfix`, started as root.
    Postfix,
    /// Node 20 or later with npm, and the packages of the TypeScript clients.
    Npm,
    /// Python 3.10 or later with `venv`, and the Python client.
    Python,
    /// The MCP inspector's command line, which comes by npm.
    Inspector,
}

impl Need {
    /// Everything that can be named in [`SKIP`].
    pub const ALL: [Self; 5] = [Self::Dovecot, Self::Postfix, Self::Npm, Self::Python, Self::Inspector];

    /// The name used in [`SKIP`] and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dovecot => "dovecot",
            Self::Postfix => "postfix",
            Self::Npm => "npm",
            Self::Python => "python",
            Self::Inspector => "inspector",
        }
    }

    /// Whether this machine has it; the error says what is missing and how to get it.
    ///
    /// # Errors
    /// A sentence for the person who runs the tests.
    pub fn available(self) -> Result<()> {
        match self {
            Self::Dovecot => {
                program("dovecot", "install the packages `dovecot-imapd` and `dovecot-lmtpd`")?;
                program("doveadm", "install the package `dovecot-core`")?;
                if !["/usr/lib/dovecot/lmtp", "/usr/libexec/dovecot/lmtp"]
                    .iter()
                    .any(|p| Path::new(p).exists())
                {
                    bail!("Dovecot has no LMTP service; install the package `dovecot-lmtpd`");
                }
                root()
            }
            Self::Postfix => {
                program("postfix", "install the package `postfix`")?;
                program("postconf", "install the package `postfix`")?;
                root()
            }
            Self::Npm | Self::Inspector => {
                program("node", "install Node 20 or later")?;
                program("npm", "install npm").map(drop)
            }
            Self::Python => program("python3", "install Python 3.10 or later").map(drop),
        }
    }
}

/// Whether the test may run: `true` when everything is there, `false` when what is missing may be skipped.
///
/// # Errors
/// Something is missing and the run does not allow to skip it.
pub fn require(needs: &[Need]) -> Result<bool> {
    let allowed = setting(SKIP).unwrap_or_default();
    for need in needs {
        if let Err(reason) = need.available() {
            return skip_or_fail(*need, &reason, &allowed);
        }
    }
    Ok(true)
}

/// Decides for something that turned out to be missing, for instance packages that cannot be fetched.
///
/// # Errors
/// The run does not allow to skip it.
pub fn missing(need: Need, reason: &anyhow::Error) -> Result<bool> {
    skip_or_fail(need, reason, &setting(SKIP).unwrap_or_default())
}

fn skip_or_fail(need: Need, reason: &anyhow::Error, allowed: &str) -> Result<bool> {
    may_skip(need, reason, allowed)?;
    // libtest names each test's thread after the test.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("?");
    let mut err = std::io::stderr();
    writeln!(err, "not run: {test} needs {}: {reason:#}", need.name())?;
    if let Some(path) = setting(REPORT) {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).context(path)?;
        // One write, so that lines of parallel tests don't mix.
        file.write_all(format!("{}\t{test}\t{reason:#}\n", need.name()).as_bytes())?;
    }
    Ok(false)
}

fn may_skip(need: Need, reason: &anyhow::Error, allowed: &str) -> Result<()> {
    if !allowed.split(',').any(|name| name.trim() == need.name()) {
        bail!("{} is needed: {reason:#}. To run without it, set {SKIP}={}", need.name(), need.name());
    }
    Ok(())
}

/// An environment variable of the test run.
#[expect(
    clippy::disallowed_methods,
    reason = "the rule is about the product's configuration, not about test runs"
)]
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Finds a program on the path or in the system directories, which a test run's path may lack.
pub(crate) fn program(name: &str, hint: &str) -> Result<PathBuf> {
    let path = setting("PATH").unwrap_or_default();
    path.split(':')
        .chain(["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"])
        .filter(|dir| !dir.is_empty())
        .map(|dir| Path::new(dir).join(name))
        .find(|candidate| candidate.is_file())
        .with_context(|| format!("`{name}` was not found; {hint}"))
}

/// Dovecot and Postfix change to users of their own, which only root can.
fn root() -> Result<()> {
    let owner = fs::metadata("/proc/self").context("/proc is not mounted")?.uid();
    if owner != 0 {
        bail!("the mail servers start as root only, and this is user {owner}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_fails_and_only_its_own_name_lets_it_pass() {
        let reason = anyhow::anyhow!("`dovecot` was not found");
        let words = may_skip(Need::Dovecot, &reason, "postfix,npm").unwrap_err().to_string();
        assert!(words.contains("dovecot is needed") && words.contains(SKIP), "{words}");
        assert!(may_skip(Need::Dovecot, &reason, "postfix, dovecot").is_ok());
    }

    #[test]
    fn a_program_that_is_nowhere_is_named_with_its_hint() {
        let words = program("no-such-program-here", "install it").unwrap_err().to_string();
        assert_eq!(words, "`no-such-program-here` was not found; install it");
    }
}
