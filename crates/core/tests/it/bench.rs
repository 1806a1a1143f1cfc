//! A server put together as the binaries do it (configuration, credentials, composition root), over watched mailboxes in
//! memory and a state directory of its own. What is started twice on one bench shares that directory, as two processes of
//! one owner do.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use countersign_confirm::{Gate, GateConfig, KeySource};
use countersign_core::{
    account::AccountName,
    attachment::outgoing::Allowance,
    cli::Question,
    config::{
        AccountConfig, Config, ConfigFault, Credential, CredentialStore, EnvVar, Keychain, KeychainFault,
        Paths, Secret,
    },
    mailbox::Mailbox,
    memory::{self, MemoryMailbox},
    model::{Address, Flags, FolderRef, MessageRef, Origin, Timestamp},
    protection::{Level, Raw},
    provider::Provider,
    server::{self, Identity, STDIO_DEADLINE, Server},
    tools::{
        Grants, ToolDef, archive_message, create_draft, delete_draft, forward_draft, forward_message,
        get_attachment, get_message, get_thread, list_accounts, list_folders, list_messages, modify_message,
        move_message, reply_draft, reply_send, save_attachment, search_messages, send_draft, send_message,
        trash_message,
    },
};
use countersign_send_policy::RulesConfig;
use countersign_testkit::mcp::Era;
use tempfile::TempDir;

use crate::{
    talk::{Person, Talk},
    watched::Watched,
};

/// The whole vocabulary, in the order of tools.md.
pub(crate) static TABLE: &[ToolDef<Watched>] = &[
    list_accounts::row(),
    list_folders::row(),
    list_messages::row(),
    search_messages::row(),
    get_message::row(),
    get_thread::row(),
    get_attachment::row(),
    save_attachment::row(),
    create_draft::row(),
    reply_draft::row(),
    forward_draft::row(),
    delete_draft::row(),
    send_draft::row(),
    send_message::row(),
    reply_send::row(),
    forward_message::row(),
    modify_message::row(),
    move_message::row(),
    trash_message::row(),
    archive_message::row(),
];

/// Mailboxes by the user name that their account signs in with.
static MAILBOXES: Mutex<BTreeMap<String, Watched>> = Mutex::new(BTreeMap::new());
static NEXT: AtomicUsize = AtomicUsize::new(0);

struct Shelf;

impl Provider for Shelf {
    type Mailbox = Watched;
    const BINARY: &'static str = "countersign-shelf";
    const NAME: &'static str = "memory";
    const VERSION: &'static str = "0.0.1";
    const CONNECTION: &'static [EnvVar] = &[];
    const QUESTIONS: &'static [Question] = &[];

    fn table<M: Mailbox<Stage = Raw>>() -> &'static [ToolDef<M>] {
        &[]
    }

    fn origin(account: &AccountConfig) -> Result<Origin, ConfigFault> {
        Ok(on_shelf(account.sign_in_name()?).origin().clone())
    }

    fn mailbox(account: &AccountConfig, _: Arc<dyn Credential>) -> Result<Watched, ConfigFault> {
        Ok(on_shelf(account.sign_in_name()?))
    }
}

fn on_shelf(user: &str) -> Watched {
    MAILBOXES.lock().unwrap().get(user).cloned().unwrap()
}

/// A keychain that must not be asked: these accounts have their password from the environment.
struct Untouched;

impl Keychain for Untouched {
    fn read(&self, _: &str) -> Result<Option<Secret>, KeychainFault> {
        Err(KeychainFault::Absent)
    }

    fn write(&self, _: &str, _: &Secret) -> Result<(), KeychainFault> {
        Err(KeychainFault::Absent)
    }

    fn remove(&self, _: &str) -> Result<(), KeychainFault> {
        Err(KeychainFault::Absent)
    }
}

/// An owner's machine.
pub(crate) struct Bench {
    directory: TempDir,
    accounts: Vec<AccountConfig>,
    pub(crate) mailboxes: Vec<Watched>,
    pub(crate) table: &'static [ToolDef<Watched>],
    pub(crate) ttl: Duration,
    pub(crate) deadline: Duration,
    pub(crate) elicitation: bool,
    pub(crate) fault: Option<ConfigFault>,
}

impl Bench {
    /// One account, `home`, with an empty mailbox of Jana's.
    pub(crate) fn new() -> Self {
        Self::over(MemoryMailbox::new(vec![Address {
            display_name: Some("Jana Nováková".to_owned()),
            addr_spec: "jana@example.com".to_owned(),
        }]))
    }

    /// One account, `home`, with the sample mailbox.
    pub(crate) fn sample() -> Self {
        Self::over(memory::sample())
    }

    fn over(memory: MemoryMailbox) -> Self {
        let mut bench = Self {
            directory: tempfile::tempdir().unwrap(),
            accounts: Vec::new(),
            mailboxes: Vec::new(),
            table: TABLE,
            ttl: GateConfig::TTL,
            deadline: STDIO_DEADLINE,
            elicitation: true,
            fault: None,
        };
        bench.add("home", memory);
        bench
    }

