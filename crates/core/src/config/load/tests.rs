//! Configurations as data: what is written, what the environment says, and what comes of it.

use std::path::PathBuf;

use countersign_send_policy::{Treatment, Treatments};
use proptest::prelude::*;

use super::*;
use crate::tools::Grant;

const CONNECTION: &[EnvVar] = &[
    EnvVar::connection("COUNTERSIGN_IMAP_ADDRESS", "address", "The address."),
    EnvVar::connection("COUNTERSIGN_IMAP_USER", "user", "The user name."),
    EnvVar::connection("COUNTERSIGN_IMAP_HOST", "imap.host", "The server."),
    EnvVar::connection("COUNTERSIGN_IMAP_PORT", "imap.port", "Its port."),
    EnvVar::connection("COUNTERSIGN_IMAP_FILE_SENT", "file_sent", "Whether a copy is filed."),
    EnvVar::password("COUNTERSIGN_IMAP_PASSWORD", "The password."),
];

fn sources(environment: &Environment, read_only: bool) -> Sources<'_> {
    Sources {
        binary: "countersign-imap",
        provider: "imap",
        connection: CONNECTION,
        environment,
        config_file: Some(Path::new("/cfg/imap.toml")),
        read_only,
    }
}

fn load(text: &str, variables: &[(&str, &str)]) -> Config {
    let env = Environment::of([("HOME", "/home/jan")].iter().chain(variables).copied());
    Config::of_text(&sources(&env, false), text).unwrap()
}

/// The fault that a file leads to, the whole configuration's or the first account's.
fn fault(text: &str) -> String {
    let config = load(text, &[]);
    let first = config.accounts.first().and_then(|account| account.fault.clone());
    config.fault.or(first).map_or_else(|| "none".to_owned(), |fault| fault.to_string())
}

const WHOLE: &str = r#"
# A comment.
[accounts.work]
address = "jan@example.com"
display_name = "Jan Novák"
aliases = ["jan.novak@example.com"]
user = "jan"
capabilities = ["read", "draft", "send"]
protection = "off"
confirm = "always"
allow = ["example.org", "eva@example.com"]
known = ["accountant@example.net"]
max_recipients = 5
max_sends = 7
max_new_addresses = 3
sends_per_hour = 2
to_new = "as-is"
to_new_exposed = "refused"
to_known = "plain-text"
to_known_exposed = "refused"
without_elicitation = "token"
attachment_dir = "~/Downloads"
attachment_dirs = ["~/Outbox", "/srv/forms"]
max_attachment_mb = 10
file_sent = false
imap.host = "imap.example.com"
[accounts.work.imap.extra]
"#;

#[test]
fn every_setting_is_read() {
    let text = WHOLE.replace("[accounts.work.imap.extra]\n", "imap.port = 1_143\n");
    let config = load(&text, &[]);
    assert_eq!(config.fault, None);
    assert!(config.elicitation && config.warnings.is_empty() && config.password.is_none());
    let account = config.account("work").unwrap();
    assert_eq!(account.fault, None);
    assert_eq!(account.address.as_deref(), Some("jan@example.com"));
    assert_eq!(account.display_name.as_deref(), Some("Jan Novák"));
    assert_eq!(account.aliases, ["jan.novak@example.com"]);
    assert_eq!(account.sign_in_name(), Ok("jan"));
    assert_eq!(account.grants.names(), ["read", "draft", "send"]);
    assert_eq!((&account.level, account.level_written), (&Level::Off, true));
    assert_eq!(account.rules.allow, ["example.org", "eva@example.com"]);
    let Treatments { to_new, to_new_exposed, to_known, to_known_exposed } = account.rules.treatments;
    assert_eq!(
        [to_new, to_new_exposed, to_known, to_known_exposed].map(Treatment::as_str),
        ["as-is", "refused", "plain-text", "refused"]
    );
    let rules = &account.rules;
    assert_eq!((rules.max_recipients, rules.max_sends, rules.max_new_addresses), (5, 7, 3));
    assert_eq!(
        (rules.sends_per_hour, rules.known.as_slice()),
        (Some(2), &["accountant@example.net".to_owned()][..])
    );
    assert_eq!(rules.without_elicitation, WithoutElicitation::Token);
    assert_eq!(account.save_dir.as_deref(), Some(Path::new("/home/jan/Downloads")));
    let directories = ["/home/jan/Outbox", "/srv/forms"].map(PathBuf::from).to_vec();
    assert_eq!(account.attachable, Allowance { directories, most_bytes: 10_485_760 });
    assert_eq!(account.connection.text("imap.host"), Ok(Some("imap.example.com")));
    assert_eq!(account.connection.port("imap.port"), Ok(Some(1143)));
    assert_eq!(account.connection.flag("file_sent"), Ok(Some(false)));
    assert!(!account.from_environment);
}

