//! Nothing irreversible happens before a person has seen exactly what it is and said yes.
//!
//! A tool of an MCP server describes what it would do as a [`Subject`] and how to read that anew as [`Fresh`]; the
//! gate shows it to the person by MCP form elicitation, reads it again after the answer, compares, and hands out
//! [`Confirmed`], which nothing else can make. The function that acts takes a `Confirmed` by value, so the compiler
//! keeps "no act without a yes, and one act for one yes".
#![cfg_attr(feature = "rmcp", doc = include_str!("example.md"))]
//! # What holds
//!
//! - A client that is known not to show forms is never asked; a client of which nothing is known is ([`Prompts`]).
//! - The form has one required box without a default. Accepting it unticked is a no.
//! - What is done is what was shown: by digest, by [`Terms`] (a stricter one refuses, a laxer one is held to what was
//!   shown), and, under the same terms, by the prompt itself. A write is bound by its target, revision and payload, by
//!   the account, the arguments and all that was shown.
//! - On protocol revision 2026-07-28 the confirmation travels through the client, signed: that of an irreversible act is
//!   bound to method, tool, account, origin, sign-in, arguments, digest, terms and prompt, lives five minutes, and is
//!   refused when it doesn't fit; that of a write is asked again.
//! - A token names tool, account, target, revision and a hash of everything else, and is spent by its first use, on disk
//!   where its key outlives the process.
//!
//! # What does not
//!
//! The confirmation of an irreversible act is not made single-use here: two calls may come back with one state. Claim the
//! act durably before doing it. A token holds what is done, not who agreed: a model that means to act can make both calls,
//! which is why irreversible acts are refused instead unless their owner says otherwise (`Gate::confirm_or_token`). And a
//! client that lies about its user can't be found out.
//!
//! # Without rmcp
//!
//! `Writes::step` does for a write all that `WriteGate` does, over values: what the client declared, what came back
//! with the call, what would be done. A server on another MCP library carries the form and the results.
//!
//! ```
//! # #[cfg(feature = "token")] {
//! use std::time::SystemTime;
//!
//! use countersign_confirm::{Incoming, Payload, Plan, Prompting, Step, Write, WriteAct, Writes, env};
//! use serde_json::json;
//!
//! struct Rename(String);
//!
//! impl Write for Rename {
//!     fn plan(&self) -> Plan {
//!         Plan::payload("thing-1", Payload::record([("name", Payload::from(self.0.as_str()))]))
//!     }
//! }
//!
//! let writes = Writes::new(env::settings(&env::Variables::default()).0);
//! let mut arguments = json!({"id": "thing-1", "name": "new"}).as_object().cloned().unwrap_or_default();
//! // This client declared what it can, and prompts are not among it.
//! let incoming =
//!     Incoming { prompting: Prompting::declared(Some(&json!({"roots": {}}))), state: None, answer: None };
//! let mut step = |token: Option<&str>| {
//!     if let Some(token) = token {
//!         arguments.insert("confirmToken".to_owned(), token.into());
//!     }
//!     let act = WriteAct { tool: "rename", action: "thing.rename", account: None, arguments: &arguments };
//!     writes.step(&incoming, &act, Rename("new".to_owned()), SystemTime::now())
//! };
//! let Step::Preview(preview) = step(None) else { panic!("a preview comes first") };
//! assert!(preview.text().contains(preview.token()));
//! assert!(matches!(step(Some(preview.token())), Step::Confirmed(_)));
//! assert!(matches!(step(Some(preview.token())), Step::Declined(_)));
//! # }
//! ```
//!
//! # Features
//!
//! `rmcp` (default) brings the gates and their rails, `token` everything of them that works over values. Without both the
//! proof, the traits and [`inert`] remain: enough for a crate that decides what may be confirmed and acts on it.

#[cfg(feature = "rmcp")]
mod call;
mod confirmed;
#[cfg(feature = "token")]
pub mod env;
#[cfg(feature = "token")]
mod error;
#[cfg(feature = "rmcp")]
mod gate;
pub mod inert;
#[cfg(feature = "token")]
mod key;
mod outcome;
#[cfg(feature = "token")]
mod payload;
#[cfg(feature = "token")]
mod prompting;
#[cfg(feature = "rmcp")]
mod rail;
#[cfg(feature = "token")]
mod render;
#[cfg(feature = "token")]
mod spent;
#[cfg(feature = "rmcp")]
mod state;
mod subject;
#[cfg(feature = "token")]
pub mod token;
mod wording;
#[cfg(feature = "token")]
mod write;

pub use confirmed::Confirmed;
pub use outcome::{Declined, Outcome, Prompts};
pub use subject::{Fresh, Subject, Terms};
#[cfg(feature = "rmcp")]
pub use {
    call::{Answer, Call, Question, Waiting, answer},
    gate::{Act, Gate, GateConfig, Round},
    rail::write::WriteGate,
    tokio_util::sync::CancellationToken,
};
#[cfg(feature = "token")]
pub use {
    error::KeyError,
    key::{Key, KeySource, Secret},
    payload::{Date, Payload},
    prompting::{CONFIRM, Prompting},
    spent::{Spent, SpentError},
    wording::{CONFIRM_FLOW, CONFIRM_INJECTION_RULE, CONFIRM_TOKEN_DESCRIPTION},
    write::{
        CONFIRM_TOKEN, Changed, Incoming, Mode, Plan, Preview, Request, Settings, Step, Way, Write, WriteAct,
        Writes,
    },
};
