//! Every member takes the workspace's lints: without that line a crate is held to none of them, and nothing says so.

use super::Offence;
use super::tree::Tree;

/// Manifests of members without `[lints] workspace = true`.
pub(crate) fn lints(tree: &Tree) -> Vec<Offence> {
    let inherits = |text: &str| {
        let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
        lines.next() == Some("workspace = true")
    };
    tree.all()
        .filter(|(file, text)| file.ends_with("/Cargo.toml") && text.contains("[package]"))
        // A workspace of its own (the fuzz targets, which need another compiler) has nothing to inherit.
        .filter(|(_, text)| !text.contains("\n[workspace]") && !inherits(text))
        .map(|(file, _)| Offence::new(file, 1, "a member must have `[lints] workspace = true`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_without_the_lints_is_found() {
        let tree = Tree::sample(&[
            ("Cargo.toml", "[workspace]\n"),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"),
            ("fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n\n[workspace]\n"),
            ("crates/b/Cargo.toml", "[package]\nname = \"b\"\n\n[lints.rust]\nunsafe_code = \"warn\"\n"),
        ]);
        let found: Vec<String> = lints(&tree).into_iter().map(|offence| offence.file).collect();
        assert_eq!(found, ["crates/b/Cargo.toml"]);
    }
}
