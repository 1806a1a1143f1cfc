//! Signing in: what is asked, what is kept, and what stays as it was.

use std::path::PathBuf;

use super::*;
use crate::{
    cli::{
        args::{LogoutArgs, StatusArgs},
        logout, status,
        testing::{Entries, Fake, Screen},
    },
    config::Environment,
};

struct Bench {
    folder: tempfile::TempDir,
    keychain: Arc<Entries>,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), keychain: Arc::default() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(".config/countersign/fake.toml")
    }

    fn write(&self, text: &str) {
        config::replace(&self.file(), text.as_bytes(), true).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap_or_default()
    }

    fn with<T>(&self, work: impl FnOnce(&Sources<'_>) -> T) -> T {
        let environment = Environment::of([("HOME", self.folder.path())]);
        work(&Sources {
            binary: Fake::BINARY,
            provider: Fake::NAME,
            connection: Fake::CONNECTION,
            environment: &environment,
            config_file: None,
            read_only: false,
        })
    }

    /// Signs in with this input; what was said, or why not.
    fn login(&self, account: Option<&str>, given: &[(&str, &str)], input: &str) -> Result<String, String> {
        let screen = Screen::default();
        let mut console = Console::of_memory(input, screen.clone(), false);
        let asked = LoginArgs { account: account.map(str::to_owned), no_keychain: false };
        let given = given.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let keychain = Arc::clone(&self.keychain) as Arc<dyn Keychain>;
        self.with(|sources| run::<Fake>(&mut console, sources, &asked, given, keychain))
            .map(|()| screen.text())
            .map_err(|error| format!("{error:#}"))
    }

    fn status(&self) -> serde_json::Value {
        let screen = Screen::default();
        let mut console = Console::of_memory("", screen.clone(), false);
        let keychain = Arc::clone(&self.keychain) as Arc<dyn Keychain>;
        self.with(|sources| {
            status::run::<Fake>(&mut console, sources, &StatusArgs { json: true, check: false }, keychain)
        })
        .unwrap();
        serde_json::from_str(&screen.text()).unwrap()
    }
}

#[test]
fn a_first_account_is_added_checked_and_kept() {
    let bench = Bench::new();
    let said = bench.login(None, &[("address", "jan@example.com")], "hunter2\n").unwrap();
    assert_eq!(
        bench.text(),
        "[accounts.default]\naddress = \"jan@example.com\"\nimap.host = \"imap.example.com\"\n"
    );
    assert!(said.contains("Signing in to imap.example.com") && said.contains("in the keychain"), "{said}");
    assert!(said.contains("claude mcp add countersign -- countersign-fake"), "{said}");
    assert!(!said.contains("hunter2"));
    let status = bench.status();
    assert_eq!(status["accounts"][0]["credential"], "keychain");
    let origin =
        serde_json::json!({ "provider": "fake", "host": "imap.example.com", "user": "jan@example.com" });
    assert_eq!(status["accounts"][0]["origin"], origin);
}

#[test]
fn what_is_in_the_file_stays_and_a_second_account_goes_below_it() {
    let bench = Bench::new();
    let before = "# mine\n[accounts.work] # keep\naddress = \"a@example.com\"\nimap.host = \"h\"\n";
    bench.write(before);
    bench
        .login(Some("home"), &[("address", "b@example.org"), ("user", "bee"), ("imap.port", "1143")], "x\n")
        .unwrap();
    let after = bench.text();
    assert!(after.starts_with(before), "{after}");
    assert!(
        after.ends_with("\n[accounts.home]\naddress = \"b@example.org\"\nuser = \"bee\"\nimap.host = \"imap.example.org\"\nimap.port = 1143\n"),
        "{after}"
    );
}

