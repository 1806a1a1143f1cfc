//! What a write would do: the part that is bound, and the part of it that a person sees.

use serde_json::{Map, Value};

use super::{WriteAct, bound_arguments};
use crate::{Payload, inert, render};

/// The request that a write comes down to.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "all of a request, written out")]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path, or whatever names the operation.
    pub path: String,
    /// The query; empty where there is none.
    pub query: Map<String, Value>,
    /// The body, where there is one.
    pub body: Option<Payload>,
}

/// What a write would do, as read just now. It is made of a request or of a payload, because a confirmation that names
/// only a target would be good for anything done to it.
#[derive(Clone, Debug)]
pub struct Plan {
    target: String,
    revision: Option<String>,
    request: Option<Request>,
    payload: Option<Payload>,
    summary: Option<String>,
    will_send: Option<Value>,
    more: Map<String, Value>,
}

/// What the plan itself shows, and nothing beside it may pass for.
const OWN: [&str; 5] = ["action", "method", "path", "willSend", "willSendQuery"];

impl Plan {
    /// A write that is one request. `target` is what it acts on (an id, a path, a search); empty where it creates.
    pub fn request(target: impl Into<String>, request: Request) -> Self {
        Self { request: Some(request), ..Self::on(target.into()) }
    }

    /// A write that is described by what it writes. `target` is what it acts on; empty where it creates.
    pub fn payload(target: impl Into<String>, payload: Payload) -> Self {
        Self { payload: Some(payload), ..Self::on(target.into()) }
    }

    fn on(target: String) -> Self {
        let (revision, request, payload, summary, will_send) = (None, None, None, None, None);
        Self { target, revision, request, payload, summary, will_send, more: Map::new() }
    }

    /// Binds a payload beside the request.
    #[must_use]
    pub fn with_payload(self, payload: Payload) -> Self {
        Self { payload: Some(payload), ..self }
    }

    /// The target's revision, which changes with every edit (an etag, a time of change).
    #[must_use]
    pub fn at_revision(self, revision: Option<String>) -> Self {
        Self { revision, ..self }
    }

    /// What happens, in a sentence for the person.
    #[must_use]
    pub fn summary(self, summary: impl Into<String>) -> Self {
        Self { summary: Some(summary.into()), ..self }
    }

    /// What the person sees of what is sent, where it is not the request's body or the payload as it is.
    #[must_use]
    pub fn will_send(self, shown: impl Into<Value>) -> Self {
        Self { will_send: Some(shown.into()), ..self }
    }

    /// Something else that the person should see. A name that the plan itself shows (`action`, `method`, `path`,
    /// `willSend`, `willSendQuery`) makes the plan one that is not confirmed.
    #[must_use]
    pub fn showing(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.more.insert(name.into(), value.into());
        self
    }

    pub(super) fn is_sound(&self) -> bool {
        !OWN.iter().any(|own| self.more.contains_key(*own))
    }

    pub(super) fn target(&self) -> &str {
        &self.target
    }

    pub(super) fn revision(&self) -> Option<&str> {
        self.revision.as_deref()
    }

    /// What the person sees, on either rail.
    pub(super) fn shown(&self) -> Map<String, Value> {
        let request = self.request.as_ref();
        let body = request.and_then(|request| request.body.as_ref()).or(self.payload.as_ref());
        let query = request.map(|request| &request.query).filter(|query| !query.is_empty());
        let own = [
            self.summary.clone().map(Value::from),
            request.map(|request| request.method.as_str().into()),
            request.map(|request| request.path.as_str().into()),
            self.will_send.clone().or_else(|| body.map(Payload::shown)),
            query.map(|query| query.clone().into()),
        ];
        let own = OWN.into_iter().zip(own).filter_map(|(name, value)| Some((name.to_owned(), value?)));
        own.chain(self.more.clone()).collect()
    }

    /// All that a confirmation is bound to, on either rail.
    pub(super) fn bound(&self, act: &WriteAct<'_>) -> Payload {
        let request = self.request.as_ref().map(|request| {
            let Request { method, path, query, body } = request;
            let query = (!query.is_empty()).then(|| Payload::from(query));
            present([
                ("method", Some(method.as_str().into())),
                ("path", Some(path.as_str().into())),
                ("query", query),
                ("body", body.clone()),
            ])
        });
        present([
            ("account", act.account.map(Payload::from)),
            ("target", Some(self.target.as_str().into())),
            ("revision", self.revision.as_deref().map(Payload::from)),
            ("request", request),
            ("payload", self.payload.clone()),
            ("shown", Some((&self.shown()).into())),
            ("args", Some(bound_arguments(act.arguments))),
        ])
    }

    /// What stands in the prompt: the action, then each thing that is shown, on its line or indented below it.
    pub(super) fn prompt(&self, act: &WriteAct<'_>) -> String {
        let mut out = inert::line(act.action);
        if let Some(account) = act.account {
            out.push_str("\naccount: ");
            out.push_str(&inert::line(account));
        }
        for (name, value) in self.shown() {
            let text = match value {
                Value::String(text) => text,
                other @ (Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_)) => render::json(&other),
            };
            out.push('\n');
            out.push_str(&inert::line(&name));
            if text.contains(['\n', '\r']) {
                out.push_str(":\n");
                out.push_str(&inert::block(&text, usize::MAX).text);
            } else {
                out.push_str(": ");
                out.push_str(&inert::line(&text));
            }
        }
        out
    }
}

/// A record of what is there.
pub(super) fn present<const N: usize>(members: [(&str, Option<Payload>); N]) -> Payload {
    Payload::record(members.into_iter().filter_map(|(name, value)| Some((name, value?))))
}
