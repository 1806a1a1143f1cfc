//! What goes out with a draft: files of the owner's, attachments of messages, content of the call; each as it was when the
//! draft was stored, under a name that is only a name, and nothing that the owner or protection keeps.

use std::{fs, path::PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use countersign_core::{
    attachment::outgoing::Allowance,
    compose::mime::{Parsed, parse},
    tools::{Grant, Grants},
};
use countersign_testkit::mcp::Era;
use serde_json::{Value, json};

use crate::{
    bench::Bench,
    sending::{by_id, yes},
    sending_new::sample,
    talk::{Got, Person, Talk},
};

const PDF: &[u8] = b"%PDF-1.7\n\0\xff\r\n rest";

/// The sample mailbox, and a home with an allowed directory that holds `report.pdf`.
struct Home {
    bench: Bench,
    home: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self::with_limit(Allowance::default().most_bytes)
    }

    fn with_limit(most_bytes: u64) -> Self {
        let home = tempfile::tempdir().unwrap();
        let allowed = home.path().join("outbox");
        fs::create_dir(&allowed).unwrap();
        fs::write(allowed.join("report.pdf"), PDF).unwrap();
        fs::write(home.path().join("secret"), "secret").unwrap();
        let attachable = Allowance { directories: vec![allowed], most_bytes };
        Self { bench: sample().with(|account| account.attachable = attachable), home }
    }

    fn at(&self, path: &str) -> String {
        self.home.path().join(path).display().to_string()
    }

    /// The budget's table: a message with the attachment `rozpocet-2027.csv`, number 2.
    fn budget(&self) -> String {
        self.bench.id_of("Projects", "rozpocet-2027.csv")
    }

    async fn talk(&self) -> Talk {
        self.bench.talk(Era::Modern, Person::Accepts).await
    }

    /// The newest draft, parsed.
    fn newest(&self) -> Parsed {
        let held = self.bench.mailbox().memory.contents(&self.bench.folder("Drafts")).unwrap();
        parse(&held.last().unwrap().2)
    }

    fn drafts(&self) -> usize {
        self.bench.count("Drafts")
    }
}

fn with(attachments: &Value) -> Value {
    json!({ "to": ["robin@vale-joinery.example"], "subject": "s", "text": "t", "attachments": attachments })
}

async fn draft(talk: &mut Talk, attachments: Value) -> Got {
    talk.call("create_draft", with(&attachments)).await
}

/// Name, type and bytes of each attachment.
fn parts(message: &Parsed) -> Vec<(String, String, Vec<u8>)> {
    let part = |part: &countersign_core::model::Attachment| {
        (part.info.name.clone().unwrap_or_default(), part.info.media_type.clone(), part.bytes.clone())
    };
    message.attachments.iter().map(part).collect()
}

fn three_kinds(home: &Home) -> Value {
    json!([
        { "path": home.at("outbox/report.pdf") },
        { "message": home.budget(), "attachment": "2" },
        { "name": "žádost.txt", "type": "text/plain", "text": "řádek\n" },
        { "name": "raw.bin", "base64": STANDARD.encode([0_u8, 255, 13, 10, 0]) },
    ])
}

#[track_caller]
fn are_the_three_kinds(message: &Parsed) {
    let [pdf, csv, text, raw] = parts(message).try_into().unwrap();
    assert_eq!(pdf, ("report.pdf".to_owned(), "application/pdf".to_owned(), PDF.to_vec()));
    assert_eq!((csv.0.as_str(), csv.1.as_str()), ("rozpocet-2027.csv", "text/csv"));
    assert!(String::from_utf8_lossy(&csv.2).contains("licence;96000"));
    assert_eq!(text, ("žádost.txt".to_owned(), "text/plain".to_owned(), "řádek\n".as_bytes().to_vec()));
    assert_eq!(raw, ("raw.bin".to_owned(), "application/octet-stream".to_owned(), vec![0, 255, 13, 10, 0]));
}