#[test]
fn an_account_that_is_there_gets_a_new_password_and_nothing_else() {
    let bench = Bench::new();
    let before = "[accounts.work]\naddress = \"a@example.com\"\nimap.host = \"h\"\n";
    bench.write(before);
    let said = bench.login(None, &[], "hunter2\n").unwrap();
    assert!(said.contains("Renewing the sign-in of `work`."), "{said}");
    assert_eq!(bench.text(), before);
    let refused = bench.login(Some("work"), &[("imap.host", "other")], "x\n").unwrap_err();
    assert!(refused.starts_with("The account `work` is in "), "{refused}");
    assert_eq!(bench.text(), before);
}

#[test]
fn nothing_is_kept_where_something_is_wrong() {
    for (account, given, input, expected) in [
        (
            None,
            &[] as &[(&str, &str)],
            "x\n",
            "Give the address with --address: there is no terminal to ask on",
        ),
        (None, &[("address", "jan@example.com")], "", "No password was given: unexpected end of file"),
        (
            None,
            &[("address", "jan")],
            "x\n",
            "The setting `accounts.default.address` can't be used: it must be a bare address, as in jan@example.com.",
        ),
        (
            None,
            &[("address", "jan@example.com"), ("imap.port", "99999")],
            "x\n",
            "The setting `accounts.default.imap.port` can't be used: it must be a whole number.",
        ),
        (
            Some("a b"),
            &[("address", "jan@example.com")],
            "x\n",
            "An account's name is 1 to 64 of the characters A-Z, a-z, 0-9, `-`, `_` and `.`",
        ),
    ] {
        let bench = Bench::new();
        assert_eq!(bench.login(account, given, input), Err(expected.to_owned()));
        assert!(!bench.file().exists(), "{expected}");
        assert_eq!(bench.status()["accounts"], serde_json::json!([]));
    }
}

#[test]
fn a_broken_file_is_not_written_to() {
    let bench = Bench::new();
    bench.write("[accounts.work]\nnonsense");
    let refused = bench.login(Some("home"), &[("address", "b@example.org")], "x\n").unwrap_err();
    assert!(refused.contains("has an error at line 2"), "{refused}");
    assert_eq!(bench.text(), "[accounts.work]\nnonsense");
}

#[test]
fn with_several_accounts_one_has_to_be_named() {
    let bench = Bench::new();
    bench.write("[accounts.a]\n[accounts.b]\n");
    assert_eq!(bench.login(None, &[], "x\n"), Err("Say which account: a, b, or a new name".to_owned()));
}

#[test]
fn without_a_keychain_the_file_is_used_and_named() {
    let bench = Bench { keychain: Entries::absent(), ..Bench::new() };
    let said = bench.login(None, &[("address", "jan@example.com")], "hunter2\n").unwrap();
    assert!(said.contains("Warning: there is no keychain on this machine."), "{said}");
    assert!(said.contains("fake-credentials.json, which only you can read"), "{said}");
    assert_eq!(bench.status()["accounts"][0]["credential"], "file");
}

#[test]
fn a_person_is_asked_for_what_is_missing() {
    let mut console = Console::of_memory("jan@example.com\n\nmail.example.com\n", io::sink(), true);
    let settings = ask::<Fake>(&mut console, Vec::new()).unwrap();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(settings, [pair("address", "jan@example.com"), pair("imap.host", "mail.example.com")]);
}

#[test]
fn logging_out_removes_the_password_and_leaves_the_account() {
    let bench = Bench::new();
    bench.login(None, &[("address", "jan@example.com")], "hunter2\n").unwrap();
    let text = bench.text();
    for expected in
        ["The password of `default` is gone from the keychain.\n", "No password of `default` was kept.\n"]
    {
        let screen = Screen::default();
        let mut console = Console::of_memory("", screen.clone(), false);
        let keychain = Arc::clone(&bench.keychain) as Arc<dyn Keychain>;
        bench
            .with(|sources| logout::run::<Fake>(&mut console, sources, &LogoutArgs::default(), keychain))
            .unwrap();
        assert_eq!(screen.text(), expected);
    }
    assert_eq!(bench.text(), text);
    assert_eq!(bench.status()["accounts"][0]["credential"], serde_json::Value::Null);
}
