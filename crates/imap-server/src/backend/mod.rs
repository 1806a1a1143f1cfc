//! `impl Mailbox`, one line a method; the work is in the files beside this. `organise` alone moves, copies or expunges.

mod criteria;
mod decode;
mod drafts;
mod fetch;
mod folders;
mod list;
mod organise;
mod past;
mod row;
mod search;
mod send;
mod structure;
mod thread;

use std::sync::Arc;

use countersign_core::{
    config::Credential,
    mailbox::{Ending, Feature, Features, Found, Mailbox, MailboxError},
    model::{
        Address, Attachment, AttachmentRequest, Delivered, Destination, DraftRef, FlagChange, Folder,
        FolderRef, FolderScope, Listing, Message, MessageRef, Moved, NewDraft, Origin, Original, Search,
        SentCopy, SentDraft, SpecialUse, StoredDraft, Thread, Timestamp, Window,
    },
    protection::{Raw, Unscreened},
};
use countersign_send_policy::{DraftFields, ExposureReceipt, SendPermit};

use crate::{
    session::{Pool, Tls},
    settings::ImapSettings,
    smtp::Submission,
};

pub use send::Outbox;

/// One IMAP account with its submission server. Nothing is connected until something is asked.
pub struct ImapMailbox {
    settings: Arc<ImapSettings>,
    origin: Origin,
    pool: Pool,
    submission: Submission,
    folders: folders::Known,
}

impl ImapMailbox {
    /// An account. The password is asked for when a connection is made.
    pub fn new(settings: ImapSettings, credential: Arc<dyn Credential>) -> Self {
        let settings = Arc::new(settings);
        let tls = Arc::new(Tls::new(settings.ca_file.clone()));
        Self {
            origin: settings.origin(),
            pool: Pool::new(Arc::clone(&settings), Arc::clone(&tls), Arc::clone(&credential)),
            submission: Submission::new(Arc::clone(&settings), tls, credential),
            folders: folders::Known::default(),
            settings,
        }
    }
}

impl Mailbox for ImapMailbox {
    type Stage = Raw;
    type Outbox = Outbox;

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn own_addresses(&self) -> &[Address] {
        &self.settings.addresses
    }

    async fn check(&self) -> Result<(), MailboxError> {
        folders::check(self).await
    }

    async fn list_folders(&self) -> Result<Vec<Folder>, MailboxError> {
        folders::list(self).await
    }

    async fn special_use(&self, folder: &FolderRef) -> Result<Option<SpecialUse>, MailboxError> {
        folders::special_use(self, folder).await
    }

    async fn list_messages(
        &self,
        scope: &FolderScope,
        window: &Window,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        list::messages(self, scope, window).await.map(Unscreened::new)
    }

    async fn search_messages(
        &self,
        search: &Search,
        window: &Window,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Listing> {
        search::messages(self, search, window).await.map(Unscreened::new)
    }

    async fn get_message(&self, id: &MessageRef, _receipt: &ExposureReceipt<'_>) -> Found<Self, Message> {
        fetch::message(self, id).await.map(Unscreened::new)
    }

    async fn get_thread(
        &self,
        id: &MessageRef,
        window: &Window,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Thread> {
        thread::of_message(self, id, window).await.map(Unscreened::new)
    }

    async fn get_attachment(
        &self,
        request: &AttachmentRequest,
        _receipt: &ExposureReceipt<'_>,
    ) -> Found<Self, Attachment> {
        fetch::attachment(self, request).await.map(Unscreened::new)
    }

    async fn create_draft(&self, draft: &NewDraft) -> Result<StoredDraft, MailboxError> {
        drafts::create(self, draft).await
    }

    async fn fetch_draft(&self, id: &DraftRef) -> Result<Unscreened<DraftFields>, MailboxError> {
        drafts::fetch(self, id).await.map(Unscreened::new)
    }

    async fn fetch_original(
        &self,
        id: &MessageRef,
        with_attachments: bool,
    ) -> Result<Unscreened<Original>, MailboxError> {
        fetch::original(self, id, with_attachments).await.map(Unscreened::new)
    }

    async fn fetch_attachment(
        &self,
        request: &AttachmentRequest,
    ) -> Result<Unscreened<Attachment>, MailboxError> {
        fetch::attachment(self, request).await.map(Unscreened::new)
    }

    async fn remove_draft(&self, id: &DraftRef) -> Result<(), MailboxError> {
        organise::remove_draft(self, id).await
    }

    async fn trash_draft(&self, id: &DraftRef) -> Result<Moved, MailboxError> {
        organise::trash_draft(self, id).await
    }

    async fn store_flags(&self, ids: &[MessageRef], change: &FlagChange) -> Result<(), MailboxError> {
        organise::store_flags(self, ids, change).await
    }

    async fn move_messages(&self, ids: &[MessageRef], to: &Destination) -> Result<Vec<Moved>, MailboxError> {
        organise::move_messages(self, ids, to).await
    }

    async fn wrote_to(
        &self,
        recipients: &[Address],
        before: Timestamp,
    ) -> Result<Vec<Address>, MailboxError> {
        past::wrote_to(self, recipients, before).await
    }

    async fn holds(&self, message_ids: &[String]) -> Result<Vec<String>, MailboxError> {
        past::holds(self, message_ids).await
    }

    async fn ready(&self, draft: &DraftRef) -> Result<Self::Outbox, MailboxError> {
        send::ready(self, draft).await
    }

    async fn send(&self, permit: SendPermit, outbox: Self::Outbox) -> Result<Delivered, Ending> {
        send::send(self, permit, outbox).await
    }

    async fn file_sent(&self, sent: &Delivered) -> SentCopy {
        send::file_sent(self, sent).await
    }

    async fn clear_sent_draft(&self, sent: &Delivered) -> SentDraft {
        send::clear_sent_draft(self, sent).await
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
