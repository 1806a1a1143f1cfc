//! The owner's commands against the real servers: `login`, `status`, `logout`, and serving from what `login` left.

use std::{os::unix::fs::PermissionsExt as _, process::Output};

use anyhow::Result;
use countersign_testkit::{
    mcp::{Elicit, Era},
    services::{Put, User, mail},
};
use serde_json::{Value, json};

use crate::{
    account::plain,
    home::{Home, by_id, draft, error, ok},
};

/// Signs in, the password on stdin, as a script does it.
fn login(home: &Home, user: &User<'_>, more: &[&str], password: &str) -> Result<Output> {
    let mail = user.mail();
    let (imap, smtp) = (mail.imap.tls.port().to_string(), mail.smtp.smtps.port().to_string());
    let ca = mail.ca_pem.to_string_lossy();
    let settings = [
        ("--address", user.address.as_str()),
        ("--imap-host", "127.0.0.1"),
        ("--imap-port", &imap),
        ("--smtp-host", "127.0.0.1"),
        ("--smtp-port", &smtp),
        ("--ca-file", &ca),
    ];
    let settings = settings.iter().flat_map(|(flag, value)| [*flag, *value]);
    let arguments: Vec<&str> =
        ["login", "--no-keychain"].into_iter().chain(more.iter().copied()).chain(settings).collect();
    home.run(&arguments, &format!("{password}\n"))
}

/// Everything that a command said.
fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn status(home: &Home, check: bool) -> Result<(bool, Value)> {
    let arguments: &[&str] = if check { &["status", "--json", "--check"] } else { &["status", "--json"] };
    let output = home.run(arguments, "")?;
    Ok((output.status.success(), serde_json::from_slice(&output.stdout)?))
}

#[tokio::test]
async fn what_login_leaves_is_enough_to_serve_and_logout_takes_it_away() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let (user, other) = (mail.user("signin")?, mail.user("other")?);
    user.put("INBOX", &plain("Question", "question"), &Put::default())?;
    let home = Home::empty()?;
    let output = login(&home, &user, &["work"], &user.password)?;
    assert!(output.status.success(), "{}", said(&output));
    assert!(!said(&output).contains(&user.password), "{}", said(&output));
    let mode = |path| anyhow::Ok(std::fs::metadata(path)?.permissions().mode() & 0o777);
    assert_eq!(mode(home.credentials_file())?, 0o600);
    assert!(!std::fs::read_to_string(home.config_file())?.contains(&user.password));

    let (well, report) = status(&home, true)?;
    let account = &report["accounts"][0];
    assert!(well, "{report}");
    assert_eq!((&account["name"], &account["address"]), (&json!("work"), &json!(user.address)));
    assert_eq!((&account["credential"], &account["fault"]), (&json!("file"), &Value::Null));
    assert_eq!(account["check"], json!({ "signed_in": true, "problem": null }));
    assert!(!report.to_string().contains(&user.password));

    let client = home.serve(Era::Modern, Elicit::Accept).await?;
    let list = ok(&client, "list_messages", json!({})).await?;
    assert_eq!(list.str_at("/messages/0/subject")?, "Question");
    let id = draft(&client, &other.address, "Answer").await?;
    let sent = ok(&client, "send_draft", by_id(&id)).await?;
    assert_eq!(sent.at("/sent")?, true, "{}", sent.text);
    assert_eq!(other.wait_received(1)?.len(), 1);
    client.close().await?;

    let output = home.run(&["logout"], "")?;
    assert!(output.status.success(), "{}", said(&output));
    for (path, content) in home.files()? {
        let content = String::from_utf8_lossy(&content);
        assert!(!content.contains(&user.password), "the password is still in {}", path.display());
    }
    let client = home.serve(Era::Modern, Elicit::Accept).await?;
    let words = error(&client, "list_messages", json!({})).await?;
    assert!(words.contains("No password is stored") && words.contains("`login`"), "{words}");
    let (_, report) = status(&home, false)?;
    assert_eq!(report["accounts"][0]["credential"], Value::Null);

    // A new sign-in needs the name alone.
    let output = home.run(&["login", "work", "--no-keychain"], &format!("{}\n", user.password))?;
    assert!(output.status.success(), "{}", said(&output));
    // The server that said so a moment ago needs no restart.
    ok(&client, "list_messages", json!({})).await?;
    Ok(())
}

