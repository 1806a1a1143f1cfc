//! Every tool's file is named where a reader looks for it: core's list of modules and a server's table.

use super::Offence;
use super::source::{Source, has_word};
use super::tree::Tree;
use crate::check_surface::table;

const SHARED: &str = "crates/core/src/tools/";

/// Files of tools that no table names. Core's other files in that folder are parts of rows and are left alone.
pub(crate) fn listed(tree: &Tree) -> Vec<Offence> {
    let tables: Vec<&str> =
        tree.rust().map(|(file, _)| file).filter(|file| file.ends_with("-server/src/tools.rs")).collect();
    let mut found = Vec::new();
    for (file, _) in tree.rust() {
        if let Some(name) = row_in(file, SHARED).filter(|name| table::expected(name).is_some()) {
            if !names(tree, "crates/core/src/tools/mod.rs", name) {
                found.push(Offence::new(
                    file,
                    1,
                    format!("`{name}` is not named in crates/core/src/tools/mod.rs"),
                ));
            }
            if !tables.iter().any(|table| names(tree, table, name)) {
                found.push(Offence::new(file, 1, format!("`{name}` is in no server's tools.rs")));
            }
        }
        for table in &tables {
            let own = row_in(file, &format!("{}/", table.trim_end_matches(".rs")));
            if let Some(name) = own.filter(|name| !names(tree, table, name)) {
                found.push(Offence::new(file, 1, format!("`{name}` is not named in {table}")));
            }
        }
    }
    found
}

/// The stem of a file that lies directly in `folder`.
fn row_in<'a>(file: &'a str, folder: &str) -> Option<&'a str> {
    let name = file.strip_prefix(folder)?.strip_suffix(".rs")?;
    (!name.contains('/') && name != "mod").then_some(name)
}

/// Whether the code of `file` names it, comments and strings apart.
fn names(tree: &Tree, file: &str, name: &str) -> bool {
    tree.get(file).is_some_and(|text| Source::read(text).lines.iter().any(|line| has_word(&line.code, name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_a_list_forgets_is_found() {
        let tree = Tree::sample(&[
            ("crates/core/src/tools/mod.rs", "pub mod get_message;\npub mod hints;\n// get_thread\n"),
            ("crates/core/src/tools/get_message.rs", ""),
            ("crates/core/src/tools/get_thread.rs", ""),
            ("crates/core/src/tools/list_folders.rs", ""),
            ("crates/core/src/tools/hints.rs", ""),
            ("crates/imap-server/src/tools.rs", "[get_message::row(), get_thread::row(), own::row()]"),
            ("crates/imap-server/src/tools/own.rs", ""),
            ("crates/imap-server/src/tools/forgotten.rs", ""),
        ]);
        let found: Vec<String> = listed(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/core/src/tools/get_thread.rs:1: `get_thread` is not named in crates/core/src/tools/mod.rs",
                "crates/core/src/tools/list_folders.rs:1: `list_folders` is not named in crates/core/src/tools/mod.rs",
                "crates/core/src/tools/list_folders.rs:1: `list_folders` is in no server's tools.rs",
                "crates/imap-server/src/tools/forgotten.rs:1: `forgotten` is not named in crates/imap-server/src/tools.rs",
            ]
        );
    }
}
