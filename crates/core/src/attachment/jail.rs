//! Saving attachments into the one directory that the owner named, and nowhere else.
//!
//! The directory's real path is found once. A name is reduced to a plain file name, so that no path can be made of
//! it; a file is only ever created, never opened or replaced, and a link in its place is an existing name. Before
//! each file the directory is looked at again: one that was removed or became a link is refused. Between that look
//! and the creation somebody who may write to the directory's parent could still swap it; such a person could as
//! well write the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::sanitise::invisible;

/// Longest file name, in bytes; file systems take 255, and a number may be added.
const NAME: usize = 200;
/// Most numbers tried after a name that is taken.
const NUMBERS: u32 = 1_000;

/// Why an attachment wasn't saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JailError {
    /// The directory isn't there, isn't one, or became a link.
    #[error("the directory for attachments is missing or was replaced")]
    NoDirectory,
    /// Every numbered form of the name is taken.
    #[error("too many files of that name exist")]
    NameTaken,
    /// More bytes than allowed came; what was written is removed.
    #[error("the attachment is larger than allowed")]
    TooLarge,
    /// The system said no.
    #[error("the file could not be written")]
    Io(#[from] io::Error),
}

/// The directory that attachments are saved to.
#[derive(Clone, Debug)]
pub struct Jail {
    directory: PathBuf,
}

impl Jail {
    /// Opens a directory that exists. A link in its path is followed here, once.
    ///
    /// # Errors
    ///
    /// [`JailError::NoDirectory`] where it isn't there.
    pub fn open(directory: &Path) -> Result<Self, JailError> {
        let directory = fs::canonicalize(directory).map_err(|_| JailError::NoDirectory)?;
        let jail = Self { directory };
        jail.check()?;
        Ok(jail)
    }

    /// Saves what a reader gives, at most `limit` bytes, under a name made from the sender's. Returns the path.
    ///
    /// # Errors
    ///
    /// See [`JailError`]. A file that couldn't be written whole is removed.
    pub fn save(&self, name: &str, content: impl Read, limit: u64) -> Result<PathBuf, JailError> {
        self.check()?;
        let (path, mut file) = self.create(&file_name(name))?;
        let written = copy(content, &mut file, limit);
        if written.is_err() {
            drop(file);
            fs::remove_file(&path)?;
        }
        written.map(|()| path)
    }

    fn check(&self) -> Result<(), JailError> {
        let is_same = fs::canonicalize(&self.directory).is_ok_and(|real| real == self.directory);
        let is_directory = fs::symlink_metadata(&self.directory).is_ok_and(|found| found.is_dir());
        if is_same && is_directory { Ok(()) } else { Err(JailError::NoDirectory) }
    }

