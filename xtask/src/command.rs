//! Running other programs: every one is named on stdout before it starts, and a failure says what failed.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// A command that runs in `dir`.
pub(crate) fn new(program: impl AsRef<OsStr>, args: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir);
    command
}

/// How the command would be typed.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

/// Runs with this process's own streams; true where it exits with 0.
pub(crate) fn passes(command: &mut Command) -> Result<bool> {
    let line = shown(command);
    println!("$ {line}");
    let status = command.status().with_context(|| format!("`{line}` could not be started"))?;
    Ok(status.success())
}

/// Runs silently and returns stdout; an exit code other than 0 is an error that carries stderr.
pub(crate) fn stdout_of(command: &mut Command) -> Result<String> {
    let line = shown(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("`{line}` could not be started"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{line}` printed something other than UTF-8"))
}

/// Runs silently; true where it starts and exits with 0.
pub(crate) fn quietly_passes(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Whether a program can be started at all.
pub(crate) fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}