#[tokio::test(start_paused = true)]
async fn each_kind_goes_along_byte_for_byte_and_is_in_the_prompt() {
    for era in Era::ALL {
        let home = Home::new();
        let mut talk = home.bench.talk(era, Person::Accepts).await;
        let got = draft(&mut talk, three_kinds(&home)).await.ok();
        assert!(!got.raw.to_string().contains("rozpocet"), "nothing that others wrote is in the result");
        are_the_three_kinds(&home.newest());
        let wire = home.bench.raw("Drafts").pop().unwrap();
        assert!(wire.contains("filename*=UTF-8''%C5%BE%C3%A1dost.txt"), "RFC 2231: {wire}");
        talk.call("send_draft", by_id(&got.fact("draft"))).await.ok();
        let sent = home.bench.mailbox().memory.sent().pop().unwrap();
        are_the_three_kinds(&parse(&sent.message));
        let prompt = &talk.asked[0];
        for shown in
            ["Attachment 1 of 4: \"report.pdf\" (application/pdf, 18 bytes)", "\"žádost.txt\"", "raw.bin"]
        {
            assert!(prompt.contains(shown), "{shown} is missing in:\n{prompt}");
        }
        // An attachment that goes along is shown to nobody, so nothing was exposed.
        assert!(!prompt.contains("Caution"), "{prompt}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_tool_that_writes_takes_attachments() {
    let home = Home::new();
    let mut talk = home.talk().await;
    let lunch = home.bench.id_of("INBOX", "Message-ID: <l1@brandt.example>");
    let file = json!([{ "path": "report.pdf" }]);
    for (tool, arguments, names) in [
        ("reply_draft", json!({ "message": lunch, "text": "x", "attachments": file }), vec!["report.pdf"]),
        (
            "forward_draft",
            json!({ "message": home.budget(), "attachments": file }),
            vec!["rozpocet-2027.csv", "report.pdf"],
        ),
        (
            "forward_draft",
            json!({ "message": home.budget(), "original_attachments": false, "attachments": file }),
            vec!["report.pdf"],
        ),
    ] {
        let got = talk.call(tool, arguments).await.ok();
        assert_eq!(got.structured["attachments"], json!(names), "{tool}");
        assert_eq!(parts(&home.newest()).last().unwrap().2, PDF, "{tool}");
    }
    for (tool, arguments) in [
        ("send_message", with(&file)),
        ("reply_send", json!({ "message": lunch, "text": "x", "attachments": file })),
        (
            "forward_message",
            json!({ "message": home.budget(), "to": ["olga@brandt.example"], "attachments": file }),
        ),
    ] {
        assert_eq!(talk.call(tool, arguments).await.ok().structured["sent"], true, "{tool}");
        let sent = home.bench.mailbox().memory.sent().pop().unwrap();
        assert_eq!(parts(&parse(&sent.message)).last().unwrap().2, PDF, "{tool}");
    }
}

#[cfg(unix)]
fn traps(home: &Home) {
    use std::os::unix::fs::symlink;
    symlink(home.at("secret"), home.at("outbox/leak")).unwrap();
    symlink(home.home.path(), home.at("outbox/up")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.at("outbox/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn no_file_outside_the_directories_is_attached_by_any_way() {
    let home = Home::new();
    traps(&home);
    let mut talk = home.talk().await;
    let before = home.drafts();
    let mut refusals = Vec::new();
    for path in [
        home.at("secret"),
        home.at("nothing"),
        home.at("outbox/../secret"),
        "../secret".to_owned(),
        home.at("outbox/leak"),
        "leak".to_owned(),
        "up/secret".to_owned(),
        "/etc/passwd".to_owned(),
        "/dev/zero".to_owned(),
    ] {
        refusals.push(draft(&mut talk, json!([{ "path": path }])).await.error());
    }
    assert!(refusals.iter().all(|text| *text == refusals[0]), "no path can be probed: {refusals:?}");
    assert!(refusals[0].contains("Entry 1 of `attachments` names no file below"), "{}", refusals[0]);
    for path in ["pipe", "up", "."] {
        let text = draft(&mut talk, json!([{ "path": path }])).await.error();
        assert!(text.contains("Entry 1 of `attachments` names"), "{path}: {text}");
    }
    assert_eq!(home.drafts(), before);
}

#[tokio::test(start_paused = true)]
async fn without_a_directory_no_file_is_attached() {
    for (directories, said) in [(vec![], "`attachment_dirs`"), (vec![PathBuf::from("/nowhere")], "exists")] {
        let bench = sample().with(|account| account.attachable.directories = directories);
        let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
        let text = draft(&mut talk, json!([{ "path": "/etc/passwd" }])).await.error();
        assert!(text.contains(said), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_no_attachment_is_refused_by_its_place_and_not_repeated() {
    let home = Home::new();
    let mut talk = home.talk().await;
    let before = home.drafts();
    let fine = json!({ "name": "a", "text": "a" });
    let exactly = "must be exactly one of";
    for (entry, said) in [
        (json!({}), exactly),
        (json!({ "name": "zebra" }), exactly),
        (json!({ "text": "zebra" }), exactly),
        (json!({ "name": "zebra", "text": "a", "base64": "YQ==" }), exactly),
        (json!({ "path": "report.pdf", "name": "zebra" }), exactly),
        (json!({ "path": "report.pdf", "type": "text/zebra" }), exactly),
        (json!({ "path": "report.pdf", "message": "zebra", "attachment": "2" }), exactly),
        (json!({ "message": home.budget() }), exactly),
        (json!({ "attachment": "2" }), exactly),
        (json!({ "message": home.budget(), "attachment": "2", "name": "zebra" }), exactly),
        (json!({ "name": "zebra", "base64": "not base64!" }), "not base64"),
        (json!({ "name": "zebra", "base64": "YQ=" }), ""),
        (json!({ "name": "zebra", "type": "zebra", "text": "a" }), "not a media type"),
        (json!({ "name": "zebra", "type": "text/plain\r\nBcc: a@b", "text": "a" }), "not a media type"),
    ] {
        let got = draft(&mut talk, json!([fine, entry])).await;
        if said.is_empty() {
            got.ok();
            continue;
        }
        let text = got.error();
        assert!(text.contains("Entry 2 of `attachments`") && text.contains(said), "{entry}: {text}");
        assert!(!text.contains("zebra"), "{entry}: {text}");
    }
    for (entry, said) in [
        (json!({ "message": home.budget(), "attachment": "99" }), "no such attachment"),
        (json!({ "message": home.budget(), "attachment": "x" }), "`attachment`"),
        (json!({ "message": "m9.9.9", "attachment": "2" }), ""),
        (json!({ "name": "a", "text": "a", "evil": "b" }), "do not fit"),
        (json!({ "name": "a", "text": 1 }), "do not fit"),
        (json!("report.pdf"), "a list in which each entry is a object"),
    ] {
        let text = draft(&mut talk, json!([entry])).await.error();
        assert!(text.contains(said), "{entry}: {text}");
    }
    assert_eq!(home.drafts(), before + 1, "one of them is base64 with too little padding, which is taken");
}

#[tokio::test(start_paused = true)]
async fn sizes_are_held_to_at_the_byte() {
    let size = u64::try_from(PDF.len()).unwrap();
    let csv = {
        let home = Home::new();
        let mut talk = home.talk().await;
        draft(&mut talk, json!([{ "message": home.budget(), "attachment": "2" }])).await.ok();
        u64::try_from(parts(&home.newest())[0].2.len()).unwrap()
    };
    for (over, fits) in [(0, true), (1, false)] {
        let home = Home::with_limit(size + csv + 3 - over);
        let mut talk = home.talk().await;
        let before = home.drafts();
        // In each order, so that each kind is once the one that is too much.
        for turn in 0..3 {
            let mut kinds = vec![
                json!({ "path": "report.pdf" }),
                json!({ "message": home.budget(), "attachment": "2" }),
                json!({ "name": "a", "text": "abc" }),
            ];
            kinds.rotate_left(turn);
            let got = draft(&mut talk, json!(kinds)).await;
            assert_eq!(!got.is_error, fits, "{turn}: {}", got.text);
        }
        let forward = json!({ "message": home.budget(), "attachments": [{ "path": "report.pdf" }, { "name": "a", "text": "abc" }] });
        assert_eq!(!talk.call("forward_draft", forward).await.is_error, fits, "the original's count too");
        assert_eq!(home.drafts(), before + if fits { 4 } else { 0 });
    }
    let home = Home::new();
    let mut talk = home.talk().await;
    let content = |bytes: usize| json!([{ "name": "a.txt", "text": "x".repeat(bytes) }]);
    draft(&mut talk, content(1_048_576)).await.ok();
    assert!(draft(&mut talk, content(1_048_577)).await.error().contains("larger than 1 MB"));
    let many = |count: usize| json!(vec![json!({ "name": "a", "text": "a" }); count]);
    draft(&mut talk, many(50)).await.ok();
    assert!(draft(&mut talk, many(51)).await.error().contains("50 entries"));
    let most = fs::File::create(home.at("outbox/large")).unwrap();
    most.set_len(25 * 1_024 * 1_024 + 1).unwrap();
    let text = draft(&mut talk, json!([{ "path": "large" }])).await.error();
    assert!(text.contains("larger than 25 MB in all"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_name_is_only_a_name() {
    let home = Home::new();
    let mut talk = home.talk().await;
    for (name, stored) in [
        ("a\r\nBcc: drop@evil.example\r\n\r\n.txt", "aBcc_ drop@evil.example.txt"),
        ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("a\"; filename=\"b.exe", "a_; filename=_b.exe"),
        ("", "attachment"),
    ] {
        draft(&mut talk, json!([{ "name": name, "text": "a" }])).await.ok();
        let message = home.newest();
        assert_eq!(parts(&message)[0].0, stored, "{name:?}");
        assert!(message.headers.bcc.is_empty() && message.attachments.len() == 1, "{name:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_draft_holds_the_file_as_it_was() {
    for era in Era::ALL {
        let home = Home::new();
        let mut talk = home.bench.talk(era, Person::Accepts).await;
        let arguments = with(&json!([{ "path": "report.pdf" }]));
        let prompt = talk.first("send_message", arguments.clone()).await.prompt();
        fs::write(home.at("outbox/report.pdf"), "%PDF-2.0 another").unwrap();
        assert_eq!(talk.answer(&prompt, yes()).await.done().structured["sent"], true);
        let sent = home.bench.mailbox().memory.sent().pop().unwrap();
        assert_eq!(parts(&parse(&sent.message))[0].2, PDF);
        // The same call with another content of the file is another call, and one without the file is refused.
        assert_eq!(talk.call("send_message", arguments.clone()).await.ok().structured["sent"], true);
        let sent = home.bench.mailbox().memory.sent().pop().unwrap();
        assert_eq!(parts(&parse(&sent.message))[0].2, b"%PDF-2.0 another");
        fs::remove_file(home.at("outbox/report.pdf")).unwrap();
        talk.call("send_message", arguments).await.error();
        assert_eq!(home.bench.mailbox().memory.sent().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_attached_from_mail_that_may_not_be_read() {
    let home = Home::new();
    let bench = home.bench.with(|account| account.grants = Grants::of(vec![Grant::Draft, Grant::Send]));
    let budget = bench.id_of("Projects", "rozpocet-2027.csv");
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let text = draft(&mut talk, json!([{ "message": budget, "attachment": "2" }])).await.error();
    assert!(text.contains("does not allow reading"), "{text}");
    assert!(!bench.mailbox().calls().contains(&"fetch_attachment"));
    draft(&mut talk, json!([{ "name": "a", "text": "a" }])).await.ok();
}

#[tokio::test(start_paused = true)]
async fn to_someone_new_nothing_is_attached() {
    let home = Home::new();
    let bench = home.bench.with(|account| account.rules.known = Vec::new());
    let mut talk = bench.talk(Era::Modern, Person::Accepts).await;
    let mut arguments = with(&json!([{ "path": "report.pdf" }]));
    arguments["to"] = json!(["stranger@elsewhere.example"]);
    let got = talk.call("send_message", arguments).await.ok();
    assert_eq!(got.structured["sent"], false, "{}", got.text);
    assert!(got.text.contains("stays in Drafts") && bench.mailbox().memory.sent().is_empty());
}
