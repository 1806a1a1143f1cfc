//! `send_draft` from a yes to the last trace of it: one draft goes out at most once, is never lost, and what is said of it
//! is true, whatever fails, whoever cancels and however many confirm at the same moment.

use std::sync::Arc;

use countersign_core::{
    mailbox::{ConnectFault, SendRefusal},
    memory::{Faults, SendFault},
};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    talk::{Got, Person, Talk, Way},
    watched::Hold,
};

pub(crate) const OLDER: [Era; 2] = [Era::June2025, Era::November2025];

/// Stores a draft to one open, one copied and one hidden recipient; its id.
pub(crate) async fn draft(talk: &mut Talk) -> String {
    draft_of(
        talk,
        json!({
            "to": ["Robin Vale <robin@vale-joinery.example>"],
            "cc": ["olga@brandt.example"],
            "bcc": ["hidden@example.net"],
            "subject": "Kitchen",
            "text": "Please go ahead.",
        }),
    )
    .await
}

pub(crate) async fn draft_of(talk: &mut Talk, arguments: Value) -> String {
    talk.call("create_draft", arguments).await.ok().fact("draft")
}

pub(crate) fn by_id(draft: &str) -> Value {
    json!({ "draft": draft })
}

pub(crate) fn yes() -> Value {
    Person::Accepts.answer()
}

/// Nothing went out, the draft is where it was, and the result says so.
#[track_caller]
pub(crate) fn not_sent(bench: &Bench, got: &Got, reason: &str) {
    assert_eq!(got.structured["sent"], false, "{got:?}");
    assert_eq!(got.structured["outcome"], "not_sent");
    assert_eq!(got.structured["reason"], reason, "{}", got.text);
    assert!(
        got.text.contains("sent: false") && got.text.contains("The draft stays in Drafts"),
        "{}",
        got.text
    );
    untouched(bench);
}

/// Nothing went out and the draft is where it was.
#[track_caller]
pub(crate) fn untouched(bench: &Bench) {
    assert_eq!(bench.mailbox().memory.sent().len(), 0);
    assert_eq!((bench.count("Drafts"), bench.count("Sent")), (1, 0));
}