#[test]
fn the_environment_closes_the_token_rail_and_never_opens_it() {
    let text = |written: &str| format!("[accounts.work]\naddress = \"jan@example.com\"\n{written}\n");
    let token = "without_elicitation = \"token\"";
    for (written, mode, expected) in [
        (token, "", WithoutElicitation::Token),
        (token, "auto", WithoutElicitation::Token),
        (token, "refuse", WithoutElicitation::Refuse),
        (token, "nonsense", WithoutElicitation::Refuse),
        ("", "auto", WithoutElicitation::Refuse),
    ] {
        let config = load(&text(written), &[("MCP_CONFIRM_MODE", mode)]);
        let rules = &config.account("work").unwrap().rules;
        assert_eq!(rules.without_elicitation, expected, "{written} {mode}");
    }
}

#[test]
fn what_is_not_written_is_the_default() {
    let config = load("[accounts.work]\naddress = \"jan@example.com\"\n", &[]);
    let account = config.account("work").unwrap();
    assert_eq!(account.fault, None);
    assert_eq!(account.grants, Grants::all());
    assert_eq!((&account.level, account.level_written), (&Level::Off, false));
    assert_eq!(account.rules, RulesConfig::default());
    assert_eq!(account.attachable, Allowance { directories: Vec::new(), most_bytes: 26_214_400 });
    assert_eq!(account.sign_in_name(), Ok("jan@example.com"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "cases, each in its own words")]
fn wrong_files_say_what_to_correct() {
    let file = "/cfg/imap.toml";
    let in_account = |line: &str| format!("[accounts.work]\naddress = \"jan@example.com\"\n{line}\n");
    let unusable = |setting: &str, problem: &str| {
        format!("The setting `accounts.work.{setting}` can't be used: {problem}.")
    };
    let syntax = |line: usize, problem: &str| {
        format!("The configuration file {file} has an error at line {line}: {problem}.")
    };
    for (text, expected) in [
        (String::new(), format!("No account is configured: run `countersign-imap login`, or write {file}.")),
        (
            "acounts = 1\n".to_owned(),
            format!(
                "`acounts` at line 1 of {file} is not a setting. Those of this place are: accounts, read_only."
            ),
        ),
        (
            "\n[account.work]\n".to_owned(),
            format!(
                "`account` at line 2 of {file} is not a setting. Those of this place are: accounts, read_only."
            ),
        ),
        ("accounts = 3\n".to_owned(), syntax(1, "`accounts` must hold tables, as in [accounts.work]")),
        ("read_only = \"no\"\n".to_owned(), syntax(1, "`read_only` must be true or false")),
        (
            "[accounts.\"a b\"]\n".to_owned(),
            syntax(1, "an account's name is 1 to 64 of the characters A-Z, a-z, 0-9, `-`, `_` and `.`"),
        ),
        (
            in_account("imap.hots = \"x\""),
            format!(
                "`accounts.work.imap.hots` at line 3 of {file} is not a setting. Those of this place are: address, \
                 aliases, allow, attachment_dir, attachment_dirs, capabilities, confirm, display_name, file_sent, \
                 imap.host, imap.port, known, max_attachment_mb, max_new_addresses, max_recipients, max_sends, \
                 protection, read_only, sends_per_hour, to_known, to_known_exposed, to_new, to_new_exposed, user, \
                 without_elicitation."
            ),
        ),
        (
            in_account("\n\npassword = \"hunter2\""),
            format!(
                "`accounts.work.password` at line 5 of {file} is a secret, and secrets are not kept in this file: \
                 remove it and run `countersign-imap login`."
            ),
        ),
        (
            in_account("imap.password = \"hunter2\""),
            format!(
                "`accounts.work.imap.password` at line 3 of {file} is a secret, and secrets are not kept in this file: \
                 remove it and run `countersign-imap login`."
            ),
        ),
        (
            in_account("capabilities = [\"read\", \"sned\"]"),
            unusable(
                "capabilities",
                "the capabilities are \"read\", \"draft\", \"modify\", \"trash\" and \"send\"",
            ),
        ),
        (
            in_account("capabilities = \"read\""),
            unusable("capabilities", "it must be a list of texts, as in [\"one\", \"two\"]"),
        ),
        (
            in_account("confirm = \"maybe\""),
            unusable("confirm", "it is \"always\", \"new-recipients\" or \"never\""),
        ),
        (
            in_account("allow = []"),
            unusable(
                "allow",
                "an empty list allows nobody; leave the line out, or take \"send\" out of `capabilities`",
            ),
        ),
        (
            in_account("confirm = \"never\""),
            unusable(
                "confirm",
                "\"never\" needs `allow`: without a question, mail goes only to the addresses written there",
            ),
        ),
        (in_account("confirm = \"never\"\nallow = [\"example.org\"]"), "none".to_owned()),
        (
            in_account("to_new = \"plain\""),
            unusable("to_new", "it is \"as-is\", \"plain-text\" or \"refused\""),
        ),
        (in_account("to_known_exposed = true"), unusable("to_known_exposed", "it must be a text in quotes")),
        (
            in_account("without_elicitation = \"auto\""),
            unusable("without_elicitation", "it is \"refuse\" or \"token\""),
        ),
        (in_account("sends_per_hour = -1"), unusable("sends_per_hour", "the number is out of range")),
        (in_account("max_sends = -1"), unusable("max_sends", "the number is out of range")),
        (in_account("max_sends = 99999999999999999999"), unusable("max_sends", "it must be a whole number")),
        (in_account("max_recipients = 2.5"), unusable("max_recipients", "it must be a whole number")),
        (in_account("read_only = 1"), unusable("read_only", "it must be true or false")),
        (
            in_account("attachment_dir = \"Downloads\""),
            unusable("attachment_dir", "the path must be absolute or begin with `~/`"),
        ),
        (
            "[accounts.work]\naddress = \"jan\"\n".to_owned(),
            unusable("address", "it must be a bare address, as in jan@example.com"),
        ),
        (
            in_account("aliases = [\"Jan <jan@example.com>\"]"),
            unusable("aliases", "it must be a bare address, as in jan@example.com"),
        ),
        (in_account("user = \"a\\r\\nb\""), unusable("user", "it has control characters in it")),
    ] {
        assert_eq!(fault(&text), expected, "{text}");
    }
}

#[test]
fn what_may_be_attached_is_written_soundly_or_not_at_all() {
    let path = "the path must be absolute or begin with `~/`";
    for (written, setting, problem) in [
        ("attachment_dirs = [\"~/Outbox\", \"forms\"]", "attachment_dirs", path),
        (
            "attachment_dirs = \"~/Outbox\"",
            "attachment_dirs",
            "it must be a list of texts, as in [\"one\", \"two\"]",
        ),
        (
            "attachment_dirs = [\"/\"]",
            "attachment_dirs",
            "the root directory would let every file be attached",
        ),
        ("max_attachment_mb = 51", "max_attachment_mb", "the most that can be allowed is 50"),
        ("max_attachment_mb = -1", "max_attachment_mb", "the number is out of range"),
    ] {
        let text = format!("[accounts.work]\naddress = \"jan@example.com\"\n{written}\n");
        let expected = format!("The setting `accounts.work.{setting}` can't be used: {problem}.");
        assert_eq!(fault(&text), expected, "{written}");
    }
}

#[test]
fn a_broken_file_is_named_with_its_line() {
    for (text, line) in [
        ("[accounts.work]\naddress = jan@example.com\n", 2),
        ("[accounts.work]\nuser = \"a\"\nuser = \"b\"\n", 3),
        ("[accounts.work]\n\n[accounts.work]\n", 3),
        ("[accounts.work\n", 1),
    ] {
        let got = fault(text);
        assert!(
            got.starts_with(&format!("The configuration file /cfg/imap.toml has an error at line {line}: ")),
            "{got}"
        );
        assert!(!got.contains('\n'), "{got:?}");
    }
}

#[test]
fn a_fault_stays_with_its_account() {
    let config = load("[accounts.a]\nnope = 1\ncapabilities = [\"read\"]\n[accounts.b]\n", &[]);
    assert_eq!(config.fault, None);
    assert!(matches!(config.account("a").unwrap().fault, Some(ConfigFault::Unknown { line: 2, .. })));
    // What follows the fault still counts, so the account is not listed with more than its owner grants.
    assert_eq!(config.account("a").unwrap().grants.names(), ["read"]);
    assert_eq!(config.account("b").unwrap().fault, None);
}

#[test]
fn a_policy_that_cannot_be_read_grants_nothing() {
    let config = load("[accounts.a]\ncapabilities = [\"al\"]\n", &[]);
    assert!(config.account("a").unwrap().grants.names().is_empty());
}

#[test]
fn protection_is_off_only_where_it_is_written_or_nothing_is() {
    for (line, level) in [
        ("protection = \"off\"", Level::Off),
        ("protection = \"standard\"", Level::Standard),
        ("protection = \"of\"", Level::Strict),
        ("protection = false", Level::Strict),
        ("protection = 0", Level::Strict),
        ("protection = []", Level::Custom(Vec::new())),
        ("protection = [\"codes\"]", Level::Custom(vec!["codes".to_owned()])),
    ] {
        let config = load(&format!("[accounts.a]\n{line}\n"), &[]);
        let account = config.account("a").unwrap();
        assert_eq!((&account.level, account.level_written), (&level, true), "{line}");
    }
    let unreadable = load("[accounts.a]\nprotection = [1]\n", &[]);
    let account = unreadable.account("a").unwrap();
    assert!(account.fault.is_some() && account.level != Level::Off);
}

#[test]
fn the_environment_alone_makes_one_account() {
    let config = load(
        "",
        &[
            ("COUNTERSIGN_IMAP_ADDRESS", "jan@example.com"),
            ("COUNTERSIGN_IMAP_HOST", "imap.example.com"),
            ("COUNTERSIGN_IMAP_PORT", "1143"),
            ("COUNTERSIGN_IMAP_PASSWORD", "hunter2"),
        ],
    );
    assert_eq!((config.accounts.len(), &config.fault), (1, &None));
    let account = config.account("default").unwrap();
    assert!(account.from_environment && account.fault.is_none());
    assert_eq!(account.required_address(), Ok("jan@example.com"));
    assert_eq!(account.connection.port("imap.port"), Ok(Some(1143)));
    assert_eq!(config.password.unwrap().expose(), "hunter2");
}

#[test]
fn the_environment_wins_for_connections_and_never_for_policy() {
    let text = "[accounts.default]\naddress = \"jan@example.com\"\nimap.host = \"a\"\ncapabilities = [\"read\"]\n\
                [accounts.other]\nimap.host = \"b\"\n";
    let config = load(text, &[("COUNTERSIGN_IMAP_HOST", "c"), ("COUNTERSIGN_IMAP_PASSWORD", "hunter2")]);
    assert_eq!(config.accounts.len(), 2);
    let account = config.account("default").unwrap();
    assert_eq!(account.connection.text("imap.host"), Ok(Some("c")));
    assert_eq!(account.grants.names(), ["read"]);
    assert!(account.from_environment);
    let other = config.account("other").unwrap();
    assert_eq!(other.connection.text("imap.host"), Ok(Some("b")));
    assert!(!other.from_environment);
}

#[test]
fn with_an_unreadable_file_the_environment_adds_no_account() {
    let config = load("nonsense", &[("COUNTERSIGN_IMAP_HOST", "c")]);
    assert!(config.accounts.is_empty());
    assert!(matches!(config.fault, Some(ConfigFault::Syntax { line: 1, .. })));
}

#[test]
fn faults_of_variables_name_the_variable() {
    let config = load("", &[("COUNTERSIGN_IMAP_ADDRESS", "jan")]);
    let fault = config.account("default").unwrap().fault.clone().unwrap();
    assert_eq!(
        fault.to_string(),
        "The setting `COUNTERSIGN_IMAP_ADDRESS` can't be used: it must be a bare address, as in jan@example.com."
    );
}

#[test]
fn a_password_for_nobody_is_said() {
    let config = load("[accounts.work]\n", &[("COUNTERSIGN_IMAP_PASSWORD", "hunter2")]);
    assert_eq!(config.warnings.len(), 1);
    assert!(!config.warnings.concat().contains("hunter2"));
    assert!(!config.account("work").unwrap().from_environment);
}

#[test]
fn files_are_read_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("imap.toml");
    let home = folder.path().to_str().unwrap();
    let env = Environment::of([("HOME", home), ("XDG_CONFIG_HOME", home)]);
    let load = |config_file: Option<&Path>| Config::load(&Sources { config_file, ..sources(&env, false) });
    // No file that anybody named is no configuration; a missing one that was named is a fault of its own.
    assert!(matches!(load(None).fault, Some(ConfigFault::NoAccount { .. })));
    assert!(matches!(
        load(Some(&file)).fault,
        Some(ConfigFault::Unreadable { problem: io::ErrorKind::NotFound, .. })
    ));
    assert!(matches!(load(Some(folder.path())).fault, Some(ConfigFault::Unreadable { .. })));
    fs::write(&file, "[accounts.work]\n").unwrap();
    assert!(load(Some(&file)).account("work").is_some());
    let nowhere = Environment::default();
    let lost = Config::load(&Sources { config_file: None, ..sources(&nowhere, false) });
    assert_eq!(lost.fault, Some(ConfigFault::NoHome));
}

