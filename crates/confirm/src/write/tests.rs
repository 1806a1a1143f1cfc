//! What a confirmation of a write is bound to, on both rails, without an MCP library.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::*;
use crate::{Declined, KeySource, Payload, Prompting, Prompts, Secret, Spent, env};

mod prompt;
mod shown;
mod token;

const NOW: Duration = Duration::from_millis(1_800_000_000_123);

/// A write as a test wants it.
#[derive(Clone)]
struct Deletion(Plan);

impl Write for Deletion {
    fn plan(&self) -> Plan {
        self.0.clone()
    }
}

fn plan() -> Plan {
    Plan::payload("item-42", Payload::from(&json!({"id": "item-42"}))).at_revision(Some("etag-7".to_owned()))
}

fn arguments(json: Value) -> Map<String, Value> {
    let Value::Object(map) = json else { panic!("an object") };
    map
}

/// One call of a test's server.
struct Caller {
    writes: Writes,
    tool: &'static str,
    action: &'static str,
    account: Option<&'static str>,
    arguments: Map<String, Value>,
    plan: Plan,
    prompting: Prompting,
    after: Duration,
}

impl Caller {
    fn new(prompting: Prompting, settings: Settings) -> Self {
        Self {
            writes: Writes::new(settings),
            tool: "thing_delete",
            action: "thing.delete",
            account: Some("me@example.com"),
            arguments: arguments(json!({"id": "item-42"})),
            plan: plan(),
            prompting,
            after: Duration::ZERO,
        }
    }

    fn act(&self) -> WriteAct<'_> {
        let (tool, action, account) = (self.tool, self.action, self.account);
        WriteAct { tool, action, account, arguments: &self.arguments }
    }

    fn now(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(NOW).unwrap().checked_add(self.after).unwrap()
    }

    /// What the call comes to: `done`, a sentence's code, `ask` or `preview`.
    fn come(&self, state: Option<&str>, answer: Option<&Value>) -> Came {
        let incoming = Incoming { prompting: self.prompting, state, answer };
        match self.writes.step(&incoming, &self.act(), Deletion(self.plan.clone()), self.now()) {
            Step::Confirmed(confirmed) => {
                confirmed.into_subject();
                Came::Done
            }
            Step::Ask { message, state } => Came::Ask(message, state),
            Step::Preview(preview) => Came::Preview(preview),
            Step::Declined(declined) => Came::No(declined),
        }
    }
}

#[derive(Debug)]
enum Came {
    Done,
    Ask(String, String),
    Preview(Preview),
    No(Declined),
}

impl Came {
    #[track_caller]
    fn asked(self) -> (String, String) {
        let Self::Ask(message, state) = self else { panic!("{self:?}") };
        (message, state)
    }

    #[track_caller]
    fn preview(self) -> Preview {
        let Self::Preview(preview) = self else { panic!("{self:?}") };
        preview
    }

    #[track_caller]
    fn no(self) -> Declined {
        let Self::No(declined) = self else { panic!("{self:?}") };
        declined
    }
}

fn settings() -> Settings {
    Settings {
        key: KeySource::Secret(Secret::new("correct horse battery staple")),
        spent: Spent::memory(),
        ..env::settings(&env::Variables::default()).0
    }
}

type Change = fn(&mut Caller);