    /// Creates a file that wasn't there: `name`, `name (2)`, `name (3)`…
    fn create(&self, name: &str) -> Result<(PathBuf, File), JailError> {
        let (stem, ending) = match name.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
            _ => (name, String::new()),
        };
        for number in 1..=NUMBERS {
            let path = match number {
                1 => self.directory.join(name),
                _ => self.directory.join(format!("{stem} ({number}){ending}")),
            };
            match create_new(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(JailError::NameTaken)
    }
}

/// Creates a file for the owner alone; fails where anything has the name, a dangling link included.
fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn copy(content: impl Read, file: &mut File, limit: u64) -> Result<(), JailError> {
    let mut bounded = content.take(limit.saturating_add(1));
    let written = io::copy(&mut bounded, file)?;
    if written > limit {
        return Err(JailError::TooLarge);
    }
    file.flush()?;
    Ok(())
}

/// A plain file name from whatever the sender wrote: no separators, controls, invisible characters, characters
/// that Windows refuses, leading dots or blanks, trailing dots or blanks, device names; of bounded length with its
/// ending kept.
pub fn file_name(name: &str) -> String {
    let visible = invisible::strip(name);
    let plain: String = visible
        .chars()
        .filter(|c| !c.is_control() && !invisible::is_line_break(*c))
        .map(|c| {
            if matches!(
                c,
                '/' | '\\'
                    | ':'
                    | '*'
                    | '?'
                    | '"'
                    | '<'
                    | '>'
                    | '|'
                    | '\u{2044}'
                    | '\u{2215}'
                    | '\u{29f8}'
                    | '\u{ff0f}'
                    | '\u{ff3c}'
            ) {
                '_'
            } else {
                c
            }
        })
        .collect();
    let trimmed = plain.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let short = shorten(trimmed);
    let short = short.trim_matches(|c: char| c == '.' || c.is_whitespace());
    if short.is_empty() {
        return "attachment".to_owned();
    }
    if is_reserved(short) { format!("_{short}") } else { short.to_owned() }
}

/// Cuts the stem so that the name fits, the ending kept where it is one.
fn shorten(name: &str) -> String {
    if name.len() <= NAME {
        return name.to_owned();
    }
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if ending.len() <= 16 => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    let room = NAME.saturating_sub(ending.len());
    format!("{}{ending}", stem.get(..stem.floor_char_boundary(room)).unwrap_or_default())
}

/// Names that Windows takes for devices, with any ending.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |device: &str| {
        stem.strip_prefix(device).is_some_and(|rest| {
            matches!(rest, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM")
        || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let long = format!("{}.pdf", "é".repeat(300));
        let cases: &[(&str, &str, &str)] = &[
            ("report.pdf", "report.pdf", "an ordinary name"),
            ("../../etc/passwd", "_.._etc_passwd", "a path up"),
            ("/etc/passwd", "_etc_passwd", "a path from the root"),
            ("C:\\Windows\\x.dll", "C__Windows_x.dll", "a Windows path"),
            ("a\u{2215}b\u{ff0f}c", "a_b_c", "look-alikes of a slash"),
            (".bashrc", "bashrc", "a hidden file"),
            ("...", "attachment", "nothing but dots"),
            ("", "attachment", "nothing"),
            ("a\0b\n\u{202e}fdp.exe", "abfdp.exe", "controls and an override"),
            ("con.txt", "_con.txt", "a device"),
            ("LPT1", "_LPT1", "another"),
            ("Žádost o účet.docx", "Žádost o účet.docx", "another language"),
            ("x. . ", "x", "an end that Windows drops"),
        ];
        for (given, wanted, why) in cases {
            assert_eq!(file_name(given), *wanted, "{why}");
        }
        let cut = file_name(&long);
        assert!(cut.len() <= NAME && cut.ends_with("é.pdf"), "{cut}");
    }

    #[test]
    fn nothing_is_replaced_and_nothing_escapes() {
        let home = tempfile::tempdir().unwrap();
        let inside = home.path().join("in");
        fs::create_dir(&inside).unwrap();
        let jail = Jail::open(&inside).unwrap();
        let first = jail.save("../a.txt", &b"one"[..], 10).unwrap();
        let second = jail.save("../a.txt", &b"two"[..], 10).unwrap();
        assert_eq!(fs::read(&first).unwrap(), b"one");
        assert_eq!(second.file_name().unwrap(), "_a (2).txt");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        assert!(matches!(jail.save("b", &b"12345"[..], 4), Err(JailError::TooLarge)));
        assert!(!inside.join("b").exists(), "what was too large is gone");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let home = tempfile::tempdir().unwrap();
        let (inside, outside) = (home.path().join("in"), home.path().join("out"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(outside.join("target"), inside.join("a.txt")).unwrap();
        let jail = Jail::open(&inside).unwrap();
        let path = jail.save("a.txt", &b"x"[..], 10).unwrap();
        assert_eq!(path.file_name().unwrap(), "a (2).txt");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "a dangling link wasn't written through");
        fs::rename(&inside, home.path().join("moved")).unwrap();
        assert!(matches!(jail.save("b", &b"x"[..], 10), Err(JailError::NoDirectory)));
        symlink(&outside, &inside).unwrap();
        assert!(matches!(jail.save("b", &b"x"[..], 10), Err(JailError::NoDirectory)), "swapped for a link");
    }
}