    /// Adds an account.
    #[expect(clippy::default_trait_access, reason = "the type of an account's other settings is core's own")]
    pub(crate) fn add(&mut self, name: &str, memory: MemoryMailbox) {
        let user = format!("user{}", NEXT.fetch_add(1, Ordering::SeqCst));
        let mailbox = Watched::new(memory);
        MAILBOXES.lock().unwrap().insert(user.clone(), mailbox.clone());
        self.accounts.push(AccountConfig {
            name: AccountName::parse(name).unwrap(),
            address: mailbox.own_addresses().first().map(|own| own.addr_spec.clone()),
            display_name: None,
            aliases: Vec::new(),
            user: Some(user),
            grants: Grants::all(),
            level: Level::Off,
            level_written: true,
            rules: RulesConfig::default(),
            save_dir: None,
            attachable: Allowance::default(),
            connection: Default::default(),
            from_environment: true,
            fault: None,
        });
        self.mailboxes.push(mailbox);
    }

    /// Changes what the owner wrote of the first account.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut AccountConfig)) -> Self {
        change(&mut self.accounts[0]);
        self
    }

    pub(crate) fn account(&mut self, at: usize) -> &mut AccountConfig {
        &mut self.accounts[at]
    }

    /// Nothing configured at all.
    pub(crate) fn without_accounts(mut self) -> Self {
        self.accounts.clear();
        self
    }

    /// The first account's mailbox.
    pub(crate) fn mailbox(&self) -> &Watched {
        &self.mailboxes[0]
    }

    /// Where state is kept.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    fn state_file(&self) -> PathBuf {
        self.path().join("state").join("state.sqlite")
    }

    /// Puts something where the state's directory would be, so that no state can be written.
    pub(crate) fn spoil_state(&self) {
        std::fs::write(self.path().join("state"), "not a directory").unwrap();
    }

    /// A server as a new process would have it.
    pub(crate) fn server(&self) -> Server<Watched> {
        let credentials = Arc::new(CredentialStore::at(
            self.path().join("credentials.json"),
            Some(Arc::new(Secret::new("password".to_owned()))),
            Arc::new(Untouched),
        ));
        let key_file = self.path().join("confirm.key");
        let config = Config {
            accounts: self.accounts.clone(),
            paths: Paths {
                config_file: self.path().join("memory.toml"),
                config_named: true,
                credentials_file: self.path().join("credentials.json"),
                state_file: self.state_file(),
                key_file: key_file.clone(),
                home: None,
            },
            state_file: self.state_file(),
            key_file: key_file.clone(),
            elicitation: self.elicitation,
            password: None,
            warnings: Vec::new(),
            fault: self.fault.clone(),
        };
        let accounts = server::accounts::<Shelf>(config, &credentials);
        let gate = Gate::new(GateConfig {
            key: KeySource::File(key_file),
            ttl: self.ttl,
            elicitation: self.elicitation,
        });
        let identity = Identity { name: Shelf::BINARY, version: Shelf::VERSION };
        Server::new(identity, self.table, Arc::new(accounts), Arc::new(gate), self.deadline)
    }

    /// A conversation with a server of its own, opened as the era does.
    pub(crate) async fn talk(&self, era: Era, person: Person) -> Talk {
        Talk::open(self.server(), era, person).await
    }

    pub(crate) fn folder(&self, name: &str) -> FolderRef {
        self.mailbox().memory.folder(name).unwrap()
    }

    /// The raw messages of a folder, as text.
    pub(crate) fn raw(&self, folder: &str) -> Vec<String> {
        let held = self.mailbox().memory.contents(&self.folder(folder)).unwrap();
        held.into_iter().map(|(_, _, raw)| String::from_utf8_lossy(&raw).into_owned()).collect()
    }

    /// How many messages a folder holds.
    pub(crate) fn count(&self, folder: &str) -> usize {
        self.raw(folder).len()
    }

    /// Puts a message into a folder; line ends may be bare.
    pub(crate) fn put(&self, folder: &str, raw: &str) -> MessageRef {
        let wire = raw.replace("\r\n", "\n").replace('\n', "\r\n");
        let memory = &self.mailbox().memory;
        memory.append(&self.folder(folder), wire.as_bytes(), ARRIVED, Flags::default()).unwrap()
    }

    /// The id of the message with this in its raw text.
    pub(crate) fn id_of(&self, folder: &str, part: &str) -> String {
        let held = self.mailbox().memory.contents(&self.folder(folder)).unwrap();
        let found = held.into_iter().find(|(_, _, raw)| String::from_utf8_lossy(raw).contains(part));
        found.unwrap_or_else(|| panic!("no message in {folder} holds {part}")).0.to_string()
    }
}

/// When what a test puts into a mailbox arrives.
const ARRIVED: Timestamp = Timestamp(1_796_000_000);
