//! A small MCP server that has nothing to do with mail: a shelf of jars. Emptying one can't be undone and is never done
//! without a prompt; relabelling one can, and goes by preview and token where the client shows no prompts.
//!
//! `cargo run --example irreversible` serves on standard input and output. A server of yours reads the `MCP_CONFIRM_*`
//! variables where it reads its others; this one takes them as arguments (`MCP_CONFIRM_MODE=auto`).

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use countersign_confirm::{
    Act, Answer, CONFIRM_FLOW, CONFIRM_TOKEN, CONFIRM_TOKEN_DESCRIPTION, Call, Confirmed, Fresh, Gate,
    GateConfig, KeySource, Outcome, Payload, Plan, Question, Subject, Terms, Write, WriteAct, WriteGate,
    Writes, answer, env, inert,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// What is in each jar.
#[derive(Default)]
pub(crate) struct Shelf {
    jars: Mutex<BTreeMap<String, String>>,
}

impl Shelf {
    fn jars<T>(&self, with: impl FnOnce(&mut BTreeMap<String, String>) -> T) -> T {
        with(&mut self.jars.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn content(&self, jar: &str) -> Result<String, &'static str> {
        self.jars(|jars| jars.get(jar).cloned()).ok_or("no such jar")
    }

    /// Can't be called without the proof, nor twice with one.
    fn empty(&self, yes: Confirmed<Emptying>) {
        let gone = yes.into_subject();
        self.jars(|jars| jars.remove(&gone.jar));
    }

    fn relabel(&self, yes: Confirmed<Relabelling>) {
        let Relabelling { jar, label, content } = yes.into_subject();
        self.jars(|jars| {
            jars.remove(&jar);
            jars.insert(label, content);
        });
    }
}

/// Emptying a jar: everything that it does, and how that is shown.
struct Emptying {
    jar: String,
    content: String,
}

impl Subject for Emptying {
    fn digest(&self) -> [u8; 32] {
        Sha256::new().chain_update(&self.jar).chain_update([0]).chain_update(&self.content).finalize().into()
    }

    fn prompt(&self) -> String {
        format!("Empty the jar “{}”? It holds: {}", inert::line(&self.jar), inert::line(&self.content))
    }

    fn terms(&self) -> Terms {
        Terms::NONE
    }

    fn hold_to(&mut self, _: Terms) {}
}

/// Putting another label on a jar.
struct Relabelling {
    jar: String,
    label: String,
    content: String,
}

impl Write for Relabelling {
    fn plan(&self) -> Plan {
        Plan::payload(&*self.jar, Payload::record([("label", Payload::from(&*self.label))]))
            .summary("Puts another label on the jar.")
            .showing("jar", &*self.jar)
            .showing("content", &*self.content)
    }
}

struct JarToEmpty<'a>(&'a Shelf, &'a str);

impl Fresh for JarToEmpty<'_> {
    type Subject = Emptying;
    type Error = &'static str;

    async fn read(&self) -> Result<Emptying, &'static str> {
        Ok(Emptying { jar: self.1.to_owned(), content: self.0.content(self.1)? })
    }
}

struct JarToRelabel<'a>(&'a Shelf, &'a str, &'a str);

impl Fresh for JarToRelabel<'_> {
    type Subject = Relabelling;
    type Error = &'static str;

    async fn read(&self) -> Result<Relabelling, &'static str> {
        let Self(pantry, jar, label) = self;
        Ok(Relabelling { jar: (*jar).to_owned(), label: (*label).to_owned(), content: pantry.content(jar)? })
    }
}

/// The server.
#[derive(Clone)]
pub(crate) struct Pantry {
    shelf: Arc<Shelf>,
    irreversible: Arc<Gate>,
    writes: WriteGate,
}

impl Pantry {
    /// A server by the owner's variables.
    pub(crate) fn new(variables: &env::Variables<'_>) -> Self {
        let (settings, warnings) = env::settings(variables);
        for warning in warnings {
            eprintln!("{warning}");
        }
        let config =
            GateConfig { key: KeySource::Process, ttl: GateConfig::TTL, elicitation: settings.elicitation };
        let shelf = Shelf::default();
        let full = [("red", "raspberries, last year's"), ("blue", "plums")];
        shelf.jars(|jars| jars.extend(full.map(|(label, content)| (label.into(), content.into()))));
        Self {
            shelf: Arc::new(shelf),
            irreversible: Arc::new(Gate::new(config)),
            writes: WriteGate::new(Arc::new(Writes::new(settings))),
        }
    }

