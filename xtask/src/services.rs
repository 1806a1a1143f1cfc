//! What the tests need from the machine: Dovecot, Postfix, node with npm, Python with venv, and the clients' packages.
//!
//! As root on Debian or Ubuntu what is missing is installed from the distribution's packages, and nothing that is installed
//! is started: the test kit starts each server itself, on a free port. Elsewhere a need stays unmet and is named, with
//! the reason.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::command;

/// One thing that tests need, by the name under which the test kit knows it.
pub(crate) struct Need {
    pub(crate) name: &'static str,
    /// What can't be tested without it.
    pub(crate) covers: &'static str,
    packages: &'static [&'static str],
    /// Its programs are on this machine.
    installed: fn() -> bool,
    /// What else must hold, and the words for when it does not.
    usable: (fn() -> bool, &'static str),
}

const AS_ROOT: (fn() -> bool, &str) = (is_root, "the mail servers start as root only");
const NPM: (fn() -> bool, &str) =
    (npm_answers, "npm's registry does not answer, so the clients can't be fetched");
const PIP: (fn() -> bool, &str) =
    (pip_answers, "Python's package index does not answer, so the client can't be fetched");

/// Everything that some test needs. The inspector is an npm program.
pub(crate) const NEEDS: [Need; 5] = [
    Need {
        name: "dovecot",
        covers: "the IMAP server against a real Dovecot",
        packages: &["dovecot-imapd", "dovecot-lmtpd", "openssl"],
        installed: || {
            let modules = ["/usr/lib/dovecot", "/usr/libexec/dovecot"].map(Path::new);
            let has = |service: &str| modules.iter().any(|folder| folder.join(service).exists());
            program("dovecot") && has("imap") && has("lmtp") && program("openssl")
        },
        usable: AS_ROOT,
    },
    Need {
        name: "postfix",
        covers: "sending through a real Postfix",
        packages: &["postfix"],
        installed: || program("postfix"),
        usable: AS_ROOT,
    },
    Need {
        name: "npm",
        covers: "the npm SDK as a client",
        packages: &["nodejs", "npm"],
        installed: node,
        usable: NPM,
    },
    Need {
        name: "inspector",
        covers: "the inspector as a client",
        packages: &["nodejs", "npm"],
        installed: node,
        usable: NPM,
    },
    Need {
        name: "python",
        covers: "the Python SDK as a client",
        packages: &["python3", "python3-venv", "python3-pip"],
        installed: || {
            python(&["-c", "import venv, ensurepip, pip, sys; sys.exit(sys.version_info < (3, 10))"])
        },
        usable: PIP,
    },
];

fn node() -> bool {
    program("node") && program("npm")
}

fn python(args: &[&str]) -> bool {
    command::quietly_passes(&mut command::new("python3", args, Path::new("/")))
}

/// On the path, or in the system's own folder, which a test run's path may lack.
fn program(name: &str) -> bool {
    command::exists(name) || Path::new("/usr/sbin").join(name).exists()
}

fn is_root() -> bool {
    command::stdout_of(&mut command::new("id", &["-u"], Path::new("/"))).is_ok_and(|user| user.trim() == "0")
}

fn npm_answers() -> bool {
    let args = ["view", "@modelcontextprotocol/sdk", "version", "--fetch-retries=0", "--fetch-timeout=20000"];
    command::quietly_passes(&mut command::new("npm", &args, Path::new("/")))
}

fn pip_answers() -> bool {
    let Ok(folder) = tempfile::tempdir() else { return false };
    let to = folder.path().to_string_lossy();
    python(&[
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--retries=0",
        "--timeout=20",
        "--dest",
        &to,
        "mcp",
    ])
}

impl Need {
    /// Why it can't be used, if so, given what kept its packages from being installed.
    fn obstacle(&self, not_installed: &str) -> Option<String> {
        let (usable, otherwise) = self.usable;
        if (self.installed)() {
            (!usable()).then(|| otherwise.to_owned())
        } else {
            Some(not_installed.to_owned())
        }
    }
}

