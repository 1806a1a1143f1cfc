//! The in-memory mailbox with someone looking over its shoulder: which methods are called, and that one of them fails,
//! waits for the test, or reads another draft than the one that is stored.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use countersign_core::{
    mailbox::{Ending, Features, Found, Mailbox, MailboxError},
    memory::{MemoryMailbox, MemoryOutbox},
    model::{
        Address, Attachment, AttachmentRequest, Delivered, Destination, DraftRef, FlagChange, Folder,
        FolderRef, FolderScope, Listing, Message, MessageRef, Moved, NewDraft, Origin, Original, Search,
        SentCopy, SentDraft, SpecialUse, StoredDraft, Thread, Timestamp, Window,
    },
    protection::{Raw, Unscreened},
};
use countersign_send_policy::{DraftFields, ExposureReceipt, SendPermit};
use tokio::sync::Semaphore;

/// A watched mailbox. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) memory: MemoryMailbox,
    watch: Arc<Watch>,
}

#[derive(Default)]
struct Watch {
    calls: Mutex<Vec<&'static str>>,
    broken: Mutex<Option<&'static str>>,
    holds: Mutex<BTreeMap<&'static str, Arc<Hold>>>,
    instead: Mutex<Option<DraftFields>>,
}

/// A method that waits for the test.
pub(crate) struct Hold {
    reached: Semaphore,
    go: Semaphore,
}

impl Hold {
    /// Returns when so many calls have got there.
    pub(crate) async fn reached(&self, calls: u32) {
        self.reached.acquire_many(calls).await.unwrap().forget();
    }

    /// Lets so many calls go on.
    pub(crate) fn release(&self, calls: usize) {
        self.go.add_permits(calls);
    }
}

impl Watched {
    pub(crate) fn new(memory: MemoryMailbox) -> Self {
        Self { memory, watch: Arc::default() }
    }

    /// The methods called so far, `fetch_…` for those that read.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.watch.calls.lock().unwrap().clone()
    }

    /// Makes a method fail from now on.
    pub(crate) fn break_at(&self, method: &'static str) {
        *self.watch.broken.lock().unwrap() = Some(method);
    }

    /// Makes a method wait from now on.
    pub(crate) fn hold(&self, method: &'static str) -> Arc<Hold> {
        let hold = Arc::new(Hold { reached: Semaphore::new(0), go: Semaphore::new(0) });
        self.watch.holds.lock().unwrap().insert(method, Arc::clone(&hold));
        hold
    }

    /// Lets every draft be read as this one from now on, or as it is stored.
    pub(crate) fn read_instead(&self, fields: Option<DraftFields>) {
        *self.watch.instead.lock().unwrap() = fields;
    }

    async fn at(&self, method: &'static str) -> Result<(), MailboxError> {
        self.watch.calls.lock().unwrap().push(method);
        let hold = self.watch.holds.lock().unwrap().get(method).cloned();
        if let Some(hold) = hold {
            hold.reached.add_permits(1);
            hold.go.acquire().await.unwrap().forget();
        }
        if *self.watch.broken.lock().unwrap() == Some(method) {
            return Err(MailboxError::TimedOut);
        }
        Ok(())
    }
}

impl Mailbox for Watched {
    type Stage = Raw;
    type Outbox = MemoryOutbox;

    fn origin(&self) -> &Origin {
        self.memory.origin()
    }

    fn own_addresses(&self) -> &[Address] {
        self.memory.own_addresses()
    }

    async fn check(&self) -> Result<(), MailboxError> {
        self.at("check").await?;
        self.memory.check().await
    }

    async fn list_folders(&self) -> Result<Vec<Folder>, MailboxError> {
        self.at("list_folders").await?;
        self.memory.list_folders().await
    }

    async fn special_use(&self, folder: &FolderRef) -> Result<Option<SpecialUse>, MailboxError> {
        self.at("special_use").await?;
        self.memory.special_use(folder).await
    }

    async fn list_messages(
        &self,
        scope: &FolderScope,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        self.at("list_messages").await?;
        self.memory.list_messages(scope, window, receipt).await
    }

