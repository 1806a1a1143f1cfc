//! A result under construction. Foreign content enters only as [`Screened`], through a render function that captures
//! nothing, and leaves wrapped in a boundary that is random for each result, so mail can't forge its end.

use countersign_confirm::Answer;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde_json::Value;

use super::Own;
use crate::{
    protection::Screened,
    sanitise::untrusted::{Boundary, NOTICE, wrap},
};

/// An attachment as a result carries it.
pub(super) enum Shown {
    /// As text.
    Text(String),
    /// As a picture or file, with a line about it.
    Block {
        /// What it is.
        label: String,
        /// The picture or file.
        block: Box<ContentBlock>,
    },
}

/// A result: text, structure and content blocks.
pub struct Page {
    boundary: Boundary,
    text: String,
    facts: JsonObject,
    blocks: Vec<ContentBlock>,
}

impl Default for Page {
    fn default() -> Self {
        Self { boundary: Boundary::new(), text: String::new(), facts: JsonObject::new(), blocks: Vec::new() }
    }
}

impl Page {
    /// Adds our own words.
    #[must_use]
    pub fn say(mut self, words: &'static str) -> Self {
        self.text.push_str(words);
        self
    }

    /// Adds one of our own values.
    #[must_use]
    pub fn own(mut self, value: impl Own) -> Self {
        self.text.push_str(&value.text());
        self
    }

    /// Adds foreign text, wrapped as untrusted.
    #[must_use]
    pub fn show<T>(self, content: &Screened<T>, render: fn(&T) -> String) -> Self {
        self.wrapped(&render(content.get()))
    }

    /// Adds foreign text that is rendered with an option of ours (a page number).
    #[must_use]
    pub fn show_with<T, O: Copy + Own>(
        self,
        content: &Screened<T>,
        option: O,
        render: fn(&T, O) -> String,
    ) -> Self {
        self.wrapped(&render(content.get(), option))
    }

    fn wrapped(mut self, foreign: &str) -> Self {
        if !(self.text.is_empty() || self.text.ends_with('\n')) {
            self.text.push('\n');
        }
        self.text.push_str(&wrap(&self.boundary, "mail", foreign));
        self.text.push('\n');
        self
    }

    /// Adds one of our own values to the structured result.
    #[must_use]
    pub fn fact(mut self, name: &'static str, value: impl Own) -> Self {
        self.facts.insert(name.to_owned(), value.value());
        self
    }

    /// Adds foreign content to the structured result, with the notice that it is untrusted. A render function that
    /// yields an object adds its members; anything else stands under `items`.
    #[must_use]
    pub fn structure<T, O: Serialize>(mut self, content: &Screened<T>, render: fn(&T) -> O) -> Self {
        match serde_json::to_value(render(content.get())) {
            Ok(Value::Object(members)) => self.facts.extend(members),
            Ok(other) => {
                self.facts.insert("items".to_owned(), other);
            }
            Err(_) => return self,
        }
        self.facts.insert("notice".to_owned(), Value::String(NOTICE.to_owned()));
        self
    }

    /// Adds an attachment's content: its text (wrapped), its picture, or the file itself.
    #[must_use]
    pub(super) fn attach<T, O: Copy + Own>(
        mut self,
        content: &Screened<T>,
        option: O,
        render: fn(&T, O) -> Shown,
    ) -> Self {
        match render(content.get(), option) {
            Shown::Text(text) => self.wrapped(&text),
            Shown::Block { label, block } => {
                self.blocks.push(*block);
                self.wrapped(&label)
            }
        }
    }

    /// The result in MCP's form.
    pub fn into_result(self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.text.trim_end())];
        content.extend(self.blocks);
        let mut result = CallToolResult::success(content);
        if !self.facts.is_empty() {
            result.structured_content = Some(Value::Object(self.facts));
        }
        result
    }
}

impl super::Reply {
    pub(crate) fn into_answer(self) -> Answer {
        match self {
            Self::Page(page) => Answer::Done(page.into_result()),
            Self::Ask(question) => Answer::Ask(question),
        }
    }
}

impl From<Page> for super::Reply {
    fn from(page: Page) -> Self {
        Self::Page(page)
    }
}
