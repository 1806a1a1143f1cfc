//! The server under test: it shreds papers. A world stands behind it that tests change while a person reads.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use countersign_confirm::{
    Act, Answer, Call, Confirmed, Fresh, Gate, GateConfig, KeySource, Outcome, Round, Subject, Terms, Writes,
    answer, inert,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;

/// What stands on a paper.
#[derive(Clone)]
pub(crate) struct Paper {
    pub(crate) text: &'static str,
    pub(crate) terms: Terms,
    /// Shown, but by this fixture's fault not in the digest.
    pub(crate) note: &'static str,
    /// In the digest, but too long to be shown.
    pub(crate) back: &'static str,
}

/// Everything outside the server.
pub(crate) struct World {
    pub(crate) papers: BTreeMap<&'static str, Paper>,
    pub(crate) account: &'static str,
    pub(crate) principal: &'static str,
    pub(crate) origin: &'static str,
    pub(crate) reads: usize,
    /// Whether each call brought an answer.
    pub(crate) answers: Vec<bool>,
    /// Where each call stood.
    pub(crate) rounds: Vec<Round>,
    /// What was shredded, under which terms.
    pub(crate) shredded: Vec<(String, Terms)>,
    /// How long each finished call had waited for a person.
    pub(crate) waited: Vec<Duration>,
    /// How each finished call ended.
    pub(crate) ended: Vec<String>,
    /// What the client called itself.
    pub(crate) client: Option<String>,
    /// Whether the owner lets tokens do where nobody can be prompted.
    pub(crate) tokens_allowed: bool,
    /// Whether each call was known to be answered with a preview.
    pub(crate) previews: Vec<bool>,
    /// Whether previews are shown in this server's own words.
    pub(crate) own_preview: bool,
    /// Holds up a reading: told when one begins, it waits to be told to go on.
    pub(crate) slow: Option<Arc<Slow>>,
}

impl Default for World {
    fn default() -> Self {
        let paper = Paper { text: "minutes of\u{202e} May", terms: Terms(0b01), note: "one copy", back: "" };
        Self {
            papers: BTreeMap::from([("minutes", paper.clone()), ("ledger", paper)]),
            account: "office",
            principal: "first sign-in",
            origin: "archive.example",
            reads: 0,
            answers: Vec::new(),
            rounds: Vec::new(),
            shredded: Vec::new(),
            waited: Vec::new(),
            ended: Vec::new(),
            client: None,
            tokens_allowed: false,
            previews: Vec::new(),
            own_preview: false,
            slow: None,
        }
    }
}

/// Two signals between a test and a reading.
#[derive(Default)]
pub(crate) struct Slow {
    pub(crate) begun: Notify,
    pub(crate) go_on: Notify,
}

#[derive(Clone)]
pub(crate) struct Shredder {
    world: Arc<Mutex<World>>,
    pub(crate) finished: Arc<Notify>,
    gate: Arc<Gate>,
}

impl Shredder {
    pub(crate) fn new() -> Self {
        Self::with(GateConfig { key: KeySource::Process, ttl: GateConfig::TTL, elicitation: true })
    }

    pub(crate) fn with(config: GateConfig) -> Self {
        Self::over(config, None)
    }

    pub(crate) fn over(config: GateConfig, tokens: Option<Arc<Writes>>) -> Self {
        let gate = Gate::new(config);
        let gate = tokens.into_iter().fold(gate, Gate::with_tokens);
        Self { world: Arc::default(), finished: Arc::default(), gate: Arc::new(gate) }
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.world.lock().unwrap())
    }

    pub(crate) fn shredded(&self) -> Vec<(String, Terms)> {
        self.change(|world| world.shredded.clone())
    }

    pub(crate) fn reads(&self) -> usize {
        self.change(|world| world.reads)
    }

    async fn run(&self, tool: String, call: Call, arguments: JsonObject) -> Result<Answer, ErrorData> {
        call.progress(1, Some(2), "looking for the paper").await;
        self.change(|world| world.client = call.client_name());
        let name = arguments.get("paper").and_then(|name| name.as_str()).unwrap_or_default();
        let (account, principal, origin) =
            self.change(|world| (world.account, world.principal, world.origin));
        let act = Act { tool: &tool, account, principal, origin, subject: name, arguments: &arguments };
        let round = self.gate.round(&call, &act);
        self.change(|world| world.rounds.push(round));
        self.change(|world| world.answers.push(call.brings_answer()));
        let file = OnFile { shredder: self, name };
        let outcome = if self.change(|world| world.tokens_allowed) {
            self.change(|world| world.previews.push(self.gate.previews(&call)));
            self.gate.confirm_or_token(&call, &act, &file).await
        } else {
            self.gate.confirm(&call, &act, &file).await
        };
        let ended = match outcome {
            Ok(Outcome::Ask(question)) if self.change(|world| world.own_preview) => {
                match question.into_preview() {
                    Ok(preview) => format!("preview: {}", preview.token()),
                    Err(question) => return Ok(Answer::Ask(question)),
                }
            }
            Ok(Outcome::Ask(question)) => return Ok(Answer::Ask(question)),
            Ok(Outcome::Confirmed(confirmed)) => self.shred(confirmed),
            Ok(Outcome::Declined(declined)) => format!("{}: {}", declined.code(), declined.words()),
            Err(why) => why.to_owned(),
        };
        self.change(|world| {
            world.waited.push(call.waiting().waited());
            world.ended.push(ended.clone());
        });
        self.finished.notify_one();
        Ok(Answer::Done(CallToolResult::success(vec![ContentBlock::text(ended)])))
    }

    fn shred(&self, confirmed: Confirmed<Shredding>) -> String {
        let Shredding { name, terms, .. } = confirmed.into_subject();
        self.change(|world| world.shredded.push((name, terms)));
        "shredded".to_owned()
    }
}

impl ServerHandler for Shredder {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.to_string();
        answer(request, context, |call, arguments| self.run(tool, call, arguments)).await
    }
}

/// Where a paper is read from.
struct OnFile<'a> {
    shredder: &'a Shredder,
    name: &'a str,
}

struct Shredding {
    name: String,
    back: &'static str,
    text: &'static str,
    terms: Terms,
    note: &'static str,
}

impl Fresh for OnFile<'_> {
    type Subject = Shredding;
    type Error = &'static str;

    async fn read(&self) -> Result<Shredding, &'static str> {
        if let Some(slow) = self.shredder.change(|world| world.slow.clone()) {
            slow.begun.notify_one();
            slow.go_on.notified().await;
        }
        self.shredder.change(|world| {
            world.reads = world.reads.saturating_add(1);
            let Paper { text, terms, note, back } =
                world.papers.get(self.name).cloned().ok_or("no such paper")?;
            Ok(Shredding { name: self.name.to_owned(), back, text, terms, note })
        })
    }
}

impl Subject for Shredding {
    fn digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        for part in [&self.name, self.text, self.back] {
            digest.update(part);
            digest.update([0]);
        }
        digest.finalize().into()
    }

    fn prompt(&self) -> String {
        format!("Shred “{}”? ({}, terms {})", inert::line(self.text), self.note, self.terms.0)
    }

    fn terms(&self) -> Terms {
        self.terms
    }

    fn hold_to(&mut self, signed: Terms) {
        self.terms = signed;
    }
}