#[test]
fn read_only_leaves_reading() {
    let env = Environment::of([("HOME", "/home/jan")]);
    let flag = Config::of_text(&sources(&env, true), "[accounts.a]\n").unwrap();
    let whole = load("read_only = true\n[accounts.a]\n", &[]);
    let one = load("[accounts.a]\nread_only = true\n", &[]);
    for config in [flag, whole, one] {
        assert_eq!(config.account("a").unwrap().grants.names(), ["read"]);
    }
}

fn any_grants() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::sample::subsequence(Grant::EVERY.map(Grant::name).to_vec(), 0..=5)
}

proptest! {
    /// Whatever the policy variables hold, sensible or not: an account keeps at most what its file grants, and exactly
    /// that where they are absent; rules and protection are the file's.
    #[test]
    fn the_environment_only_narrows(
        granted in any_grants(),
        asked in any_grants(),
        noise in "[a-z ,=]{0,8}",
        read_only in prop_oneof![Just(String::new()), Just("0".to_owned()), Just("1".to_owned()), ".{0,5}"],
        elicitation in prop_oneof![Just("on".to_owned()), Just("off".to_owned()), ".{0,5}"],
        mode in prop_oneof![Just("auto".to_owned()), ".{0,5}"],
    ) {
        let text = format!("[accounts.default]\nprotection = \"strict\"\nmax_sends = 3\ncapabilities = {granted:?}\n");
        let bare = load(&text, &[]);
        let narrowed = load(&text, &[
            ("COUNTERSIGN_CAPABILITIES", &format!("{}{noise}", asked.join(","))),
            ("COUNTERSIGN_READ_ONLY", &read_only),
            ("MCP_CONFIRM_ELICITATION", &elicitation),
            ("MCP_CONFIRM_MODE", &mode),
        ]);
        let (bare, narrow) = (bare.account("default").unwrap(), narrowed.account("default").unwrap());
        prop_assert_eq!(bare.grants.names(), granted.clone());
        prop_assert!(narrow.grants.names().iter().all(|name| granted.contains(name)));
        prop_assert_eq!(&narrow.level, &Level::Strict);
        prop_assert_eq!(&narrow.rules, &bare.rules);
        prop_assert!(narrowed.elicitation || elicitation.trim().eq_ignore_ascii_case("off"));
    }
}