/// The draft went out once.
#[track_caller]
pub(crate) fn sent_once(bench: &Bench, got: &Got) {
    assert_eq!(got.structured["sent"], true, "{got:?}");
    assert_eq!(bench.mailbox().memory.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_draft_is_sent_once_filed_and_cleared() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let got = talk.call("send_draft", by_id(&draft)).await.ok();
        sent_once(&bench, &got);
        assert_eq!(got.structured["sent_copy"], "filed");
        assert_eq!(got.structured["draft_now"], "removed");
        assert_eq!(talk.asked.len(), 1);
        let sent = &bench.mailbox().memory.sent()[0];
        assert_eq!(sent.reverse_path, "jana@example.com");
        assert_eq!(
            sent.forward_paths,
            ["robin@vale-joinery.example", "olga@brandt.example", "hidden@example.net"]
        );
        let wire = String::from_utf8(sent.message.clone()).unwrap();
        assert!(wire.contains("Please go ahead.") && !wire.contains("hidden"), "{wire}");
        let copies = bench.raw("Sent");
        assert_eq!((copies.len(), bench.count("Drafts")), (1, 0));
        assert!(copies[0].contains("Bcc: <hidden@example.net>"), "{}", copies[0]);
        let again = talk.call("send_draft", by_id(&draft)).await.error();
        assert!(again.contains("Nothing was sent by this call."), "{again}");
        assert_eq!(bench.mailbox().memory.sent().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_stands_in_drafts_can_be_sent() {
    let bench = Bench::sample();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let inbox = bench.id_of("INBOX", "Message-ID: <l1@brandt.example>");
    let sent = bench.id_of("Sent", "Message-ID: <k2@example.com>");
    for id in [inbox.as_str(), sent.as_str(), "m2.1700001.999", "m2.1.1", "f1", "x"] {
        let text = talk.call("send_draft", by_id(id)).await.error();
        assert!(text.contains("Nothing was"), "{id}: {text}");
    }
    assert!(talk.asked.is_empty() && bench.mailbox().memory.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn of_two_confirmations_at_the_same_moment_one_sends() {
    for era in Era::ALL {
        let bench = Bench::new();
        let (mut one, mut two) =
            (bench.talk(era, Person::Accepts).await, bench.talk(era, Person::Accepts).await);
        let draft = draft(&mut one).await;
        // Both have been confirmed and have their transport before either claims.
        let hold = bench.mailbox().hold("ready");
        let mut calls = Vec::new();
        for talk in [&mut one, &mut two] {
            let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
            calls.push(talk.send_answer(&prompt, yes()).await);
        }
        hold.reached(2).await;
        hold.release(2);
        let mut ends = Vec::new();
        for (talk, (call, params)) in [&mut one, &mut two].into_iter().zip(calls) {
            ends.push(talk.step(call, params).await.done());
        }
        let sent = ends.iter().filter(|got| got.structured["sent"] == true).count();
        let refused = ends.into_iter().filter(|got| got.is_error).map(Got::error).collect::<Vec<_>>();
        assert_eq!((sent, refused.len()), (1, 1), "{refused:?}");
        assert!(refused[0].contains("Nothing was sent by this call."), "{refused:?}");
        assert_eq!(bench.mailbox().memory.sent().len(), 1);
        assert_eq!((bench.count("Drafts"), bench.count("Sent")), (0, 1));
    }
}

/// Sends with a fault, then without; what came of both.
async fn send_twice(era: Era, faults: Faults) -> (Bench, Got, String) {
    let bench = Bench::new();
    let mut talk = bench.talk(era, Person::Accepts).await;
    let draft = draft(&mut talk).await;
    bench.mailbox().memory.set_faults(faults);
    let first = talk.call("send_draft", by_id(&draft)).await;
    bench.mailbox().memory.set_faults(Faults::default());
    // By another process, so that only what is on disk can refuse.
    let mut talk = bench.talk(era, Person::Accepts).await;
    let second = talk.call("send_draft", by_id(&draft)).await.error();
    assert!(second.starts_with("Nothing was"), "{second}");
    (bench, first, second)
}

#[tokio::test(start_paused = true)]
async fn what_the_server_refuses_is_not_sent_and_not_tried_again() {
    for (refusal, reason) in [
        (SendRefusal::Sender, "sender_refused"),
        (SendRefusal::Recipient, "recipient_refused"),
        (SendRefusal::Size, "too_large"),
        (SendRefusal::Message(554), "message_refused"),
        (SendRefusal::Smtputf8, "needs_smtputf8"),
    ] {
        let faults = Faults { send: Some(SendFault::Refuse(refusal)), ..Faults::default() };
        let (bench, first, second) = send_twice(Era::Modern, faults).await;
        not_sent(&bench, &first, reason);
        assert!(first.text.contains("one attempt in 24 hours"), "{}", first.text);
        assert!(second.contains("begun in the last 24 hours"), "{second}");
        assert_eq!(bench.count("Drafts"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_lost_before_it_was_handed_over_is_not_sent() {
    let faults = Faults { send: Some(SendFault::LostBeforeHandover), ..Faults::default() };
    for era in Era::ALL {
        let (bench, first, second) = send_twice(era, faults).await;
        not_sent(&bench, &first, "not_handed_over");
        assert!(second.contains("begun in the last 24 hours"), "{second}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_is_said_to_be_unknown_and_never_repeated() {
    for era in Era::ALL {
        for delivered in [true, false] {
            let faults = Faults { send: Some(SendFault::Unknown { delivered }), ..Faults::default() };
            let (bench, first, second) = send_twice(era, faults).await;
            assert!(first.structured["sent"].is_null(), "{first:?}");
            assert_eq!(first.structured["outcome"], "unknown");
            assert!(first.text.contains("sent: unknown") && first.text.contains("Do not send it again"));
            assert!(second.contains("whether it went out is not known"), "{second}");
            assert_eq!(bench.mailbox().memory.sent().len(), usize::from(delivered));
            assert_eq!(bench.count("Drafts"), 1, "the draft stays");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_fails_after_the_send_is_said_and_the_draft_kept() {
    for (faults, copy, now, drafts, said) in [
        (
            Faults { sent_copy_fails: true, ..Faults::default() },
            "not_filed",
            "kept",
            1,
            "No copy could be filed",
        ),
        (
            Faults { no_exact_removal: true, ..Faults::default() },
            "filed",
            "kept",
            1,
            "can't remove exactly one",
        ),
        (Faults { removal_fails: true, ..Faults::default() }, "filed", "kept", 1, "could not be removed"),
        (
            Faults { server_files_copy: true, ..Faults::default() },
            "already_there",
            "removed",
            0,
            "server filed",
        ),
    ] {
        let (bench, first, second) = send_twice(Era::Modern, faults).await;
        sent_once(&bench, &first);
        assert_eq!((first.fact("sent_copy"), first.fact("draft_now")), (copy.to_owned(), now.to_owned()));
        assert!(first.text.contains(said), "{}", first.text);
        assert_eq!(bench.count("Drafts"), drafts, "{said}");
        assert_eq!(bench.count("Sent"), usize::from(copy != "not_filed"), "{said}");
        if drafts == 1 {
            assert!(first.text.contains("do not send it again"), "{}", first.text);
            assert!(second.contains("sent before and accepted"), "{second}");
        }
        assert_eq!(bench.mailbox().memory.sent().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_server_claims_nothing() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        bench
            .mailbox()
            .memory
            .set_faults(Faults { connect: Some(ConnectFault::Refused), ..Faults::default() });
        let text = talk.call("send_draft", by_id(&draft)).await.error();
        assert!(text.starts_with("Nothing was done.") && text.contains("outgoing mail server"), "{text}");
        untouched(&bench);
        bench.mailbox().memory.set_faults(Faults::default());
        sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_stands_in_sent_already_is_not_sent() {
    let bench = Bench::new();
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let draft = draft(&mut talk).await;
    bench.put("Sent", &bench.raw("Drafts")[0]);
    let text = talk.call("send_draft", by_id(&draft)).await.error();
    assert!(text.contains("The Sent folder holds this very message already"), "{text}");
    assert_eq!((bench.mailbox().memory.sent().len(), bench.count("Drafts")), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn more_recipients_than_the_owner_allows_are_refused_before_anyone_is_asked() {
    let bench = Bench::new().with(|account| account.rules.known = vec!["example.org".to_owned()]);
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let people = |count: usize| (0..count).map(|n| format!("p{n}@example.org")).collect::<Vec<_>>();
    let too_many = json!({ "to": people(10), "bcc": (10..21).map(|n| format!("p{n}@example.org")).collect::<Vec<_>>(), "subject": "s", "text": "t" });
    let draft = draft_of(&mut talk, too_many).await;
    let text = talk.call("send_draft", by_id(&draft)).await.error();
    assert!(text.contains("21 addresses") && text.contains("limit is 20"), "{text}");
    assert!(talk.asked.is_empty());
    untouched(&bench);
    let enough = draft_of(&mut talk, json!({ "to": people(20), "subject": "s", "text": "t" })).await;
    sent_once(&bench, &talk.call("send_draft", by_id(&enough)).await);
}

#[tokio::test(start_paused = true)]
async fn nothing_goes_past_the_owners_allow_list() {
    for field in ["to", "cc", "bcc"] {
        let bench = Bench::new().with(|account| account.rules.allow = vec!["brandt.example".to_owned()]);
        let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
        let mut message = json!({ "to": ["olga@brandt.example"], "subject": "s", "text": "t" });
        message[field] = json!(["olga@brandt.example", "drop@brandt.example.evil.example"]);
        let draft = draft_of(&mut talk, message).await;
        let text = talk.call("send_draft", by_id(&draft)).await.error();
        assert!(text.contains("not on the owner's allow list") && !text.contains("evil"), "{field}: {text}");
        assert!(talk.asked.is_empty());
        untouched(&bench);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_while_the_person_reads_sends_nothing() {
    for era in OLDER {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        let Way::Request { call, .. } = &prompt.way else { panic!() };
        talk.cancel(*call).await;
        talk.settle().await;
        talk.send_answer(&prompt, yes()).await;
        talk.settle().await;
        untouched(&bench);
        assert!(!bench.mailbox().calls().contains(&"ready"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_before_its_claim_sends_nothing() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let hold = bench.mailbox().hold("ready");
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        let (call, _) = talk.send_answer(&prompt, yes()).await;
        hold.reached(1).await;
        talk.cancel(call).await;
        talk.settle().await;
        hold.release(1);
        talk.settle().await;
        untouched(&bench);
        // And nothing was claimed.
        sent_once(&bench, &talk.call("send_draft", by_id(&draft)).await);
    }
}

/// A send that waits within the hand-over, after its claim.
struct InFlight {
    talk: Talk,
    call: u64,
    params: Value,
    draft: String,
    send: Arc<Hold>,
    last: Arc<Hold>,
}

impl InFlight {
    async fn start(bench: &Bench, era: Era) -> Self {
        let mut talk = bench.talk(era, Person::Accepts).await;
        let draft = draft(&mut talk).await;
        let (send, last) = (bench.mailbox().hold("send"), bench.mailbox().hold("clear_sent_draft"));
        let prompt = talk.first("send_draft", by_id(&draft)).await.prompt();
        let (call, params) = talk.send_answer(&prompt, yes()).await;
        send.reached(1).await;
        Self { talk, call, params, draft, send, last }
    }

    /// Lets the send go on to its end.
    async fn finish(self, bench: &Bench) {
        assert!(bench.mailbox().memory.sent().is_empty());
        self.send.release(1);
        self.last.reached(1).await;
        self.last.release(1);
        while bench.count("Drafts") > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(bench.mailbox().memory.sent().len(), 1);
        assert_eq!(bench.count("Sent"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_after_the_claim_does_not_stop_the_send() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut under_way = InFlight::start(&bench, era).await;
        under_way.talk.cancel(under_way.call).await;
        under_way.talk.settle().await;
        under_way.finish(&bench).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_send_in_flight_outlives_the_deadline_and_is_not_repeated() {
    for era in Era::ALL {
        let bench = Bench::new();
        let mut under_way = InFlight::start(&bench, era).await;
        let got = under_way.talk.step(under_way.call, under_way.params.take()).await.done();
        let text = got.error();
        assert!(text.contains("may or may not") && text.contains("do not repeat"), "{text}");
        let again = under_way.talk.call("send_draft", by_id(&under_way.draft)).await.error();
        assert!(again.contains("whether it went out is not known"), "{again}");
        under_way.finish(&bench).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_send_in_flight_is_finished_when_the_client_leaves() {
    let bench = Bench::new();
    let mut under_way = InFlight::start(&bench, Era::November2025).await;
    under_way.talk.leave().await;
    under_way.send.release(1);
    under_way.last.release(1);
    under_way.talk.serving.await.unwrap().unwrap();
    assert_eq!(bench.mailbox().memory.sent().len(), 1);
    assert_eq!((bench.count("Drafts"), bench.count("Sent")), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_send_that_never_ends_does_not_hold_up_the_exit() {
    let bench = Bench::new();
    let InFlight { mut talk, draft, .. } = InFlight::start(&bench, Era::November2025).await;
    let before = tokio::time::Instant::now();
    talk.leave().await;
    talk.serving.await.unwrap().unwrap();
    assert_eq!(before.elapsed().as_secs(), 10, "the clock is tokio's, and paused");
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let text = talk.call("send_draft", by_id(&draft)).await.error();
    assert!(text.contains("whether it went out is not known"), "{text}");
}
