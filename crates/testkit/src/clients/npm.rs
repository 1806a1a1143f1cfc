//! Node, the TypeScript clients and the inspector, at the versions that `clients/npm/package.json` pins.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context as _, Result};

use super::{drivers, fetched, step};
use crate::require::program;

/// The directory with `node_modules`. Scripts of packages are not run: none of them is needed here.
pub(super) fn modules() -> Result<PathBuf> {
    static ONCE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let manifest = drivers("npm").join("package.json");
    let pins = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
    fetched("npm", &pins, &ONCE, |directory| {
        fs::copy(&manifest, directory.join("package.json"))?;
        let npm = program("npm", "install npm")?;
        step(Command::new(npm).current_dir(directory).args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]))
    })
}

/// `node` with a script that is found in that directory.
pub(super) fn node() -> Result<Command> {
    Ok(Command::new(program("node", "install Node 20 or later")?))
}

/// A driver. It is copied beside `node_modules`, where Node looks for what it imports.
pub(super) fn driver(name: &str) -> Result<Command> {
    let modules = modules()?;
    for file in [name, "scenario.mjs"] {
        let text = fs::read(drivers("npm").join(file)).with_context(|| file.to_owned())?;
        let there = modules.join(file);
        if fs::read(&there).ok().as_deref() != Some(&text) {
            // By rename, so that a driver which starts meanwhile never reads half a file.
            let fresh = modules.join(format!("{file}.{}", std::process::id()));
            fs::write(&fresh, text)?;
            fs::rename(fresh, there)?;
        }
    }
    let mut command = node()?;
    command.arg(modules.join(name));
    Ok(command)
}
