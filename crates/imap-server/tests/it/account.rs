//! One account of the test servers, with what reading it takes.

use std::{sync::Arc, time::Duration};

use countersign_core::{
    config::{Credential, Secret},
    mailbox::{Mailbox, MailboxError},
    model::{
        Address, Folder, FolderRef, FolderScope, Listing, Message, MessageRef, Search, SpecialUse, Thread,
        Window,
    },
    protection::{Level, ProtectedMailbox},
    tools::BoxFuture,
};
use countersign_imap::{Endpoint, FileSent, ImapMailbox, ImapSettings, Security, Timeouts};
use countersign_send_policy::{CallScope, PolicyIdentity, Principal, RulesConfig, SendPolicy, Sqlite};
use countersign_testkit::services::{Mail, User};

/// How long reads may take in tests.
pub(crate) const BUDGET: Duration = Duration::from_secs(20);

/// A mailbox behind protection, and the policy that its receipts come from.
pub(crate) struct Account {
    pub(crate) mailbox: ProtectedMailbox<ImapMailbox>,
    policy: SendPolicy,
    _state: tempfile::TempDir,
}

/// A password that is known beforehand.
#[derive(Debug)]
pub(crate) struct Password(String);

impl Password {
    pub(crate) fn of(password: &str) -> Arc<Self> {
        Arc::new(Self(password.to_owned()))
    }
}

impl Credential for Password {
    fn principal(&self) -> BoxFuture<'_, Result<Principal, MailboxError>> {
        Box::pin(std::future::ready(Ok(Principal::new("test".to_owned()))))
    }

    fn secret(&self) -> BoxFuture<'_, Result<Secret, MailboxError>> {
        Box::pin(std::future::ready(Ok(Secret::new(self.0.clone()))))
    }
}

/// Settings for a user: TLS from the first byte at both servers.
pub(crate) fn settings(mail: &Mail, user: &User<'_>) -> ImapSettings {
    let endpoint = |port| Endpoint { host: "127.0.0.1".to_owned(), port, security: Security::Tls };
    ImapSettings {
        imap: endpoint(mail.imap.tls.port()),
        smtp: endpoint(mail.smtp.smtps.port()),
        user: user.address.clone(),
        ca_file: Some(mail.ca_pem.clone()),
        addresses: vec![Address {
            display_name: Some("Own Name".to_owned()),
            addr_spec: user.address.clone(),
        }],
        file_sent: FileSent::Auto,
        timeouts: Timeouts::default(),
    }
}

impl Account {
    pub(crate) fn of(user: &User<'_>) -> Self {
        Self::with(settings(user.mail(), user), &user.password)
    }

    #[expect(clippy::disallowed_methods, reason = "a test is a composition root of its own")]
    pub(crate) fn with(settings: ImapSettings, password: &str) -> Self {
        let mailbox = ProtectedMailbox::new(ImapMailbox::new(settings, Password::of(password)), Level::Off);
        let state = tempfile::tempdir().unwrap();
        let store = Arc::new(Sqlite::at(state.path().join("state.sqlite")));
        let identity =
            PolicyIdentity { origin: mailbox.origin().clone(), principal: Principal::new("test".to_owned()) };
        let policy = SendPolicy::new(store, identity, &RulesConfig::default());
        Self { mailbox, policy, _state: state }
    }

    pub(crate) async fn folders(&self) -> Vec<Folder> {
        self.mailbox.list_folders().await.unwrap()
    }

    /// The id of a folder by the name that a person reads.
    pub(crate) async fn folder(&self, name: &str) -> FolderRef {
        let folders = self.folders().await;
        let found = folders.iter().find(|folder| folder.name == name);
        found.unwrap_or_else(|| panic!("no folder {name:?} in {folders:?}")).id.clone()
    }

    pub(crate) async fn list(&self, scope: &FolderScope, window: &Window) -> Result<Listing, MailboxError> {
        let call = CallScope::default();
        let receipt = self.policy.expose(&call).await.unwrap();
        Ok(self.mailbox.list_messages(scope, window, &receipt).await?.get().clone())
    }

    /// The newest page of INBOX.
    pub(crate) async fn inbox(&self) -> Listing {
        self.list(&FolderScope::Use(SpecialUse::Inbox), &Window::first(50, BUDGET)).await.unwrap()
    }

    pub(crate) async fn search(&self, search: &Search, window: &Window) -> Result<Listing, MailboxError> {
        let call = CallScope::default();
        let receipt = self.policy.expose(&call).await.unwrap();
        Ok(self.mailbox.search_messages(search, window, &receipt).await?.get().clone())
    }

    pub(crate) async fn message(&self, id: &MessageRef) -> Result<Message, MailboxError> {
        let call = CallScope::default();
        let receipt = self.policy.expose(&call).await.unwrap();
        Ok(self.mailbox.get_message(id, &receipt).await?.get().clone())
    }

    pub(crate) async fn thread(&self, id: &MessageRef, window: &Window) -> Result<Thread, MailboxError> {
        let call = CallScope::default();
        let receipt = self.policy.expose(&call).await.unwrap();
        Ok(self.mailbox.get_thread(id, window, &receipt).await?.get().clone())
    }

    pub(crate) async fn attachment(
        &self,
        message: &MessageRef,
        section: &str,
        max_bytes: u64,
    ) -> Result<Vec<u8>, MailboxError> {
        use countersign_core::model::{AttachmentRequest, Section};
        let call = CallScope::default();
        let receipt = self.policy.expose(&call).await.unwrap();
        let section = Section::parse(section).unwrap();
        let request = AttachmentRequest { message: message.clone(), section, max_bytes };
        Ok(self.mailbox.get_attachment(&request, &receipt).await?.get().bytes.clone())
    }
}

/// The subjects of a listing.
pub(crate) fn subjects(listing: &Listing) -> Vec<&str> {
    listing.rows.iter().map(|row| row.headers.subject.as_str()).collect()
}

/// A message with a subject and a text.
pub(crate) fn plain(subject: &str, id: &str) -> Vec<u8> {
    format!(
        "From: Jo <jo@sender.test>\r\nTo: me@mail.test\r\nSubject: {subject}\r\nMessage-ID: <{id}@sender.test>\r\n\
         Date: Mon, 2 Mar 2026 10:00:00 +0000\r\n\r\nText of {subject}.\r\n"
    )
    .into_bytes()
}
