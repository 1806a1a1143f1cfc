//! The server's own program as the reader of PDFs: what it is started as for each one.

use std::{
    io::{Read as _, Write as _},
    process::{Command, Stdio},
};

use anyhow::Result;
use countersign_core::attachment::pdf::CHILD_ARGUMENT;
use countersign_testkit::corpus;

/// What the program answers to a file on its standard input, with nothing in its environment.
fn answer(file: &[u8]) -> Result<(bool, String)> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign-imap"))
        .arg(CHILD_ARGUMENT)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().unwrap();
    // A reader that has seen enough closes its end.
    input.write_all(file).ok();
    drop(input);
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output)?;
    Ok((child.wait()?.success(), String::from_utf8_lossy(&output).into_owned()))
}

#[test]
fn the_program_reads_a_pdf_when_it_is_started_as_the_reader() -> Result<()> {
    let (ended_well, said) = answer(&corpus::pdf("The kitchen costs 1200."))?;
    assert!(ended_well && said.contains("The kitchen costs 1200."), "{said:?}");
    Ok(())
}

#[test]
fn what_is_no_pdf_ends_the_reader_and_brings_no_text() -> Result<()> {
    let half = corpus::pdf("Cut off in the middle.");
    for file in [&b""[..], b"%PDF-1.7", &half[..half.len() / 3]] {
        let (_, said) = answer(file)?;
        assert!(!said.contains("Cut off"), "{said:?}");
    }
    Ok(())
}
