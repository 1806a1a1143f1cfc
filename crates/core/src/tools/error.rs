//! A tool's error: what was not done, why, and what to do next. Three sentences of ours; never a secret, never text from
//! mail or from a server. The only exceptions to fixed wording are names that the caller itself wrote (an argument's name)
//! and names that the owner wrote (an account, a setting).

use countersign_confirm::Answer;
use countersign_send_policy::{Refusal, Words};
use rmcp::model::{CallToolResult, ContentBlock};

use crate::{
    config::ConfigFault,
    mailbox::{CertificateFault, ConnectFault, MailboxError, NotFound, Peer},
};

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    not_done: &'static str,
    why: String,
    next: &'static str,
}

impl ToolError {
    /// Nothing was done: the usual first sentence.
    pub const NOTHING: &'static str = "Nothing was done.";

    /// An error in our own words.
    pub fn new(not_done: &'static str, why: &'static str, next: &'static str) -> Self {
        Self { not_done, why: why.to_owned(), next }
    }

    /// The arguments can't be used. `detail` names an argument, never its value.
    pub(crate) fn arguments(detail: String) -> Self {
        Self {
            not_done: Self::NOTHING,
            why: detail,
            next: "Correct the arguments as the tool's input schema says and call again.",
        }
    }

    /// The account named is not configured.
    pub(crate) fn account(known: &[&str]) -> Self {
        Self {
            not_done: Self::NOTHING,
            why: format!("`account` must be one of: {}.", known.join(", ")),
            next: "Call again with one of these names; `list_accounts` says what each is.",
        }
    }

    /// The owner's configuration can't be used.
    pub(crate) fn configuration(fault: &ConfigFault) -> Self {
        Self {
            not_done: Self::NOTHING,
            why: fault.to_string(),
            next: "Tell the person: they have to correct this in their configuration and start the server again.",
        }
    }

    /// The call took longer than it may.
    pub(crate) fn deadline(changes: bool) -> Self {
        if changes {
            Self::new(
                "The change was not confirmed.",
                "The time for this call ran out while a change was under way, so it may or may not have been made.",
                "Look at the message or folder before doing anything again; do not repeat the call blindly.",
            )
        } else {
            Self::new(
                Self::NOTHING,
                "The time for this call ran out.",
                "Ask for less (one folder, a shorter period, a smaller limit) or try again later.",
            )
        }
    }

    /// A handler panicked: a fault of ours.
    pub(crate) fn fault(changes: bool) -> Self {
        Self::new(
            if changes { "The call was not completed." } else { Self::NOTHING },
            "The server met a fault of its own; other calls still work.",
            if changes {
                "Look at the message or folder before doing anything again; do not repeat the call blindly."
            } else {
                "Try something else and tell the person, who can report it with the server's log."
            },
        )
    }

    /// The text that the model reads.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.not_done, self.why, self.next)
    }

    pub(crate) fn into_answer(self) -> Answer {
        Answer::Done(CallToolResult::error(vec![ContentBlock::text(self.text())]))
    }
}

/// A refusal brings all three sentences itself.
impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        let Words { not_done, why, next } = refusal.words();
        Self { not_done, why, next }
    }
}

impl From<MailboxError> for ToolError {
    fn from(error: MailboxError) -> Self {
        let (not_done, why, next) = sentences(&error);
        Self { not_done, why, next }
    }
}

const LIST_AGAIN: &str = "List or search again and use the ids from that result.";
const TRY_LATER: &str = "Try again later.";
const TELL_OWNER: &str = "Tell the person: this needs a change in their configuration.";

