//! `cargo xtask check-surface`: what every server shows, rendered into `docs/surface/` and held to the rules.
//!
//! Each server is built and asked (`<server> surface --json`, in an empty environment); the answer is checked
//! (`rules.rs`, `table.rs`), rendered (`render.rs`) and compared byte for byte with what is committed, missing and left-over
//! files included, and with an earlier revision for what it takes away (`breaking.rs`). `--write` renders instead of comparing,
//! and fails on the same rules.

mod breaking;
mod committed;
mod render;
mod rules;
#[cfg(test)]
mod samples;
mod surface;
pub(crate) mod table;

pub(crate) use rules::LIST_LIMIT;

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::command;
use crate::flags::SurfaceOptions;
use crate::workspace::Workspace;
use render::Files;
use surface::Surface;

/// Checks every server's surface; true where nothing is wrong.
pub(crate) fn command(options: &SurfaceOptions) -> Result<bool> {
    let workspace = Workspace::load()?;
    let surfaces = ask_all(&workspace)?;
    let mut faults = rules::version_faults(&workspace.packages, &surfaces);
    faults.extend(surfaces.iter().flat_map(rules::faults));
    let rendered: Files = surfaces.iter().flat_map(render::files).collect();
    let root = &workspace.root;
    let base = committed::base(root, options.against.as_deref())?;
    let changelog = std::fs::read_to_string(root.join("CHANGELOG.md")).unwrap_or_default();
    faults.extend(breaking::unlisted(&base.files, &rendered, &changelog));
    let table = render::readme_table(&surfaces);
    if options.write {
        committed::write(root, &rendered, &table)?;
    } else {
        let differences = committed::differences(root, &rendered, &table)?;
        if !differences.is_empty() {
            faults.extend(differences);
            faults.push(
                "after reading the changes, run `cargo xtask check-surface --write` and commit".to_owned(),
            );
        }
    }
    for fault in &faults {
        println!("{fault}");
    }
    for surface in &surfaces {
        let (tools, bytes) = (surface.tools.len(), surface.list_bytes());
        println!(
            "{}: {tools} tools, a list of {bytes} bytes ({} at most)",
            surface.server,
            rules::LIST_LIMIT
        );
    }
    println!("check-surface: {} faults; breaking changes were looked for since {}", faults.len(), base.name);
    Ok(faults.is_empty())
}

/// Builds and asks every server.
fn ask_all(workspace: &Workspace) -> Result<Vec<Surface>> {
    let mut surfaces = Vec::new();
    for (package, binary) in workspace.servers() {
        let args = ["build", "--package", package.name.as_str(), "--bin", binary];
        anyhow::ensure!(
            command::passes(&mut command::new("cargo", &args, &workspace.root))?,
            "`{binary}` does not build"
        );
        let program = workspace.target.join("debug").join(binary);
        let surface = ask(&program).with_context(|| format!("the surface of {binary}"))?;
        anyhow::ensure!(surface.server == binary, "`{binary}` calls itself `{}`", surface.server);
        surfaces.push(surface);
    }
    anyhow::ensure!(!surfaces.is_empty(), "the workspace has no server");
    Ok(surfaces)
}

/// Asks one server in an empty environment and an empty home, so that the machine leaves no trace in the answer.
fn ask(program: &Path) -> Result<Surface> {
    let home = tempfile::tempdir()?;
    let mut asked = command::new(program, &["surface", "--json"], home.path());
    asked.env_clear().env("HOME", home.path());
    Surface::parse(&command::stdout_of(&mut asked)?)
}
