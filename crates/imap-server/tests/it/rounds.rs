//! What happens to a draft between the question and the answer: it changes, it goes away, or somebody else sends it.

use std::{fs, path::PathBuf, sync::Arc};

use anyhow::Result;
use countersign_testkit::{
    faults::{Action, Place, Protocol, Proxy},
    mcp::{CallResult, Elicit, Era, RawClient, Round},
    services::{Put, User, mail, tls::Shown},
};
use serde_json::{Value, json};

use crate::home::{Home, by_id, draft, error, header, ok};

/// The one draft's file, which no mail program would change in place, and some servers would.
fn file(user: &User<'_>) -> Result<PathBuf> {
    let drafts = user.mail().dir().join("mail").join(&user.address).join("Maildir/Drafts/cur");
    let mut files = fs::read_dir(drafts)?;
    Ok(files.next().unwrap()?.path())
}

/// Asks for a send, does something while the question stands, and answers yes.
async fn yes_after(
    client: &RawClient,
    draft: &str,
    change: impl Fn() -> Result<()> + Send + Sync + 'static,
) -> Result<CallResult> {
    let change = Arc::new(change);
    client.elicit(Elicit::script(move |asked| {
        let change = Arc::clone(&change);
        async move {
            change().unwrap();
            Some(asked.accept(true))
        }
    }));
    client.call("send_draft", by_id(draft)).await
}

#[tokio::test]
async fn a_draft_that_changed_under_the_question_is_not_sent() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for era in Era::ALL {
        let (user, other) = (mail.user("changed")?, mail.user("other")?);
        let client = Home::of(&user)?.serve(era, Elicit::Accept).await?;
        let id = draft(&client, &other.address, "Kitchen").await?;
        let path = file(&user)?;
        let got = yes_after(&client, &id, move || {
            let text = fs::read_to_string(&path)?;
            assert!(text.contains("Please go ahead."));
            Ok(fs::write(&path, text.replace("Please go ahead.", "Please send cash"))?)
        })
        .await?;
        assert_eq!(
            (got.at("/sent")?, got.str_at("/reason")?),
            (&json!(false), "payload-changed"),
            "{}",
            got.text
        );
        assert!(got.text.contains("The draft stays in Drafts"), "{}", got.text);
        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (1, 0));
        // Asked again, the person sees the draft as it is now, and that is what goes.
        client.elicit(Elicit::Accept);
        let sent = ok(&client, "send_draft", by_id(&id)).await?;
        assert_eq!(sent.at("/sent")?, true, "{}", sent.text);
        assert!(client.asked()[1].message.contains("Please send cash"), "{:?}", client.asked());
        let [received] = other.wait_received(1)?.try_into().unwrap();
        assert!(String::from_utf8(received.on_the_wire)?.contains("Please send cash"));
    }
    Ok(())
}

#[tokio::test]
async fn a_draft_that_was_replaced_under_the_question_is_not_sent() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for era in [Era::November2025, Era::Modern] {
        let (user, other) = (mail.user("replaced")?, mail.user("other")?);
        let client = Home::of(&user)?.serve(era, Elicit::Accept).await?;
        let id = draft(&client, &other.address, "Kitchen").await?;
        let stored = user.messages("Drafts")?.pop().unwrap();
        // As a mail program does on "save": a new message with the same Message-ID, and the old one expunged.
        let edited = String::from_utf8(stored.raw)?.replace("Please go ahead.", "Please send cash");
        let (path, at) = (file(&user)?, user.clone());
        let got = yes_after(&client, &id, move || {
            fs::remove_file(&path)?;
            at.put("Drafts", edited.as_bytes(), &Put { flags: &["\\Draft"], ..Put::default() })?;
            Ok(())
        })
        .await?;
        assert!(got.is_error, "{}", got.text);
        assert!(got.text.starts_with("Nothing was sent by this call."), "{}", got.text);
        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (1, 0));
        assert_eq!(mail.deliveries(&other.address)?, []);
        assert!(error(&client, "send_draft", by_id(&id)).await?.starts_with("Nothing was"));
    }
    Ok(())
}

