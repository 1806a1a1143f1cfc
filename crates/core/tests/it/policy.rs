//! The owner's send policy through a server and its client: to whom, in which form, asked or not.

use countersign_core::model::{Flags, Timestamp};
use countersign_send_policy::{ConfirmMode, Profile, RulesConfig, Treatment, WithoutElicitation};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    sending::{by_id, draft, draft_of, not_sent, sent_once, untouched},
    talk::{Person, Talk},
};

/// A message to one address, with nothing that plain text would lose.
fn plain_to(address: &str) -> Value {
    json!({ "to": [address], "subject": "s", "text": "Please go ahead." })
}

/// What was handed over, of the only message that was.
fn wire(bench: &Bench) -> String {
    let sent = bench.mailbox().memory.sent();
    assert_eq!(sent.len(), 1);
    String::from_utf8(sent[0].message.clone()).unwrap()
}

/// Puts a message that Jana sent long ago into Sent.
fn wrote_to(bench: &Bench, address: &str) {
    bench.put_old(
        "Sent",
        &format!(
            "From: Jana <jana@example.com>\nTo: {address}\nSubject: x\nMessage-ID: <old@example.com>\n\nx\n"
        ),
    );
}

/// A draft of another program, formatted.
const FORMATTED: &str = "From: Jana <jana@example.com>
To: Friend <friend@example.net>
Subject: =?utf-8?Q?Lu=E2=80=8Bnch?=
Message-ID: <formatted@example.com>
In-Reply-To: <question@example.net>
References: <payload@evil.example> <question@example.net>
Date: Sat, 28 Nov 2026 17:30:00 +0100
MIME-Version: 1.0
Content-Type: text/html; charset=utf-8

<p>Tuesday <b>at</b> one?<span style=\"display:none\">.</span></p>
";

const QUESTION: &str = "From: Friend <friend@example.net>
To: jana@example.com
Subject: Lunch
Message-ID: <question@example.net>

Lunch?
";

