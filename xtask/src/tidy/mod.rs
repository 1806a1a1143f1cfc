//! `cargo xtask tidy`: the house rules that neither rustc nor clippy knows. Also a test, so `cargo test` runs it.
//!
//! Each rule is a function from the tree (or the workspace) to offences. All of them run, all offences are printed
//! with file and line, and only then does the command fail. One file a group of rules, each with a sample that breaks it.

mod arrows;
mod docs;
mod env;
mod files;
mod imap;
mod manifests;
mod named_tests;
mod source;
mod tools;
mod tree;
mod words;

use std::fmt;

use anyhow::Result;

use crate::workspace::Workspace;
use tree::Tree;

/// One broken rule at one place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Offence {
    file: String,
    line: usize,
    what: String,
}

impl Offence {
    fn new(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Checks the working tree and prints what it finds.
pub(crate) fn command() -> Result<bool> {
    let workspace = Workspace::load()?;
    let tree = Tree::of_workspace(&workspace.root)?;
    let offences = offences(&workspace, &tree);
    for offence in &offences {
        println!("{offence}");
    }
    for (file, lines) in files::long(&tree) {
        println!("note: {file} has {lines} lines; above {} it has more than one idea", files::LISTED_ABOVE);
    }
    println!("tidy: {} files, {} offences", tree.len(), offences.len());
    Ok(offences.is_empty())
}

/// Every offence against every rule, in the order of the files.
fn offences(workspace: &Workspace, tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    found.extend(files::too_long(tree));
    found.extend(files::first_line(tree));
    found.extend(words::unfinished(tree));
    found.extend(words::test_attributes(tree));
    found.extend(words::machine_paths(tree));
    found.extend(env::reads(tree));
    found.extend(imap::single_issuer(tree));
    found.extend(imap::peek_only(tree));
    found.extend(manifests::lints(tree));
    found.extend(tools::listed(tree));
    found.extend(docs::dead_paths(tree));
    found.extend(named_tests::missing(tree));
    found.extend(named_tests::unheld(tree));
    found.extend(arrows::extra(&workspace.packages));
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let workspace = Workspace::load().unwrap();
        let tree = Tree::of_workspace(&workspace.root).unwrap();
        assert!(tree.len() > 20, "the tree was not found: {} files", tree.len());
        let found: Vec<String> = offences(&workspace, &tree).iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
