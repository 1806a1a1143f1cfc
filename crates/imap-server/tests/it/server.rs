//! The process: what it does before the first call, how it ends, and what it writes to its log and its files.

use std::{
    fs,
    io::ErrorKind,
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::Result;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use countersign_testkit::{
    Need,
    faults::{Action, Place, Protocol, Proxy},
    mcp::{Elicit, Era, Exit, RawClient},
    require,
    services::{Put, mail, tls::Shown},
};
use serde_json::json;

use crate::{
    account::plain,
    home::{Home, by_id, draft, error, ok},
    tools::WITHOUT_SAVING,
};

/// Far above the 50 ms of an idle exit, which the benchmark measures, and far below any time-out of a connection.
const SOON: Duration = Duration::from_secs(5);

/// It ended by itself, and nothing of it is left.
#[track_caller]
fn ended(client: &RawClient, exit: Exit) {
    assert!(exit.status.success(), "{:?}: {}", exit.status, client.stderr());
    let process = client.process_id().unwrap();
    assert!(!Path::new(&format!("/proc/{process}")).exists(), "process {process} is still there");
    client.clean().unwrap();
}

#[tokio::test]
async fn nothing_is_opened_or_written_before_the_first_call() -> Result<()> {
    for era in Era::ALL {
        let (imap, smtp) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
        let home = Home::empty()?
            .with("COUNTERSIGN_IMAP_ADDRESS", "me@mail.test")
            .with("COUNTERSIGN_IMAP_PASSWORD", "secret")
            .with("COUNTERSIGN_IMAP_HOST", "127.0.0.1")
            .imap(imap.local_addr()?)
            .smtp(smtp.local_addr()?);
        let client = home.serve(era, Elicit::Accept).await?;
        assert_eq!(client.tools().await?.len(), WITHOUT_SAVING);
        ok(&client, "list_accounts", json!({})).await?;
        for listener in [&imap, &smtp] {
            listener.set_nonblocking(true)?;
            assert_eq!(listener.accept().err().map(|error| error.kind()), Some(ErrorKind::WouldBlock));
        }
        assert_eq!(home.files()?, []);
        // The first call that needs mail connects, and to that very port.
        imap.set_nonblocking(false)?;
        let caller = client.clone();
        let call = tokio::spawn(async move { error(&caller, "list_messages", json!({})).await });
        let accepted = tokio::task::spawn_blocking(move || imap.accept().map(drop)).await?;
        accepted?;
        assert!(call.await??.contains("mail server"), "the connection was closed at once");
        ended(&client, client.close().await?);
    }
    Ok(())
}

#[tokio::test]
async fn it_ends_when_its_input_does() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for era in [Era::November2025, Era::Modern] {
        let user = mail.user("ends")?;
        let home = Home::of(&user)?;
        // Before it was said a word.
        let client = RawClient::bare(home.command(&[]), era, Elicit::Accept)?;
        let exit = client.close().await?;
        assert!(exit.took < SOON, "{exit:?}");
        ended(&client, exit);
        // With a warm connection.
        let client = home.serve(era, Elicit::Accept).await?;
        ok(&client, "list_messages", json!({})).await?;
        let exit = client.close().await?;
        assert!(exit.took < SOON, "{exit:?}");
        ended(&client, exit);
        // With a question that nobody answers.
        let client = home.serve(era, Elicit::Silence).await?;
        let id = draft(&client, &user.address, "Asked").await?;
        let caller = client.clone();
        let call = tokio::spawn(async move { caller.first_round("send_draft", by_id(&id)).await });
        if era == Era::November2025 {
            client.wait_asked(1).await?;
        }
        let exit = client.close().await?;
        assert!(exit.took < SOON, "{exit:?}");
        ended(&client, exit);
        drop(call.await?);
        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (1, 0));
    }
    Ok(())
}

#[tokio::test]
async fn a_read_in_flight_does_not_keep_it() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("reads")?;
    user.put("INBOX", &plain("one", "one"), &Put::default())?;
    let imap = Proxy::tls(Protocol::Imap, mail.imap.plain_starttls, &mail.authority, Shown::Good)?;
    let client = Home::of(&user)?.imap(imap.address).serve(Era::Modern, Elicit::Accept).await?;
    let held = imap.at(Place::BeforeReply("FETCH".into()), 1, Action::Hold);
    let caller = client.clone();
    let call = tokio::spawn(async move { caller.call("list_messages", json!({})).await });
    imap.reached(held).await?;
    let exit = client.close().await?;
    assert!(exit.took < SOON, "{exit:?}");
    ended(&client, exit);
    drop(call.await?);
    Ok(())
}