#[tokio::test(start_paused = true)]
async fn to_someone_new_only_the_text_shown_goes_out() {
    for era in Era::ALL {
        let bench = Bench::new();
        bench.put("INBOX", QUESTION);
        let draft = bench.put("Drafts", FORMATTED).to_string();
        let mut talk = bench.talk(era, Person::Accepts).await;
        sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
        let prompt = &talk.asked[0];
        for shown in [
            "To: <friend@example.net> (new: never emailed before)",
            "Subject: Lunch",
            "Only the plain text below goes out",
            "    Tuesday at one?.",
        ] {
            assert!(prompt.contains(shown), "{shown} is missing in:\n{prompt}");
        }
        let wire = wire(&bench);
        assert!(wire.contains("Tuesday at one?."), "{wire}");
        assert!(wire.contains("In-Reply-To: <question@example.net>"), "{wire}");
        for dropped in
            ["<p>", "text/html", "payload@evil.example", "\"Friend\"", "Friend <", "Lu=E2=80=8Bnch"]
        {
            assert!(!wire.contains(dropped), "{dropped} went out:\n{wire}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn to_someone_written_to_before_the_draft_goes_out_as_it_is() {
    let bench = Bench::new();
    wrote_to(&bench, "Friend@EXAMPLE.net");
    let draft = bench.put("Drafts", FORMATTED).to_string();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
    assert!(!talk.asked[0].contains("never emailed") && !talk.asked[0].contains("Only the plain text"));
    let wire = wire(&bench);
    assert!(wire.contains("text/html") && wire.contains("payload@evil.example"), "{wire}");
    let looked = |bench: &Bench| bench.mailbox().calls().iter().filter(|call| **call == "wrote_to").count();
    assert_eq!(looked(&bench), 1, "who was found isn't looked for again, in the second round or later");
    assert!(!bench.mailbox().calls().contains(&"holds"), "nothing is looked up for a draft as it is");
}

#[tokio::test(start_paused = true)]
async fn a_look_up_that_fails_leaves_everyone_new() {
    let bench = Bench::new();
    wrote_to(&bench, "friend@example.net");
    bench.mailbox().break_at("wrote_to");
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let draft = draft_of(&mut talk, plain_to("friend@example.net")).await;
    sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
    assert!(talk.asked[0].contains("(new: never emailed before)"), "{}", talk.asked[0]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_go_as_plain_text_says_what_to_change_and_asks_nobody() {
    let bench = Bench::new();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let long = json!({ "to": ["friend@example.net"], "subject": "s", "text": "a ".repeat(1_000) });
    let draft = draft_of(&mut talk, long).await;
    let text = talk.call("send_draft", by_id(&draft)).await.error();
    assert!(text.contains("Draft it again shorter (a reply with `quote: false`)"), "{text}");
    assert!(talk.asked.is_empty());
    untouched(&bench);
}

#[tokio::test(start_paused = true)]
async fn markup_that_loads_something_is_refused_for_known_people_too() {
    for (markup, said) in
        [("<img src=https://x.example/p.gif>", "loads by itself"), ("<!-- x -->", "holds a comment")]
    {
        let bench = Bench::new().with(|account| account.rules.known = vec!["example.net".to_owned()]);
        let draft = bench.put("Drafts", &FORMATTED.replace("<b>at</b>", markup)).to_string();
        let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
        let text = talk.call("send_draft", by_id(&draft)).await.error();
        assert!(text.contains(said) && !text.contains("x.example"), "{text}");
        assert!(talk.asked.is_empty());
        untouched(&bench);
    }
}

#[tokio::test(start_paused = true)]
async fn with_new_recipients_only_someone_new_is_asked_about() {
    for era in Era::ALL {
        let bench = Bench::new().with(|account| account.rules.confirm = ConfirmMode::NewRecipients);
        wrote_to(&bench, "friend@example.net");
        let mut talk = bench.talk(era, Person::Declines).await;
        let known = draft_of(&mut talk, plain_to("friend@example.net")).await;
        sent_once(&bench, &talk.call("send_draft", by_id(&known)).await);
        assert!(talk.asked.is_empty());
        let again = talk.call("send_draft", by_id(&known)).await.error();
        assert!(again.starts_with("Nothing was sent by this call."), "{again}");
        let new = draft_of(&mut talk, plain_to("new@example.net")).await;
        let got = talk.call("send_draft", by_id(&new)).await.ok();
        assert_eq!((got.structured["sent"].as_bool(), talk.asked.len()), (Some(false), 1), "{got:?}");
        assert_eq!(bench.mailbox().memory.sent().len(), 1);
    }
}

/// Between the two rounds the recipient becomes known, so that nobody would have to be asked any more.
#[tokio::test(start_paused = true)]
async fn a_no_stays_a_no_when_the_rules_would_not_ask_any_more() {
    let bench = Bench::new().with(|account| account.rules.confirm = ConfirmMode::NewRecipients);
    let mut talk = bench.talk(Era::Modern, Person::Declines).await;
    let draft = draft_of(&mut talk, plain_to("friend@example.net")).await;
    let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
    wrote_to(&bench, "friend@example.net");
    let (call, params) = talk.send_answer(&prompt, Person::Declines.answer()).await;
    let got = talk.step(call, params).await.done();
    assert_eq!(
        (&got.structured["sent"], &got.structured["reason"]),
        (&json!(false), &json!("confirmation-declined"))
    );
    assert!(bench.mailbox().memory.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn never_sends_unasked_to_the_allow_list_alone() {
    let bench = Bench::new().with(|account| {
        account.rules.confirm = ConfirmMode::Never;
        account.rules.allow = vec!["example.net".to_owned()];
    });
    let mut talk = bench.talk(Era::Modern, Person::CannotBeAsked).await;
    let outside = draft_of(&mut talk, plain_to("friend@example.net.evil.example")).await;
    let text = talk.call("send_draft", by_id(&outside)).await.error();
    assert!(text.contains("not on the owner's allow list"), "{text}");
    let inside = draft_of(&mut talk, plain_to("friend@example.net")).await;
    sent_once(&bench, &talk.call("send_draft", by_id(&inside)).await);
}

#[tokio::test(start_paused = true)]
async fn an_exposed_sign_in_sends_as_its_owner_set_it() {
    let exposed = async |rules: RulesConfig, address: &str| -> (Bench, Talk, Value) {
        let bench = Bench::new().with(|account| account.rules = rules);
        wrote_to(&bench, "friend@example.net");
        let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
        talk.call("list_messages", json!({})).await.ok();
        let draft = draft_of(&mut talk, plain_to(address)).await;
        (bench, talk, by_id(&draft))
    };
    let (bench, mut talk, id) = exposed(RulesConfig::of(Profile::Imap), "new@example.net").await;
    sent_once(&bench, &talk.call("send_draft", id).await);
    assert!(talk.asked[0].starts_with("Caution: "));
    let (bench, mut talk, id) = exposed(RulesConfig::of(Profile::Hey), "new@example.net").await;
    let text = talk.call("send_draft", id).await.error();
    assert!(text.contains("within ten minutes of reading other people's mail"), "{text}");
    assert!(talk.asked.is_empty() && bench.mailbox().memory.sent().is_empty());
    let mut loose = RulesConfig::of(Profile::Hey);
    loose.treatments.to_new_exposed = Treatment::PlainText;
    let (bench, mut talk, id) = exposed(loose, "new@example.net").await;
    sent_once(&bench, &talk.call("send_draft", id).await);
    let (bench, mut talk, id) = exposed(RulesConfig::of(Profile::Hey), "friend@example.net").await;
    sent_once(&bench, &talk.call("send_draft", id).await);
    assert!(talk.asked[0].contains("Only the plain text below goes out"));
}

#[tokio::test(start_paused = true)]
async fn the_caps_on_new_addresses_and_on_the_hour_hold_through_the_tools() {
    let bench = Bench::new().with(|account| account.rules.max_new_addresses = 1);
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let first = draft_of(&mut talk, plain_to("one@example.net")).await;
    sent_once(&bench, &talk.call("send_draft", by_id(&first)).await);
    let second = draft_of(&mut talk, plain_to("two@example.net")).await;
    let text = talk.call("send_draft", by_id(&second)).await.error();
    assert!(text.contains("limit of 1 addresses in 24 hours"), "{text}");

    let bench = Bench::new().with(|account| account.rules.sends_per_hour = Some(1));
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let first = draft_of(&mut talk, plain_to("one@example.net")).await;
    sent_once(&bench, &talk.call("send_draft", by_id(&first)).await);
    let second = draft_of(&mut talk, plain_to("one@example.net")).await;
    let text = talk.call("send_draft", by_id(&second)).await.error();
    assert!(text.contains("limit of 1 sends in an hour"), "{text}");
}

/// Where nothing is written, a client that can't ask sends nothing.
#[tokio::test(start_paused = true)]
async fn without_prompts_nothing_is_sent_by_default() {
    let bench = Bench::new();
    assert_eq!(RulesConfig::default().without_elicitation, WithoutElicitation::Refuse);
    let mut talk = bench.talk(Era::Modern, Person::CannotBeAsked).await;
    let draft = draft(&mut talk).await;
    not_sent(&bench, &talk.call("send_draft", by_id(&draft)).await, "confirmation-unsupported");
}

impl Bench {
    /// Puts a message into a folder as if it had arrived there years ago.
    fn put_old(&self, folder: &str, raw: &str) {
        let memory = &self.mailbox().memory;
        let wire = raw.replace('\n', "\r\n");
        let long_ago = Timestamp(1_400_000_000);
        memory.append(&self.folder(folder), wire.as_bytes(), long_ago, Flags::default()).unwrap();
    }
}
