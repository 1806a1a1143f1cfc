//! The plain types in which a draft crosses crates, and the seal that keeps its text from being read on the way.
//!
//! `DraftFields` is everything that goes out and nothing else: what has no place here isn't sent. A backend fills
//! it, `DraftContent::seal` closes it, and only this crate opens it again, because whoever holds a draft's content
//! could hand it to a model without the checks of a read.

use std::{collections::BTreeSet, fmt, time::SystemTime};

use sha2::{Digest, Sha256};

use crate::{
    address::{Address, AddressError},
    fingerprint::hex,
};

/// The account a draft belongs to, as its provider names it. It outlives sign-ins: claims and sent records are kept
/// under it, so signing in again doesn't allow a second send.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The kind of provider: `imap`, `graph`, `fmsg`, `hey`.
    pub provider: String,
    /// The host that holds the mailbox.
    pub host: String,
    /// The user name at that host, as it signs in.
    pub user: String,
}

impl Origin {
    /// An origin with its provider and host in lower case, so that spelling can't make two of one account.
    pub fn new(provider: &str, host: &str, user: &str) -> Self {
        let host = host.trim_end_matches('.');
        Self {
            provider: provider.to_ascii_lowercase(),
            host: host.to_ascii_lowercase(),
            user: user.to_owned(),
        }
    }

    /// The key under which the state store files this origin. Each part carries its length (a netstring), so no two
    /// origins share a key, whatever stands in the user name.
    pub(crate) fn key(&self) -> String {
        let Self { provider, host, user } = self;
        format!("{}:{provider},{}:{host},{}:{user},", provider.len(), host.len(), user.len())
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} account {} at {}", self.provider, self.user, self.host)
    }
}

/// The opaque key of one sign-in. Caps, exposure and known addresses belong to it, so every process and client of
/// that sign-in shares them.
#[derive(Clone, PartialEq, Eq)]
pub struct Principal(String);

impl Principal {
    /// The principal with this key: minted at sign-in, or derived where there was none.
    pub fn new(key: String) -> Self {
        Self(key)
    }

    /// The key itself, to bind a confirmation to the sign-in.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name under which the state files this sign-in: a hash, so that the key is not in the state file too.
    pub(crate) fn id(&self) -> String {
        let hash = Sha256::new().chain_update(b"countersign.principal.v1:").chain_update(&self.0).finalize();
        hex(&hash)
    }
}

impl fmt::Debug for Principal {
    /// The key is stored beside the credential and is kept out of logs like it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Principal(..)")
    }
}

/// One draft, as it would go out.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DraftFields {
    /// The `DraftRef` handed out for it.
    pub id: String,
    /// What makes it one draft: its Message-ID or the provider's immutable id. A draft is sent once under this key.
    pub claim_key: String,
    /// The Message-ID (RFC 5322 §3.6.4) it goes out with, without angle brackets, where the provider lets us set it.
    pub message_id: Option<String>,
    /// The sender.
    pub from: Address,
    /// The `To` field.
    pub to: Vec<Address>,
    /// The `Cc` field.
    pub cc: Vec<Address>,
    /// The `Bcc` field: in the envelope and in the copy in Sent, never on the wire.
    pub bcc: Vec<Address>,
    /// The `Reply-To` field.
    pub reply_to: Vec<Address>,
    /// The subject, decoded.
    pub subject: String,
    /// `In-Reply-To` msg-ids without angle brackets.
    pub in_reply_to: Vec<String>,
    /// `References` msg-ids without angle brackets, in order.
    pub references: Vec<String>,
    /// The plain text part.
    pub text: Option<String>,
    /// The HTML part.
    pub html: Option<String>,
    /// The attachments, in order.
    pub attachments: Vec<DraftAttachment>,
}

impl DraftFields {
    /// The recipients: `To`, `Cc` and `Bcc`, in that order.
    pub fn recipients(&self) -> impl Iterator<Item = &Address> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }

    /// The SMTP forward-paths (RFC 5321 §4.1.1.3): bare addresses, each recipient once.
    ///
    /// # Errors
    /// The first recipient that isn't exactly one valid address.
    pub fn forward_paths(&self) -> Result<Vec<String>, AddressError> {
        let mut seen = BTreeSet::new();
        let mut paths = Vec::new();
        for recipient in self.recipients() {
            if seen.insert(recipient.key()?) {
                paths.push(recipient.path()?);
            }
        }
        Ok(paths)
    }
}

impl fmt::Debug for DraftFields {
    /// The text of a draft never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DraftFields").finish_non_exhaustive()
    }
}