#[test]
fn a_wrong_password_is_told_and_nothing_is_kept() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("wrong")?;
    let home = Home::empty()?;
    let output = login(&home, &user, &[], "hunter2-canary")?;
    let words = said(&output);
    assert!(!output.status.success());
    assert!(
        words.contains("Nothing was kept") && words.contains("refused the user name or password"),
        "{words}"
    );
    assert!(!words.contains("hunter2-canary"), "{words}");
    assert_eq!(home.files()?, []);
    // No password at all, and a server that is not there.
    let output = login(&home, &user, &[], "")?;
    assert!(!output.status.success() && said(&output).contains("password"), "{}", said(&output));
    let output = home.run(
        &[
            "login",
            "--no-keychain",
            "--address",
            "me@mail.test",
            "--imap-host",
            "127.0.0.1",
            "--imap-port",
            "1",
        ],
        "secret\n",
    )?;
    assert!(!output.status.success() && said(&output).contains("nothing answers"), "{}", said(&output));
    assert_eq!(home.files()?, []);
    Ok(())
}

#[test]
fn a_failed_renewal_keeps_the_sign_in_that_works() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("renew")?;
    let home = Home::empty()?;
    let output = login(&home, &user, &[], &user.password)?;
    assert!(output.status.success(), "{}", said(&output));
    let before = home.files()?;
    let output = home.run(&["login", "--no-keychain"], "not-this-one\n")?;
    assert!(!output.status.success() && said(&output).contains("Nothing was kept"), "{}", said(&output));
    assert_eq!(home.files()?, before);
    assert!(status(&home, true)?.0);
    Ok(())
}

#[test]
fn status_tells_an_account_that_works_from_one_that_does_not() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let (mut user, second) = (mail.user("status")?, mail.user("status")?);
    let home = Home::empty()?;
    for (name, user) in [("one", &user), ("two", &second)] {
        let output = login(&home, user, &[name], &user.password)?;
        assert!(output.status.success(), "{}", said(&output));
    }
    assert!(status(&home, true)?.0);
    user.set_password("changed-at-the-provider")?;
    let (well, report) = status(&home, true)?;
    assert!(!well);
    let accounts = &report["accounts"];
    assert_eq!(accounts[1]["check"]["signed_in"], true, "{report}");
    assert_eq!(accounts[0]["check"]["signed_in"], false, "{report}");
    let problem = accounts[0]["check"]["problem"].as_str().unwrap();
    assert!(problem.contains("refused the user name or password"), "{problem}");
    Ok(())
}

#[tokio::test]
async fn sign_ins_that_others_can_read_are_not_used() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let user = mail.user("mode")?;
    let home = Home::empty()?;
    let output = login(&home, &user, &[], &user.password)?;
    assert!(output.status.success(), "{}", said(&output));
    std::fs::set_permissions(home.credentials_file(), std::fs::Permissions::from_mode(0o644))?;
    let client = home.serve(Era::November2025, Elicit::Accept).await?;
    let words = error(&client, "list_messages", json!({})).await?;
    assert!(words.contains("The stored password can't be read"), "{words}");
    let (well, report) = status(&home, false)?;
    let fault = report["accounts"][0]["fault"].as_str().unwrap();
    assert!(!well && fault.contains("600"), "{fault}");
    std::fs::set_permissions(home.credentials_file(), std::fs::Permissions::from_mode(0o600))?;
    ok(&client, "list_messages", json!({})).await?;
    Ok(())
}
