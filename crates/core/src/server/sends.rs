//! Sends in flight. From its claim on, a send is not dropped: not by a cancellation, not by the deadline, and not at once
//! when stdin closes (decisions.md §8).

use std::sync::{
    Arc,
    atomic::{AtomicU8, AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// Nothing of this call can't be dropped.
const WORKING: u8 = 0;
/// This call's send has begun.
const IN_FLIGHT: u8 = 1;
/// This call was given up, so no send of it begins any more.
const GIVEN_UP: u8 = 2;

#[derive(Default)]
struct Shared {
    in_flight: AtomicUsize,
    ended: Notify,
}

/// Counts sends in flight; one for the whole server, and a view of it for each call.
#[derive(Clone, Default)]
pub struct Sends {
    shared: Arc<Shared>,
    this_call: Arc<AtomicU8>,
}

impl Sends {
    /// The view for one call.
    pub(crate) fn for_call(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), this_call: Arc::default() }
    }

    /// A send begins (just before its claim), unless its call was given up. It is in flight until the guard is dropped.
    pub(crate) fn begin(&self) -> Option<InFlight> {
        self.step(WORKING, IN_FLIGHT).then(|| {
            self.shared.in_flight.fetch_add(1, Ordering::SeqCst);
            InFlight(self.clone())
        })
    }

    /// Gives this call up, unless a send of it is in flight. One step with [`Self::begin`]: a call is never stopped
    /// between its claim and its answer, and never claims after it was stopped.
    pub(crate) fn give_up(&self) -> bool {
        self.step(WORKING, GIVEN_UP)
    }

    fn step(&self, from: u8, to: u8) -> bool {
        self.this_call.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
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
        self.0.this_call.store(WORKING, Ordering::SeqCst);
        self.0.shared.in_flight.fetch_sub(1, Ordering::SeqCst);
        self.0.shared.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::Sends;

    #[test]
    fn a_call_is_either_sending_or_given_up() {
        let all = Sends::default();
        let (sending, given_up) = (all.for_call(), all.for_call());
        let guard = sending.begin().unwrap();
        assert!(!sending.give_up());
        assert!(given_up.give_up());
        assert!(given_up.begin().is_none());
        drop(guard);
        assert!(sending.give_up());
    }

    #[tokio::test]
    async fn settled_waits_for_every_send() {
        let all = Sends::default();
        let (one, two) = (all.for_call(), all.for_call());
        let (first, second) = (one.begin().unwrap(), two.begin().unwrap());
        drop(first);
        let waiting = tokio::spawn(async move { all.settled().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(second);
        waiting.await.unwrap();
    }
}
