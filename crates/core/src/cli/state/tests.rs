//! What `state` says, of a file that was filled through the policy itself.

use countersign_send_policy::{CallScope, Principal};
use serde_json::Value;

use super::*;
use crate::{
    cli::testing::{Entries, Fake, Screen},
    config::Environment,
};

const ACCOUNT: &str = "[accounts.default]\naddress = \"jan@example.com\"\nimap.host = \"imap.example.com\"\n";

struct Machine {
    folder: tempfile::TempDir,
    keychain: Arc<Entries>,
}

impl Machine {
    fn new(text: &str) -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap(), keychain: Arc::default() };
        std::fs::write(machine.folder.path().join("fake.toml"), text).unwrap();
        machine
    }

    fn environment(&self) -> Environment {
        let home = self.folder.path().to_str().unwrap();
        Environment::of([("HOME", home), ("COUNTERSIGN_IMAP_PASSWORD", "hunter2")])
    }

    fn state_file(&self) -> std::path::PathBuf {
        self.folder.path().join(".local/state/countersign/state.sqlite")
    }

    /// What is said, and whether all is well.
    fn state(&self, asked: &StateArgs) -> anyhow::Result<(String, bool)> {
        let environment = self.environment();
        let file = self.folder.path().join("fake.toml");
        let sources = Sources {
            binary: Fake::BINARY,
            provider: Fake::NAME,
            connection: Fake::CONNECTION,
            environment: &environment,
            config_file: Some(&file),
            read_only: false,
        };
        let screen = Screen::default();
        let mut console = Console::of_memory("", screen.clone(), false);
        let code = run::<Fake>(&mut console, &sources, asked, Arc::clone(&self.keychain) as _)?;
        let home = self.folder.path().to_str().unwrap();
        Ok((screen.text().replace(home, "~"), code == ExitCode::SUCCESS))
    }
}

#[test]
fn looking_makes_no_file() {
    let machine = Machine::new(ACCOUNT);
    let (said, well) = machine.state(&StateArgs::default()).unwrap();
    assert_eq!(said, "state  ~/.local/state/countersign/state.sqlite\n\ndefault\n  nothing is recorded\n");
    assert!(well && !machine.state_file().exists());
}

#[test]
fn an_exposure_is_shown_in_both_forms() {
    let machine = Machine::new(ACCOUNT);
    let file = machine.folder.path().join("fake.toml");
    let environment = machine.environment();
    let sources = Sources {
        binary: Fake::BINARY,
        provider: Fake::NAME,
        connection: Fake::CONNECTION,
        environment: &environment,
        config_file: Some(&file),
        read_only: false,
    };
    let (config, credentials) = load(&sources, Arc::clone(&machine.keychain) as _);
    let account = &config.accounts[0];
    let origin = Fake::origin(account).unwrap();
    let runtime = runtime().unwrap();
    let principal: Principal =
        runtime.block_on(credentials.for_account(account, &origin).principal()).unwrap();
    let store: Arc<dyn StateStore> = Arc::new(Sqlite::at(machine.state_file()));
    let policy = server::policy(account, origin, principal, store);
    let call = CallScope::default();
    runtime.block_on(policy.expose(&call)).map(drop).unwrap();
    let (said, well) = machine.state(&StateArgs::default()).unwrap();
    assert!(well && said.contains("\n  sends left     50 of 50 in 24 hours\n"), "{said}");
    assert!(said.contains("\n  new addresses  10 of 10 left in 24 hours\n"), "{said}");
    assert!(!said.contains("not exposed") && said.contains("  first seen     20"), "{said}");
    let asked = StateArgs { account: Some("default".into()), json: true };
    let (said, _) = machine.state(&asked).unwrap();
    let shown: Value = serde_json::from_str(&said).unwrap();
    let shown = &shown["accounts"][0];
    assert!(shown["exposed_until"].as_str().is_some_and(|at| at.ends_with('Z')), "{said}");
    assert_eq!((&shown["sends"]["left"], &shown["problem"]), (&Value::from(50), &Value::Null));
    assert!(!said.contains("hunter2"));
}

#[test]
fn what_cannot_be_told_says_why_and_fails() {
    let machine = Machine::new(ACCOUNT);
    std::fs::create_dir_all(machine.state_file().parent().unwrap()).unwrap();
    std::fs::write(machine.state_file(), "not a database, but long enough to be read as one. ".repeat(9))
        .unwrap();
    let (said, well) = machine.state(&StateArgs::default()).unwrap();
    assert!(!well && said.contains("  ! ") && said.contains("damaged"), "{said}");
    let nobody = StateArgs { account: Some("other".into()), json: false };
    assert!(machine.state(&nobody).is_err());
    assert!(Machine::new("").state(&StateArgs::default()).is_err());
    let (said, well) =
        Machine::new(&format!("{ACCOUNT}confirm = \"never\"\n")).state(&StateArgs::default()).unwrap();
    // The file isn't there, so nothing has to be told of the account.
    assert!(well && said.contains("nothing is recorded"), "{said}");
}

#[test]
fn everything_recorded_has_its_line() {
    let at = UNIX_EPOCH + std::time::Duration::from_hours(500_000);
    let cap = |max, left| Cap { max, left };
    let known = |found: bool| Known {
        address: "friend@example.net".into(),
        found_in_sent: found.then(|| shown(at)),
        confirmed: Some(shown(at)),
    };
    let claimed = |key: &str, outcome| claim(ClaimRecord { key: key.into(), at, outcome });
    let recorded = Recorded {
        first_seen: None,
        exposed_until: None,
        sends: cap(50, 3),
        sends_per_hour: Some(4),
        new_addresses: cap(10, 0),
        unsettled: 2,
        claims: vec![
            claimed("a@x", Some(SentOutcome::Accepted)),
            claimed("b\u{1b}[2J@x", Some(SentOutcome::Unknown)),
            claimed("c@x", None),
        ],
        new: vec![New { address: "new@example.net".into(), last_send: shown(at) }],
        known: vec![known(true), known(false)],
    };
    let mut said = Vec::new();
    recorded_lines(&recorded, &mut said);
    let t = "2027-01-15T08:00:00Z";
    assert_eq!(
        said,
        [
            "  first seen     never: nothing was read or sent".to_owned(),
            "  exposed until  not exposed".to_owned(),
            "  sends left     3 of 50 in 24 hours, at most 4 an hour".to_owned(),
            "  new addresses  0 of 10 left in 24 hours".to_owned(),
            "  ! 2 sends are of unknown outcome; look in Sent".to_owned(),
            "  begun in the last 24 hours".to_owned(),
            format!("    {t}  sent  a@x"),
            format!("    {t}  unknown  b\\u{{1b}}[2J@x"),
            format!("    {t}  refused by the server  c@x"),
            "  new addresses of the last 24 hours".to_owned(),
            format!("    {t}  new@example.net"),
            "  known".to_owned(),
            "    friend@example.net  found in Sent".to_owned(),
            format!("    friend@example.net  a send was confirmed at {t}; counts a day later"),
        ]
    );
}

#[test]
fn a_sign_in_that_is_not_kept_is_said() {
    let machine =
        Machine::new("[accounts.work]\naddress = \"jan@example.com\"\nimap.host = \"imap.example.com\"\n");
    std::fs::create_dir_all(machine.state_file().parent().unwrap()).unwrap();
    std::fs::write(machine.state_file(), "").unwrap();
    let (said, well) = machine.state(&StateArgs::default()).unwrap();
    assert!(!well && said.contains("no password is kept for this account"), "{said}");
}
