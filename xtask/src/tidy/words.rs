//! Rules on words: nothing unfinished, no test switched off or content with any panic, no path of one machine.

use super::Offence;
use super::source::has_word;
use super::tree::{Tree, ends_in};

/// Marks of unfinished work, in comments.
const MARKS: [&str; 3] = ["TODO", "FIXME", "XXX"];
/// Macros that stand for unfinished work.
const MACROS: [&str; 2] = ["todo!", "unimplemented!"];
/// Files other than Rust whose every line is held to the marks.
const CONFIGURATION: [&str; 4] = ["toml", "yml", "yaml", "sh"];
/// Folders that exist on one machine only. Put together here, so that this file does not offend.
const MACHINE_PATHS: [&str; 3] =
    [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp/bash", "_jobs")];

/// Unfinished work.
pub(crate) fn unfinished(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    for (file, source) in tree.sources() {
        for (number, line) in source.numbered() {
            for mark in MARKS.into_iter().filter(|mark| has_word(&line.comment, mark)) {
                found.push(Offence::new(
                    file,
                    number,
                    format!("`{mark}`: finish it, or file it as an issue"),
                ));
            }
            for name in MACROS.into_iter().filter(|name| line.code.contains(name)) {
                found.push(Offence::new(
                    file,
                    number,
                    format!("`{name}`: a capability comes whole or not at all"),
                ));
            }
        }
    }
    for (file, text) in tree.all().filter(|(file, _)| is_configuration(file)) {
        for (number, line) in (1..).zip(text.lines()) {
            for mark in MARKS.into_iter().filter(|mark| has_word(line, mark)) {
                found.push(Offence::new(
                    file,
                    number,
                    format!("`{mark}`: finish it, or file it as an issue"),
                ));
            }
        }
    }
    found
}

fn is_configuration(file: &str) -> bool {
    file == ".ci/run" || CONFIGURATION.iter().any(|extension| ends_in(file, extension))
}

/// Tests that never run, and tests that any panic would satisfy.
pub(crate) fn test_attributes(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    for (file, source) in tree.sources() {
        for (number, line) in source.numbered().filter(|(_, line)| line.code.contains("#[")) {
            if has_word(&line.code, "ignore") {
                found.push(Offence::new(file, number, "`#[ignore]`: a test runs or does not exist"));
            }
            if has_word(&line.code, "should_panic") {
                found.push(Offence::new(
                    file,
                    number,
                    "`#[should_panic]`: assert the error that is returned",
                ));
            }
        }
    }
    found
}

/// Paths that mean something on one machine only, in any file.
pub(crate) fn machine_paths(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    for (file, text) in tree.all() {
        for (number, line) in (1..).zip(text.lines()) {
            for path in MACHINE_PATHS.into_iter().filter(|path| line.contains(path)) {
                found.push(Offence::new(file, number, format!("`{path}`: a path of one machine")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(offences: &[Offence]) -> Vec<(&str, usize)> {
        offences.iter().map(|offence| (offence.file.as_str(), offence.line)).collect()
    }

    #[test]
    fn unfinished_work_is_found_in_comments_code_and_configuration_but_not_in_strings() {
        let tree = Tree::sample(&[
            (
                "a.rs",
                "// TODO: later\nlet s = \"TODO\";\nfn f() { todo!() }\n/* XXX */\nfn g() { unimplemented!(\"x\") }\n",
            ),
            ("b.toml", "# FIXME\nname = \"MASTODON\"\n"),
            ("c.md", "We leave no TODO behind.\n"),
            (".ci/run", "# TODO\n"),
        ]);
        let found = unfinished(&tree);
        assert_eq!(
            lines(&found),
            [("a.rs", 1), ("a.rs", 3), ("a.rs", 4), ("a.rs", 5), (".ci/run", 1), ("b.toml", 1)]
        );
    }

    #[test]
    fn ignored_and_should_panic_tests_are_found() {
        let tree = Tree::sample(&[(
            "a.rs",
            "#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\n#[should_panic(expected = \"x\")]\n// #[ignore]\n#[cfg_attr(miri, ignore)]\n#[derive(IgnoreCase)]\n",
        )]);
        assert_eq!(lines(&test_attributes(&tree)), [("a.rs", 1), ("a.rs", 3), ("a.rs", 4), ("a.rs", 6)]);
    }

    #[test]
    fn paths_of_one_machine_are_found_in_every_kind_of_file() {
        let [work, home, jobs] = MACHINE_PATHS;
        let text = format!("fine\nsee {work}x\nsee {home}y and {jobs}\n");
        let tree = Tree::sample(&[("a.md", &text), ("b.rs", "// a /workshop/ is no such path\n")]);
        assert_eq!(lines(&machine_paths(&tree)), [("a.md", 2), ("a.md", 3), ("a.md", 3)]);
    }
}
