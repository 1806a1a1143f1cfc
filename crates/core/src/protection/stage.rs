//! The two sides of protection as types. `Unscreened` can be made by anyone and opened only in this module; `Screened` can
//! be read by anyone and made only in this module. Neither prints, serialises or derefs.

use super::policy::Judge;
use crate::mailbox::MailboxError;

/// Foreign content as a backend returned it. Nobody outside `protection` can look inside.
pub struct Unscreened<T>(T);

impl<T> Unscreened<T> {
    /// Wraps what came from a provider.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Takes the content out, for judging.
    pub(in crate::protection) fn open(self) -> T {
        self.0
    }
}

/// Foreign content that protection let through and the sanitiser has cleaned.
pub struct Screened<T>(T);

impl<T> Screened<T> {
    pub(in crate::protection) fn pass(value: T) -> Self {
        Self(value)
    }

    /// Looks at the content, to render it.
    pub fn get(&self) -> &T {
        &self.0
    }
}

impl<T: Send + 'static> Screened<T> {
    /// What follows from the content by work that takes a while (a PDF's text), done off the async threads. The function
    /// captures nothing, so what it makes comes from the content alone.
    ///
    /// # Errors
    /// [`MailboxError::Unreadable`] where the work failed.
    pub(crate) async fn derive<U: Send + 'static>(
        self,
        work: fn(T) -> U,
    ) -> Result<Screened<U>, MailboxError> {
        self.derive_with(work, |content, work| work(content)).await
    }

    /// The same with something of the owner's (a directory).
    ///
    /// # Errors
    /// [`MailboxError::Unreadable`] where the work failed.
    pub(crate) async fn derive_with<O: Send + 'static, U: Send + 'static>(
        self,
        own: O,
        work: fn(T, O) -> U,
    ) -> Result<Screened<U>, MailboxError> {
        let done = tokio::task::spawn_blocking(move || work(self.0, own)).await;
        done.map(Screened).map_err(|_| MailboxError::Unreadable)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Which side of protection a mailbox is on.
pub trait Stage: sealed::Sealed + Send + Sync + 'static {
    /// Foreign content as this side carries it.
    type Of<T: Send>: Send;
}

/// A backend's side: content is [`Unscreened`].
pub struct Raw;
/// The tools' side: content is [`Screened`].
pub struct Safe;

impl sealed::Sealed for Raw {}
impl sealed::Sealed for Safe {}

impl Stage for Raw {
    type Of<T: Send> = Unscreened<T>;
}

impl Stage for Safe {
    type Of<T: Send> = Screened<T>;
}

/// Content that can be judged and cleaned. Sealed: a provider's own type can't be declared harmless from outside.
pub trait Foreign: sealed_foreign::Sealed + Send + Sized {
    /// Judges the content and cleans every string in it, or keeps it.
    #[doc(hidden)]
    fn screen(self, judge: &Judge) -> Result<Self, MailboxError>;
}

pub(in crate::protection) mod sealed_foreign {
    pub trait Sealed {}
}