#[tokio::test]
async fn a_send_in_flight_is_finished_first() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for era in [Era::November2025, Era::Modern] {
        let (user, other) = (mail.user("flight")?, mail.user("other")?);
        let smtp = Proxy::tls(Protocol::Smtp, mail.smtp.plain, &mail.authority, Shown::Good)?;
        let client = Home::of(&user)?.smtp(smtp.address).serve(era, Elicit::Accept).await?;
        let id = draft(&client, &other.address, "Kitchen").await?;
        let held = smtp.at(Place::BeforeReply(".".into()), 1, Action::Hold);
        let caller = client.clone();
        let call = tokio::spawn(async move { caller.call("send_draft", by_id(&id)).await });
        smtp.reached(held).await?;
        let closing = client.clone();
        let closing = tokio::spawn(async move { closing.close().await });
        // The end of its input reaches the server before the answer that it waits for.
        tokio::task::yield_now().await;
        smtp.release();
        ended(&client, closing.await??);
        drop(call.await?);
        assert_eq!(other.wait_received(1)?.len(), 1);
        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (0, 1));
    }
    Ok(())
}

#[test]
fn a_host_that_is_killed_leaves_no_server_behind() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    if !require(&[Need::Python])? {
        return Ok(());
    }
    let user = mail.user("orphan")?;
    let server = Home::of(&user)?.command(&[]);
    // A host in Python, whose own input stays open; the server's only writer dies with it.
    let script = "import os, subprocess, sys\n\
        server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)\n\
        print(server.pid, flush=True)\n\
        server.wait()\n";
    let mut host = Command::new("/usr/bin/env");
    host.args(["python3", "-c", script]).arg(server.get_program());
    for (name, value) in server.get_envs() {
        if let Some(value) = value {
            host.env(name, value);
        }
    }
    let mut host = host.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(host.stdout.take().unwrap()), &mut line)?;
    let process = format!("/proc/{}/stat", line.trim());
    assert!(fs::read_to_string(&process)?.contains("countersign-ima"), "the server runs");
    host.kill()?;
    host.wait()?;
    let started = std::time::Instant::now();
    // Whoever adopts it may leave it unreaped, which is no running server.
    while fs::read_to_string(&process).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(started.elapsed() < SOON, "the server outlived its host");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

#[tokio::test]
async fn neither_log_nor_files_hold_secrets_or_mail() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for (level, era) in [("debug", Era::November2025), ("trace", Era::Modern)] {
        let address = format!("canary.{level}@mail.test");
        let user = mail.user_named(&address, "pass-canary-4711")?;
        let other = mail.user("other")?;
        user.put("INBOX", &plain("Subject-canary", "idcanary"), &Put::default())?;
        let home = Home::of(&user)?.with("COUNTERSIGN_LOG", level);
        let client = home.serve(era, Elicit::Accept).await?;
        let list = ok(&client, "list_messages", json!({})).await?;
        let id = list.at("/messages/0/id")?.clone();
        ok(&client, "search_messages", json!({ "text": "Query-canary" })).await?;
        ok(&client, "get_message", json!({ "message": id })).await?;
        ok(&client, "reply_draft", json!({ "message": id, "text": "Reply-canary" })).await?;
        let mine = draft(&client, &other.address, "Draft-canary").await?;
        ok(&client, "send_draft", by_id(&mine)).await?;
        // And where things fail.
        error(&client, "send_draft", by_id(&mine)).await?;
        error(&client, "list_messages", json!({ "folder": "Folder-canary" })).await?;
        error(&client, "get_message", json!({ "message": "Id-canary" })).await?;
        ended(&client, client.close().await?);
        let failing =
            Home::of(&user)?.with("COUNTERSIGN_LOG", level).with("COUNTERSIGN_IMAP_PASSWORD", "wrong-canary");
        let refused = failing.serve(era, Elicit::Accept).await?;
        error(&refused, "list_messages", json!({})).await?;
        ended(&refused, refused.close().await?);

        let log = client.stderr() + &refused.stderr();
        assert!(log.contains("signed in"), "something was logged at all: {log}");
        let mut logged_or_kept = vec![("the log".to_owned(), log.into_bytes())];
        for (path, content) in home.files()?.into_iter().chain(failing.files()?) {
            logged_or_kept.push((path.display().to_string(), content));
        }
        assert!(logged_or_kept.len() > 2, "the state and the key are files");
        let encoded = |password| STANDARD.encode(format!("\0{address}\0{password}"));
        let (right, wrong) = (encoded("pass-canary-4711"), encoded("wrong-canary"));
        for secret in ["-canary", "idcanary", "Please go ahead", &right, &wrong] {
            for (place, content) in &logged_or_kept {
                let found = content.windows(secret.len()).any(|part| part == secret.as_bytes());
                assert!(!found, "{secret} in {place}: {}", String::from_utf8_lossy(content));
            }
        }
    }
    Ok(())
}
