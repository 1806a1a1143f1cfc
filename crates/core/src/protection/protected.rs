//! The decorator that tools get instead of a backend: one line a method, the rules in `policy/`.

use std::time::{SystemTime, UNIX_EPOCH};

use countersign_send_policy::{
    DraftContent, DraftFields, DraftSource, ExposureReceipt, Origin, SendPermit, SourceError,
};

use super::{
    Foreign, Level, Raw, Safe, Screened, Unscreened,
    policy::{self, Judge},
};
use crate::{
    compose::Enclosure,
    mailbox::{Ending, Features, Found, Mailbox, MailboxError},
    model::{
        Address, Attachment, AttachmentRequest, Delivered, Destination, DraftRef, DraftView, FlagChange,
        Folder, FolderRef, FolderScope, Listing, Message, MessageRef, Moved, NewDraft, Original, Search,
        SentCopy, SentDraft, SpecialUse, StoredDraft, Thread, Timestamp, Window,
    },
};

/// A backend behind protection. The raw side can't be had back.
pub struct ProtectedMailbox<M> {
    inner: M,
    judge: Judge,
}

/// A read that only one provider has. Its output is one of core's own types, so it is judged like any other.
pub trait ProviderRead<M>: Send + Sync {
    /// What it reads.
    type Out: Foreign;

    /// Reads it.
    fn run(
        &self,
        raw: &M,
        receipt: &ExposureReceipt<'_>,
    ) -> impl Future<Output = Result<Unscreened<Self::Out>, MailboxError>> + Send;
}

impl<M: Mailbox<Stage = Raw>> ProtectedMailbox<M> {
    /// Puts a backend behind protection at the owner's level. For the composition root only (clippy holds that).
    pub fn new(inner: M, level: Level) -> Self {
        Self { inner, judge: Judge::new(level) }
    }

    /// The level in force.
    pub fn level(&self) -> &Level {
        self.judge.level()
    }

    /// A read that only this provider has.
    ///
    /// # Errors
    /// [`MailboxError::WrongOrigin`] where the receipt is for another account; what the read or protection says otherwise.
    pub async fn provider_read<R: ProviderRead<M>>(
        &self,
        read: &R,
        receipt: &ExposureReceipt<'_>,
    ) -> Result<Screened<R::Out>, MailboxError> {
        self.covered(receipt)?;
        self.screen(read.run(&self.inner, receipt).await?)
    }

    /// A message to answer or forward, judged but not cleaned for display: `compose` builds a draft from it.
    ///
    /// # Errors
    /// What the backend says, or [`MailboxError::Hidden`] where protection keeps it.
    pub(crate) async fn original(
        &self,
        id: &MessageRef,
        attachments: bool,
    ) -> Result<Original, MailboxError> {
        policy::draft::original(self.inner.fetch_original(id, attachments).await?.open(), &self.judge)
    }

    /// An attachment of a message to be sent along, judged. Nothing can be done with it but to put it into a draft.
    ///
    /// # Errors
    /// What the backend says, or [`MailboxError::Hidden`] where protection keeps it.
    pub(crate) async fn enclosure(&self, request: &AttachmentRequest) -> Result<Enclosure, MailboxError> {
        policy::attachment::enclosure(self.inner.fetch_attachment(request).await?.open(), &self.judge)
    }

    /// What a composed draft looks like, for a result. It may name and quote the original, hence the receipt.
    ///
    /// # Errors
    /// [`MailboxError::WrongOrigin`] where the receipt is for another account; [`MailboxError::Hidden`] where protection
    /// keeps a part of it.
    pub fn view_draft(
        &self,
        draft: &NewDraft,
        receipt: &ExposureReceipt<'_>,
    ) -> Result<Screened<DraftView>, MailboxError> {
        self.covered(receipt)?;
        self.screen(Unscreened::new(policy::draft::view(draft)))
    }

    fn covered(&self, receipt: &ExposureReceipt<'_>) -> Result<(), MailboxError> {
        if receipt.covers(self.inner.origin()) { Ok(()) } else { Err(MailboxError::WrongOrigin) }
    }

    fn screen<T: Foreign>(&self, value: Unscreened<T>) -> Result<Screened<T>, MailboxError> {
        value.open().screen(&self.judge).map(Screened::pass)
    }
}

impl<M: Mailbox<Stage = Raw>> Mailbox for ProtectedMailbox<M> {
    type Stage = Safe;
    type Outbox = M::Outbox;

    fn origin(&self) -> &Origin {
        self.inner.origin()
    }

    fn own_addresses(&self) -> &[Address] {
        self.inner.own_addresses()
    }

    async fn check(&self) -> Result<(), MailboxError> {
        self.inner.check().await
    }

    async fn list_folders(&self) -> Result<Vec<Folder>, MailboxError> {
        Ok(policy::organise::folders(self.inner.list_folders().await?))
    }

