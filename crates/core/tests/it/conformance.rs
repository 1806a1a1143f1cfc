//! The in-memory backend keeps every promise of the `Mailbox` trait.

use anyhow::{Context as _, Result};
use countersign_core::{
    memory::MemoryMailbox,
    model::{Address, Flag, Flags, FolderRef},
    protection::ProtectedMailbox,
};
use countersign_testkit::conformance::{Bench, Fixture, Put, Stored, protected};

/// The mailbox without protection in front: its own other side.
struct Memory(MemoryMailbox);

impl Memory {
    fn folder(&self, name: &str) -> Result<FolderRef> {
        self.0.folder(name).with_context(|| format!("No folder is named {name}"))
    }
}

impl Fixture for Memory {
    fn put(&self, message: &Put<'_>) -> Result<()> {
        let set = [(message.seen, Flag::Seen), (message.flagged, Flag::Flagged)];
        let system = set.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag).collect();
        let flags = Flags { system, keywords: Vec::new() };
        self.0.append(&self.folder(message.folder)?, message.raw, message.received, flags)?;
        Ok(())
    }

    fn contents(&self, folder: &str) -> Result<Vec<Stored>> {
        let held = self.0.contents(&self.folder(folder)?)?;
        let stored = |(_, flags, raw): (_, Flags, _)| Stored {
            seen: flags.has(Flag::Seen),
            flagged: flags.has(Flag::Flagged),
            raw,
        };
        Ok(held.into_iter().map(stored).collect())
    }

    fn empty(&self, folder: &str) -> Result<()> {
        Ok(self.0.clear(&self.folder(folder)?)?)
    }

    fn rebuild(&self, folder: &str) -> Result<()> {
        Ok(self.0.rebuild(&self.folder(folder)?)?)
    }

    fn plain_folder(&self) -> &'static str {
        "Účty/2026"
    }
}

#[expect(clippy::unused_async, reason = "other backends connect here")]
async fn open(_promise: &str) -> Result<Option<Bench<ProtectedMailbox<MemoryMailbox>>>> {
    let mailbox = MemoryMailbox::new(vec![Address::bare("jana@example.com")]);
    Bench::new(protected(mailbox.clone()), Box::new(Memory(mailbox))).map(Some)
}

countersign_testkit::conformance!(open);
