//! A mailbox in memory: the demo's, and the backend that every flow is tested on before it meets a server.
//!
//! It holds raw messages and reads them as the IMAP backend does, so what differs between the two is the wire alone. Its
//! promises are the same: ids that go stale with their folder, pages that cover a changing folder once, reads that never
//! mark anything. It keeps nothing on disk and sends nothing: what was "sent" can be looked at ([`MemoryMailbox::sent`]),
//! and each way in which a send can go wrong can be asked for ([`Faults`]).

mod drafts;
mod ids;
mod list;
mod parsed;
mod past;
mod sample;
mod search;
mod send;
mod store;
mod thread;

#[cfg(test)]
mod tests;

pub use sample::sample;
pub use send::{Faults, MemoryOutbox, SendFault, Sent};

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use countersign_send_policy::{DraftFields, ExposureReceipt, Origin, SendPermit};

use crate::{
    mailbox::{Ending, Feature, Features, Found, Mailbox, MailboxError},
    model::{
        Address, Attachment, AttachmentRequest, Delivered, Destination, DraftRef, FlagChange, Flags, Folder,
        FolderRef, FolderScope, Listing, Message, MessageRef, Moved, NewDraft, Original, Search, SentCopy,
        SentDraft, SpecialUse, StoredDraft, Thread, Timestamp, Window,
    },
    protection::{Raw, Unscreened},
};
use store::Store;

/// A mailbox in memory. Clones are the same mailbox.
#[derive(Clone)]
pub struct MemoryMailbox {
    origin: Origin,
    own: Vec<Address>,
    store: Arc<Mutex<Store>>,
}

impl MemoryMailbox {
    /// An empty mailbox of these addresses, the first being the default sender.
    pub fn new(own: Vec<Address>) -> Self {
        let user = own.first().map(|address| address.addr_spec.clone()).unwrap_or_default();
        Self {
            origin: Origin::new("memory", "localhost", &user),
            own,
            store: Arc::new(Mutex::new(Store::new())),
        }
    }

    /// Puts a raw message into a folder, as a delivery or another client would.
    ///
    /// # Errors
    /// [`MailboxError::NotFound`] where there is no such folder.
    pub fn append(
        &self,
        folder: &FolderRef,
        raw: &[u8],
        received: Timestamp,
        flags: Flags,
    ) -> Result<MessageRef, MailboxError> {
        self.store().append(folder, raw, received, flags)
    }

    /// The folder with a name, as [`Mailbox::list_folders`] gives it.
    pub fn folder(&self, name: &str) -> Option<FolderRef> {
        self.store().folders().into_iter().find(|folder| folder.name == name).map(|folder| folder.id)
    }

    /// The raw messages of a folder, oldest first, with their ids and flags.
    ///
    /// # Errors
    /// [`MailboxError::NotFound`] where there is no such folder.
    pub fn contents(&self, folder: &FolderRef) -> Result<Vec<(MessageRef, Flags, Vec<u8>)>, MailboxError> {
        self.store().contents(folder)
    }

    /// Removes every message of a folder, as another client would.
    ///
    /// # Errors
    /// [`MailboxError::NotFound`] where there is no such folder.
    pub fn clear(&self, folder: &FolderRef) -> Result<(), MailboxError> {
        self.store().clear(folder)
    }

    /// Rebuilds a folder as a server does that lost its index: every id handed out for it is stale from now on.
    ///
    /// # Errors
    /// [`MailboxError::NotFound`] where there is no such folder.
    pub fn rebuild(&self, folder: &FolderRef) -> Result<(), MailboxError> {
        self.store().rebuild(folder)
    }

    /// What was sent, in order.
    pub fn sent(&self) -> Vec<Sent> {
        self.store().sent.clone()
    }

