//! What every backend promises, as tests that run over any of them.
//!
//! Each promise is one async function over a fresh, empty mailbox behind `ProtectedMailbox` at level `off` (a raw stage
//! can't be looked into). [`crate::conformance!`] makes a test of each. What a backend did is checked through the
//! [`Fixture`], that is with the server's own tools, never through the code under test alone.

pub mod drafts;
pub mod organise;
pub mod reading;
pub mod search;
pub mod send;

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, Result, ensure};
use countersign_core::{
    mailbox::Mailbox,
    model::{FolderRef, FolderScope, Listing, MessageRef, SpecialUse, Timestamp, Window},
    protection::{ProtectedMailbox, Raw, Safe},
};
use countersign_send_policy::{
    CallScope, ExposureReceipt, Origin, PolicyIdentity, Principal, RulesConfig, SendPolicy, Sqlite,
};
use tempfile::TempDir;

/// Makes one `#[tokio::test]` of each promise. Takes the path of an async function `fn(&str) -> anyhow::Result<Option<Bench<_>>>`
/// that opens a fresh, empty mailbox (the argument names the promise) or says `None` where the run may go without it.
#[macro_export]
macro_rules! conformance {
    ($open:path) => {
        $crate::conformance!(@each $open;
            reading::folders_are_listed_once_with_their_uses,
            reading::pages_cover_everything_once,
            reading::a_cursor_of_another_list_is_refused,
            reading::a_message_is_read_in_full,
            reading::reading_marks_nothing,
            reading::ids_that_were_not_handed_out_are_refused,
            reading::a_rebuilt_folder_makes_its_ids_stale,
            reading::a_message_that_went_is_not_found,
            reading::attachments_come_whole_and_within_the_limit,
            reading::a_thread_spans_folders_and_names_what_is_missing,
            reading::a_receipt_for_another_account_reads_nothing,
            search::every_criterion_finds_its_messages,
            search::criteria_are_text_and_nothing_else,
            search::junk_and_trash_are_left_out_of_everything,
            drafts::a_draft_reads_back_as_it_was_written,
            drafts::the_fingerprint_is_stable_and_the_contents_change_it,
            drafts::a_message_outside_drafts_is_no_draft,
            drafts::a_draft_is_removed_or_trashed_alone,
            drafts::an_original_is_read_with_its_attachments,
            organise::flags_and_keywords_change_as_asked,
            organise::messages_move_whole,
            organise::nothing_moves_into_sent_or_drafts,
            organise::one_bad_id_changes_nothing,
            send::the_way_out_opens_for_a_draft_that_is_there,
            send::a_draft_that_is_in_sent_already_is_not_sent,
            send::whom_it_wrote_to_before_is_told_from_sent,
            send::messages_are_told_by_their_ids,
        );
    };
    (@each $open:path; $($area:ident :: $promise:ident),* $(,)?) => {
        $(
            #[tokio::test]
            async fn $promise() -> ::anyhow::Result<()> {
                match $open(stringify!($promise)).await? {
                    Some(bench) => $crate::conformance::$area::$promise(&bench).await,
                    None => Ok(()),
                }
            }
        )*
    };
}

/// A message for a mailbox to hold.
#[derive(Debug, Clone)]
pub struct Put<'a> {
    /// The folder's name as the mailbox lists it.
    pub folder: &'a str,
    /// The message.
    pub raw: &'a [u8],
    /// Whether it has been read.
    pub seen: bool,
    /// Whether it is flagged.
    pub flagged: bool,
    /// When it arrived.
    pub received: Timestamp,
}

/// A message as the server holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Whether it has been read.
    pub seen: bool,
    /// Whether it is flagged.
    pub flagged: bool,
    /// The message.
    pub raw: Vec<u8>,
}

/// The other side of a mailbox: its server's own tools.
pub trait Fixture: Send + Sync {
    /// Puts a message into a folder.
    ///
    /// # Errors
    /// Whatever the server's tools say.
    fn put(&self, message: &Put<'_>) -> Result<()>;

    /// The messages of a folder.
    ///
    /// # Errors
    /// Whatever the server's tools say.
    fn contents(&self, folder: &str) -> Result<Vec<Stored>>;

    /// Removes every message of a folder.
    ///
    /// # Errors
    /// Whatever the server's tools say.
    fn empty(&self, folder: &str) -> Result<()>;

    /// Makes the folder's ids stale (another UIDVALIDITY), its messages staying.
    ///
    /// # Errors
    /// Whatever the server's tools say.
    fn rebuild(&self, folder: &str) -> Result<()>;

    /// An ordinary folder without a special use, by name.
    fn plain_folder(&self) -> &str;
}

/// A mailbox under test with its other side.
pub struct Bench<M> {
    /// The mailbox.
    pub mailbox: M,
    /// Its server's own tools.
    pub fixture: Box<dyn Fixture>,
    desk: Desk,
}

impl<M: Mailbox<Stage = Safe>> Bench<M> {
    /// Puts a mailbox on the bench.
    ///
    /// # Errors
    /// Where there is no temporary directory.
    pub fn new(mailbox: M, fixture: Box<dyn Fixture>) -> Result<Self> {
        let desk = Desk::new(mailbox.origin())?;
        Ok(Self { mailbox, fixture, desk })
    }

