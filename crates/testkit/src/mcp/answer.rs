//! The scripted person: what a client answers when the server asks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value, json};

/// Something done at the moment of asking.
type Script = dyn Fn(Asked) -> Pin<Box<dyn Future<Output = Option<Value>> + Send>> + Send + Sync;

/// How questions are answered.
#[derive(Clone)]
#[non_exhaustive]
pub enum Elicit {
    /// Accepted, with every boolean of the form ticked.
    Accept,
    /// Accepted, with every boolean left unticked.
    AcceptUnticked,
    /// Accepted with exactly this content.
    AcceptWith(Value),
    /// Declined.
    Decline,
    /// Cancelled, as when the dialogue is closed.
    Cancel,
    /// Elicitation is declared, and no answer ever comes.
    Silence,
    /// Elicitation is not declared. A server that asks all the same is answered by a decline.
    Unsupported,
    /// Whatever the script says, which may first change the world; see [`Elicit::script`].
    Script(Arc<Script>),
}

/// A question as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What the person reads.
    pub message: String,
    /// The form (`requestedSchema`).
    pub schema: Value,
    /// All parameters.
    pub params: Value,
}

impl Elicit {
    /// Runs a function when asked, whose value is the answer (`{"action": …, "content": …}`); `None` is silence.
    pub fn script<F, A>(script: F) -> Self
    where
        F: Fn(Asked) -> A + Send + Sync + 'static,
        A: Future<Output = Option<Value>> + Send + 'static,
    {
        Self::Script(Arc::new(move |asked| Box::pin(script(asked))))
    }

    pub(super) async fn answer(&self, asked: Asked) -> Option<Value> {
        match self {
            Self::Accept => Some(asked.accept(true)),
            Self::AcceptUnticked => Some(asked.accept(false)),
            Self::AcceptWith(content) => Some(json!({ "action": "accept", "content": content })),
            Self::Decline | Self::Unsupported => Some(json!({ "action": "decline" })),
            Self::Cancel => Some(json!({ "action": "cancel" })),
            Self::Silence => None,
            Self::Script(script) => script(asked).await,
        }
    }
}

impl fmt::Debug for Elicit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accept => "Accept",
            Self::AcceptUnticked => "AcceptUnticked",
            Self::AcceptWith(_) => "AcceptWith",
            Self::Decline => "Decline",
            Self::Cancel => "Cancel",
            Self::Silence => "Silence",
            Self::Unsupported => "Unsupported",
            Self::Script(_) => "Script",
        })
    }
}

impl Asked {
    pub(super) fn read(params: Value) -> Self {
        Self {
            message: params.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            schema: params.get("requestedSchema").cloned().unwrap_or_default(),
            params,
        }
    }

    /// An acceptance in which every boolean of the form has this value.
    pub fn accept(&self, ticked: bool) -> Value {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let content: Map<String, Value> = properties
            .into_iter()
            .flatten()
            .filter(|(_, form)| form.get("type") == Some(&"boolean".into()))
            .map(|(name, _)| (name.clone(), ticked.into()))
            .collect();
        json!({ "action": "accept", "content": content })
    }
}
