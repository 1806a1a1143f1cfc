//! One deadline for a call's work. Waiting for a person isn't work (decisions.md §8): the clock stands still meanwhile.

use std::time::Duration;

use countersign_confirm::Waiting;
use tokio::time::{Instant, sleep};

/// Resolves once the call has worked for `limit`, not counting the time it waited for a person.
pub(super) async fn worked_for(limit: Duration, waiting: Waiting) {
    let start = Instant::now();
    loop {
        let worked = start.elapsed().saturating_sub(waiting.waited());
        let left = limit.saturating_sub(worked);
        if left.is_zero() {
            return;
        }
        sleep(left).await;
    }
}

/// How long a read may take before it answers with what it has: the deadline less a tenth, at most 5 seconds less.
pub(super) fn read_budget(deadline: Duration) -> Duration {
    deadline.saturating_sub(deadline.checked_div(10).unwrap_or_default().min(Duration::from_secs(5)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::read_budget;

    #[test]
    fn reads_end_a_little_before_the_call() {
        assert_eq!(read_budget(Duration::from_mins(2)), Duration::from_secs(115));
        assert_eq!(read_budget(Duration::from_secs(10)), Duration::from_secs(9));
    }
}
