//! What is wrong with a call, a configuration or a server: told in clear words and in bounded time, and the next good call
//! works in the same process.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use countersign_testkit::{
    faults::{Protocol, Proxy, bad_certificate},
    mcp::{Elicit, Era, RawClient},
    services::{Put, User, mail, tls::Shown},
};
use serde_json::{Value, json};

use crate::{
    account::plain,
    home::{Home, by_id, draft, error, ok},
    tools::WITHOUT_SAVING,
};

/// The time in which a call to a server that fails must have its answer.
const BOUND: Duration = Duration::from_secs(45);

/// One account of the configuration file, which signs in as that user at some port.
fn account(name: &str, user: &User<'_>, imap: u16, smtp: u16) -> String {
    let ca = user.mail().ca_pem.display();
    format!(
        "[accounts.{name}]\naddress = \"{}\"\nimap = {{ host = \"127.0.0.1\", port = {imap} }}\n\
         smtp = {{ host = \"127.0.0.1\", port = {smtp} }}\nca_file = '{ca}'\n",
        user.address
    )
}

/// What is asked of an account, and the words that must come.
async fn fails(client: &RawClient, account: &str, words: &str) -> Result<()> {
    let started = Instant::now();
    let said = error(client, "list_messages", json!({ "account": account })).await?;
    assert!(started.elapsed() < BOUND, "{account}: {:?}", started.elapsed());
    assert!(said.starts_with("Nothing was done.") && said.contains(words), "{account}: {said}");
    let next = ["Tell the person", "Try again later"].iter().any(|next| said.contains(next));
    assert!(next, "{account}: no next step in {said}");
    Ok(())
}

#[tokio::test]
async fn accounts_that_cannot_connect_say_why_and_spare_the_one_that_can() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let (user, mut changed) = (mail.user("good")?, mail.user("changed")?);
    user.put("INBOX", &plain("Question", "question"), &Put::default())?;
    let (imap, smtp) = (mail.imap.tls.port(), mail.smtp.smtps.port());
    let unused = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let shown = |shown| bad_certificate(mail, Protocol::Imap, shown);
    let (expired, elsewhere) = (shown(Shown::Expired)?, shown(Shown::WrongHost)?);
    let stranger = shown(Shown::UnknownAuthority)?;
    let ports = [
        ("good", imap),
        ("refused", unused),
        ("notls", mail.imap.plain_starttls.port()),
        ("nomail", smtp),
        ("expired", expired.address.port()),
        ("elsewhere", elsewhere.address.port()),
        ("stranger", stranger.address.port()),
    ];
    let mut toml: String = ports.iter().map(|(name, port)| account(name, &user, *port, smtp)).collect();
    toml.push_str(&account("password", &changed, imap, smtp));
    // The account of the environment is at a host that is nowhere.
    let home = Home::empty()?
        .with("COUNTERSIGN_IMAP_ADDRESS", "me@mail.test")
        .with("COUNTERSIGN_IMAP_PASSWORD", "secret")
        .with("COUNTERSIGN_IMAP_HOST", "no-such-host.invalid");
    home.configure(&toml)?;
    // The port is no part of what a sign-in is for, so one stands for all accounts of a user.
    for (name, user) in [("good", &user), ("password", &changed)] {
        let output = home.run(&["login", name, "--no-keychain"], &format!("{}\n", user.password))?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    changed.set_password("changed-at-the-provider")?;

    let client = home.serve(Era::Modern, Elicit::Accept).await?;
    for (name, words) in [
        ("refused", "Nothing answers at the"),
        ("notls", "could not agree on TLS"),
        ("nomail", "does not speak the protocol"),
        ("expired", "certificate has expired"),
        ("elsewhere", "certificate is for another host name"),
        ("stranger", "signed by nobody that this machine trusts"),
        ("password", "refused the user name or password"),
    ] {
        fails(&client, name, words).await?;
        let list = ok(&client, "list_messages", json!({ "account": "good" })).await?;
        assert_eq!(list.str_at("/messages/0/subject")?, "Question", "after {name}");
    }
    // A name server that is away is told from a name that has no address, where the system tells them apart.
    let started = Instant::now();
    let said = error(&client, "list_messages", json!({ "account": "default" })).await?;
    assert!(started.elapsed() < BOUND, "{:?}", started.elapsed());
    assert!(said.contains("host name has no address") || said.contains("can't be reached"), "{said}");
    // No account, and one that is not there.
    for arguments in [json!({}), json!({ "account": "nobody" }), json!({ "account": 7 })] {
        let said = error(&client, "list_messages", arguments).await?;
        assert!(said.contains("`account` must be one of") && said.contains("good"), "{said}");
    }
    ok(&client, "list_messages", json!({ "account": "good" })).await?;
    // What was wrong is put right outside, and the same process goes on with it.
    changed.set_password("pass-again")?;
    fails(&client, "password", "refused the user name or password").await?;
    let output = home.run(&["login", "password", "--no-keychain"], "pass-again\n")?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    ok(&client, "list_messages", json!({ "account": "password" })).await?;
    client.clean()
}

