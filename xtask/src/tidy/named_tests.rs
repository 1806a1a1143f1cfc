//! What the documents say holds a promise is there: a test named in backticks as `path/to/file.rs::test` exists, and every invariant
//! of the architecture page names what holds it.
//!
//! A test is a function behind a test attribute, or a promise of the conformance suite that its macro lists. Whether the
//! test is a good one is for a reader to judge.

use super::Offence;
use super::tree::{Tree, ends_in};

/// Where invariants stand.
const ARCHITECTURE: &str = "docs/architecture.md";
/// How one begins.
const INVARIANT: &str = "**Invariant:**";
/// Where the promises of every backend stand, and the file whose macro makes tests of them.
const CONFORMANCE: &str = "crates/testkit/src/conformance/";

/// Tests that are named and not there.
pub(crate) fn missing(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    for (file, text) in tree.all().filter(|(file, _)| ends_in(file, "md") && *file != "CHANGELOG.md") {
        for (number, line) in (1..).zip(text.lines()) {
            for (path, test) in ticked(line).filter_map(|word| word.split_once(".rs::")) {
                let path = format!("{path}.rs");
                let there = tree.get(&path).is_some_and(|code| is_test(tree, &path, code, test));
                if !there {
                    found.push(Offence::new(file, number, format!("`{path}` has no test `{test}`")));
                }
            }
        }
    }
    found
}

/// Invariants that name neither a test nor a file that must not compile.
pub(crate) fn unheld(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let text = tree.get(ARCHITECTURE).unwrap_or_default();
    for (number, line) in (1..).zip(text.lines().chain([""])) {
        if line.starts_with(INVARIANT) {
            open = Some((number, false));
        }
        if let Some((_, held)) = &mut open {
            *held |= ticked(line).any(|word| word.contains(".rs::") || word.contains("/tests/ui/"));
        }
        if line.is_empty()
            && let Some((begun, false)) = open.take()
        {
            found.push(Offence::new(ARCHITECTURE, begun, "an invariant that names no test"));
        }
    }
    found
}

/// What stands in backticks.
fn ticked(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether the file has a test of that name.
fn is_test(tree: &Tree, path: &str, code: &str, test: &str) -> bool {
    let mut attribute = false;
    for line in code.lines().map(str::trim) {
        let named = line.split_once("fn ").is_some_and(|(_, rest)| {
            rest.strip_prefix(test).is_some_and(|rest| rest.starts_with(['(', '<']))
        });
        if named {
            return attribute || is_promise(tree, path, test);
        }
        // Between an attribute and its function stand other attributes and comments only.
        attribute = line.starts_with("#[test]")
            || line.starts_with("#[tokio::test")
            || (attribute && (line.starts_with("#[") || line.starts_with("//")));
    }
    false
}

fn is_promise(tree: &Tree, path: &str, test: &str) -> bool {
    let Some(area) = path.strip_prefix(CONFORMANCE).and_then(|name| name.strip_suffix(".rs")) else {
        return false;
    };
    let listed = format!("{area}::{test},");
    tree.get(&format!("{CONFORMANCE}mod.rs"))
        .is_some_and(|suite| suite.lines().any(|line| line.trim() == listed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(offences: &[Offence]) -> Vec<String> {
        offences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_test_that_is_gone_is_found_and_one_that_is_there_is_not() {
        let tree = Tree::sample(&[
            (
                "crates/a/src/lib.rs",
                "#[test]\nfn one() {}\n#[tokio::test(start_paused = true)]\n// Why.\nasync fn two() {}\nfn no_test() {}\n",
            ),
            (
                "crates/testkit/src/conformance/send.rs",
                "pub async fn goes<M>(b: &Bench<M>) {}\npub async fn idle(b: &B) {}\n",
            ),
            ("crates/testkit/src/conformance/mod.rs", "    send::goes,\n"),
            (
                "docs/architecture.md",
                "`crates/a/src/lib.rs::one` `crates/a/src/lib.rs::two` `crates/testkit/src/conformance/send.rs::goes`\n\
                 `crates/a/src/lib.rs::no_test`\n`crates/a/src/lib.rs::on`\n`crates/b.rs::one`\n\
                 `crates/testkit/src/conformance/send.rs::idle`\n",
            ),
        ]);
        assert_eq!(
            shown(&missing(&tree)),
            [
                "docs/architecture.md:2: `crates/a/src/lib.rs` has no test `no_test`",
                "docs/architecture.md:3: `crates/a/src/lib.rs` has no test `on`",
                "docs/architecture.md:4: `crates/b.rs` has no test `one`",
                "docs/architecture.md:5: `crates/testkit/src/conformance/send.rs` has no test `idle`",
            ]
        );
    }

    #[test]
    fn an_invariant_without_a_test_is_found() {
        let page = "**Invariant:** a.\nHeld by `x.rs::t`.\n\n**Invariant:** b.\nHeld by hope.\n\n\
                    **Invariant:** c, `crates/core/tests/ui/f.rs`.\n\nText.\n\n**Invariant:** d.";
        let found = unheld(&Tree::sample(&[(ARCHITECTURE, page)]));
        assert_eq!(
            shown(&found),
            [
                "docs/architecture.md:4: an invariant that names no test",
                "docs/architecture.md:11: an invariant that names no test",
            ]
        );
    }
}
