//! The demo, attended and not.

use super::*;
use crate::cli::testing::{Fake, Screen};

fn walk(input: &str, interactive: bool) -> String {
    let screen = Screen::default();
    run::<Fake>(&mut Console::of_memory(input, screen.clone(), interactive)).unwrap();
    screen.text()
}

/// The lines of a step.
fn step<'a>(said: &'a str, heading: &str) -> &'a str {
    let (_, rest) = said.split_once(heading).unwrap_or_else(|| panic!("no {heading:?} in {said}"));
    rest.split("\n\n1").next().unwrap()
}

#[test]
fn unattended_it_sends_one_and_keeps_one() {
    let said = walk("", false);
    assert!(said.contains("• 2026-11-27  Robin Vale"), "{said}");
    assert!(said.contains("Send it? [y/N] yes (no terminal: answered by the demo)"), "{said}");
    assert!(said.contains("Send it? [y/N] no (no terminal: answered by the demo)"), "{said}");
    // The prompt shows the text and the recipient that go out.
    assert!(said.contains("  │ ") && said.contains("Monday 11 January suits me"), "{said}");
    assert!(step(&said, "The Sent folder now").contains("Re: Kitchen: the quote as promised"), "{said}");
    assert!(step(&said, "Drafts: it is still there").contains("The deposit"), "{said}");
    assert!(said.contains("To use your own mail: countersign-fake login."), "{said}");
    assert!(!said.contains('\u{1b}'), "no colours where there is no terminal");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}

#[test]
fn a_person_decides() {
    let sent = walk("y\n", true);
    assert!(!sent.contains("And Drafts"), "{sent}");
    for input in ["\n", "n\n", ""] {
        let kept = walk(input, true);
        let drafts = step(&kept, "And Drafts: it waits there for you");
        assert!(drafts.contains("Re: Kitchen: the quote as promised"), "{kept}");
    }
}