    async fn special_use(&self, folder: &FolderRef) -> Result<Option<SpecialUse>, MailboxError> {
        self.inner.special_use(folder).await
    }

    async fn list_messages(
        &self,
        scope: &FolderScope,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        self.covered(receipt)?;
        self.screen(self.inner.list_messages(scope, window, receipt).await?)
    }

    async fn search_messages(
        &self,
        search: &Search,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        self.covered(receipt)?;
        self.screen(self.inner.search_messages(search, window, receipt).await?)
    }

    async fn get_message(&self, id: &MessageRef, receipt: &ExposureReceipt<'_>) -> Found<Self, Message> {
        self.covered(receipt)?;
        self.screen(self.inner.get_message(id, receipt).await?)
    }

    async fn get_thread(
        &self,
        id: &MessageRef,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Thread> {
        self.covered(receipt)?;
        self.screen(self.inner.get_thread(id, window, receipt).await?)
    }

    async fn get_attachment(
        &self,
        request: &AttachmentRequest,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Attachment> {
        self.covered(receipt)?;
        self.screen(self.inner.get_attachment(request, receipt).await?)
    }

    async fn create_draft(&self, draft: &NewDraft) -> Result<StoredDraft, MailboxError> {
        self.inner.create_draft(draft).await
    }

    async fn fetch_draft(&self, id: &DraftRef) -> Result<Unscreened<DraftFields>, MailboxError> {
        self.inner.fetch_draft(id).await
    }

    async fn fetch_original(
        &self,
        id: &MessageRef,
        with_attachments: bool,
    ) -> Result<Unscreened<Original>, MailboxError> {
        self.inner.fetch_original(id, with_attachments).await
    }

    async fn fetch_attachment(
        &self,
        request: &AttachmentRequest,
    ) -> Result<Unscreened<Attachment>, MailboxError> {
        self.inner.fetch_attachment(request).await
    }

    async fn remove_draft(&self, id: &DraftRef) -> Result<(), MailboxError> {
        self.inner.remove_draft(id).await
    }

    async fn trash_draft(&self, id: &DraftRef) -> Result<Moved, MailboxError> {
        self.inner.trash_draft(id).await
    }

    async fn store_flags(&self, ids: &[MessageRef], change: &FlagChange) -> Result<(), MailboxError> {
        self.inner.store_flags(ids, change).await
    }

    async fn move_messages(&self, ids: &[MessageRef], to: &Destination) -> Result<Vec<Moved>, MailboxError> {
        policy::organise::may_move_to(&self.inner, to).await?;
        self.inner.move_messages(ids, to).await
    }

    async fn wrote_to(
        &self,
        recipients: &[Address],
        before: Timestamp,
    ) -> Result<Vec<Address>, MailboxError> {
        self.inner.wrote_to(recipients, before).await
    }

    async fn holds(&self, message_ids: &[String]) -> Result<Vec<String>, MailboxError> {
        self.inner.holds(message_ids).await
    }

    async fn ready(&self, draft: &DraftRef) -> Result<Self::Outbox, MailboxError> {
        self.inner.ready(draft).await
    }

    async fn send(&self, permit: SendPermit, outbox: Self::Outbox) -> Result<Delivered, Ending> {
        self.inner.send(permit, outbox).await
    }

    async fn file_sent(&self, sent: &Delivered) -> SentCopy {
        self.inner.file_sent(sent).await
    }

    async fn clear_sent_draft(&self, sent: &Delivered) -> SentDraft {
        self.inner.clear_sent_draft(sent).await
    }

    fn features() -> Features {
        M::features()
    }
}

impl<M: Mailbox<Stage = Raw>> DraftSource for ProtectedMailbox<M> {
    fn origin(&self) -> &Origin {
        self.inner.origin()
    }

    fn own_addresses(&self) -> &[Address] {
        self.inner.own_addresses()
    }

    async fn sent_to(&self, recipients: &[Address], before: SystemTime) -> Result<Vec<Address>, SourceError> {
        let since = before.duration_since(UNIX_EPOCH).unwrap_or_default();
        let before = Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX));
        let found = self.inner.wrote_to(recipients, before).await;
        found.map_err(|error| policy::draft::source_error(&error))
    }

    async fn holds(&self, message_ids: &[String]) -> Result<Vec<String>, SourceError> {
        let found = self.inner.holds(message_ids).await;
        found.map_err(|error| policy::draft::source_error(&error))
    }

    async fn read_draft(&self, id: &str) -> Result<DraftContent, SourceError> {
        let id = DraftRef::parse(id).map_err(|_| SourceError::NotFound)?;
        let draft =
            self.inner.fetch_draft(&id).await.map_err(|error| policy::draft::source_error(&error))?.open();
        policy::draft::may_leave(&draft, &self.judge)?;
        Ok(DraftContent::seal(draft))
    }
}
