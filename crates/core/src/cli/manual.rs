//! Completions and man pages, both out of the command line's own description.

use std::path::Path;

use anyhow::Context as _;
use clap_complete::Shell;

use super::{args, console::Console};
use crate::provider::Provider;

/// Prints a completion script.
pub(super) fn completions<P: Provider>(console: &mut Console, shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command::<P>(), P::BINARY, &mut script);
    console.write(&script)?;
    Ok(())
}

/// Prints the man page, or writes a page for each command.
pub(super) fn pages<P: Provider>(console: &mut Console, dir: Option<&Path>) -> anyhow::Result<()> {
    let command = args::command::<P>();
    if let Some(dir) = dir {
        std::fs::create_dir_all(dir).with_context(|| format!("Make {}", dir.display()))?;
        return clap_mangen::generate_to(command, dir)
            .with_context(|| format!("Write into {}", dir.display()));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    console.write(&page)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::{Fake, Screen};

    #[test]
    fn completions_name_commands_and_flags() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let screen = Screen::default();
            completions::<Fake>(&mut Console::of_memory("", screen.clone(), false), shell).unwrap();
            for word in ["login", "demo", "read-only", "imap-host"] {
                assert!(screen.text().contains(word), "{shell}: {word}");
            }
        }
    }

    #[test]
    fn man_pages_are_printed_and_written() {
        let screen = Screen::default();
        let mut console = Console::of_memory("", screen.clone(), false);
        pages::<Fake>(&mut console, None).unwrap();
        assert!(screen.text().contains(".TH countersign-fake 1"), "{}", screen.text());
        let dir = tempfile::tempdir().unwrap();
        pages::<Fake>(&mut console, Some(&dir.path().join("man"))).unwrap();
        assert!(dir.path().join("man/countersign-fake-login.1").exists());
    }
}
