//! Spent tokens of one process.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
};

#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<BTreeMap<String, u64>>);

static PROCESS: LazyLock<Arc<Memory>> = LazyLock::new(Arc::default);

pub(super) fn of_the_process() -> Arc<Memory> {
    Arc::clone(&PROCESS)
}

impl Memory {
    pub(super) fn prune(&self, now: u64) {
        self.entries().retain(|_, expires| *expires >= now);
    }

    pub(super) fn contains(&self, nonce: &str) -> bool {
        self.entries().contains_key(nonce)
    }

    pub(super) fn claim(&self, nonce: &str, expires: u64) -> bool {
        let mut entries = self.entries();
        if entries.contains_key(nonce) {
            return false;
        }
        entries.insert(nonce.to_owned(), expires);
        true
    }

    /// A panic elsewhere can't have left half an entry.
    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
