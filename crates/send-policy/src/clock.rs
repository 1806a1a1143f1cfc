//! The time, passed in. Tests set it; a server uses the system's.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Where the policy takes the time from.
///
/// The clock is the machine's and may be wrong or set back. Nothing that the policy remembers ends early by that:
/// what lies in the future counts as in force.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self(Arc::new(SystemTime::now))
    }

    /// A clock of one's own, for tests.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Whole seconds since the Unix epoch, as the state records them.
    pub(crate) fn now(&self) -> i64 {
        to_seconds((self.0)())
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

fn to_seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, i64::saturating_neg),
    }
}

/// A recorded time for showing. One that no clock could have written becomes the epoch.
pub(crate) fn from_seconds(seconds: i64) -> SystemTime {
    u64::try_from(seconds)
        .ok()
        .and_then(|s| UNIX_EPOCH.checked_add(Duration::from_secs(s)))
        .unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_count_from_the_epoch_both_ways() {
        assert_eq!(to_seconds(UNIX_EPOCH + Duration::from_millis(1_999)), 1);
        assert_eq!(to_seconds(UNIX_EPOCH - Duration::from_secs(5)), -5);
        assert_eq!(from_seconds(7), UNIX_EPOCH + Duration::from_secs(7));
        assert_eq!(from_seconds(-7), UNIX_EPOCH);
        assert_eq!(Clock::new(|| from_seconds(42)).now(), 42);
    }
}
