//! Pages of long lists.

use std::time::Duration;

use super::MessageRow;

/// Where a list goes on: the backend's own words, opaque to everyone else. It comes back from a model, so a backend
/// treats it as hostile input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(pub String);

/// Which part of a list is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Most rows to return, at least 1.
    pub limit: usize,
    /// Where the previous page ended.
    pub cursor: Option<Cursor>,
    /// How long the read may take before it answers with what it has.
    pub budget: Duration,
}

impl Window {
    /// The first page.
    pub fn first(limit: usize, budget: Duration) -> Self {
        Self { limit, cursor: None, budget }
    }
}

/// One page of messages, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The rows.
    pub rows: Vec<MessageRow>,
    /// Where to go on, if there is more.
    pub next: Option<Cursor>,
    /// How many there are in all, where known.
    pub total: Option<u64>,
    /// Messages that match but could not be read.
    pub unreadable: u64,
    /// What was not looked at and why, in our own words (a folder that timed out is named by its id).
    pub missing: Vec<Gap>,
}

/// A part of the mailbox that a read could not cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// This folder was not searched: no time was left.
    NoTime(super::FolderRef),
    /// This folder could not be opened.
    Unavailable(super::FolderRef),
    /// More messages matched than are looked at in one call.
    TooMany,
}
