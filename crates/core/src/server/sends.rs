//! Sends in flight. From its claim on, a send is not dropped: not by a cancellation, not by the deadline, and not at once
//! when stdin closes (decisions.md §8).

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::sync::Notify;

#[derive(Default)]
struct Shared {
    in_flight: AtomicUsize,
    ended: Notify,
}

/// Counts sends in flight; one for the whole server, and a view of it for each call.
#[derive(Clone, Default)]
pub struct Sends {
    shared: Arc<Shared>,
    this_call: Arc<AtomicBool>,
}

impl Sends {
    /// The view for one call.
    pub(crate) fn for_call(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), this_call: Arc::default() }
    }

    /// A send begins (just before its claim). It is in flight until the guard is dropped.
    pub(crate) fn begin(&self) -> InFlight {
        self.this_call.store(true, Ordering::SeqCst);
        self.shared.in_flight.fetch_add(1, Ordering::SeqCst);
        InFlight(self.clone())
    }

    /// Whether this call has a send in flight.
    pub(crate) fn is_in_flight(&self) -> bool {
        self.this_call.load(Ordering::SeqCst)
    }

    /// Waits until no send is in flight.
    pub(crate) async fn settled(&self) {
        loop {
            let ended = self.shared.ended.notified();
            if self.shared.in_flight.load(Ordering::SeqCst) == 0 {
                return;
            }
            ended.await;
        }
    }
}

/// A send in flight.
pub(crate) struct InFlight(Sends);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.this_call.store(false, Ordering::SeqCst);
        self.0.shared.in_flight.fetch_sub(1, Ordering::SeqCst);
        self.0.shared.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::Sends;

    #[tokio::test]
    async fn settled_waits_for_every_send() {
        let all = Sends::default();
        let (one, two) = (all.for_call(), all.for_call());
        let (first, second) = (one.begin(), two.begin());
        assert!(one.is_in_flight() && two.is_in_flight() && !all.for_call().is_in_flight());
        drop(first);
        assert!(!one.is_in_flight());
        let waiting = tokio::spawn(async move { all.settled().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(second);
        waiting.await.unwrap();
    }
}
