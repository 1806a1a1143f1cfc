//! A provider and a terminal for the tests of the command line.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::{Arc, Mutex},
};

use countersign_send_policy::Origin;

use super::Question;
use crate::{
    config::{AccountConfig, ConfigFault, Credential, EnvVar, Keychain, KeychainFault, Secret},
    mailbox::Mailbox,
    memory::{self, MemoryMailbox},
    protection::Raw,
    provider::Provider,
    tools::ToolDef,
};

/// A provider whose mailboxes are in memory.
pub(super) struct Fake;

impl Provider for Fake {
    type Mailbox = MemoryMailbox;
    const BINARY: &'static str = "countersign-fake";
    const NAME: &'static str = "fake";
    const VERSION: &'static str = "0.0.1";
    const CONNECTION: &'static [EnvVar] = &[
        EnvVar::connection("COUNTERSIGN_IMAP_ADDRESS", "address", "The address."),
        EnvVar::connection("COUNTERSIGN_IMAP_USER", "user", "The user name."),
        EnvVar::connection("COUNTERSIGN_IMAP_HOST", "imap.host", "The server."),
        EnvVar::connection("COUNTERSIGN_IMAP_PORT", "imap.port", "Its port."),
        EnvVar::password("COUNTERSIGN_IMAP_PASSWORD", "The password."),
    ];
    const QUESTIONS: &'static [Question] = &[Question {
        setting: "imap.host",
        label: "IMAP server",
        propose: |domain| format!("imap.{domain}"),
    }];

    fn table<M: Mailbox<Stage = Raw>>() -> &'static [ToolDef<M>] {
        use crate::tools::{
            create_draft, get_message, list_messages, reply_draft, save_attachment, send_draft,
        };
        const {
            &[
                list_messages::row(),
                get_message::row(),
                save_attachment::row(),
                create_draft::row(),
                reply_draft::row(),
                send_draft::row(),
            ]
        }
    }

    fn origin(account: &AccountConfig) -> Result<Origin, ConfigFault> {
        Ok(Origin::new(Self::NAME, account.connection.required("imap.host")?, account.sign_in_name()?))
    }

    fn mailbox(
        account: &AccountConfig,
        _credential: Arc<dyn Credential>,
    ) -> Result<MemoryMailbox, ConfigFault> {
        account.connection.port("imap.port")?;
        Ok(memory::sample())
    }
}

/// What a console wrote.
#[derive(Clone, Default)]
pub(super) struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    /// All of it.
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A keychain in memory, or none.
#[derive(Default)]
pub(super) struct Entries {
    kept: Mutex<BTreeMap<String, String>>,
    absent: bool,
}

impl Entries {
    /// A machine without a keychain.
    pub(super) fn absent() -> Arc<Self> {
        Arc::new(Self { absent: true, ..Self::default() })
    }
}

impl Keychain for Entries {
    fn read(&self, name: &str) -> Result<Option<Secret>, KeychainFault> {
        if self.absent {
            Err(KeychainFault::Absent)
        } else {
            Ok(self.kept.lock().unwrap().get(name).cloned().map(Secret::new))
        }
    }

    fn write(&self, name: &str, secret: &Secret) -> Result<(), KeychainFault> {
        if self.absent {
            return Err(KeychainFault::Absent);
        }
        self.kept.lock().unwrap().insert(name.to_owned(), secret.expose().to_owned());
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), KeychainFault> {
        self.kept.lock().unwrap().remove(name);
        Ok(())
    }
}