#[tokio::test]
async fn an_outgoing_server_that_cannot_be_trusted_gets_nothing() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for (shown, words) in
        [(Shown::Expired, "certificate has expired"), (Shown::WrongHost, "is for another host name")]
    {
        let (user, other) = (mail.user("trust")?, mail.user("other")?);
        let smtp: Proxy = bad_certificate(mail, Protocol::Smtp, shown)?;
        let client = Home::of(&user)?.smtp(smtp.address).serve(Era::Modern, Elicit::Accept).await?;
        let id = draft(&client, &other.address, "Kitchen").await?;
        let said = error(&client, "send_draft", by_id(&id)).await?;
        assert!(said.starts_with("Nothing was done.") && said.contains(words), "{said}");
        assert_eq!((smtp.tally().connections, smtp.tally().from_client), (0, 0));
        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (1, 0));
        ok(&client, "list_messages", json!({ "folder": "drafts" })).await?;
    }
    Ok(())
}

#[tokio::test]
async fn ids_that_are_unknown_stale_or_made_up_are_told_apart() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for era in [Era::June2025, Era::Modern] {
        let user = mail.user("ids")?;
        user.create_folder("Project")?;
        user.put("Project", &plain("Old", "old"), &Put::default())?;
        user.put("INBOX", &plain("Gone", "gone"), &Put::default())?;
        user.put("INBOX", &plain("Here", "here"), &Put::default())?;
        let client = Home::of(&user)?.serve(era, Elicit::Accept).await?;
        let folders = ok(&client, "list_folders", json!({})).await?;
        let listed = folders.at("/folders")?.as_array().context("folders")?;
        let project = listed.iter().find(|folder| folder["name"] == "Project").unwrap()["id"].clone();
        let old = ok(&client, "list_messages", json!({ "folder": project })).await?;
        let old = old.at("/messages/0/id")?.clone();
        let list = ok(&client, "list_messages", json!({})).await?;
        let [here, gone] = ["/messages/0/id", "/messages/1/id"].map(|at| list.at(at).unwrap().clone());
        let stored = user.messages("INBOX")?[0].uid.to_string();
        user.doveadm(&["expunge", "-u", &user.address, "mailbox", "INBOX", "uid", &stored])?;
        // The folder is made anew: the same name and UID, another UIDVALIDITY.
        user.doveadm(&["mailbox", "delete", "-u", &user.address, "-s", "Project"])?;
        std::thread::sleep(Duration::from_millis(1100));
        user.create_folder("Project")?;
        user.put("Project", &plain("Somebody else's", "new"), &Put::default())?;

        let stale = "from before the folder was rebuilt";
        let cases = [
            ("get_message", json!({ "message": old }), stale),
            ("get_attachment", json!({ "message": old, "attachment": "2" }), stale),
            ("modify_message", json!({ "messages": [old], "flagged": true }), stale),
            ("trash_message", json!({ "messages": [here, old] }), stale),
            ("reply_draft", json!({ "message": old, "text": "Yes." }), stale),
            ("get_message", json!({ "message": gone }), "There is no such message"),
            ("archive_message", json!({ "messages": [here, gone] }), "There is no such message"),
            ("get_message", json!({ "message": "INBOX" }), "not one that this server handed out"),
            ("list_messages", json!({ "folder": "No such folder" }), "folder"),
            ("move_message", json!({ "messages": [here], "folder": "a\r\nb" }), "folder"),
            ("get_attachment", json!({ "message": here, "attachment": "9" }), "no such attachment"),
            ("send_draft", json!({ "draft": here }), "not"),
            ("delete_draft", json!({ "draft": here }), "not in the drafts folder"),
            ("list_messages", json!({ "cursor": "made-up" }), "`cursor`"),
        ];
        for (tool, arguments, words) in cases {
            let said = error(&client, tool, arguments.clone()).await?;
            assert!(said.starts_with("Nothing was"), "{tool} {arguments}: {said}");
            assert!(said.contains(words), "{tool} {arguments}: {said}");
            let read = ok(&client, "get_message", json!({ "message": here })).await?;
            assert!(read.text.contains("Text of Here."), "after {tool} {arguments}");
        }
        assert_eq!((user.count("INBOX")?, user.count("Trash")?, user.count("Archive")?), (1, 0, 0));
        assert!(user.messages("Project")?[0].flags.is_empty(), "another message with the same UID");
    }
    Ok(())
}

