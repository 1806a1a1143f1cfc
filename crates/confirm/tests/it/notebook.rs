//! The second server under test: it renames notes, which is confirmed as writes are.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use countersign_confirm::{
    Answer, Call, CancellationToken, Confirmed, Declined, Fresh, KeySource, Outcome, Payload, Plan, Secret,
    Settings, Spent, Write, WriteAct, WriteGate, Writes, answer, env,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::json;

pub(crate) const SECRET: &str = "correct horse battery staple";

#[derive(Clone)]
pub(crate) struct Note {
    pub(crate) title: String,
    pub(crate) revision: u32,
}

pub(crate) struct World {
    pub(crate) notes: BTreeMap<&'static str, Note>,
    pub(crate) account: Option<&'static str>,
    pub(crate) reads: usize,
    pub(crate) renamed: Vec<String>,
    /// Cancelled by the next reading, as a client that goes away meanwhile would do.
    pub(crate) cut: bool,
}

#[derive(Clone)]
pub(crate) struct Notebook {
    world: Arc<Mutex<World>>,
    gate: WriteGate,
}

pub(crate) fn settings() -> Settings {
    Settings {
        key: KeySource::Secret(Secret::new(SECRET)),
        spent: Spent::memory(),
        ..env::settings(&env::Variables::default()).0
    }
}

impl Notebook {
    pub(crate) fn new() -> Self {
        Self::with(settings())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let note = Note { title: "Minutes".to_owned(), revision: 7 };
        let notes = BTreeMap::from([("n1", note.clone()), ("n2", note)]);
        let world = World { notes, account: Some("office"), reads: 0, renamed: Vec::new(), cut: false };
        Self { world: Arc::new(Mutex::new(world)), gate: WriteGate::new(Arc::new(Writes::new(settings))) }
    }

    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.world.lock().unwrap())
    }

    pub(crate) fn renamed(&self) -> Vec<String> {
        self.change(|world| world.renamed.clone())
    }

    pub(crate) fn reads(&self) -> usize {
        self.change(|world| world.reads)
    }

    async fn run(&self, tool: String, call: Call, arguments: JsonObject) -> Result<Answer, ErrorData> {
        let text = |name: &str| arguments.get(name).and_then(|value| value.as_str()).unwrap_or_default();
        let account = self.change(|world| world.account);
        let act = WriteAct { tool: &tool, action: "note.rename", account, arguments: &arguments };
        let cancelled = call.cancellation();
        let note = Renaming { notebook: self, id: text("id"), to: text("title"), cancelled };
        Ok(match self.gate.confirm(&call, &act, &note).await {
            Ok(Outcome::Ask(question)) => Answer::Ask(question),
            Ok(Outcome::Declined(declined)) => Answer::Done(declined.into_result("note.rename")),
            Ok(Outcome::Confirmed(confirmed)) => Answer::Done(self.rename(confirmed)),
            Err(why) => Answer::Done(CallToolResult::error(vec![ContentBlock::text(why)])),
        })
    }

    fn rename(&self, confirmed: Confirmed<Rename>) -> CallToolResult {
        let Rename { id, title, .. } = confirmed.into_subject();
        self.change(|world| world.renamed.push(format!("{id}: {title}")));
        CallToolResult::success(vec![ContentBlock::text("renamed")])
    }
}

/// Which sentence stands in a result, by its code.
pub(crate) fn code(text: &str) -> String {
    let said: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
    assert_eq!((&said["confirmed"], &said["dispatched"]), (&json!(false), &json!(false)), "{text}");
    assert_eq!(said["action"], "note.rename", "{text}");
    let code = if said["error"].is_null() { &said["reason"] } else { &said["error"] };
    let code = code.as_str().unwrap();
    assert!(Declined::ALL.iter().any(|why| why.code() == code && said["note"] == why.words()), "{text}");
    code.to_owned()
}

struct Renaming<'a> {
    notebook: &'a Notebook,
    id: &'a str,
    to: &'a str,
    cancelled: CancellationToken,
}

struct Rename {
    id: String,
    title: String,
    note: Note,
}

impl Fresh for Renaming<'_> {
    type Subject = Rename;
    type Error = &'static str;

    async fn read(&self) -> Result<Rename, &'static str> {
        self.notebook.change(|world| {
            world.reads = world.reads.saturating_add(1);
            if world.cut {
                self.cancelled.cancel();
            }
            let note = world.notes.get(self.id).cloned().ok_or("no such note")?;
            Ok(Rename { id: self.id.to_owned(), title: self.to.to_owned(), note })
        })
    }
}

impl Write for Rename {
    fn plan(&self) -> Plan {
        Plan::payload(&*self.id, Payload::from(&json!({"title": self.title})))
            .at_revision(Some(self.note.revision.to_string()))
            .summary("Renames a note.")
            .showing("title", &*self.note.title)
    }
}

impl ServerHandler for Notebook {
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
