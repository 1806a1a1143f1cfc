//! Exposure: for ten minutes after the assistant was shown what other people wrote, a send says so.
//!
//! A text from outside may have told the assistant what to send. So every read that returns such text needs an
//! `ExposureReceipt`, and a receipt is minted only after the marker is durable in the state that all processes of the
//! sign-in share. A receipt borrows the call it was minted for, so it can't be kept for the next one, and it names
//! the account it is for.

use std::marker::PhantomData;

use countersign_confirm::Terms;

use crate::{fields::Origin, rules::in_force};

/// How long a read exposes its sign-in, in seconds; each exposing read starts it anew.
pub(crate) const EXPOSURE_TERM: i64 = 10 * 60;

/// The term that says that other people's mail was read in the last ten minutes.
pub(crate) const EXPOSED: Terms = Terms(1);

/// Whether the last exposing read, if there was one, still exposes.
pub(crate) fn is_exposed(exposed_at: Option<i64>, now: i64) -> bool {
    exposed_at.is_some_and(|at| in_force(at, EXPOSURE_TERM, now))
}

/// One tool call, for a receipt to borrow.
#[derive(Default)]
pub struct CallScope(());

/// Proof that the marker is durable: reading what other people wrote is allowed, for this account, in this call.
///
/// ```compile_fail,E0597
/// # async fn f(policy: countersign_send_policy::SendPolicy) {
/// use countersign_send_policy::CallScope;
/// let receipt = {
///     let call = CallScope::default();
///     policy.expose(&call).await.unwrap() // the receipt doesn't outlive its call
/// };
/// drop(receipt);
/// # }
/// ```
pub struct ExposureReceipt<'call> {
    origin: Origin,
    call: PhantomData<&'call CallScope>,
}

impl<'call> ExposureReceipt<'call> {
    /// Minted by the policy, after the marker is written.
    pub(crate) fn mint(origin: Origin, _call: &'call CallScope) -> Self {
        Self { origin, call: PhantomData }
    }

    /// Whether this receipt is for that account.
    pub fn covers(&self, origin: &Origin) -> bool {
        self.origin == *origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exposure_lasts_ten_minutes_and_under_a_clock_set_back() {
        assert!(!is_exposed(None, 0));
        for (now, expected) in [(1_000, true), (1_599, true), (1_600, false), (0, true)] {
            assert_eq!(is_exposed(Some(1_000), now), expected, "{now}");
        }
    }

    #[test]
    fn a_receipt_covers_its_own_account() {
        let origin = Origin::new("imap", "mail.example.org", "robin");
        let call = CallScope::default();
        let receipt = ExposureReceipt::mint(origin.clone(), &call);
        assert!(receipt.covers(&origin));
        assert!(!receipt.covers(&Origin::new("imap", "mail.example.org", "other")));
    }
}