#[tokio::test]
async fn arguments_that_do_not_exist_are_named() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("arguments")?;
    let client = Home::of(&user)?.serve(Era::November2025, Elicit::Accept).await?;
    for tool in client.tools().await? {
        let name = tool["name"].as_str().unwrap();
        let said = error(&client, name, json!({ "confirmed": true })).await?;
        assert!(said.contains("Unknown argument `confirmed`"), "{name}: {said}");
    }
    let unknown = client.call("delete_everything", json!({})).await;
    assert!(unknown.is_err(), "{unknown:?}");
    ok(&client, "list_messages", json!({})).await?;
    assert!(client.asked().is_empty());
    client.clean()
}

/// Every tool is listed, and every one that needs the account says what is wrong.
async fn explains(home: &Home, words: &str) -> Result<()> {
    for era in [Era::June2025, Era::Modern] {
        let client = home.serve(era, Elicit::Accept).await?;
        let tools = client.tools().await?;
        assert!(tools.len() >= WITHOUT_SAVING, "{}", tools.len());
        for tool in &tools {
            let name = tool["name"].as_str().unwrap();
            let got = client.call(name, json!({})).await?;
            assert!(got.text.contains(words), "{name}: {}", got.text);
            assert!(got.is_error || name == "list_accounts", "{name}: {}", got.text);
        }
        client.clean()?;
        assert!(client.close().await?.status.success());
    }
    Ok(())
}

#[tokio::test]
async fn a_configuration_that_cannot_be_used_is_explained_by_every_call() -> Result<()> {
    let home = Home::empty()?;
    explains(&home, "run `countersign-imap login`").await?;
    for (toml, words) in [
        ("[accounts.default\n", "line 1"),
        ("[accounts.default]\naddress = \"me@mail.test\"\nimap.hots = \"x\"\n", "hots"),
        ("[accounts.default]\naddress = \"me@mail.test\"\n", "imap.host"),
        ("[accounts.default]\nimap.host = \"127.0.0.1\"\n", "address"),
        (
            "[accounts.default]\naddress = \"me@mail.test\"\nimap.host = \"x\"\nimap.port = 99999\n",
            "imap.port",
        ),
        (
            "[accounts.default]\naddress = \"me@mail.test\"\nimap.host = \"x\"\nimap.security = \"none\"\n",
            "imap.security",
        ),
        (
            "[accounts.default]\naddress = \"me@mail.test\"\nimap.host = \"x\"\nprotection = \"strict\"\n",
            "protection",
        ),
        (
            "[accounts.default]\naddress = \"me@mail.test\"\nimap.host = \"x\"\npassword = \"canary\"\n",
            "password",
        ),
    ] {
        home.configure(toml)?;
        explains(&home, words).await.with_context(|| toml.to_owned())?;
    }
    // A directory in the file's place.
    let home = Home::empty()?;
    std::fs::create_dir_all(home.config_file())?;
    explains(&home, "can't be read").await
}

#[tokio::test]
async fn what_the_owner_does_not_allow_is_neither_listed_nor_done() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("readonly")?;
    user.put("INBOX", &plain("Question", "question"), &Put::default())?;
    let home = Home::of(&user)?;
    let client =
        RawClient::spawn(home.command(&["serve", "--read-only"]), Era::Modern, Elicit::Accept).await?;
    let tools = client.tools().await?;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{names:?}");
    assert!(names.contains(&"list_messages"), "{names:?}");
    let list = ok(&client, "list_messages", json!({})).await?;
    let id: Value = list.at("/messages/0/id")?.clone();
    for (tool, arguments) in [
        ("trash_message", json!({ "messages": [id] })),
        ("create_draft", json!({ "to": [user.address], "subject": "s", "text": "t" })),
        ("send_draft", json!({ "draft": id })),
    ] {
        assert!(client.call(tool, arguments).await.is_err(), "{tool}");
    }
    assert_eq!((user.count("INBOX")?, user.count("Drafts")?), (1, 0));
    Ok(())
}
