//! `demo`: the whole main job on the sample mailbox, against the real server, over a real MCP conversation. The person at
//! the terminal is asked what their client would ask. Without a terminal it runs by itself and shows both answers: a yes
//! that sends, and a no that keeps the draft.

mod client;
mod page;

use client::{Answered, Client};
use page::Page;
use serde_json::{Value, json};

use super::{console::Console, runtime, scratch::Scratch, serve::demo_server};
use crate::provider::Provider;

/// How many messages of a list are shown.
const ROWS: usize = 8;

/// The message that the walk is about.
const SUBJECT: &str = "Re: Kitchen: the quote as promised";

/// The answer to it, in the assistant's part.
const ANSWER: &str = "Hello Robin,\n\nMonday 11 January suits me, so please book that week. And yes, do send the changed \
                      quote with the 4 cm worktop.\n\nJana";

/// Walks through it.
pub(super) fn run<P: Provider>(console: &mut Console) -> anyhow::Result<()> {
    let scratch = Scratch::new()?;
    let server = demo_server::<P>(&scratch)?;
    let runtime = runtime()?;
    let walked = runtime.block_on(async {
        let mut walk = Walk { client: Client::start(server).await?, page: Page::new(console), step: 0 };
        walk.run::<P>().await
    });
    runtime.shutdown_background();
    walked
}

struct Walk<'a> {
    client: Client,
    page: Page<'a>,
    step: usize,
}

impl Walk<'_> {
    async fn run<P: Provider>(&mut self) -> anyhow::Result<()> {
        self.page
            .title("Countersign: what an assistant does with your mail, and what it can't do without you")?;
        self.page
            .text("The mailbox is a sample in memory. Nothing here touches a network or your own mail.")?;

        self.step("The assistant lists the inbox", "list_messages")?;
        let inbox = self.call("list_messages", &json!({})).await?;
        self.page.rows(&inbox.structure, "from", ROWS)?;

        self.step("It reads the message that you asked about", "get_message")?;
        let message = chosen(&inbox.structure)?;
        let read = self.call("get_message", &json!({ "message": message })).await?;
        self.page.frame(&read.text)?;
        self.page.text("What others wrote reaches the assistant between marks that mail can't forge: it is information, not orders.")?;

        self.step("It writes an answer, which goes to Drafts", "reply_draft")?;
        let reply = json!({ "message": message, "text": ANSWER });
        let drafted = self.call("reply_draft", &reply).await?;
        let draft = id_of(&drafted)?;
        self.page.text("The draft is stored. It could be changed by you, in any mail program.")?;

        self.step("It asks for the draft to be sent", "send_draft")?;
        let sent = self.send(&draft, "yes").await?;

        self.step("The Sent folder now", "list_messages")?;
        self.show_folder("sent", 3).await?;
        if self.page.interactive() {
            if !sent {
                self.step("And Drafts: it waits there for you", "list_messages")?;
                self.show_folder("drafts", 3).await?;
            }
        } else {
            self.declined().await?;
        }
        self.page.end(&format!(
            "That is all of it. To use your own mail: {} login. More: {} --help.",
            P::BINARY,
            P::BINARY
        ))
    }

    /// The other answer, where there is nobody to give it.
    async fn declined(&mut self) -> anyhow::Result<()> {
        self.step("Another draft, and this time the answer is no", "create_draft, send_draft")?;
        let new = json!({ "to": ["robin@vale-joinery.example"], "subject": "The deposit", "text": "Hello Robin,\n\nshall I pay the deposit now?\n\nJana" });
        let drafted = self.call("create_draft", &new).await?;
        let draft = id_of(&drafted)?;
        self.send(&draft, "no").await?;
        self.step("Drafts: it is still there", "list_messages")?;
        self.show_folder("drafts", 3).await
    }

    /// Sends a draft; `unattended` is the answer where nobody is asked. Whether it went out.
    async fn send(&mut self, draft: &str, unattended: &str) -> anyhow::Result<bool> {
        self.page.text("Before anything goes out, your client shows you exactly this:")?;
        let page = &mut self.page;
        let answered = self
            .client
            .call("send_draft", &json!({ "draft": draft }), |prompt| {
                page.frame(prompt)?;
                page.agrees("Send it?", unattended)
            })
            .await?;
        let sent = answered.structure.get("sent").and_then(Value::as_bool) == Some(true);
        self.page.text("What the assistant is told:")?;
        self.page.frame(&answered.text)?;
        Ok(sent)
    }

    async fn show_folder(&mut self, folder: &str, rows: usize) -> anyhow::Result<()> {
        let listed = self.call("list_messages", &json!({ "folder": folder })).await?;
        self.page.rows(&listed.structure, "to", rows)
    }

    /// A call that asks the person nothing.
    async fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Answered> {
        let answered = self.client.call(tool, arguments, |_| Ok(false)).await?;
        anyhow::ensure!(!answered.is_error, "{tool} answered: {}", answered.text);
        Ok(answered)
    }

    fn step(&mut self, what: &str, tool: &str) -> anyhow::Result<()> {
        self.step = self.step.saturating_add(1);
        self.page.step(self.step, what, tool)
    }
}

/// The id of the message that the walk is about.
fn chosen(listing: &Value) -> anyhow::Result<String> {
    let rows = listing.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let found = rows.iter().find(|row| row.get("subject").and_then(Value::as_str) == Some(SUBJECT));
    let id = found.and_then(|row| row.get("id")).and_then(Value::as_str);
    id.map(str::to_owned).ok_or_else(|| anyhow::anyhow!("The sample mailbox does not list \"{SUBJECT}\""))
}

/// The id of a draft just stored.
fn id_of(answered: &Answered) -> anyhow::Result<String> {
    let id = answered.structure.get("draft").and_then(Value::as_str).map(str::to_owned);
    id.ok_or_else(|| anyhow::anyhow!("The draft tool gave no id"))
}

#[cfg(test)]
mod tests;