    async fn search_messages(
        &self,
        search: &Search,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        self.at("search_messages").await?;
        self.memory.search_messages(search, window, receipt).await
    }

    async fn get_message(&self, id: &MessageRef, receipt: &ExposureReceipt<'_>) -> Found<Self, Message> {
        self.at("get_message").await?;
        self.memory.get_message(id, receipt).await
    }

    async fn get_thread(
        &self,
        id: &MessageRef,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Thread> {
        self.at("get_thread").await?;
        self.memory.get_thread(id, window, receipt).await
    }

    async fn get_attachment(
        &self,
        request: &AttachmentRequest,
        receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Attachment> {
        self.at("get_attachment").await?;
        self.memory.get_attachment(request, receipt).await
    }

    async fn create_draft(&self, draft: &NewDraft) -> Result<StoredDraft, MailboxError> {
        self.at("create_draft").await?;
        self.memory.create_draft(draft).await
    }

    async fn fetch_draft(&self, id: &DraftRef) -> Result<Unscreened<DraftFields>, MailboxError> {
        self.at("fetch_draft").await?;
        let instead = self.watch.instead.lock().unwrap().clone();
        match instead {
            Some(fields) => Ok(Unscreened::new(fields)),
            None => self.memory.fetch_draft(id).await,
        }
    }

    async fn fetch_original(
        &self,
        id: &MessageRef,
        with_attachments: bool,
    ) -> Result<Unscreened<Original>, MailboxError> {
        self.at("fetch_original").await?;
        self.memory.fetch_original(id, with_attachments).await
    }

    async fn fetch_attachment(
        &self,
        request: &AttachmentRequest,
    ) -> Result<Unscreened<Attachment>, MailboxError> {
        self.at("fetch_attachment").await?;
        self.memory.fetch_attachment(request).await
    }

    async fn remove_draft(&self, id: &DraftRef) -> Result<(), MailboxError> {
        self.at("remove_draft").await?;
        self.memory.remove_draft(id).await
    }

    async fn trash_draft(&self, id: &DraftRef) -> Result<Moved, MailboxError> {
        self.at("trash_draft").await?;
        self.memory.trash_draft(id).await
    }

    async fn store_flags(&self, ids: &[MessageRef], change: &FlagChange) -> Result<(), MailboxError> {
        self.at("store_flags").await?;
        self.memory.store_flags(ids, change).await
    }

    async fn move_messages(&self, ids: &[MessageRef], to: &Destination) -> Result<Vec<Moved>, MailboxError> {
        self.at("move_messages").await?;
        self.memory.move_messages(ids, to).await
    }

    async fn wrote_to(
        &self,
        recipients: &[Address],
        before: Timestamp,
    ) -> Result<Vec<Address>, MailboxError> {
        self.at("wrote_to").await?;
        self.memory.wrote_to(recipients, before).await
    }

    async fn holds(&self, message_ids: &[String]) -> Result<Vec<String>, MailboxError> {
        self.at("holds").await?;
        self.memory.holds(message_ids).await
    }

    async fn ready(&self, draft: &DraftRef) -> Result<MemoryOutbox, MailboxError> {
        self.at("ready").await?;
        self.memory.ready(draft).await
    }

    async fn send(&self, permit: SendPermit, outbox: MemoryOutbox) -> Result<Delivered, Ending> {
        self.at("send").await.map_err(Ending::NotHandedOver)?;
        self.memory.send(permit, outbox).await
    }

    async fn file_sent(&self, sent: &Delivered) -> SentCopy {
        match self.at("file_sent").await {
            Ok(()) => self.memory.file_sent(sent).await,
            Err(_) => SentCopy::NotFiled,
        }
    }

    async fn clear_sent_draft(&self, sent: &Delivered) -> SentDraft {
        match self.at("clear_sent_draft").await {
            Ok(()) => self.memory.clear_sent_draft(sent).await,
            Err(_) => SentDraft::NotRemoved,
        }
    }

    fn features() -> Features {
        MemoryMailbox::features()
    }
}
