//! What `status` says, and with which exit code.

use super::*;
use crate::{
    cli::testing::{Entries, Fake, Screen},
    config::Environment,
};

/// What is said of a configuration file, and whether all is well.
fn status(text: &str, asked: &StatusArgs, variables: &[(&str, &str)]) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fake.toml");
    std::fs::write(&file, text).unwrap();
    let home = folder.path().to_str().unwrap();
    let environment = Environment::of([("HOME", home)].iter().chain(variables).copied());
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
    let code = run::<Fake>(&mut console, &sources, asked, Arc::<Entries>::default()).unwrap();
    (screen.text().replace(home, "~"), code == ExitCode::SUCCESS)
}

const ACCOUNT: &str = "[accounts.work]\naddress = \"jan@example.com\"\nimap.host = \"imap.example.com\"\n";

#[test]
fn an_account_is_shown_with_all_that_matters() {
    let (said, well) = status(ACCOUNT, &StatusArgs::default(), &[]);
    assert_eq!(
        said,
        "countersign-fake 0.0.1\n\
         \x20 configuration  ~/fake.toml\n\
         \x20 sign-ins       ~/.local/share/countersign/fake-credentials.json\n\
         \x20 state          ~/.local/state/countersign/state.sqlite\n\
         \n\
         work (jan@example.com)\n\
         \x20 signs in as    jan@example.com at imap.example.com\n\
         \x20 may            read, draft, modify, trash, send\n\
         \x20 protection     off (nothing is written; in this version that means off)\n\
         \x20 password       not kept: run `login`\n"
    );
    assert!(well);
}

#[test]
fn faults_show_and_fail() {
    for (text, expected) in [
        ("", "! No account is configured: run `countersign-fake login`, or write ~/fake.toml."),
        ("[accounts.work]\n", "! The setting `accounts.work.imap.host` is missing."),
        (
            &format!("{ACCOUNT}protection = \"standard\"\n"),
            "! The protection level \"standard\" is not available in this version",
        ),
        (
            &format!("{ACCOUNT}imap.prot = 1\n"),
            "! `accounts.work.imap.prot` at line 4 of ~/fake.toml is not a setting.",
        ),
    ] {
        let (said, well) = status(text, &StatusArgs::default(), &[]);
        assert!(said.contains(expected), "{said}");
        assert!(!well, "{said}");
    }
}

#[test]
fn a_check_signs_in_and_its_failure_fails() {
    let check = StatusArgs { check: true, json: false };
    let (said, well) = status(ACCOUNT, &check, &[]);
    assert!(said.contains("  sign-in        works\n") && well, "{said}");
    let (said, well) = status(&format!("{ACCOUNT}imap.port = 0\n"), &check, &[]);
    assert!(said.contains("failed: The setting `accounts.work.imap.port` can't be used"), "{said}");
    assert!(!well);
}

#[test]
fn json_says_the_same_and_no_secret() {
    let json = StatusArgs { json: true, check: false };
    let variables = [
        ("COUNTERSIGN_IMAP_PASSWORD", "hunter2"),
        ("COUNTERSIGN_IMAP_HOST", "h"),
        ("COUNTERSIGN_READ_ONLY", "1"),
        ("MCP_CONFIRM_ELICITATION", "off"),
    ];
    let (said, _) = status("[accounts.default]\naddress = \"jan@example.com\"\n", &json, &variables);
    assert!(!said.contains("hunter2"));
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["prompts"], false);
    let account = &said["accounts"][0];
    assert_eq!(account["capabilities"], serde_json::json!(["read"]));
    assert_eq!(account["credential"], "environment");
    assert_eq!(
        account["protection"],
        serde_json::json!({ "level": "off", "written": false, "available": true })
    );
}
