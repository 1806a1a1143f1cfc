//! The committed surface: on disk, in an earlier revision, and the README's generated table.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::render::Files;
use crate::command;

const FOLDER: &str = "docs/surface";
const README: &str = "README.md";
const BEGIN: &str = "<!-- tools:begin -->";
const END: &str = "<!-- tools:end -->";

/// An earlier surface to compare with.
pub(crate) struct Base {
    pub(crate) name: String,
    pub(crate) files: Files,
}

/// The surface as of `revision`, else of the last `v*` tag, else of HEAD, else (outside git) as it lies on disk.
pub(crate) fn base(root: &Path, revision: Option<&str>) -> Result<Base> {
    let git = |args: &[&str]| command::stdout_of(&mut command::new("git", args, root));
    let tag = || git(&["describe", "--tags", "--abbrev=0", "--match", "v*"]).ok();
    let name =
        revision.map(str::to_owned).or_else(tag).unwrap_or_else(|| "HEAD".to_owned()).trim().to_owned();
    let listed = match git(&["ls-tree", "-r", "-z", "--name-only", &name, "--", FOLDER]) {
        Ok(listed) => listed,
        // A revision that somebody named must be there: comparing with something else would pass for nothing.
        Err(error) if revision.is_some() => return Err(error),
        Err(_) => return Ok(Base { name: "what is on disk".to_owned(), files: on_disk(root)? }),
    };
    let mut files = Files::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let inner = path.strip_prefix(FOLDER).unwrap_or(path).trim_start_matches('/');
        files.insert(inner.to_owned(), git(&["show", &format!("{name}:{path}")])?);
    }
    Ok(Base { name, files })
}

/// Where the disk differs from what was rendered: missing, different and left-over files, and the README's table.
pub(crate) fn differences(root: &Path, rendered: &Files, table: &str) -> Result<Vec<String>> {
    let there = on_disk(root)?;
    let mut found = Vec::new();
    for (path, text) in rendered {
        match there.get(path) {
            None => found.push(format!("{FOLDER}/{path} is missing")),
            Some(old) if old != text => {
                found.push(format!("{FOLDER}/{path}:{} differs", first_difference(old, text)));
            }
            Some(_) => {}
        }
    }
    for path in there.keys().filter(|path| !rendered.contains_key(*path)) {
        found.push(format!("{FOLDER}/{path} is left over"));
    }
    match std::fs::read_to_string(root.join(README)) {
        Err(_) => found.push(format!("{README} is missing")),
        Ok(readme) => match with_table(&readme, table) {
            None => found.push(format!("{README} has no {BEGIN} … {END}")),
            Some(new) if new != readme => {
                found
                    .push(format!("{README}:{} the table of tools differs", first_difference(&readme, &new)));
            }
            Some(_) => {}
        },
    }
    Ok(found)
}

/// Writes what was rendered, removes what is left over, and fills in the README's table.
pub(crate) fn write(root: &Path, rendered: &Files, table: &str) -> Result<()> {
    for path in on_disk(root)?.keys().filter(|path| !rendered.contains_key(*path)) {
        std::fs::remove_file(root.join(FOLDER).join(path)).with_context(|| format!("removing {path}"))?;
    }
    for (path, text) in rendered {
        let file = root.join(FOLDER).join(path);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
    }
    let file = root.join(README);
    let readme = std::fs::read_to_string(&file).with_context(|| format!("reading {README}"))?;
    let new = with_table(&readme, table).with_context(|| format!("{README} has no {BEGIN} … {END}"))?;
    std::fs::write(&file, new).with_context(|| format!("writing {README}"))
}

/// The README with the table between its markers; `None` without markers.
fn with_table(readme: &str, table: &str) -> Option<String> {
    let (before, rest) = readme.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

fn first_difference(old: &str, new: &str) -> usize {
    let same = old.lines().zip(new.lines()).take_while(|(one, other)| one == other).count();
    same.saturating_add(1)
}

/// Every file under the folder, by its path in there.
fn on_disk(root: &Path) -> Result<Files> {
    let top = root.join(FOLDER);
    let mut files = Files::new();
    let mut folders: Vec<PathBuf> = top.is_dir().then(|| top.clone()).into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let inner = path.strip_prefix(&top)?.to_string_lossy().replace('\\', "/");
                files.insert(inner, String::from_utf8_lossy(&std::fs::read(&path)?).into_owned());
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| tool |\n";

    fn rendered() -> Files {
        [("s/cli.txt", "a\n"), ("s/tools/t.json", "{}\n")]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into()
    }

    #[test]
    fn missing_different_and_left_over_files_are_differences_and_writing_settles_them() {
        let root = tempfile::tempdir().unwrap();
        let readme = format!("# R\n\n{BEGIN}\nold\n{END}\nend\n");
        std::fs::write(root.path().join(README), readme).unwrap();
        let surface = root.path().join(FOLDER);
        std::fs::create_dir_all(surface.join("s/tools")).unwrap();
        std::fs::write(surface.join("s/cli.txt"), "b\n").unwrap();
        std::fs::write(surface.join("s/tools/gone.json"), "{}\n").unwrap();
        let found = differences(root.path(), &rendered(), TABLE).unwrap();
        assert_eq!(
            found,
            [
                "docs/surface/s/cli.txt:1 differs",
                "docs/surface/s/tools/t.json is missing",
                "docs/surface/s/tools/gone.json is left over",
                "README.md:4 the table of tools differs",
            ]
        );
        write(root.path(), &rendered(), TABLE).unwrap();
        assert_eq!(differences(root.path(), &rendered(), TABLE).unwrap(), Vec::<String>::new());
        let readme = std::fs::read_to_string(root.path().join(README)).unwrap();
        assert_eq!(readme, format!("# R\n\n{BEGIN}\n{TABLE}{END}\nend\n"));
    }

    #[test]
    fn the_base_is_the_last_tag_else_head() {
        let root = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
            command::stdout_of(&mut command::new("git", &[&identity[..], args].concat(), root.path()))
                .unwrap();
        };
        let file = root.path().join(FOLDER).join("s/cli.txt");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        git(&["init", "--quiet"]);
        for text in ["one\n", "two\n"] {
            std::fs::write(&file, text).unwrap();
            git(&["add", "."]);
            git(&["commit", "--quiet", "--message", text]);
            if text == "one\n" {
                assert_eq!(base(root.path(), None).unwrap().name, "HEAD");
                git(&["tag", "v0.1.0"]);
            }
        }
        std::fs::write(&file, "three\n").unwrap();
        let from = |revision| base(root.path(), revision).unwrap().files["s/cli.txt"].clone();
        assert_eq!([from(None), from(Some("HEAD"))], ["one\n", "two\n"]);
        assert!(base(root.path(), Some("v9.9.9")).is_err());
    }
}