    /// The id and name of the folder with a use.
    pub(crate) async fn folder(&self, use_: SpecialUse) -> Result<(FolderRef, String)> {
        let folders = self.mailbox.list_folders().await?;
        let found = folders.into_iter().find(|folder| folder.special_use == Some(use_));
        let folder = found.with_context(|| format!("No folder is for {}", use_.name()))?;
        Ok((folder.id, folder.name))
    }

    /// The id of a folder by its name.
    pub(crate) async fn named(&self, name: &str) -> Result<FolderRef> {
        let folders = self.mailbox.list_folders().await?;
        let found = folders.into_iter().find(|folder| folder.name == name);
        Ok(found.with_context(|| format!("No folder is named {name}"))?.id)
    }

    /// Puts an unread message into the folder with a use.
    pub(crate) async fn put(&self, use_: SpecialUse, raw: &[u8]) -> Result<()> {
        let (_, folder) = self.folder(use_).await?;
        self.fixture.put(&Put { folder: &folder, raw, seen: false, flagged: false, received: DAY })
    }

    /// The messages of the folder with a use, as the server holds them.
    pub(crate) async fn contents(&self, use_: SpecialUse) -> Result<Vec<Stored>> {
        self.fixture.contents(&self.folder(use_).await?.1)
    }

    /// A receipt for reading this mailbox in one call.
    pub(crate) async fn receipt<'call>(&self, call: &'call CallScope) -> Result<ExposureReceipt<'call>> {
        self.desk.receipt(call).await
    }

    /// The first page of a scope.
    pub(crate) async fn list(&self, scope: FolderScope, window: &Window) -> Result<Listing> {
        let call = CallScope::default();
        let listing = self.mailbox.list_messages(&scope, window, &self.receipt(&call).await?).await?;
        Ok(listing.get().clone())
    }

    /// The id of the only message of a scope with a Message-ID.
    pub(crate) async fn find(&self, scope: FolderScope, message_id: &str) -> Result<MessageRef> {
        let rows = self.list(scope, &window(100)).await?.rows;
        let mut found = rows.into_iter().filter(|row| row.headers.message_id.as_deref() == Some(message_id));
        let row = found.next().with_context(|| format!("{message_id} is not listed"))?;
        ensure!(found.next().is_none(), "{message_id} is listed twice");
        Ok(row.id)
    }
}

/// Puts a backend behind protection at level `off`, as the composition root does.
#[expect(clippy::disallowed_methods, reason = "the bench is a composition root of its own")]
pub fn protected<B: Mailbox<Stage = Raw>>(backend: B) -> ProtectedMailbox<B> {
    ProtectedMailbox::new(backend, countersign_core::protection::Level::Off)
}

/// Mints receipts for one account over a state file of its own.
pub(crate) struct Desk {
    policy: SendPolicy,
    _state: TempDir,
}

impl Desk {
    #[expect(clippy::disallowed_methods, reason = "the bench is a composition root of its own")]
    pub(crate) fn new(origin: &Origin) -> Result<Self> {
        let state = tempfile::tempdir()?;
        let identity =
            PolicyIdentity { origin: origin.clone(), principal: Principal::new("conformance".to_owned()) };
        let store = Arc::new(Sqlite::at(state.path().join("state.db")));
        Ok(Self { policy: SendPolicy::new(store, identity, &RulesConfig::default()), _state: state })
    }

    pub(crate) async fn receipt<'call>(&self, call: &'call CallScope) -> Result<ExposureReceipt<'call>> {
        self.policy.expose(call).await.map_err(|refusal| anyhow::anyhow!("No receipt: {}", refusal.code()))
    }
}

/// 20 November 2026, noon: when messages arrive where a promise doesn't say otherwise.
pub(crate) const DAY: Timestamp = Timestamp(1_795_176_000);

/// The first page of so many, with time enough.
pub(crate) fn window(limit: usize) -> Window {
    Window::first(limit, Duration::from_secs(30))
}

/// A plain message with a Message-ID.
pub(crate) fn message(id: &str, more_headers: &str, text: &str) -> Vec<u8> {
    format!(
        "From: Robin Vale <robin@example.org>\r\nTo: Jana <jana@example.com>\r\n\
         Date: Fri, 20 Nov 2026 11:59:00 +0000\r\nMessage-ID: <{id}>\r\n{more_headers}\r\n{text}\r\n"
    )
    .into_bytes()
}
