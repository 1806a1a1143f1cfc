//! Rules on whole files: none above 700 lines, and each opens with what it is.

use super::Offence;
use super::tree::Tree;

/// A longer file fails: it holds more than one idea.
const LONGEST: usize = 700;
/// A longer file is listed, without failing.
pub(crate) const LISTED_ABOVE: usize = 500;

/// Rust files above the limit.
pub(crate) fn too_long(tree: &Tree) -> Vec<Offence> {
    let over = |(file, text): (&str, &str)| {
        let lines = text.lines().count();
        (lines > LONGEST).then(|| Offence::new(file, lines, format!("{lines} lines; {LONGEST} at most")))
    };
    tree.rust().filter_map(over).collect()
}

/// Rust files that are near the limit.
pub(crate) fn long(tree: &Tree) -> Vec<(&str, usize)> {
    tree.rust()
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > LISTED_ABOVE)
        .collect()
}

/// Rust files that do not open with `//!` and a sentence.
pub(crate) fn first_line(tree: &Tree) -> Vec<Offence> {
    let opens = |text: &str| {
        let first = text.lines().next().unwrap_or_default();
        first.strip_prefix("//!").is_some_and(|said| said.trim().len() > 3)
    };
    tree.rust()
        .filter(|(_, text)| !opens(text))
        .map(|(file, _)| Offence::new(file, 1, "the first line must be `//!` and say what the file is"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_701_lines_fails_and_one_of_501_is_listed() {
        let (at, over) = ("//! Lines.\n".repeat(LONGEST), "//! Lines.\n".repeat(LONGEST + 1));
        let tree = Tree::sample(&[("a.rs", &at), ("b.rs", &over), ("c.md", &over)]);
        assert_eq!(too_long(&tree), [Offence::new("b.rs", 701, "701 lines; 700 at most")]);
        assert_eq!(long(&tree), [("a.rs", 700), ("b.rs", 701)]);
    }

    #[test]
    fn a_file_that_does_not_say_what_it_is_fails() {
        let tree = Tree::sample(&[
            ("a.rs", "//! What it is.\n"),
            ("b.rs", "use x;\n//! Late.\n"),
            ("c.rs", "//!\n"),
            ("d.rs", "//! x\n"),
            ("e.rs", ""),
            ("f.sh", "#!/bin/sh\n"),
        ]);
        let files: Vec<String> = first_line(&tree).into_iter().map(|offence| offence.file).collect();
        assert_eq!(files, ["b.rs", "c.rs", "d.rs", "e.rs"]);
    }
}