/// One attachment of a draft.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DraftAttachment {
    /// The file name.
    pub name: String,
    /// The media type, for instance `application/pdf`.
    pub media_type: String,
    /// The Content-ID (RFC 2392) without angle brackets.
    pub content_id: Option<String>,
    /// Whether it is shown in the text rather than listed after it.
    pub inline: bool,
    /// What identifies the content: the SHA-256 of the decoded bytes in hexadecimal, or the provider's id.
    pub identity: String,
    /// The size in bytes.
    pub size: u64,
    /// The decoded bytes; empty where the provider keeps them and sends by identity.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for DraftAttachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DraftAttachment").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A draft on its way from its source to the policy. Anyone may seal one; nobody outside this crate opens one.
pub struct DraftContent(DraftFields);

impl DraftContent {
    /// Seals what a source read.
    pub fn seal(fields: DraftFields) -> Self {
        Self(fields)
    }

    pub(crate) fn open(self) -> DraftFields {
        self.0
    }
}

/// Where drafts are read from for a send: freshly each time, and only what may leave.
pub trait DraftSource: Sync {
    /// The account whose drafts these are.
    fn origin(&self) -> &Origin;

    /// The addresses that this account sends from, as its owner configured them.
    fn own_addresses(&self) -> &[Address];

    /// Reads the draft as it stands now.
    fn read_draft(&self, id: &str) -> impl Future<Output = Result<DraftContent, SourceError>> + Send;

    /// Which of these addresses this identity wrote to before a moment: messages in Sent that arrived there before it,
    /// from one of the account's own addresses, with the address among their recipients. Each compared by the source
    /// itself; a search that matched loosely counts for nothing. Contacts don't count.
    fn sent_to(
        &self,
        recipients: &[Address],
        before: SystemTime,
    ) -> impl Future<Output = Result<Vec<Address>, SourceError>> + Send;

    /// Which of these msg-ids are those of messages in this mailbox.
    fn holds(&self, message_ids: &[String]) -> impl Future<Output = Result<Vec<String>, SourceError>> + Send;
}

/// Why a draft couldn't be read for a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is no such draft.
    #[error("there is no such draft")]
    NotFound,
    /// The id is of a folder or mailbox state that has passed.
    #[error("the draft's id is stale")]
    Stale,
    /// The draft holds something that must not leave the mailbox.
    #[error("the draft holds protected content")]
    Kept,
    /// The draft is there, but what would go out can't be told from it.
    #[error("the draft can't be read as a message")]
    Unreadable,
    /// The sign-in isn't accepted any more.
    #[error("the sign-in was refused")]
    SignInRefused,
    /// The server couldn't be reached.
    #[error("the mail server couldn't be reached")]
    Unreachable,
    /// The server didn't answer in time.
    #[error("the mail server didn't answer in time")]
    TimedOut,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(addresses: &[&str]) -> Vec<Address> {
        addresses.iter().map(|a| Address::bare(a)).collect()
    }

    #[test]
    fn an_origin_has_one_key_however_it_is_spelt() {
        let key = Origin::new("IMAP", "Mail.Example.ORG.", "robin").key();
        assert_eq!(key, Origin::new("imap", "mail.example.org", "robin").key());
        assert_ne!(key, Origin::new("imap", "mail.example.org", "Robin").key());
    }

    #[test]
    fn origins_whose_parts_run_together_keep_apart() {
        let a = Origin { provider: "imap".into(), host: "a".into(), user: "b,1:c".into() };
        let b = Origin { provider: "imap".into(), host: "a,1:b".into(), user: "c".into() };
        assert_ne!(a.key(), b.key());
    }

    #[test]
    fn forward_paths_name_each_recipient_once_and_in_order() {
        let fields = DraftFields {
            to: to(&["a@example.org", "b@pošta.example"]),
            cc: to(&["A@EXAMPLE.ORG"]),
            bcc: to(&["c@example.org"]),
            reply_to: to(&["elsewhere@example.net"]),
            ..DraftFields::default()
        };
        assert_eq!(
            fields.forward_paths().unwrap(),
            ["a@example.org", "b@xn--pota-h6a.example", "c@example.org"],
        );
    }

    #[test]
    fn forward_paths_refuse_a_list_in_one_string() {
        let fields = DraftFields { bcc: to(&["a@example.org, b@example.org"]), ..DraftFields::default() };
        assert!(fields.forward_paths().is_err());
    }

    #[test]
    fn nothing_of_a_draft_is_printed_by_debug() {
        let mut fields =
            DraftFields { subject: "zebra".into(), text: Some("zebra".into()), ..DraftFields::default() };
        fields.attachments.push(DraftAttachment { name: "zebra".into(), ..DraftAttachment::default() });
        assert!(!format!("{fields:?} {:?}", fields.attachments).contains("zebra"));
        assert!(!format!("{:?}", Principal::new("zebra".into())).contains("zebra"));
    }
}
