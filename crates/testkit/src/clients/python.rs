//! The Python client in a virtual environment, at the version that `clients/python/requirements.txt` pins.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context as _, Result};

use super::{drivers, fetched, step};
use crate::require::program;

pub(super) fn driver() -> Result<Command> {
    static ONCE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let requirements = drivers("python").join("requirements.txt");
    let pins = fs::read_to_string(&requirements).with_context(|| requirements.display().to_string())?;
    let environment = fetched("python", &pins, &ONCE, |directory| {
        let python = program("python3", "install Python 3.10 or later")?;
        step(Command::new(python).args(["-m", "venv"]).arg(directory))?;
        let mut pip = Command::new(directory.join("bin/python"));
        step(pip.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements))
    })?;
    let mut command = Command::new(environment.join("bin/python"));
    command.arg(drivers("python").join("drive.py"));
    Ok(command)
}
