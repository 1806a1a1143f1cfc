//! The one seam between a provider and everything else: [`Mailbox`], one account's store of messages.
//!
//! RFC 9051 calls a folder a "mailbox"; here a mailbox is the whole store and its parts are folders.
//!
//! The trait has no provided methods, on purpose: a new method breaks every backend *and* `ProtectedMailbox`, so it can't
//! slip past protection. It isn't dyn-compatible either: tools are generic over one backend type, so the raw stage can't
//! be passed where the screened one is wanted.

mod capabilities;
mod error;
mod wrote_to;

use std::future::Future;

pub use capabilities::{Feature, Features};
pub use error::{CertificateFault, ConnectFault, Ending, MailboxError, NotFound, Peer, SendRefusal};
pub use wrote_to::wrote_to_among;

use countersign_send_policy::{DraftFields, ExposureReceipt, Origin, SendPermit};

use crate::{
    model::{
        Attachment, AttachmentRequest, Delivered, Destination, DraftRef, FlagChange, Folder, FolderRef,
        FolderScope, Listing, Message, MessageRef, Moved, NewDraft, Original, Search, SentCopy, SentDraft,
        SpecialUse, StoredDraft, Thread, Timestamp, Window,
    },
    protection::{Stage, Unscreened},
};

/// What a backend method answers with: foreign content `T` as the stage has it.
pub type Found<M, T> = Result<<<M as Mailbox>::Stage as Stage>::Of<T>, MailboxError>;

/// One account's store.
///
/// Every method that returns foreign content for a result takes an [`ExposureReceipt`], which exists only once the marker
/// that this sign-in has read other people's mail is durable. Reads made to compose or to send (`fetch_draft`,
/// `fetch_original`, `fetch_attachment`) take none and stay [`Unscreened`] in both stages: only core's protection module opens them.
///
/// Errors are [`MailboxError`] throughout: codes, never text from the wire.
pub trait Mailbox: Send + Sync + 'static {
    /// `Raw` for a backend, `Safe` for `ProtectedMailbox`.
    type Stage: Stage;

    /// An open way out, made before the claim (decisions.md §4): on IMAP an authenticated SMTP session.
    type Outbox: Send;

    /// Which account this is; claims and sent records are kept under it.
    fn origin(&self) -> &Origin;

    /// The addresses that mail of this account is from, the first being the default sender.
    fn own_addresses(&self) -> &[crate::model::Address];

    /// Connects and signs in, and does nothing else.
    fn check(&self) -> impl Future<Output = Result<(), MailboxError>> + Send;

    /// Every folder with its counts.
    fn list_folders(&self) -> impl Future<Output = Result<Vec<Folder>, MailboxError>> + Send;

    /// What a folder is for, as the backend recognises it.
    fn special_use(
        &self,
        folder: &FolderRef,
    ) -> impl Future<Output = Result<Option<SpecialUse>, MailboxError>> + Send;

    /// A page of a folder, newest first.
    fn list_messages(
        &self,
        scope: &FolderScope,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> impl Future<Output = Found<Self, Listing>> + Send
    where
        Self: Sized;

    /// A page of what matches, newest first.
    fn search_messages(
        &self,
        search: &Search,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> impl Future<Output = Found<Self, Listing>> + Send
    where
        Self: Sized;

    /// One message: headers, text, its attachments listed. Never marks it as read.
    fn get_message(
        &self,
        id: &MessageRef,
        receipt: &ExposureReceipt<'_>,
    ) -> impl Future<Output = Found<Self, Message>> + Send
    where
        Self: Sized;

    /// The conversation that a message belongs to, across folders.
    fn get_thread(
        &self,
        id: &MessageRef,
        window: &Window,
        receipt: &ExposureReceipt<'_>,
    ) -> impl Future<Output = Found<Self, Thread>> + Send
    where
        Self: Sized;

    /// One attachment's bytes.
    fn get_attachment(
        &self,
        request: &AttachmentRequest,
        receipt: &ExposureReceipt<'_>,
    ) -> impl Future<Output = Found<Self, Attachment>> + Send
    where
        Self: Sized;

    /// Stores a draft.
    fn create_draft(
        &self,
        draft: &NewDraft,
    ) -> impl Future<Output = Result<StoredDraft, MailboxError>> + Send;

    /// Reads a draft as it would go out.
    fn fetch_draft(
        &self,
        id: &DraftRef,
    ) -> impl Future<Output = Result<Unscreened<DraftFields>, MailboxError>> + Send;

    /// Reads a message in order to answer or forward it.
    fn fetch_original(
        &self,
        id: &MessageRef,
        with_attachments: bool,
    ) -> impl Future<Output = Result<Unscreened<Original>, MailboxError>> + Send;

    /// Reads one attachment in order to send it along.
    fn fetch_attachment(
        &self,
        request: &AttachmentRequest,
    ) -> impl Future<Output = Result<Unscreened<Attachment>, MailboxError>> + Send;

    /// Removes a draft by exact identity. Only for drafts that this server wrote; the caller has checked that.
    fn remove_draft(&self, id: &DraftRef) -> impl Future<Output = Result<(), MailboxError>> + Send;

    /// Moves a draft to Trash.
    fn trash_draft(&self, id: &DraftRef) -> impl Future<Output = Result<Moved, MailboxError>> + Send;

    /// Changes flags and keywords.
    fn store_flags(
        &self,
        ids: &[MessageRef],
        change: &FlagChange,
    ) -> impl Future<Output = Result<(), MailboxError>> + Send;

    /// Moves messages. A backend that can't move safely (IMAP with neither MOVE nor UIDPLUS) refuses.
    fn move_messages(
        &self,
        ids: &[MessageRef],
        to: &Destination,
    ) -> impl Future<Output = Result<Vec<Moved>, MailboxError>> + Send;

    /// Which of these addresses a message in Sent went to that arrived there before a moment, from one of the account's own
    /// addresses. Compared on the addresses themselves, here; a search that matches loosely makes nobody known.
    fn wrote_to(
        &self,
        recipients: &[crate::model::Address],
        before: Timestamp,
    ) -> impl Future<Output = Result<Vec<crate::model::Address>, MailboxError>> + Send;

    /// Which of these msg-ids are those of messages in the folders where conversations lie.
    fn holds(&self, message_ids: &[String])
    -> impl Future<Output = Result<Vec<String>, MailboxError>> + Send;

    /// Opens the transport for a draft and looks into Sent for a message that this draft became already.
    fn ready(&self, draft: &DraftRef) -> impl Future<Output = Result<Self::Outbox, MailboxError>> + Send;

    /// Sends once. Never retries, never sends again after a refresh.
    fn send(
        &self,
        permit: SendPermit,
        outbox: Self::Outbox,
    ) -> impl Future<Output = Result<Delivered, Ending>> + Send;

    /// Files the copy in Sent unless the server did.
    fn file_sent(&self, sent: &Delivered) -> impl Future<Output = SentCopy> + Send;

    /// Removes the draft that was sent, by exact identity.
    fn clear_sent_draft(&self, sent: &Delivered) -> impl Future<Output = SentDraft> + Send;

    /// Which optional jobs this backend does at all; decides what is listed.
    fn features() -> Features
    where
        Self: Sized;
}