/// What was done to meet the needs, and what is still missing and why.
#[derive(Default)]
pub(crate) struct Provision {
    pub(crate) done: Vec<String>,
    pub(crate) missing: Vec<(&'static Need, String)>,
}

/// Meets the needs as far as this machine and the flags allow.
pub(crate) fn provide(may_install: bool) -> Provision {
    let lacking: Vec<&Need> = NEEDS.iter().filter(|need| !(need.installed)()).collect();
    let mut provision = Provision::default();
    let mut not_installed = "its packages are installed, and it still is not there".to_owned();
    if !lacking.is_empty() {
        let mut packages: Vec<&str> = lacking.iter().flat_map(|need| need.packages.iter().copied()).collect();
        packages.sort_unstable();
        packages.dedup();
        let installed = match forbidden(may_install) {
            Some(reason) => Err(reason),
            None => install(&packages).map_err(|error| format!("{error:#}")),
        };
        match installed {
            Ok(()) => provision.done.push(format!("installed: {}", packages.join(" "))),
            Err(reason) => not_installed = reason,
        }
    }
    for need in &NEEDS {
        if let Some(reason) = need.obstacle(&not_installed) {
            provision.missing.push((need, reason));
        }
    }
    provision
}

/// Why nothing may be installed here, if so.
fn forbidden(may_install: bool) -> Option<String> {
    if !may_install {
        return Some("--no-install was given, and it is not installed".to_owned());
    }
    if !command::exists("apt-get") {
        return Some("it is not installed, and this machine has no apt-get".to_owned());
    }
    (!is_root()).then(|| "it is not installed, and installing needs root".to_owned())
}

fn install(packages: &[&str]) -> Result<()> {
    let _quiet = NoAutostart::set();
    apt(&["update", "--quiet=2"]).context("the package lists could not be fetched")?;
    let install = ["install", "--yes", "--quiet=2", "--no-install-recommends"];
    apt(&[&install[..], packages].concat())
}

fn apt(args: &[&str]) -> Result<()> {
    let mut command = command::new("apt-get", args, Path::new("/"));
    command.env("DEBIAN_FRONTEND", "noninteractive");
    let line = command::shown(&command);
    anyhow::ensure!(command::passes(&mut command)?, "`{line}` failed");
    Ok(())
}

/// Keeps packages from starting the servers that they bring (Debian's `policy-rc.d`: 101 forbids), while it lives. A policy
/// that is there already is the machine's own and is left alone.
struct NoAutostart {
    ours: bool,
}

const POLICY: &str = "/usr/sbin/policy-rc.d";

impl NoAutostart {
    fn set() -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        if Path::new(POLICY).exists() {
            return Self { ours: false };
        }
        let written = std::fs::write(POLICY, "#!/bin/sh\nexit 101\n")
            .and_then(|()| std::fs::set_permissions(POLICY, std::fs::Permissions::from_mode(0o755)));
        Self { ours: written.is_ok() }
    }
}

impl Drop for NoAutostart {
    fn drop(&mut self) {
        if self.ours && std::fs::remove_file(POLICY).is_err() {
            println!(
                "note: {POLICY} could not be removed; remove it, or services won't start on this machine"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(installed: fn() -> bool, usable: fn() -> bool) -> Option<String> {
        let need = Need { name: "n", covers: "c", packages: &[], installed, usable: (usable, "unusable") };
        need.obstacle("not installed")
    }

    #[test]
    fn a_need_is_met_only_where_it_is_installed_and_usable() {
        assert_eq!(need(|| true, || true), None);
        assert_eq!(need(|| true, || false).as_deref(), Some("unusable"));
        assert_eq!(need(|| false, || true).as_deref(), Some("not installed"));
    }

    #[test]
    fn nothing_is_installed_where_that_was_forbidden() {
        assert_eq!(forbidden(false).as_deref(), Some("--no-install was given, and it is not installed"));
    }
}