fn sentences(error: &MailboxError) -> (&'static str, String, &'static str) {
    use MailboxError as E;
    let nothing = ToolError::NOTHING;
    let (why, next): (&str, &str) = match error {
        E::NotFound(NotFound::Message) => ("There is no such message (any more).", LIST_AGAIN),
        E::NotFound(NotFound::Folder) => ("There is no such folder.", "Use an `id` from `list_folders`."),
        E::NotFound(NotFound::Draft) => (
            "There is no such draft (any more): it was sent, changed in another program, moved or removed.",
            "List the drafts folder and use the id from that result.",
        ),
        E::NotFound(NotFound::Attachment) => {
            ("The message has no such attachment.", "Use an attachment number from `get_message`.")
        }
        E::Stale => ("The id is from before the folder was rebuilt on the server.", LIST_AGAIN),
        E::InvalidRef => ("The id is not one that this server handed out.", LIST_AGAIN),
        E::NotADraft => ("The message named is not in the drafts folder.", "Use a draft's id."),
        E::Connect(peer, fault) => return (nothing, connect(*peer, *fault), connect_next(*fault)),
        E::SignIn(Peer::Store) => (
            "The mail server refused the user name or password.",
            "Tell the person to run the server's `login` command; some providers need an app password.",
        ),
        E::SignIn(Peer::Submission) => (
            "The outgoing mail server refused the user name or password.",
            "Tell the person to check the outgoing server's settings or run the server's `login` command.",
        ),
        E::NoCredential => (
            "No password is stored for this account.",
            "Tell the person to run the server's `login` command.",
        ),
        E::CredentialStore => (
            "The stored password can't be read.",
            "Tell the person to unlock their keychain or run `login` again.",
        ),
        E::Configuration(setting) => {
            return (nothing, format!("The setting `{setting}` can't be used."), TELL_OWNER);
        }
        E::Throttled => ("The server asks to slow down.", "Wait a minute, then ask for less at a time."),
        E::TimedOut => ("The server did not answer in time.", TRY_LATER),
        E::OutcomeUnknown => {
            return (
                "The change was not confirmed.",
                "The connection ended while a change was under way, so it may or may not have been made."
                    .to_owned(),
                "Look at the message or folder before doing anything again; do not repeat the call blindly.",
            );
        }
        E::Refused => {
            ("The mail server refused.", "Try something else; the person may have to look at the account.")
        }
        E::OverQuota => ("The mailbox is full.", "Tell the person to make room."),
        E::PeerMisbehaved(place) => {
            return (nothing, format!("The mail server's answer can't be understood ({place})."), TRY_LATER);
        }
        E::Unsupported(job) => {
            return (nothing, format!("This mail server can't do that ({job})."), "Choose another way.");
        }
        E::NoFolder(use_) => {
            return (
                nothing,
                format!("The account has no {} folder.", use_.name()),
                "Name a folder from `list_folders`.",
            );
        }
        E::ReservedFolder(_) => {
            ("Nothing moves into the Sent or Drafts folder through a tool.", "Choose another folder.")
        }
        E::TooLarge(limit) => {
            return (
                nothing,
                format!("It is larger than {limit} bytes."),
                "Ask for something smaller, or have the person open it themselves.",
            );
        }
        E::Unreadable => {
            ("The message can't be read: its structure is broken.", "Have the person open it themselves.")
        }
        E::AlreadySent => {
            ("The Sent folder holds this very message already.", "Do not send it again; tell the person.")
        }
        E::WrongOrigin => ("The read was prepared for another account.", "Call again."),
        E::Hidden => {
            ("The owner's protection settings keep this from you.", "Ask the person to look themselves.")
        }
        E::Unprotectable => (
            "The configured protection level is not available in this version, so nothing is shown.",
            TELL_OWNER,
        ),
        E::SearchText => (
            "The mail server can't search for that text.",
            "Search for plain ASCII words, or by date and sender.",
        ),
        E::Cursor => ("The cursor no longer fits the list.", "Start again without a cursor."),
    };
    (nothing, why.to_owned(), next)
}

fn connect(peer: Peer, fault: ConnectFault) -> String {
    let name = peer.name();
    match fault {
        ConnectFault::NoSuchHost => format!("The {name}'s host name has no address."),
        ConnectFault::Refused => format!("Nothing answers at the {name}'s port."),
        ConnectFault::Unreachable => format!("The {name} can't be reached."),
        ConnectFault::TimedOut => format!("The {name} did not answer in time."),
        ConnectFault::Certificate(fault) => format!("The {name}'s certificate {}.", certificate(fault)),
        ConnectFault::Tls => {
            format!("The {name} and this server could not agree on TLS (often the wrong port).")
        }
        ConnectFault::NoStartTls => format!("The {name} does not offer STARTTLS."),
        ConnectFault::NotThisProtocol => {
            format!("What answers at the {name}'s port does not speak the protocol.")
        }
        ConnectFault::Lost => format!("The connection to the {name} was lost."),
    }
}

fn certificate(fault: CertificateFault) -> &'static str {
    match fault {
        CertificateFault::Expired => "has expired",
        CertificateFault::NotYetValid => "is not valid yet (or this machine's clock is wrong)",
        CertificateFault::WrongName => "is for another host name",
        CertificateFault::UnknownIssuer => "is signed by nobody that this machine trusts",
        CertificateFault::Revoked => "was revoked",
        CertificateFault::Unusable => "can't be used",
    }
}

fn connect_next(fault: ConnectFault) -> &'static str {
    match fault {
        ConnectFault::NoSuchHost
        | ConnectFault::Refused
        | ConnectFault::NotThisProtocol
        | ConnectFault::Tls => "Tell the person to check host, port and `security` in their configuration.",
        ConnectFault::NoStartTls => "Tell the person to set `security = \"tls\"` or another port.",
        ConnectFault::Certificate(CertificateFault::UnknownIssuer) => {
            "Tell the person; for a server of their own they can name its CA in `ca_file`. Checks can't be switched off."
        }
        ConnectFault::Certificate(_) => "Tell the person; certificate checks can't be switched off.",
        ConnectFault::Unreachable | ConnectFault::TimedOut | ConnectFault::Lost => TRY_LATER,
    }
}