#[tokio::test]
async fn a_draft_that_was_sent_elsewhere_under_the_question_is_not_sent_again() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let (user, other) = (mail.user("elsewhere")?, mail.user("other")?);
    let client = Home::of(&user)?.serve(Era::Modern, Elicit::Accept).await?;
    let id = draft(&client, &other.address, "Kitchen").await?;
    // The person's own mail program sent it: a copy lies in Sent, and the draft is still there.
    let stored = user.messages("Drafts")?.pop().unwrap();
    let (requests, state) = client.first_round("send_draft", by_id(&id)).await?.ask()?;
    user.put("Sent", &stored.raw, &Put::default())?;
    let answers = client.answer_all(&requests).await?;
    let got = client.next_round("send_draft", by_id(&id), answers, state).await?.done()?;
    assert!(got.is_error && got.text.contains("Sent"), "{}", got.text);
    assert_eq!(mail.deliveries(&other.address)?, []);
    assert_eq!((user.count("Drafts")?, user.count("Sent")?), (1, 1));
    Ok(())
}

/// The second round of a send: the question is answered with yes.
async fn confirm(client: RawClient, draft: String) -> Result<CallResult> {
    match client.first_round("send_draft", by_id(&draft)).await? {
        Round::Done(got) => Ok(got),
        Round::Ask { requests, state } => {
            let answers = client.answer_all(&requests).await?;
            client.next_round("send_draft", by_id(&draft), answers, state).await?.done()
        }
    }
}

#[tokio::test]
async fn of_two_processes_that_confirm_one_draft_one_sends_it() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    for eras in [[Era::November2025; 2], [Era::Modern; 2], [Era::June2025, Era::Modern]] {
        let (user, other) = (mail.user("race")?, mail.user("other")?);
        let smtp = Proxy::tls(Protocol::Smtp, mail.smtp.plain, &mail.authority, Shown::Good)?;
        let home = Home::of(&user)?.smtp(smtp.address);
        let one = home.serve(eras[0], Elicit::Accept).await?;
        let two = home.serve(eras[1], Elicit::Accept).await?;
        let id = draft(&one, &other.address, "Kitchen").await?;
        // Both are confirmed and signed in to the outgoing server before either may claim the draft.
        let held = [(); 2].map(|()| smtp.at(Place::BeforeReply("AUTH".into()), 1, Action::Hold));
        let calls = [&one, &two].map(|client| tokio::spawn(confirm(client.clone(), id.clone())));
        for rule in held {
            smtp.reached(rule).await?;
        }
        smtp.release();
        let mut sent = 0;
        for call in calls {
            let got = call.await??;
            if got.is_error {
                assert!(got.text.starts_with("Nothing was sent by this call."), "{}", got.text);
            } else {
                assert_eq!(got.at("/sent")?, true, "{}", got.text);
                sent += 1;
            }
        }
        assert_eq!(sent, 1);
        assert_eq!((one.asked().len(), two.asked().len()), (1, 1));
        assert_eq!((user.count("Drafts")?, user.count("Sent")?), (0, 1));
        assert_eq!(smtp.tally().count("MAIL FROM"), 1);
        let [received] = other.wait_received(1)?.try_into().unwrap();
        let id = header(&received.on_the_wire, "Message-ID").unwrap();
        assert_eq!(mail.accepted(id.trim_matches(['<', '>']))?, 1);
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_is_good_for_its_own_draft_alone() -> Result<()> {
    let Some(mail) = mail()? else { return Ok(()) };
    let (user, other) = (mail.user("swap")?, mail.user("other")?);
    let client = Home::of(&user)?.serve(Era::Modern, Elicit::Accept).await?;
    let first = draft(&client, &other.address, "First").await?;
    let second = draft(&client, &other.address, "Second").await?;
    let (requests, state) = client.first_round("send_draft", by_id(&first)).await?.ask()?;
    let answers = client.answer_all(&requests).await?;
    // Base64 in other letters is another signature over another state.
    let broken = state.as_ref().and_then(Value::as_str).map(|text| Value::from(text.to_ascii_uppercase()));
    assert_ne!(broken, state);
    for (id, state) in [(&second, state.clone()), (&first, broken), (&first, None)] {
        match client.next_round("send_draft", by_id(id), answers.clone(), state).await? {
            Round::Done(got) => assert_eq!(got.at("/sent")?, false, "{}", got.text),
            Round::Ask { .. } => {}
        }
    }
    assert_eq!((user.count("Drafts")?, user.count("Sent")?), (2, 0));
    let got = client.next_round("send_draft", by_id(&first), answers.clone(), state.clone()).await?.done()?;
    assert_eq!(got.at("/sent")?, true, "{}", got.text);
    // The same answer again, after the act.
    let again = client.next_round("send_draft", by_id(&first), answers, state).await?.done()?;
    assert!(again.is_error && again.text.starts_with("Nothing was sent by this call."), "{}", again.text);
    assert_eq!(other.wait_received(1)?.len(), 1);
    assert_eq!((user.count("Drafts")?, user.count("Sent")?), (1, 1));
    Ok(())
}
