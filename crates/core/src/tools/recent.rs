//! Drafts that a sending tool stored a short while ago, by the call that they were stored for: a call that is repeated
//! (because the person said no, the client gave up waiting, or the model tries again) finds its draft and stores no second
//! one. In memory: after a restart a repeated call stores a draft of its own.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::model::JsonObject;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::model::{DraftRef, StoredDraft};

/// How long a repeated call finds its draft (decisions.md §5).
pub(crate) const REUSED_FOR: Duration = Duration::from_mins(10);
/// Most calls remembered for one account; the oldest are forgotten first.
const MOST: usize = 256;

/// What a call is known by: a hash, so that no mail text is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallKey([u8; 32]);

impl CallKey {
    /// The key of a call: its tool, its arguments, and the content of the files that they name.
    pub(crate) fn of<'a>(tool: &str, arguments: &JsonObject, files: impl Iterator<Item = &'a str>) -> Self {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        };
        add(tool.as_bytes());
        // Maps are sorted by their keys, so the order in which arguments were written makes no difference.
        add(serde_json::to_string(arguments).unwrap_or_default().as_bytes());
        files.for_each(|identity| add(identity.as_bytes()));
        Self(hash.finalize().into())
    }
}

/// What became of an earlier call.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// Its draft was stored and not sent, as far as is known.
    Stored(StoredDraft),
    /// Its message went out.
    Sent,
}

struct Kept {
    key: CallKey,
    draft: StoredDraft,
    sent: bool,
    since: Instant,
}

/// The drafts of one account.
#[derive(Default)]
pub(crate) struct Recent {
    kept: Mutex<Vec<Kept>>,
    /// Held while a draft is being made, so that the same call twice at once makes one.
    pub(crate) making: tokio::sync::Mutex<()>,
}

impl Recent {
    /// What became of a call with this key.
    pub(crate) fn earlier(&self, key: &CallKey) -> Option<Earlier> {
        let kept = self.kept();
        let found = kept.iter().find(|kept| kept.key == *key)?;
        Some(if found.sent { Earlier::Sent } else { Earlier::Stored(found.draft.clone()) })
    }

    /// Remembers the draft that a call made.
    pub(crate) fn stored(&self, key: CallKey, draft: StoredDraft) {
        let mut kept = self.kept();
        kept.retain(|kept| kept.key != key);
        let surplus = kept.len().saturating_add(1).saturating_sub(MOST);
        kept.drain(..surplus);
        kept.push(Kept { key, draft, sent: false, since: Instant::now() });
    }

    /// The draft went out: for a while the same call sends nothing more.
    pub(crate) fn sent(&self, draft: &DraftRef) {
        self.kept().iter_mut().filter(|kept| kept.draft.id == *draft).for_each(|kept| kept.sent = true);
    }

    /// The draft is used up without having gone out: the same call makes a new one.
    pub(crate) fn used_up(&self, draft: &DraftRef) {
        self.kept().retain(|kept| kept.draft.id != *draft);
    }

    /// What is still remembered.
    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.since.elapsed() < REUSED_FOR);
        kept
    }
}
