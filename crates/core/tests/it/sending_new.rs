//! `send_message`, `reply_send` and `forward_message`: the draft comes first and once, whatever the person says it stays or
//! goes as a whole, and what was read to compose it is in no result.

use std::time::Duration;

use countersign_core::{
    compose::mime,
    memory::{Faults, SendFault},
    model::DraftRef,
};
use countersign_send_policy::ConfirmMode;
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    sending::{by_id, yes},
    talk::{Person, Talk, Way},
};

/// The sample mailbox of an owner to whom everybody is known.
pub(crate) fn sample() -> Bench {
    let domains = ["example.org", "example.net", "example.com", "vale-joinery.example", "brandt.example"];
    Bench::sample()
        .with(|account| account.rules.known = domains.iter().map(|domain| (*domain).to_owned()).collect())
}

fn message() -> Value {
    json!({ "to": ["Robin <robin@vale-joinery.example>"], "subject": "Kitchen", "text": "Please go ahead." })
}

/// Each tool with arguments that the sample mailbox has something for.
fn each(bench: &Bench) -> [(&'static str, Value); 3] {
    let lunch = bench.id_of("INBOX", "Message-ID: <l1@brandt.example>");
    let budget = bench.id_of("Projects", "rozpocet-2027.csv");
    [
        ("send_message", message()),
        ("reply_send", json!({ "message": lunch, "text": "Gladly." })),
        ("forward_message", json!({ "message": budget, "to": ["olga@brandt.example"] })),
    ]
}

fn drafts_made(bench: &Bench) -> usize {
    bench.mailbox().calls().iter().filter(|call| **call == "create_draft").count()
}

fn sent(bench: &Bench) -> Vec<String> {
    let sent = bench.mailbox().memory.sent();
    sent.into_iter().map(|sent| String::from_utf8_lossy(&sent.message).into_owned()).collect()
}

const NO: fn() -> Value = || json!({ "action": "decline" });

#[tokio::test(start_paused = true)]
async fn a_yes_sends_the_one_draft_that_was_stored() {
    for era in Era::ALL {
        for at in 0..3 {
            let bench = sample();
            let (tool, arguments) = each(&bench)[at].clone();
            let (drafts, copies) = (bench.count("Drafts"), bench.count("Sent"));
            let mut talk = bench.talk(era, Person::Accepts).await;
            let got = talk.call(tool, arguments).await.ok();
            assert_eq!(got.structured["sent"], true, "{tool}: {}", got.text);
            assert_eq!((talk.asked.len(), drafts_made(&bench), sent(&bench).len()), (1, 1, 1), "{tool}");
            assert_eq!((bench.count("Drafts"), bench.count("Sent")), (drafts, copies + 1), "{tool}");
            // What other people wrote was read for the draft alone: the result has none of it and nothing is exposed.
            assert!(!got.raw.to_string().contains("untrusted") && !got.raw.to_string().contains("Lunch"));
            assert!(!talk.asked[0].contains("Caution"), "{tool}: {}", talk.asked[0]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_yes_the_draft_stays_and_is_named() {
    for era in Era::ALL {
        for (person, reason) in [
            (Person::Declines, "confirmation-declined"),
            (Person::Cancels, "confirmation-cancelled"),
            (Person::ForgetsTheTick, "confirmation-unticked"),
            (Person::CannotBeAsked, "confirmation-unsupported"),
        ] {
            let bench = sample();
            let drafts = bench.count("Drafts");
            for (n, (tool, arguments)) in (1..).zip(each(&bench)) {
                let mut talk = bench.talk(era, person).await;
                let got = talk.call(tool, arguments).await.ok();
                assert_eq!(got.structured["sent"], false, "{tool}");
                assert_eq!(got.fact("reason"), reason, "{tool}");
                assert!(got.text.contains("stays in Drafts") && got.text.contains(&got.fact("draft")));
                assert_eq!((bench.count("Drafts"), sent(&bench).len()), (drafts + n, 0), "{tool}");
                talk.call("get_message", json!({ "message": got.fact("draft") })).await.ok();
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_call_again_finds_its_draft_for_ten_minutes() {
    for era in Era::ALL {
        let bench = sample();
        for (n, (tool, arguments)) in (1..).zip(each(&bench)) {
            let mut talk = bench.talk(era, Person::Declines).await;
            let first = talk.call(tool, arguments.clone()).await.ok().fact("draft");
            tokio::time::advance(Duration::from_secs(599)).await;
            let prompt = talk.first(tool, arguments.clone()).await.prompt();
            assert_eq!(talk.asked[0], prompt.message, "{tool}");
            let got = talk.answer(&prompt, yes()).await.done();
            assert_eq!((got.structured["sent"].clone(), got.fact("draft")), (json!(true), first), "{tool}");
            assert_eq!((drafts_made(&bench), sent(&bench).len()), (n, n), "{tool}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn later_or_with_other_arguments_it_is_another_draft() {
    let bench = sample();
    let mut talk = bench.talk(Era::Modern, Person::Declines).await;
    let first = talk.call("send_message", message()).await.ok().fact("draft");
    let mut other = message();
    other["text"] = json!("Please go ahead!");
    let second = talk.call("send_message", other).await.ok().fact("draft");
    tokio::time::advance(Duration::from_mins(10)).await;
    let third = talk.call("send_message", message()).await.ok().fact("draft");
    assert!(first != second && first != third && second != third);
    // A draft that is gone, or that was changed, is not found again either.
    talk.call("delete_draft", by_id(&third)).await.ok();
    let fourth = talk.call("send_message", message()).await.ok().fact("draft");
    assert_ne!(third, fourth);
    assert_eq!((drafts_made(&bench), sent(&bench).len()), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_went_out_is_not_sent_by_the_same_call_again() {
    for era in Era::ALL {
        for faults in [Faults::default(), Faults { no_exact_removal: true, ..Faults::default() }] {
            let bench = sample();
            bench.mailbox().memory.set_faults(faults);
            let mut talk = bench.talk(era, Person::Accepts).await;
            talk.call("send_message", message()).await.ok();
            let text = talk.call("send_message", message()).await.error();
            assert!(
                text.contains("Nothing was sent by this call.") && text.contains("Do not repeat"),
                "{text}"
            );
            assert_eq!((talk.asked.len(), sent(&bench).len()), (1, 1));
            tokio::time::advance(Duration::from_mins(10)).await;
            assert_eq!(talk.call("send_message", message()).await.ok().structured["sent"], true);
            assert_eq!((talk.asked.len(), sent(&bench).len()), (2, 2));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_is_not_repeated_and_a_refusal_gets_a_new_draft() {
    for (send, sent_now) in [
        (SendFault::Unknown { delivered: true }, false),
        (SendFault::Unknown { delivered: false }, false),
        (SendFault::LostBeforeHandover, true),
    ] {
        let bench = sample();
        let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
        bench.mailbox().memory.set_faults(Faults { send: Some(send), ..Faults::default() });
        let first = talk.call("send_message", message()).await.ok();
        assert_ne!(first.structured["sent"], true);
        bench.mailbox().memory.set_faults(Faults::default());
        let second = talk.call("send_message", message()).await;
        assert_eq!(second.structured["sent"] == true, sent_now, "{send:?}: {}", second.text);
        assert_eq!(second.is_error, !sent_now, "{send:?}");
        assert!(sent_now || second.text.contains("not known"), "{}", second.text);
        assert_eq!(drafts_made(&bench), 1 + usize::from(sent_now), "{send:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_draft_that_changed_between_the_rounds_is_not_sent() {
    for era in Era::ALL {
        let bench = sample();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let prompt = talk.first("send_message", message()).await.prompt();
        let held = bench.mailbox().memory.contents(&bench.folder("Drafts")).unwrap();
        let (id, _, raw) = held.into_iter().next_back().unwrap();
        let mut fields = mime::draft_fields(&raw, &DraftRef::parse(id.as_str()).unwrap()).unwrap();
        fields.bcc = fields.to.clone();
        bench.mailbox().read_instead(Some(fields));
        let got = talk.answer(&prompt, yes()).await.done();
        assert_eq!((got.fact("reason"), got.fact("draft")), ("payload-changed".to_owned(), id.to_string()));
        assert!(sent(&bench).is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn the_state_names_the_draft_to_another_process() {
    let bench = sample();
    let prompt =
        bench.talk(Era::Modern, Person::Accepts).await.first("send_message", message()).await.prompt();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let got = talk.answer(&prompt, yes()).await.done().ok();
    assert_eq!(got.structured["sent"], true, "{}", got.text);
    assert_eq!((drafts_made(&bench), sent(&bench).len()), (1, 1));
    // And once more it sends nothing.
    let text = talk.answer(&prompt, yes()).await.done().error();
    assert!(text.contains("no such draft"), "{text}");
    assert_eq!((drafts_made(&bench), sent(&bench).len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_state_that_is_not_its_own_makes_and_sends_nothing() {
    let bench = sample();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let mut prompt = talk.first("send_message", message()).await.prompt();
    let mut other = message();
    other["bcc"] = json!(["drop@evil.example"]);
    for change in ["state", "arguments"] {
        let mut changed = prompt.clone();
        let Way::State { state, call } = &mut changed.way else { panic!("a state") };
        match change {
            "state" => state.push('A'),
            _ => call["arguments"] = other.clone(),
        }
        let got = talk.answer(&changed, yes()).await.done();
        assert_eq!(got.fact("reason"), "confirmation-invalid", "{change}");
    }
    assert_eq!((drafts_made(&bench), sent(&bench).len()), (1, 0));
    let Way::State { state, .. } = &mut prompt.way else { panic!("a state") };
    state.clear();
    assert_eq!(talk.answer(&prompt, yes()).await.done().structured["sent"], false);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_came_too_late_names_the_draft() {
    let mut bench = sample();
    bench.ttl = Duration::ZERO;
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let got = talk.call("send_message", message()).await.ok();
    assert_eq!(got.fact("reason"), "confirmation-expired");
    assert!(got.text.contains(&got.fact("draft")));
    assert_eq!((drafts_made(&bench), sent(&bench).len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn what_the_rules_refuse_stays_as_a_draft_and_is_named() {
    let bench = sample().with(|account| account.rules.allow = vec!["brandt.example".to_owned()]);
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let got = talk.call("send_message", message()).await.ok();
    assert_eq!(
        (got.structured["sent"].clone(), got.fact("reason")),
        (json!(false), "not_allowed".to_owned())
    );
    assert!(got.text.contains("allow list") && got.text.contains(&got.fact("draft")), "{}", got.text);
    assert!(talk.asked.is_empty() && sent(&bench).is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_is_not_asked_is_sent_once_too() {
    let bench = sample().with(|account| {
        account.rules.allow = vec!["vale-joinery.example".to_owned()];
        account.rules.confirm = ConfirmMode::Never;
    });
    for era in Era::ALL {
        let before = sent(&bench).len();
        let mut talk = bench.talk(era, Person::CannotBeAsked).await;
        assert_eq!(talk.call("send_message", message()).await.ok().structured["sent"], true);
        talk.call("send_message", message()).await.error();
        assert_eq!(sent(&bench).len(), before + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_call_twice_at_once_makes_one_draft() {
    let bench = sample();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let hold = bench.mailbox().hold("create_draft");
    let one = talk.start("send_message", message()).await;
    let two = talk.start("send_message", message()).await;
    hold.reached(1).await;
    talk.settle().await;
    hold.release(2);
    let prompts = [talk.step(one.0, one.1).await.prompt(), talk.step(two.0, two.1).await.prompt()];
    assert_eq!(drafts_made(&bench), 1);
    let ends = [talk.answer(&prompts[0], yes()).await.done(), talk.answer(&prompts[1], yes()).await.done()];
    assert_eq!((ends[0].structured["sent"].clone(), ends[1].is_error), (json!(true), true));
    assert_eq!(sent(&bench).len(), 1);
}

fn header<'a>(raw: &'a str, name: &str) -> Vec<&'a str> {
    let head = raw.split_once("\r\n\r\n").unwrap().0;
    let value = head.split_once(&format!("\r\n{name}: ")).map(|(_, value)| value);
    let mut lines = value.unwrap_or_default().split("\r\n");
    let first = lines.next().into_iter();
    let folded = lines.take_while(|line| line.starts_with([' ', '\t']));
    first.chain(folded).flat_map(str::split_whitespace).collect()
}

async fn answered(talk: &mut Talk, bench: &Bench, arguments: Value) -> (Vec<String>, String) {
    talk.call("reply_send", arguments).await.ok();
    let sent = bench.mailbox().memory.sent().pop().unwrap();
    (sent.forward_paths, String::from_utf8_lossy(&sent.message).into_owned())
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_threaded_and_goes_to_whom_it_should() {
    for era in Era::ALL {
        let bench = sample();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let kitchen = bench.id_of("INBOX", "Message-ID: <k3@vale-joinery.example>");
        let (to, raw) = answered(&mut talk, &bench, json!({ "message": kitchen, "text": "Monday." })).await;
        assert_eq!(to, ["robin@vale-joinery.example"]);
        assert_eq!(header(&raw, "In-Reply-To"), ["<k3@vale-joinery.example>"]);
        assert_eq!(header(&raw, "References").last(), Some(&"<k3@vale-joinery.example>"));
        assert_eq!(header(&raw, "References").len(), 4);
        assert!(header(&raw, "Subject").starts_with(&["Re:", "Kitchen:"]), "{raw}");
        let lunch = bench.id_of("INBOX", "Message-ID: <l3@example.net>");
        let all = json!({ "message": lunch, "text": "Friday!", "all": true, "bcc": ["hidden@example.org"] });
        let (to, raw) = answered(&mut talk, &bench, all).await;
        assert_eq!(
            to,
            ["mei.lin@example.net", "olga@brandt.example", "sam.okafor@example.net", "hidden@example.org"]
        );
        assert!(!raw.contains("hidden@example.org") && raw.contains("Friday!"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_draft_is_sent_only_with_the_fingerprint_that_is_expected() {
    for era in Era::ALL {
        let bench = sample();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let stored = talk.call("create_draft", message()).await.ok();
        let with =
            |fingerprint: &str| json!({ "draft": stored.fact("draft"), "expect_fingerprint": fingerprint });
        let print = stored.fact("fingerprint");
        let got = talk.call("send_draft", with(&"0".repeat(64))).await.ok();
        assert_eq!(
            (got.structured["sent"].clone(), got.fact("reason").as_str()),
            (json!(false), "fingerprint_differs")
        );
        for bad in ["", "abc", &"g".repeat(64), print.trim_end_matches(print.chars().last().unwrap())] {
            let text = talk.call("send_draft", with(bad)).await.error();
            assert!(text.contains("`expect_fingerprint`"), "{text}");
        }
        assert!(talk.asked.is_empty() && sent(&bench).is_empty());
        assert_eq!(talk.call("send_draft", with(&print.to_uppercase())).await.ok().structured["sent"], true);
    }
}

#[tokio::test(start_paused = true)]
async fn a_decline_leaves_no_trace_but_the_draft() {
    let bench = sample();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let prompt = talk.first("send_message", message()).await.prompt();
    let got = talk.answer(&prompt, NO()).await.done();
    assert!(!bench.mailbox().calls().contains(&"ready"), "no transport was opened");
    let got = talk.call("send_draft", by_id(&got.fact("draft"))).await.ok();
    assert_eq!(got.structured["sent"], true, "the same draft can be sent by itself");
}
