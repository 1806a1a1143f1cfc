//! What is read and what isn't, with real files, links, pipes and devices.

use super::*;

/// A home with an allowed directory, one beside it, and a file in each.
struct Home {
    home: tempfile::TempDir,
    allowed: Vec<PathBuf>,
}

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for directory in ["in", "in/sub", "out", "in-beside"] {
            fs::create_dir(home.path().join(directory)).unwrap();
        }
        for (file, text) in [("in/a.txt", "one"), ("in/sub/b.txt", "two"), ("out/secret", "secret")] {
            fs::write(home.path().join(file), text).unwrap();
        }
        fs::write(home.path().join("in-beside/c.txt"), "three").unwrap();
        let allowed = vec![home.path().join("in")];
        Self { home, allowed }
    }

    fn at(&self, path: &str) -> String {
        self.home.path().join(path).display().to_string()
    }

    fn read(&self, path: &str) -> Result<OutgoingFile, OutgoingError> {
        read(&self.allowed, path, 10)
    }

    #[track_caller]
    fn is(&self, path: &str, name: &str, text: &str) {
        let file = OutgoingFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
        assert_eq!(self.read(path), Ok(file), "{path}");
    }

    #[track_caller]
    fn is_not(&self, path: &str, why: OutgoingError) {
        assert_eq!(self.read(path), Err(why), "{path}");
    }
}

#[test]
fn files_below_an_allowed_directory_are_read_by_any_path_to_them() {
    let home = Home::new();
    home.is(&home.at("in/a.txt"), "a.txt", "one");
    home.is("a.txt", "a.txt", "one");
    home.is("sub/b.txt", "b.txt", "two");
    home.is("sub/../a.txt", "a.txt", "one");
    home.is(&home.at("out/../in/sub/b.txt"), "b.txt", "two");
}

#[test]
fn what_lies_outside_and_what_is_not_there_have_one_answer() {
    let home = Home::new();
    for path in [
        home.at("out/secret"),
        home.at("out/nothing"),
        home.at("in-beside/c.txt"),
        home.at("in/../out/secret"),
        home.at("in/nothing"),
        home.at("in"),
        home.at("in/"),
        home.at(""),
        "../out/secret".to_owned(),
        "sub/../../out/secret".to_owned(),
        "/etc/passwd".to_owned(),
        String::new(),
        ".".to_owned(),
        "~/a.txt".to_owned(),
        "a.txt/".to_owned(),
        "a.txt\0.pdf".to_owned(),
    ] {
        home.is_not(&path, OutgoingError::NotThere);
    }
}

#[test]
fn the_size_is_held_to_its_limit() {
    let home = Home::new();
    fs::write(home.at("in/ten"), "0123456789").unwrap();
    fs::write(home.at("in/eleven"), "0123456789a").unwrap();
    home.is("ten", "ten", "0123456789");
    home.is_not("eleven", OutgoingError::TooLarge);
    assert_eq!(read(&home.allowed, "a.txt", 2), Err(OutgoingError::TooLarge));
}

#[test]
fn without_a_directory_nothing_is_read() {
    let home = Home::new();
    assert_eq!(read(&[], &home.at("in/a.txt"), 10), Err(OutgoingError::NoDirectories));
    let missing = [home.home.path().join("gone")];
    assert_eq!(read(&missing, &home.at("in/a.txt"), 10), Err(OutgoingError::DirectoriesMissing));
    let both = [missing[0].clone(), home.allowed[0].clone()];
    assert!(read(&both, "a.txt", 10).is_ok(), "one that is missing doesn't close the other");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::{fs::symlink, net::UnixListener};

    use super::*;

    #[test]
    fn links_lead_to_what_is_allowed_and_never_out() {
        let home = Home::new();
        symlink("sub/b.txt", home.at("in/inner")).unwrap();
        home.is("inner", "b.txt", "two");
        symlink(home.at("out/secret"), home.at("in/leak")).unwrap();
        symlink(home.at("out"), home.at("in/way")).unwrap();
        symlink("/proc/self/environ", home.at("in/env")).unwrap();
        symlink(home.at("in/loop"), home.at("in/loop")).unwrap();
        for path in ["leak", "way/secret", "way/../out/secret", "env", "loop"] {
            home.is_not(path, OutgoingError::NotThere);
        }
        // The allowed directory may itself be reached by a link.
        symlink(home.at("in"), home.at("door")).unwrap();
        let door = [home.home.path().join("door")];
        assert!(read(&door, "a.txt", 10).is_ok());
        assert_eq!(read(&door, &home.at("out/secret"), 10), Err(OutgoingError::NotThere));
    }

    #[test]
    fn only_regular_files_are_opened() {
        let home = Home::new();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            home.at("in/pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let _listener = UnixListener::bind(home.at("in/socket")).unwrap();
        for path in ["pipe", "socket", "sub"] {
            home.is_not(path, OutgoingError::NotAFile);
        }
        let devices = [PathBuf::from("/dev")];
        for path in ["/dev/null", "/dev/zero"] {
            assert_eq!(read(&devices, path, 10), Err(OutgoingError::NotAFile), "{path}");
        }
    }

    #[test]
    fn what_was_opened_must_be_what_stands_there() {
        let home = Home::new();
        let (a, b) = (home.home.path().join("in/a.txt"), home.home.path().join("in/sub/b.txt"));
        let opened = open_once(&a).unwrap().metadata().unwrap();
        assert!(is_same(&fs::symlink_metadata(&a).unwrap(), &opened));
        assert!(!is_same(&fs::symlink_metadata(&b).unwrap(), &opened));
        symlink(&a, home.at("in/link")).unwrap();
        assert!(
            open_once(&home.home.path().join("in/link")).is_err(),
            "a link put there since is not followed"
        );
    }

    #[test]
    fn a_file_that_states_no_size_is_read_to_the_limit_only() {
        let status = fs::canonicalize("/proc/self/status").unwrap();
        let directory = [status.parent().unwrap().to_owned()];
        let path = status.display().to_string();
        assert_eq!(fs::metadata(&status).unwrap().len(), 0);
        assert_eq!(read(&directory, &path, 10), Err(OutgoingError::TooLarge));
        assert!(!read(&directory, &path, 1_000_000).unwrap().bytes.is_empty());
    }
}