    async fn run(&self, tool: &str, call: Call, arguments: JsonObject) -> Result<Answer, ErrorData> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let (jar, label) = (text("jar"), text("label"));
        match tool {
            "list_jars" => Ok(said(self.shelf.jars(|jars| json!(jars).to_string()))),
            "empty_jar" => {
                let (account, principal, origin, subject) = ("", "the cook", "pantry", "");
                let act = Act { tool, account, principal, origin, subject, arguments: &arguments };
                let outcome = self.irreversible.confirm(&call, &act, &JarToEmpty(&self.shelf, jar)).await;
                Ok(ended(tool, outcome, |yes| self.shelf.empty(yes)))
            }
            "relabel_jar" => {
                // One account, and that is said: it can't be left out.
                let act = WriteAct { tool, action: "jar.relabel", account: None, arguments: &arguments };
                let jar = JarToRelabel(&self.shelf, jar, label);
                let outcome = self.writes.confirm(&call, &act, &jar).await;
                Ok(ended(act.action, outcome, |yes| self.shelf.relabel(yes)))
            }
            _ => Err(ErrorData::invalid_params("no such tool", None)),
        }
    }
}

/// The same for every gated tool: the question goes to the client, a no is said in words, and a yes is acted on.
fn ended<S>(
    action: &str,
    outcome: Result<Outcome<S, Question>, &'static str>,
    act: impl FnOnce(Confirmed<S>),
) -> Answer {
    match outcome {
        Ok(Outcome::Ask(question)) => Answer::Ask(question),
        Ok(Outcome::Declined(why)) => Answer::Done(why.into_result(action)),
        Ok(Outcome::Confirmed(yes)) => {
            act(yes);
            said("done".to_owned())
        }
        Err(why) => Answer::Done(CallToolResult::error(vec![ContentBlock::text(why)])),
    }
}

fn said(text: String) -> Answer {
    Answer::Done(CallToolResult::success(vec![ContentBlock::text(text)]))
}

fn tool(name: &'static str, description: String, properties: &Value, hints: ToolAnnotations) -> Tool {
    let schema = json!({"type": "object", "properties": properties});
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, description, Arc::new(schema)).with_annotations(hints)
}

impl ServerHandler for Pantry {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let jar = json!({"type": "string", "description": "The label on the jar."});
        let label = json!({"type": "string", "description": "The label that it gets."});
        let token = json!({"type": "string", "description": CONFIRM_TOKEN_DESCRIPTION});
        let reads = ToolAnnotations::new().read_only(true).open_world(false);
        let destroys = ToolAnnotations::new().read_only(false).destructive(true).open_world(false);
        Ok(ListToolsResult::with_all_items(vec![
            tool("list_jars", "Lists the jars and what is in them.".to_owned(), &json!({}), reads),
            tool(
                "empty_jar",
                "Empties a jar, for good, once the user has agreed in a prompt.".to_owned(),
                &json!({"jar": jar}),
                destroys.clone(),
            ),
            tool(
                "relabel_jar",
                format!("Puts another label on a jar. {CONFIRM_FLOW}"),
                &json!({"jar": jar, "label": label, CONFIRM_TOKEN: token}),
                destroys,
            ),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.to_string();
        answer(request, context, |call, arguments| self.run(&tool, call, arguments)).await
    }
}

/// The value of one of the arguments, which are written as variables are: `MCP_CONFIRM_MODE=auto`.
fn value<'a>(arguments: &'a [String], name: &str) -> Option<&'a str> {
    arguments.iter().find_map(|argument| argument.strip_prefix(name)?.strip_prefix('='))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let set = |name| value(&arguments, name);
    let pantry = Pantry::new(&env::Variables {
        mode: set(env::MODE),
        elicitation: set(env::ELICITATION),
        ttl_seconds: set(env::TTL_SECONDS),
        secret: set(env::SECRET),
        host_secret: set(env::HOST_SECRET),
        data_dir: set(env::DATA_DIR),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        pantry.serve((tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
        Ok(())
    })
}