    /// Sets what goes wrong from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.store().faults = faults;
    }

    /// A panic in another call leaves the store as whole as each single change leaves it, so its lock is taken anyway.
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sender(&self) -> Result<&Address, MailboxError> {
        self.own.first().ok_or(MailboxError::Configuration("address"))
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

impl Mailbox for MemoryMailbox {
    type Stage = Raw;
    type Outbox = MemoryOutbox;

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn own_addresses(&self) -> &[Address] {
        &self.own
    }

    async fn check(&self) -> Result<(), MailboxError> {
        Ok(())
    }

    async fn list_folders(&self) -> Result<Vec<Folder>, MailboxError> {
        Ok(self.store().folders())
    }

    async fn special_use(&self, folder: &FolderRef) -> Result<Option<SpecialUse>, MailboxError> {
        self.store().special_use(folder)
    }

    async fn list_messages(
        &self,
        scope: &FolderScope,
        window: &Window,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        list::page(&self.store(), &Search::everything(scope.clone()), window).map(Unscreened::new)
    }

    async fn search_messages(
        &self,
        search: &Search,
        window: &Window,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        list::page(&self.store(), search, window).map(Unscreened::new)
    }

    async fn get_message(&self, id: &MessageRef, _receipt: &ExposureReceipt<'_>) -> Found<Self, Message> {
        self.store().read(id).map(Unscreened::new)
    }

    async fn get_thread(
        &self,
        id: &MessageRef,
        window: &Window,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Thread> {
        thread::of(&self.store(), id, window).map(Unscreened::new)
    }

    async fn get_attachment(
        &self,
        request: &AttachmentRequest,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Attachment> {
        self.store().attachment(request).map(Unscreened::new)
    }

    async fn create_draft(&self, draft: &NewDraft) -> Result<StoredDraft, MailboxError> {
        drafts::create(&mut self.store(), draft, self.sender()?)
    }

    async fn fetch_draft(&self, id: &DraftRef) -> Result<Unscreened<DraftFields>, MailboxError> {
        drafts::fetch(&self.store(), id).map(Unscreened::new)
    }

    async fn fetch_original(
        &self,
        id: &MessageRef,
        with_attachments: bool,
    ) -> Result<Unscreened<Original>, MailboxError> {
        drafts::original(&self.store(), id, with_attachments).map(Unscreened::new)
    }

    async fn fetch_attachment(
        &self,
        request: &AttachmentRequest,
    ) -> Result<Unscreened<Attachment>, MailboxError> {
        self.store().attachment(request).map(Unscreened::new)
    }

    async fn remove_draft(&self, id: &DraftRef) -> Result<(), MailboxError> {
        drafts::remove(&mut self.store(), id)
    }

    async fn trash_draft(&self, id: &DraftRef) -> Result<Moved, MailboxError> {
        drafts::trash(&mut self.store(), id)
    }

    async fn store_flags(&self, ids: &[MessageRef], change: &FlagChange) -> Result<(), MailboxError> {
        self.store().change_flags(ids, change)
    }

    async fn move_messages(&self, ids: &[MessageRef], to: &Destination) -> Result<Vec<Moved>, MailboxError> {
        self.store().move_to(ids, to)
    }

    async fn wrote_to(
        &self,
        recipients: &[Address],
        before: Timestamp,
    ) -> Result<Vec<Address>, MailboxError> {
        past::wrote_to(&self.store(), &self.own, recipients, before)
    }

    async fn holds(&self, message_ids: &[String]) -> Result<Vec<String>, MailboxError> {
        past::holds(&self.store(), message_ids)
    }

    async fn ready(&self, draft: &DraftRef) -> Result<MemoryOutbox, MailboxError> {
        send::ready(&self.store(), draft)
    }

    async fn send(&self, permit: SendPermit, outbox: MemoryOutbox) -> Result<Delivered, Ending> {
        let MemoryOutbox(()) = outbox;
        send::send(&mut self.store(), permit, &self.origin)
    }

    async fn file_sent(&self, sent: &Delivered) -> SentCopy {
        send::file(&mut self.store(), sent)
    }

    async fn clear_sent_draft(&self, sent: &Delivered) -> SentDraft {
        send::clear_draft(&mut self.store(), sent)
    }

    fn features() -> Features {
        Features::of(&[
            Feature::Folders,
            Feature::Search,
            Feature::Threads,
            Feature::Keywords,
            Feature::Archive,
        ])
    }
}
