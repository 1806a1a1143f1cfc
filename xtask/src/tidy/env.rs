//! Environment variables are read in `config/env.rs` alone, where each is documented and listed in the surface.

use super::Offence;
use super::tree::Tree;

/// Test helpers and this crate are no part of what is shipped.
const EXEMPT: [&str; 2] = ["crates/testkit/", "xtask/"];

/// Reads of the environment anywhere else. Tests may read what cargo sets, through `env!`.
pub(crate) fn reads(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    for (file, source) in tree.sources() {
        if file.ends_with("config/env.rs") || EXEMPT.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        for (number, line) in source.numbered() {
            let imported = line.code.split_once("env::{").is_some_and(|(_, names)| names.contains("var"));
            if line.code.contains("env::var") || imported {
                found.push(Offence::new(
                    file,
                    number,
                    "environment variables are read in config/env.rs only",
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_outside_config_env_is_found() {
        let read =
            "//! Reads.\nfn f() { std::env::var(\"HOME\"); }\nuse std::env::{args, var_os};\n// env::var\n";
        let tree = Tree::sample(&[
            ("crates/core/src/config/env.rs", read),
            ("crates/core/src/server/env.rs", read),
            ("crates/testkit/src/lib.rs", read),
            ("xtask/src/main.rs", read),
        ]);
        let found: Vec<(String, usize)> = reads(&tree).into_iter().map(|o| (o.file, o.line)).collect();
        let file = "crates/core/src/server/env.rs".to_owned();
        assert_eq!(found, [(file.clone(), 2), (file, 3)]);
    }
}
