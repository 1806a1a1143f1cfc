//! Why a mailbox did not do what was asked. Codes only: what a server says is foreign text and ends where it was read.

use crate::model::SpecialUse;

/// What could not be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    /// No such message.
    Message,
    /// No such folder.
    Folder,
    /// No such draft (sent, moved or removed since).
    Draft,
    /// The message has no such attachment.
    Attachment,
}

/// The server at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// Where messages are read.
    Store,
    /// Where messages are handed in for sending.
    Submission,
}

impl Peer {
    /// The word that messages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "mail server",
            Self::Submission => "outgoing mail server",
        }
    }
}

/// Why a certificate was not accepted. Checks can't be switched off; an extra CA can be named in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateFault {
    /// Its time is over.
    Expired,
    /// Its time has not come, or this machine's clock is wrong.
    NotYetValid,
    /// It is for another host name.
    WrongName,
    /// It is signed by nobody that this machine trusts.
    UnknownIssuer,
    /// It was revoked.
    Revoked,
    /// Anything else.
    Unusable,
}

/// Why there is no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectFault {
    /// The host name has no address.
    NoSuchHost,
    /// Nothing answers at that port.
    Refused,
    /// The network is down, or the host can't be reached.
    Unreachable,
    /// No answer within the time allowed.
    TimedOut,
    /// The certificate.
    Certificate(CertificateFault),
    /// TLS failed otherwise (often: a port without TLS, or the reverse).
    Tls,
    /// The configuration asks for STARTTLS and the server does not offer it.
    NoStartTls,
    /// What answers does not speak the protocol.
    NotThisProtocol,
    /// The connection was lost.
    Lost,
}

/// Why a mailbox did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MailboxError {
    /// The thing named isn't there.
    #[error("not found")]
    NotFound(NotFound),
    /// The id is from before the folder was rebuilt (IMAP UIDVALIDITY changed): list again.
    #[error("the id is stale")]
    Stale,
    /// The id is not one of ours.
    #[error("not an id that this server handed out")]
    InvalidRef,
    /// The message named is not a draft.
    #[error("not a draft")]
    NotADraft,
    /// No connection.
    #[error("no connection to the {}", .0.name())]
    Connect(Peer, ConnectFault),
    /// User name or password were refused.
    #[error("the {} refused the sign-in", .0.name())]
    SignIn(Peer),
    /// No password is stored for the account.
    #[error("no credential is stored")]
    NoCredential,
    /// The credential store could not be read.
    #[error("the credential store can't be read")]
    CredentialStore,
    /// The account's configuration can't be used; the setting is named.
    #[error("the setting {0} can't be used")]
    Configuration(&'static str),
    /// The server asks to slow down.
    #[error("the server asks to slow down")]
    Throttled,
    /// The time was up. Nothing was changed.
    #[error("timed out")]
    TimedOut,
    /// A change was under way when the connection or the time ended: it may or may not have happened.
    #[error("outcome unknown")]
    OutcomeUnknown,
    /// The server refused the command.
    #[error("the server refused")]
    Refused,
    /// The server has no room left for the account.
    #[error("over quota")]
    OverQuota,
    /// The server answered with something that the protocol doesn't allow; where, in our words.
    #[error("the server's answer can't be understood ({0})")]
    PeerMisbehaved(&'static str),
    /// The server or backend can't do this.
    #[error("not supported here ({0})")]
    Unsupported(&'static str),
    /// No folder has this use.
    #[error("no {} folder", .0.name())]
    NoFolder(SpecialUse),
    /// Nothing moves into the folder with this use through a tool (Sent makes addresses known, Drafts can be sent).
    #[error("nothing moves into {} through a tool", .0.name())]
    ReservedFolder(SpecialUse),
    /// Larger than what is read; the limit in bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The message or part can't be read.
    #[error("unreadable message")]
    Unreadable,
    /// Sent holds this message already.
    #[error("already sent")]
    AlreadySent,
    /// The receipt is for another account.
    #[error("the receipt is for another account")]
    WrongOrigin,
    /// Protection keeps it.
    #[error("kept by protection")]
    Hidden,
    /// The configured protection level isn't available, so nothing is shown.
    #[error("protection can't be applied")]
    Unprotectable,
    /// A search text that the server can't search for.
    #[error("the server can't search for that text")]
    SearchText,
    /// The cursor is not one of ours, or its list has changed.
    #[error("the cursor no longer fits")]
    Cursor,
}

/// How a send ended when it did not end with an acceptance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Ending {
    /// The server refused before it took the message: nothing was sent.
    #[error("refused by the outgoing mail server")]
    Refused(SendRefusal),
    /// The connection or the time ended after the message was handed over: it may or may not have gone out.
    #[error("outcome unknown")]
    Unknown,
    /// The connection ended before the message was handed over: nothing was sent.
    #[error("nothing was handed over")]
    NotHandedOver(MailboxError),
}

/// Why a submission server refused (RFC 5321, RFC 3463), by its reply code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendRefusal {
    /// The sender address.
    Sender,
    /// A recipient address.
    Recipient,
    /// The message is too large.
    Size,
    /// The message as a whole (content, policy, quota); the reply code.
    Message(u16),
    /// The address needs SMTPUTF8 (RFC 6531) and the server lacks it.
    Smtputf8,
    /// The permit was not for this account.
    Permit,
}
