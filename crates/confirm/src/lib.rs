//! Nothing irreversible happens before a person has seen exactly what it is and said yes.
//!
//! A tool of an MCP server describes what it would do as a [`Subject`] and how to read that anew as [`Fresh`]; the
//! gate shows it to the person by MCP form elicitation, reads it again after the answer, compares, and hands out
//! [`Confirmed`], which nothing else can make. The function that acts takes a `Confirmed` by value, so the compiler
//! keeps "no act without a yes, and one act for one yes".
#![cfg_attr(feature = "rmcp", doc = include_str!("example.md"))]
//! # What holds
//!
//! - A client that is known not to show forms is never asked, and nothing is done; a client of which nothing is known
//!   is asked ([`Declined::CannotPrompt`], module `rail`).
//! - The form has one required box without a default. Accepting it unticked is a no.
//! - What is done is what was shown: by digest, by [`Terms`] (a stricter one refuses, a laxer one is held to what was
//!   shown), and, under the same terms, by the prompt itself.
//! - On protocol revision 2026-07-28 the confirmation travels through the client in a signed state that is bound to
//!   method, tool, account, origin, sign-in, arguments, digest, terms and prompt, and lives five minutes.
//!
//! # What does not
//!
//! A confirmation is not made single-use here: two calls may come back with one state. Claim the act durably before
//! doing it. And a client that lies about its user can't be found out.
//!
//! # Features
//!
//! `rmcp` (default) brings the gate and its rails. Without it the proof, the traits and [`inert`] remain, and no MCP
//! crate is built: enough for a crate that decides what may be confirmed and acts on it.

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
