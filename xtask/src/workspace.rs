//! The workspace as `cargo metadata` describes it: packages, their binaries, and the arrows between them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::command;

/// The workspace that this crate stands in.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) targets: Vec<Target>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` is an ordinary dependency; else `dev` or `build`.
    pub(crate) kind: Option<String>,
    /// Where a path dependency lies; `None` for a crate from a registry.
    pub(crate) path: Option<PathBuf>,
    /// The version requirement, `*` where the manifest gives none.
    pub(crate) req: String,
}

impl Package {
    /// The binary that makes this package one of our servers, if it is one: it has the package's own name.
    /// (The test kit's binaries have names of their own.)
    pub(crate) fn server_binary(&self) -> Option<&str> {
        let is_server =
            |target: &&Target| target.name == self.name && target.kind.iter().any(|kind| kind == "bin");
        self.name
            .starts_with("countersign-")
            .then(|| self.targets.iter().find(is_server))?
            .map(|t| t.name.as_str())
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

impl Workspace {
    /// The workspace around the current directory. Asks cargo; needs no network, since dependencies outside are left out.
    pub(crate) fn load() -> Result<Self> {
        // Where the command was typed, not where this binary was built: a build can be shared by several checkouts.
        let args = ["metadata", "--no-deps", "--format-version", "1"];
        let printed = command::stdout_of(&mut command::new("cargo", &args, Path::new(".")))?;
        let Metadata { packages, target_directory, workspace_root } =
            serde_json::from_str(&printed).context("cargo metadata printed something unexpected")?;
        Ok(Self { root: workspace_root, target: target_directory, packages })
    }

    /// Every server: its package and the name of its binary.
    pub(crate) fn servers(&self) -> impl Iterator<Item = (&Package, &str)> {
        self.packages.iter().filter_map(|package| Some((package, package.server_binary()?)))
    }
}
