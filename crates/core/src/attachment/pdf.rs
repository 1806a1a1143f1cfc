//! The text of a PDF, read in a process of its own.
//!
//! The reader is a large parser that recurses over what it reads: a file whose pages are their own parents
//! overflows its stack, which ends a process and not a thread, and a small file can unpack to gigabytes. So the
//! same program is started again with [`CHILD_ARGUMENT`]; it gets the file on its standard input and answers on
//! its standard output. The parent waits [`DEADLINE`] at most and then kills it, and nothing is left running. The
//! child also ends itself at the deadline, should the parent be gone, and where it grows beyond [`MEMORY`] (where
//! `/proc` tells). A parent of several threads loses nothing when a child fails.
//!
//! Not protected from: text that a PDF holds without showing it (white on white, behind pictures).

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::sanitise::plain;

/// The program's first argument that makes it the reader: it must then call [`run_child`] before anything else.
pub const CHILD_ARGUMENT: &str = "__pdf-text";
/// Largest file read, in bytes.
pub const INPUT_LIMIT: usize = 30 * 1024 * 1024;
/// Longest text given back, in bytes.
pub const OUTPUT_LIMIT: usize = 1024 * 1024;
/// Most pages read.
pub const PAGES: u32 = 300;
/// Longest time for one file.
pub const DEADLINE: Duration = Duration::from_secs(20);
/// Most resident memory of the reader, in bytes.
pub const MEMORY: u64 = 1024 * 1024 * 1024;

/// Starts the answer on standard output, so that nothing else written there is taken for it.
const ANSWER: &[u8] = b"\x02pdf-text\x03";

/// Text of a PDF, harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdfText {
    /// The text, pages apart.
    pub text: String,
    /// Whether pages or text were left out.
    pub truncated: bool,
}

/// Why there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// Larger than [`INPUT_LIMIT`].
    #[error("the PDF is too large to read")]
    TooLarge,
    /// Not a PDF, damaged, or made to break its reader.
    #[error("the PDF can't be read")]
    Unreadable,
    /// A password is needed.
    #[error("the PDF is locked with a password")]
    Locked,
    /// Longer than [`DEADLINE`].
    #[error("reading the PDF took too long")]
    TimedOut,
    /// The reader could not be started.
    #[error("the PDF reader could not be started")]
    NotStarted,
}

/// The text of a PDF. Blocks up to [`DEADLINE`]: call it where blocking is allowed.
///
/// # Errors
///
/// Where there is no text, with the reason.
pub fn text(bytes: &[u8]) -> Result<PdfText, PdfError> {
    let program = std::env::current_exe().map_err(|_| PdfError::NotStarted)?;
    let mut command = Command::new(program);
    // The environment may hold secrets, which the reader of a hostile file has no use for.
    command.arg(CHILD_ARGUMENT).env_clear();
    text_by(command, bytes, DEADLINE)
}

fn text_by(mut command: Command, bytes: &[u8], deadline: Duration) -> Result<PdfText, PdfError> {
    if bytes.len() > INPUT_LIMIT {
        return Err(PdfError::TooLarge);
    }
    // What the reader's panics say may hold text of the file, so its standard error goes nowhere.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|_| PdfError::NotStarted)?;
    let answer = converse(&mut child, bytes.to_vec(), deadline);
    // Both fail where the child has ended, which is what is wanted.
    let _ = child.kill();
    let _ = child.wait();
    read_answer(&answer?)
}

/// Hands the file over and collects the answer, each in a thread that ends when the child does.
fn converse(child: &mut Child, bytes: Vec<u8>, deadline: Duration) -> Result<Vec<u8>, PdfError> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(PdfError::NotStarted);
    };
    // A child that stops reading makes this fail; its answer says why.
    thread::spawn(move || input.write_all(&bytes));
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let limit = u64::try_from(OUTPUT_LIMIT.saturating_mul(2)).unwrap_or(u64::MAX);
        let mut answer = Vec::new();
        let read = output.take(limit).read_to_end(&mut answer);
        sender.send(read.map(|_| answer))
    });
    match receiver.recv_timeout(deadline) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(PdfError::Unreadable),
        Err(_) => Err(PdfError::TimedOut),
    }
}

/// The answer: a mark, a letter for the outcome, the length of the text, the text.
fn read_answer(output: &[u8]) -> Result<PdfText, PdfError> {
    let start =
        output.windows(ANSWER.len()).position(|window| window == ANSWER).ok_or(PdfError::Unreadable)?;
    let answer = output.get(start.saturating_add(ANSWER.len())..).unwrap_or_default();
    let (&outcome, rest) = answer.split_first().ok_or(PdfError::Unreadable)?;
    let (length, text) = rest.split_first_chunk::<8>().ok_or(PdfError::Unreadable)?;
    let length = usize::try_from(u64::from_be_bytes(*length)).map_err(|_| PdfError::Unreadable)?;
    let text = text.get(..length).ok_or(PdfError::Unreadable)?;
    let truncated = match outcome {
        b'w' => false,
        b't' => true,
        b'l' => return Err(PdfError::Locked),
        _ => return Err(PdfError::Unreadable),
    };
    Ok(PdfText { text: plain::to_text(&String::from_utf8_lossy(text)), truncated })
}

/// The reader: a PDF on standard input, the answer on standard output.
///
/// # Errors
///
/// Where standard input or output fail.
pub fn run_child() -> io::Result<()> {
    thread::spawn(watch);
    let mut bytes = Vec::new();
    io::stdin().lock().take(u64::try_from(INPUT_LIMIT).unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    let (outcome, text) = read(&bytes);
    let mut output = io::stdout().lock();
    output.write_all(ANSWER)?;
    output.write_all(&[outcome])?;
    output.write_all(&u64::try_from(text.len()).unwrap_or_default().to_be_bytes())?;
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Ends the process where it takes too much time or memory.
fn watch() {
    const STEP: Duration = Duration::from_millis(50);
    const PAGE: u64 = 4_096;
    let mut waited = Duration::ZERO;
    while waited < DEADLINE {
        thread::sleep(STEP);
        waited = waited.saturating_add(STEP);
        let resident = std::fs::read_to_string("/proc/self/statm")
            .ok()
            .and_then(|all| all.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()));
        if resident.is_some_and(|pages| pages.saturating_mul(PAGE) > MEMORY) {
            break;
        }
    }
    std::process::abort();
}

fn read(bytes: &[u8]) -> (u8, String) {
    let Ok(mut document) = pdf_extract::Document::load_mem(bytes) else { return (b'u', String::new()) };
    if document.is_encrypted() && document.decrypt("").is_err() {
        return (b'l', String::new());
    }
    let pages = document.get_pages();
    let mut text = String::new();
    let mut outcome = b'w';
    for number in pages.keys() {
        if *number > PAGES || text.len() > OUTPUT_LIMIT {
            outcome = b't';
            break;
        }
        // The reader panics on much that it doesn't expect; what it read of the page until then is kept.
        let mut page = String::new();
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut output = pdf_extract::PlainTextOutput::new(&mut page);
            pdf_extract::output_doc_page(&document, &mut output, *number).is_ok()
        }));
        if !matches!(read, Ok(true)) {
            outcome = b't';
        }
        text.push_str(page.trim());
        text.push_str("\n\n");
    }
    if text.len() > OUTPUT_LIMIT {
        text.truncate(text.floor_char_boundary(OUTPUT_LIMIT));
        outcome = b't';
    }
    if outcome == b't' && text.trim().is_empty() {
        return (b'u', String::new());
    }
    (outcome, text)
}

#[cfg(test)]
mod tests;
