//! What the documents name is there: a path in backticks that begins in this repository must exist.
//!
//! Paths with a placeholder (`<name>`, `*`, `…`) are patterns and are left alone, a test named by its path (`::`) is another
//! rule's, and what stands in the changelog tells of the past.

use super::Offence;
use super::tree::{Tree, ends_in};

/// Where paths of this repository begin.
const TOPS: [&str; 5] = ["crates/", "xtask/", "docs/", "fuzz/", ".github/"];

/// Documents that name what is not there.
pub(crate) fn dead_paths(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    let documents = tree.all().filter(|(file, _)| ends_in(file, "md") && *file != "CHANGELOG.md");
    for (file, text) in documents {
        for (number, line) in (1..).zip(text.lines()) {
            for path in line.split('`').skip(1).step_by(2).filter(|path| is_path(path)) {
                if !is_there(tree, path.trim_end_matches('/')) {
                    found.push(Offence::new(file, number, format!("`{path}` does not exist")));
                }
            }
        }
    }
    found
}

fn is_path(text: &str) -> bool {
    TOPS.iter().any(|top| text.starts_with(top))
        && !text.contains(['<', '*', '…', '{', ' '])
        && !text.contains("::")
}

/// A file, or a folder with something in it.
fn is_there(tree: &Tree, path: &str) -> bool {
    tree.get(path).is_some()
        || tree.all().any(|(file, _)| file.strip_prefix(path).is_some_and(|f| f.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_gone_is_found_and_a_pattern_is_not_a_path() {
        let tree = Tree::sample(&[
            (
                "docs/a.md",
                "See `crates/core/src/lib.rs`, `docs/`, `crates/<name>/x.rs` and `mod.rs`.\nSee `crates/cor`.\n",
            ),
            ("CHANGELOG.md", "`crates/old` went.\n"),
            ("crates/core/src/lib.rs", ""),
        ]);
        let found: Vec<String> = dead_paths(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["docs/a.md:2: `crates/cor` does not exist"]);
    }
}
