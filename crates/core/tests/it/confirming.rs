//! What counts as a yes: the person's own answer, to exactly the draft that goes out, under the terms that they saw, brought
//! back with a state of this installation for this very call.

use std::time::Duration;

use countersign_core::{
    compose::mime,
    memory::{Faults, MemoryMailbox},
    model::{Address, DraftRef},
    tools::{ToolDef, create_draft, send_draft},
};
use countersign_send_policy::{DraftAttachment, DraftFields};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    sending::{OLDER, by_id, draft, draft_of, not_sent, sent_once, untouched, yes},
    talk::{Person, Prompt, Way},
    watched::Watched,
};

#[tokio::test(start_paused = true)]
async fn without_a_yes_nothing_is_sent_and_the_draft_stays() {
    for era in Era::ALL {
        for (person, reason) in [
            (Person::Declines, "confirmation-declined"),
            (Person::Cancels, "confirmation-cancelled"),
            (Person::ForgetsTheTick, "confirmation-unticked"),
            (Person::CannotBeAsked, "confirmation-unsupported"),
        ] {
            let bench = Bench::new();
            let mut talk = bench.talk(era, person).await;
            let draft = draft(&mut talk).await;
            let got = talk.call("send_draft", by_id(&draft)).await.ok();
            not_sent(&bench, &got, reason);
            assert!(got.text.contains(&draft));
            assert!(!bench.mailbox().calls().contains(&"ready"), "no transport was opened");
            // A no is not a claim: the person can still say yes.
            let mut talk = bench.talk(era, Person::Accepts).await;
            sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn where_prompts_are_off_nothing_is_sent() {
    let mut bench = Bench::new();
    bench.elicitation = false;
    for era in Era::ALL {
        let mut talk = bench.talk(era, Person::Accepts).await;
        if bench.count("Drafts") == 0 {
            draft(&mut talk).await;
        }
        let id = bench.id_of("Drafts", "Kitchen");
        not_sent(&bench, &talk.call("send_draft", by_id(&id)).await, "confirmation-unsupported");
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_nobody_answers_ends_and_is_withdrawn() {
    for era in OLDER {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        let Way::Request { call, .. } = prompt.way else { panic!() };
        let got = talk.step(call, Value::Null).await.done();
        not_sent(&bench, &got, "confirmation-unanswered");
        // An answer that comes too late counts for nothing.
        talk.send_answer(&prompt, yes()).await;
        talk.settle().await;
        untouched(&bench);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_that_a_person_takes_is_no_work() {
    for era in OLDER {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        tokio::time::sleep(bench.ttl.checked_sub(Duration::from_secs(1)).unwrap()).await;
        sent_once(&bench, &talk.answer(&prompt, yes()).await.done());
    }
}

/// The draft as it is stored.
fn stored(bench: &Bench, draft: &str) -> DraftFields {
    let held = bench.mailbox().memory.contents(&bench.folder("Drafts")).unwrap();
    let (id, _, raw) = held.into_iter().find(|(id, ..)| id.as_str() == draft).unwrap();
    mime::draft_fields(&raw, &DraftRef::parse(id.as_str()).unwrap()).unwrap()
}

type Change = fn(&mut DraftFields);

/// Everything that a fingerprint covers and that a mailbox can change under an id.
const CHANGES: &[(&str, Change)] = &[
    ("from", |f| f.from.addr_spec = "else@example.com".into()),
    ("from's name", |f| f.from.display_name = Some("Someone".into())),
    ("to", |f| f.to.push(Address::bare("drop@evil.example"))),
    ("to's name", |f| f.to[0].display_name = None),
    ("to moved to bcc", |f| f.bcc.append(&mut f.to)),
    ("cc", |f| f.cc.clear()),
    ("bcc", |f| f.bcc[0].addr_spec = "drop@evil.example".into()),
    ("reply-to", |f| f.reply_to.push(Address::bare("drop@evil.example"))),
    ("subject", |f| f.subject.push('!')),
    ("in-reply-to", |f| f.in_reply_to.push("x@example.org".into())),
    ("references", |f| f.references.push("x@example.org".into())),
    ("text", |f| f.text = Some("Please stop.".into())),
    ("text's end", |f| f.text = f.text.take().map(|text| text + " ")),
    ("html", |f| f.html = Some("<p>Please go ahead.</p>".into())),
    ("message-id", |f| f.message_id = Some("x@example.org".into())),
    ("claim key", |f| f.claim_key = "x@example.org".into()),
    ("attachment", |f| {
        f.attachments.push(DraftAttachment {
            name: "a.txt".into(),
            media_type: "text/plain".into(),
            size: 1,
            bytes: b"x".to_vec(),
            ..DraftAttachment::default()
        });
    }),
];

#[tokio::test(start_paused = true)]
async fn a_draft_that_changed_after_the_question_is_not_sent() {
    for era in Era::ALL {
        for (what, change) in CHANGES {
            let bench = Bench::new();
            let mut talk = bench.talk(era, Person::Accepts).await;
            let draft = draft(&mut talk).await;
            let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
            let mut fields = stored(&bench, &draft);
            change(&mut fields);
            bench.mailbox().read_instead(Some(fields));
            let step = talk.answer(&prompt, yes()).await;
            match step.done() {
                // An attachment whose digest doesn't fit is refused by its own rule.
                got if *what == "attachment" => assert!(got.is_error || got.structured["sent"] == false),
                got => {
                    assert!(!got.is_error, "{what}: {}", got.text);
                    not_sent(&bench, &got, "payload-changed");
                }
            }
            untouched(&bench);
            // As it is stored it can still be sent: nothing was claimed.
            bench.mailbox().read_instead(None);
            sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_draft_that_is_gone_after_the_question_is_not_sent() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        bench.mailbox().memory.clear(&bench.folder("Drafts")).unwrap();
        let text = talk.answer(&prompt, yes()).await.done().error();
        assert!(text.contains("Nothing was sent by this call.") && text.contains("no such draft"), "{text}");
        assert!(bench.mailbox().memory.sent().is_empty());
    }
}

fn with_state(prompt: &Prompt, state: String) -> Prompt {
    let Way::State { call, .. } = &prompt.way else { panic!("older clients carry no state") };
    Prompt { message: prompt.message.clone(), way: Way::State { state, call: call.clone() } }
}

fn state(prompt: &Prompt) -> String {
    let Way::State { state, .. } = &prompt.way else { panic!("older clients carry no state") };
    state.clone()
}

#[tokio::test(start_paused = true)]
async fn a_forged_state_counts_for_nothing() {
    let bench = Bench::new();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let draft = draft(&mut talk).await;
    let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
    let real = state(&prompt);
    let middle = real.len() / 3;
    let flipped: String = real
        .char_indices()
        .map(|(at, c)| if at == middle { if c == 'A' { 'B' } else { 'A' } } else { c })
        .collect();
    let (body, mac) = real.rsplit_once('.').unwrap();
    for forged in [
        flipped,
        format!("{body}.{}", "A".repeat(mac.len())),
        body.to_owned(),
        format!("{real}A"),
        String::new(),
        "mcpu.confirm.v1.x.y".to_owned(),
        "x".repeat(100_000),
    ] {
        let got = talk.answer(&with_state(&prompt, forged), yes()).await.done();
        not_sent(&bench, &got, "confirmation-invalid");
        assert!(got.text.contains("Start again"), "{}", got.text);
    }
    // An answer that comes without any state.
    let mut call =
        json!({ "name": "send_draft", "arguments": by_id(&draft), "inputResponses": { "confirm": yes() } });
    let answer = talk.rpc("tools/call", call.clone()).await;
    assert_eq!(answer["result"]["structuredContent"]["reason"], "confirmation-invalid", "{answer}");
    // A state that comes without an answer only asks again.
    call["inputResponses"].take();
    call["requestState"] = json!(real);
    let answer = talk.rpc("tools/call", call).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    untouched(&bench);
}

#[tokio::test(start_paused = true)]
async fn an_expired_state_counts_for_nothing() {
    let mut bench = Bench::new();
    bench.ttl = Duration::ZERO;
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let draft = draft(&mut talk).await;
    let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
    let got = talk.answer(&prompt, yes()).await.done();
    not_sent(&bench, &got, "confirmation-expired");
    assert!(got.text.contains("Start again"), "{}", got.text);
}

/// The same handler under another name.
static TWO_SENDERS: &[ToolDef<Watched>] =
    &[create_draft::row(), send_draft::row(), ToolDef { name: "send_otherwise", ..send_draft::row() }];

#[tokio::test(start_paused = true)]
async fn a_state_holds_for_its_own_draft_account_and_tool() {
    let mut bench = Bench::new();
    bench.table = TWO_SENDERS;
    bench.add("office", MemoryMailbox::new(vec![Address::bare("office@example.org")]));
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let of = |account: &str, subject: &str| json!({ "account": account, "to": ["a@example.org"], "subject": subject, "text": "t" });
    let one = draft_of(&mut talk, of("home", "one")).await;
    let two = draft_of(&mut talk, of("home", "two")).await;
    let elsewhere = draft_of(&mut talk, of("office", "one")).await;
    assert_eq!(one, elsewhere, "the same id in both mailboxes");
    let arguments = |account: &str, draft: &str| json!({ "account": account, "draft": draft });
    let prompt = talk.first("send_draft", arguments("home", &one)).await.prompt();
    for (tool, arguments) in [
        ("send_draft", arguments("home", &two)),
        ("send_draft", arguments("office", &one)),
        ("send_otherwise", arguments("home", &one)),
    ] {
        let other = talk.first(tool, arguments.clone()).await.prompt();
        let got = talk.answer(&with_state(&other, state(&prompt)), yes()).await.done();
        assert_eq!(got.structured["reason"], "confirmation-invalid", "{tool} {arguments}: {}", got.text);
    }
    assert!(bench.mailboxes.iter().all(|mailbox| mailbox.memory.sent().is_empty()));
    assert_eq!(talk.answer(&prompt, yes()).await.done().structured["sent"], true);
}

#[tokio::test(start_paused = true)]
async fn a_state_holds_for_its_own_installation() {
    let (bench, elsewhere) = (Bench::new(), Bench::new());
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let mut other = elsewhere.talk(Era::Modern, Person::Accepts).await;
    let (draft, same) = (draft(&mut talk).await, draft(&mut other).await);
    assert_eq!(draft, same);
    let prompt = other.first("send_draft", by_id(&draft)).await.prompt();
    not_sent(&bench, &talk.answer(&prompt, yes()).await.done(), "confirmation-invalid");
}

#[tokio::test(start_paused = true)]
async fn a_state_that_was_used_sends_nothing_more() {
    for no_exact_removal in [false, true] {
        let bench = Bench::new();
        bench.mailbox().memory.set_faults(Faults { no_exact_removal, ..Faults::default() });
        let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        sent_once(&bench, &talk.answer(&prompt, yes()).await.done());
        assert_eq!(bench.count("Drafts"), usize::from(no_exact_removal));
        for _ in 0..2 {
            let text = talk.answer(&prompt, yes()).await.done().error();
            assert!(text.contains("Nothing was sent by this call."), "{text}");
        }
        // Nor after a restart.
        let text = bench.talk(Era::Modern, Person::Accepts).await.answer(&prompt, yes()).await.done().error();
        assert_eq!(text.contains("sent before and accepted"), no_exact_removal, "{text}");
        assert_eq!(bench.mailbox().memory.sent().len(), 1);
    }
}

const EXPOSED: &str = "other people's mail was read in the last 10 minutes";

#[tokio::test(start_paused = true)]
async fn the_prompt_says_when_other_peoples_mail_was_read() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Declines).await;
        let draft = draft(&mut talk).await;
        talk.call("list_folders", json!({})).await.ok();
        talk.call("send_draft", by_id(&draft)).await.ok();
        assert!(!talk.asked[0].contains(EXPOSED), "{}", talk.asked[0]);
        talk.call("list_messages", json!({})).await.ok();
        talk.call("send_draft", by_id(&draft)).await.ok();
        assert!(talk.asked[1].starts_with("Caution: ") && talk.asked[1].contains(EXPOSED));
        // Another process of the same sign-in knows it too.
        let mut other = bench.talk(era, Person::Accepts).await;
        sent_once(&bench, &other.call("send_draft", by_id(&draft)).await);
        assert!(other.asked[0].contains(EXPOSED));
    }
}

#[tokio::test(start_paused = true)]
async fn mail_read_after_the_question_undoes_the_answer() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        bench.talk(era, Person::Accepts).await.call("list_messages", json!({})).await.ok();
        let got = talk.answer(&prompt, yes()).await.done();
        not_sent(&bench, &got, "terms-changed");
        // Asked anew, knowing it, the person can say yes.
        sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
        assert!(talk.asked[1].contains(EXPOSED));
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_state_file_nothing_is_asked_or_sent() {
    let bench = Bench::new();
    bench.spoil_state();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let draft = draft(&mut talk).await;
    let text = talk.call("send_draft", by_id(&draft)).await.error();
    assert!(text.contains("Nothing was sent by this call.") && text.contains("record of sends"), "{text}");
    assert!(talk.asked.is_empty());
    untouched(&bench);
}

#[tokio::test(start_paused = true)]
async fn without_its_key_nothing_is_asked_or_sent() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("confirm.key")).unwrap();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let draft = draft(&mut talk).await;
    not_sent(&bench, &talk.call("send_draft", by_id(&draft)).await, "confirmation-key-unavailable");
    assert!(talk.asked.is_empty());
}

/// A draft that another program wrote, with something in every field that would like to act on its reader.
const TRICKY: &str = "From: =?utf-8?Q?Jana=E2=80=AE_Nov=C3=A1kov=C3=A1?= <jana@example.com>
To: =?utf-8?Q?bank=40bank.example=E2=80=8B?= <drop@evil.example>, pay@xn--pypal-4ve.example
Cc: copy@example.org
Bcc: hidden@example.net
Reply-To: answers@evil.example
Subject: =?utf-8?Q?Lunch=E2=80=A8Bcc:_nobody=1B[2J?=
Message-ID: <tricky@example.com>
Date: Sat, 28 Nov 2026 17:30:00 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

See you.
To: nobody
Confirmed already.=E2=80=AE=E2=80=8B
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename*=utf-8''invoice%E2%80%AEfdp.exe
Content-Transfer-Encoding: base64

JVBERi0=
--b--
";

#[tokio::test(start_paused = true)]
async fn the_prompt_shows_every_field_and_none_of_them_acts() {
    for era in Era::ALL {
        // To known people, so that all of it would go out.
        let known =
            ["evil.example", "xn--pypal-4ve.example", "example.org", "example.net"].map(str::to_owned);
        let bench = Bench::new().with(|account| account.rules.known = known.to_vec());
        let draft = bench.put("Drafts", TRICKY).to_string();
        let mut talk = bench.talk(era, Person::Declines).await;
        talk.call("send_draft", by_id(&draft)).await.ok();
        let prompt = &talk.asked[0];
        for shown in [
            "From: \"Jana",
            "<drop@evil.example>",
            "<pay@xn--pypal-4ve.example>",
            "Cc: <copy@example.org>",
            "Bcc: <hidden@example.net>",
            "Reply-To (answers go there): <answers@evil.example>",
            "Subject: Lunch",
            "Attachment 1 of 1: \"invoice",
            "(application/pdf, 5 bytes)",
            "    See you.",
            "    To: nobody",
            "    Confirmed already.",
        ] {
            assert!(prompt.contains(shown), "{shown} is missing in:\n{prompt}");
        }
        for acting in ['\u{202e}', '\u{200b}', '\u{2028}', '\u{1b}', '\r'] {
            assert!(!prompt.contains(acting), "{acting:?} in:\n{prompt}");
        }
        let ours = |line: &&str| ["To: ", "Bcc: ", "Cc: "].iter().any(|field| line.starts_with(field));
        assert_eq!(prompt.lines().filter(ours).count(), 3, "{prompt}");
    }
}