/// Every way in which a call can be another one; each must be refused or asked again.
fn others() -> Vec<(&'static str, Change)> {
    vec![
        ("account", |c| c.account = Some("you@example.com")),
        ("no account", |c| c.account = None),
        ("arguments", |c| c.arguments = arguments(json!({"id": "item-43"}))),
        ("more arguments", |c| c.arguments = arguments(json!({"id": "item-42", "all": true}))),
        ("no arguments", |c| c.arguments = Map::new()),
        ("target", |c| {
            c.plan = Plan::payload("item-43", Payload::from(&json!({"id": "item-42"})))
                .at_revision(Some("etag-7".to_owned()));
        }),
        ("revision", |c| c.plan = plan().at_revision(Some("etag-8".to_owned()))),
        ("no revision", |c| c.plan = plan().at_revision(None)),
        ("payload", |c| c.plan = plan().with_payload(Payload::from(&json!({"id": "item-42", "hard": true})))),
        ("summary", |c| c.plan = plan().summary("Deletes it.")),
        ("what is shown as sent", |c| c.plan = plan().will_send("nothing")),
        ("what else is shown", |c| c.plan = plan().showing("title", "Minutes")),
    ]
}

#[test]
fn the_rail_is_chosen_from_what_is_known_and_what_is_allowed() {
    let (can, cannot, unknown) = (Prompting::Can, Prompting::Cannot, Prompting::Unknown);
    for (elicitation, mode, lifetime, prompting, way) in [
        (true, Mode::AskUser, true, can, Ok(Way::Prompt)),
        (true, Mode::Refuse, false, can, Ok(Way::Prompt)),
        (true, Mode::AskUser, true, unknown, Ok(Way::Prompt)),
        (true, Mode::Refuse, true, unknown, Ok(Way::Prompt)),
        (true, Mode::AskUser, true, cannot, Ok(Way::Token)),
        (true, Mode::Auto, true, cannot, Ok(Way::Token)),
        (true, Mode::Refuse, true, cannot, Err(Declined::ModeRefuses(Prompts::Undeclared))),
        (true, Mode::Refuse, false, cannot, Err(Declined::ModeRefuses(Prompts::Undeclared))),
        (true, Mode::Auto, false, cannot, Err(Declined::LifetimeInvalid(Prompts::Undeclared))),
        (false, Mode::AskUser, true, can, Ok(Way::Token)),
        (false, Mode::Auto, true, unknown, Ok(Way::Token)),
        (false, Mode::Refuse, true, can, Err(Declined::ModeRefuses(Prompts::Off))),
        (false, Mode::AskUser, false, can, Err(Declined::LifetimeInvalid(Prompts::Off))),
    ] {
        let lifetime = lifetime.then_some(Duration::from_mins(10));
        let caller = Caller::new(prompting, Settings { mode, elicitation, lifetime, ..settings() });
        let case = format!("{elicitation} {mode:?} {lifetime:?} {prompting:?}");
        assert_eq!(caller.writes.way(prompting), way, "{case}");
        match way {
            Ok(Way::Prompt) => drop(caller.come(None, None).asked()),
            Ok(Way::Token) => drop(caller.come(None, None).preview()),
            Err(declined) => assert_eq!(caller.come(None, None).no(), declined, "{case}"),
        }
    }
}

#[test]
fn a_tool_that_leaves_something_out_confirms_nothing() {
    let changes: [Change; 7] = [
        |c| c.tool = "",
        |c| c.action = "",
        |c| c.plan = plan().showing("action", "Deletes nothing."),
        |c| c.plan = plan().showing("method", "GET"),
        |c| c.plan = plan().showing("path", "/"),
        |c| c.plan = plan().showing("willSend", "nothing"),
        |c| c.plan = plan().showing("willSendQuery", json!({})),
    ];
    for prompting in [Prompting::Can, Prompting::Cannot] {
        for change in changes {
            let mut caller = Caller::new(prompting, settings());
            change(&mut caller);
            assert_eq!(caller.come(None, None).no(), Declined::Incomplete);
        }
    }
}

#[test]
fn without_a_usable_key_nothing_is_confirmed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("confirm.key");
    std::fs::write(&path, "short").unwrap();
    for prompting in [Prompting::Can, Prompting::Cannot] {
        let key = KeySource::File(path.clone());
        let caller = Caller::new(prompting, Settings { key, ..settings() });
        assert_eq!(caller.come(None, None).no(), Declined::KeyUnavailable);
    }
}
