//! What a result may carry besides foreign content: our own words (`&'static str`) and these sealed types. There is no
//! `String` among them, so text from a provider can't reach a result unscreened.

use std::fmt::Write;

use countersign_send_policy::Fingerprint;
use serde_json::{Value, json};

use crate::{
    account::{AccountName, Slot},
    mailbox::Mailbox,
    model::{Day, DraftRef, Folder, FolderRef, Keyword, MessageRef, Moved, Section, SpecialUse, Timestamp},
    protection::Raw,
};

mod sealed {
    pub trait Sealed {}
}

/// A value that may stand in a result.
pub trait Own: sealed::Sealed {
    /// The value as text.
    fn text(&self) -> String;
    /// The value in a structured result.
    fn value(&self) -> Value {
        Value::String(self.text())
    }
}

/// A number of things or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u64);

impl Count {
    /// The length of something.
    pub fn of(length: usize) -> Self {
        Self(u64::try_from(length).unwrap_or(u64::MAX))
    }
}

/// A yes or a no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YesNo(pub bool);

/// Which page of a long text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageNumber(pub u64);

impl sealed::Sealed for PageNumber {}
impl Own for PageNumber {
    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl<T: Own> sealed::Sealed for &T {}
impl<T: Own> Own for &T {
    fn text(&self) -> String {
        (*self).text()
    }
    fn value(&self) -> Value {
        (*self).value()
    }
}

impl sealed::Sealed for super::listing::NextCursor {}
impl Own for super::listing::NextCursor {
    fn text(&self) -> String {
        self.0.clone()
    }
}

macro_rules! own_by_display {
    ($($name:ty),+ $(,)?) => {$(
        impl sealed::Sealed for $name {}
        impl Own for $name {
            fn text(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

own_by_display!(AccountName, Day, DraftRef, Fingerprint, FolderRef, Keyword, MessageRef, Section, Timestamp);

/// Words of ours: only a literal can be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words(pub &'static str);

impl sealed::Sealed for Words {}
impl Own for Words {
    fn text(&self) -> String {
        self.0.to_owned()
    }
}

/// An error's sentences are ours, like everything in a [`super::ToolError`].
impl sealed::Sealed for super::ToolError {}
impl Own for super::ToolError {
    fn text(&self) -> String {
        Self::text(self)
    }
}

impl sealed::Sealed for SpecialUse {}
impl Own for SpecialUse {
    fn text(&self) -> String {
        self.name().to_owned()
    }
}

impl sealed::Sealed for Count {}
impl Own for Count {
    fn text(&self) -> String {
        self.0.to_string()
    }
    fn value(&self) -> Value {
        json!(self.0)
    }
}

impl sealed::Sealed for YesNo {}
impl Own for YesNo {
    fn text(&self) -> String {
        if self.0 { "yes" } else { "no" }.to_owned()
    }
    fn value(&self) -> Value {
        json!(self.0)
    }
}

impl<T: Own> sealed::Sealed for Option<T> {}
impl<T: Own> Own for Option<T> {
    fn text(&self) -> String {
        self.as_ref().map_or_else(|| "unknown".to_owned(), Own::text)
    }
    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, Own::value)
    }
}

impl<T: Own> sealed::Sealed for Vec<T> {}
impl<T: Own> Own for Vec<T> {
    fn text(&self) -> String {
        self.iter().map(Own::text).collect::<Vec<_>>().join(", ")
    }
    fn value(&self) -> Value {
        Value::Array(self.iter().map(Own::value).collect())
    }
}

/// What the owner's configuration says of an account.
#[derive(Debug, Clone)]
pub(super) struct AccountFacts {
    name: AccountName,
    address: Option<String>,
    capabilities: Vec<&'static str>,
    protection: &'static str,
    protection_set: bool,
    problem: Option<String>,
}

impl AccountFacts {
    pub(super) fn of<M: Mailbox<Stage = Raw>>(slot: &Slot<M>) -> Self {
        let profile = slot.profile();
        Self {
            name: profile.name.clone(),
            address: profile.address.clone(),
            capabilities: profile.grants.names(),
            protection: profile.level.name(),
            protection_set: profile.level_written,
            problem: slot.fault().map(ToString::to_string),
        }
    }
}

impl sealed::Sealed for AccountFacts {}
impl Own for AccountFacts {
    fn text(&self) -> String {
        let address = self.address.as_deref().unwrap_or("address not configured");
        let set = if self.protection_set { "" } else { ", not set" };
        let mut text = format!(
            "{}: {address}; may: {}; protection: {}{set}",
            self.name,
            self.capabilities.join(", "),
            self.protection
        );
        if let Some(problem) = &self.problem {
            text.push_str("; cannot be used: ");
            text.push_str(problem);
        }
        text
    }

    fn value(&self) -> Value {
        json!({
            "name": self.name.as_str(),
            "address": self.address,
            "capabilities": self.capabilities,
            "protection": self.protection,
            "protection_set": self.protection_set,
            "usable": self.problem.is_none(),
            "problem": self.problem,
        })
    }
}

impl sealed::Sealed for Folder {}
impl Own for Folder {
    fn text(&self) -> String {
        let mut text = format!("{} (id {}", self.name, self.id);
        if let Some(use_) = self.special_use {
            text.push_str(", ");
            text.push_str(use_.name());
        }
        if !self.selectable {
            text.push_str(", holds no messages");
        }
        if let Some(total) = self.total {
            let _ = write!(text, ", {total} messages");
        }
        if let Some(unread) = self.unread {
            let _ = write!(text, ", {unread} unread");
        }
        text.push(')');
        text
    }

    fn value(&self) -> Value {
        json!({
            "id": self.id.as_str(),
            "name": self.name,
            "special_use": self.special_use.map(SpecialUse::name),
            "selectable": self.selectable,
            "total": self.total,
            "unread": self.unread,
        })
    }
}

impl sealed::Sealed for Moved {}
impl Own for Moved {
    fn text(&self) -> String {
        match &self.to {
            Some(to) => format!("{} is now {to}", self.from),
            None => format!("{} moved (its new id is not known: list the folder)", self.from),
        }
    }

    fn value(&self) -> Value {
        json!({ "message": self.from.as_str(), "now": self.to.as_ref().map(MessageRef::as_str) })
    }
}
