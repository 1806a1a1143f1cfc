//! Every reason not to send (or not to read), worded once.
//!
//! A refusal says what was not done, why, and what to do next. It goes to a model and so carries nothing of a draft:
//! no address, no subject, no file name. Where a number helps, it is ours (a cap, a count).

use std::fmt;

use crate::{address::AddressError, fields::SourceError, mode::ConfirmMode, state::StateFault};

/// The field of a draft that a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `From`.
    From,
    /// `To`.
    To,
    /// `Cc`.
    Cc,
    /// `Bcc`.
    Bcc,
    /// `Reply-To`.
    ReplyTo,
    /// `Subject`.
    Subject,
    /// `Message-ID`, `In-Reply-To` or `References`.
    MessageId,
    /// The name, type or Content-ID of an attachment.
    Attachment,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::From => "From",
            Self::To => "To",
            Self::Cc => "Cc",
            Self::Bcc => "Bcc",
            Self::ReplyTo => "Reply-To",
            Self::Subject => "Subject",
            Self::MessageId => "Message-ID, In-Reply-To or References",
            Self::Attachment => "attachment",
        })
    }
}

/// Why something was not done. Not a fault of the machine, except where it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The draft couldn't be read.
    Draft(SourceError),
    /// A proof for one account was used at another.
    WrongOrigin,
    /// The draft has no identity under which it could be sent once.
    NoIdentity,
    /// The owner's confirmation mode isn't carried out by this version.
    ModeUnsupported(ConfirmMode),
    /// The owner's allowlist holds an entry that is neither an address nor a domain.
    BadAllowlist,
    /// `To`, `Cc` and `Bcc` are all empty.
    NoRecipients,
    /// An address isn't exactly one valid address.
    BadAddress(Field, AddressError),
    /// A header value would not stay one line of its own.
    BadHeader(Field),
    /// An attachment's content doesn't match what is said about it.
    BadAttachment,
    /// More recipients than the owner allows in one message.
    TooManyRecipients {
        /// Distinct addresses in `To`, `Cc`, `Bcc` and `Reply-To`.
        count: usize,
        /// The cap.
        max: u32,
    },
    /// An address outside the owner's allowlist.
    NotAllowed(Field),
    /// The draft was sent before and accepted.
    AlreadySent,
    /// A send of this draft was begun and its outcome never learnt.
    OutcomeUnknown,
    /// A send of this draft was begun within the last 24 hours and refused by the server.
    Claimed,
    /// The sends of the last 24 hours have reached the cap.
    TooManySends {
        /// The cap.
        max: u32,
    },
    /// Other people's mail was read after the person was asked.
    ExposedSince,
    /// The send state can't be read or written, so nothing is sent.
    StateUnavailable(StateFault),
    /// The exposure marker can't be written, so nothing is read.
    MarkerUnwritten(StateFault),
}

/// A refusal in three sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// What was not done.
    pub not_done: &'static str,
    /// Why.
    pub why: String,
    /// What to do next.
    pub next: &'static str,
}

/// What was not done, for all but one.
const NOT_SENT: &str = "Nothing was sent by this call.";
/// What to do when the state fails: it is the owner's to mend.
const MEND_STATE: &str = "Tell the account's owner; nothing in the mailbox was changed.";

impl Refusal {
    /// A short name that doesn't change.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Draft(SourceError::NotFound) => "draft_not_found",
            Self::Draft(SourceError::Stale) => "draft_stale",
            Self::Draft(SourceError::Kept) => "draft_kept",
            Self::Draft(SourceError::Unreadable) => "draft_unreadable",
            Self::Draft(SourceError::SignInRefused) => "sign_in_refused",
            Self::Draft(SourceError::Unreachable) => "unreachable",
            Self::Draft(SourceError::TimedOut) => "timed_out",
            Self::WrongOrigin => "wrong_origin",
            Self::NoIdentity => "no_identity",
            Self::ModeUnsupported(_) => "mode_unsupported",
            Self::BadAllowlist => "bad_allowlist",
            Self::NoRecipients => "no_recipients",
            Self::BadAddress(..) => "bad_address",
            Self::BadHeader(_) => "bad_header",
            Self::BadAttachment => "bad_attachment",
            Self::TooManyRecipients { .. } => "too_many_recipients",
            Self::NotAllowed(_) => "not_allowed",
            Self::AlreadySent => "already_sent",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Claimed => "claimed",
            Self::TooManySends { .. } => "too_many_sends",
            Self::ExposedSince => "exposed_since",
            Self::StateUnavailable(_) => "state_unavailable",
            Self::MarkerUnwritten(_) => "marker_unwritten",
        }
    }

    /// The three sentences.
    pub fn words(&self) -> Words {
        let (why, next) = match self {
            Self::MarkerUnwritten(fault) => {
                let why = format!("The record that mail is being read could not be written: {fault}.");
                return Words { not_done: "Nothing was read.", why, next: MEND_STATE };
            }
            Self::StateUnavailable(fault) => {
                (format!("The record of sends could not be used: {fault}."), MEND_STATE)
            }
            Self::Draft(error) => (format!("The draft could not be used: {error}."), after_source_error(*error)),
            Self::WrongOrigin => (
                "The draft and the account it was to be sent from are not the same account.".into(),
                "Name the account that holds the draft.",
            ),
            Self::NoIdentity => (
                "The draft has no identity of its own, so it could not be kept from being sent twice.".into(),
                "Draft it again with this server and send that draft.",
            ),
            Self::ModeUnsupported(mode) => (
                format!("The account is configured with confirm = \"{mode}\", and this version carries out only \"always\"."),
                "The account's owner can set confirm = \"always\" in the configuration file; it can't be done from here.",
            ),
            Self::BadAllowlist => (
                "The account's allow list holds an entry that is neither one address nor one domain.".into(),
                "The account's owner can correct it in the configuration file; until then nothing is sent.",
            ),
            Self::NoRecipients => {
                ("The draft has no recipient in To, Cc or Bcc.".into(), "Draft it again with a recipient.")
            }
            Self::BadAddress(field, error) => (
                format!("In the {field} field, {error}."),
                "Draft it again with each address by itself, as local@domain.",
            ),
            Self::BadHeader(field) => (
                format!("The {field} field holds a line break or another character that would not stay in its line."),
                "Draft it again without it.",
            ),
            Self::BadAttachment => (
                "An attachment's content does not match its stated size, or nothing identifies it.".into(),
                "Draft it again with the attachment added anew.",
            ),
            Self::TooManyRecipients { count, max } => (
                format!("The draft names {count} addresses in To, Cc, Bcc and Reply-To; the owner's limit is {max}."),
                "Draft it again to fewer people, or leave it in Drafts for the owner to send.",
            ),
            Self::NotAllowed(field) => (
                format!("An address in the {field} field is not on the owner's allow list."),
                "Only the account's owner can extend the list, in the configuration file. The draft stays for the owner to send.",
            ),
            Self::AlreadySent => {
                ("This draft was sent before and accepted.".into(), "Don't repeat it. Look in Sent for the message.")
            }
            Self::OutcomeUnknown => (
                "A send of this draft was begun before, and whether it went out is not known.".into(),
                "Don't repeat it. Look in Sent; if it isn't there, ask the person to check with a recipient.",
            ),
            Self::Claimed => (
                "A send of this draft was begun in the last 24 hours; each draft gets one attempt.".into(),
                "Draft it again and send the new draft.",
            ),
            Self::TooManySends { max } => (
                format!("The owner's limit of {max} sends in 24 hours is reached."),
                "Try again later, or leave the draft for the owner to send. No argument lifts the limit.",
            ),
            Self::ExposedSince => (
                "Other people's mail was read after the person was asked, and what they confirmed didn't say so.".into(),
                "Call again, so that the person can confirm knowing it.",
            ),
        };
        Words { not_done: NOT_SENT, why, next }
    }
}

/// What to do about a draft that couldn't be read.
fn after_source_error(error: SourceError) -> &'static str {
    match error {
        SourceError::NotFound => "List the drafts; it may have been sent, deleted or replaced.",
        SourceError::Stale => "List the drafts again and use the id given there.",
        SourceError::Kept => "Leave it in Drafts; the account's owner can send it in a mail program.",
        SourceError::Unreadable => "Draft it again with this server, or leave it for the owner to send.",
        SourceError::SignInRefused => "The account's owner has to sign in again.",
        SourceError::Unreachable | SourceError::TimedOut => "Try again; nothing was begun.",
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Words { not_done, why, next } = self.words();
        write!(f, "{not_done} {why} {next}")
    }
}

impl std::error::Error for Refusal {}

impl From<SourceError> for Refusal {
    fn from(error: SourceError) -> Self {
        Self::Draft(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each, in the order of the enum; `code` is matched without a wildcard, so a new one is missed here alone.
    fn each() -> Vec<Refusal> {
        let sources = [
            SourceError::NotFound,
            SourceError::Stale,
            SourceError::Kept,
            SourceError::Unreadable,
            SourceError::SignInRefused,
            SourceError::Unreachable,
            SourceError::TimedOut,
        ];
        let mut all: Vec<Refusal> = sources.into_iter().map(Refusal::from).collect();
        all.extend([
            Refusal::WrongOrigin,
            Refusal::NoIdentity,
            Refusal::ModeUnsupported(ConfirmMode::Never),
            Refusal::BadAllowlist,
            Refusal::NoRecipients,
            Refusal::BadAddress(Field::Bcc, AddressError::NotOne),
            Refusal::BadHeader(Field::Subject),
            Refusal::BadAttachment,
            Refusal::TooManyRecipients { count: 21, max: 20 },
            Refusal::NotAllowed(Field::ReplyTo),
            Refusal::AlreadySent,
            Refusal::OutcomeUnknown,
            Refusal::Claimed,
            Refusal::TooManySends { max: 50 },
            Refusal::ExposedSince,
            Refusal::StateUnavailable(StateFault::Full),
            Refusal::MarkerUnwritten(StateFault::Busy),
        ]);
        all
    }

    #[test]
    fn every_refusal_says_what_was_not_done_why_and_what_next() {
        let mut codes = std::collections::BTreeSet::new();
        let mut texts = std::collections::BTreeSet::new();
        for refusal in each() {
            let Words { not_done, why, next } = refusal.words();
            for sentence in [not_done, &why, next] {
                assert!(
                    sentence.ends_with('.') && sentence.starts_with(char::is_uppercase),
                    "{refusal:?}: {sentence}"
                );
            }
            assert_eq!(refusal.to_string(), format!("{not_done} {why} {next}"));
            assert!(refusal.code().chars().all(|c| c.is_ascii_lowercase() || c == '_'));
            assert!(codes.insert(refusal.code()), "{refusal:?}");
            assert!(texts.insert(refusal.to_string()), "{refusal:?}");
        }
    }

    #[test]
    fn the_words_that_matter_most_are_these() {
        for (refusal, words) in [
            (
                Refusal::OutcomeUnknown,
                "Nothing was sent by this call. A send of this draft was begun before, and whether it went out is not known. \
                 Don't repeat it. Look in Sent; if it isn't there, ask the person to check with a recipient.",
            ),
            (
                Refusal::AlreadySent,
                "Nothing was sent by this call. This draft was sent before and accepted. \
                 Don't repeat it. Look in Sent for the message.",
            ),
            (
                Refusal::MarkerUnwritten(StateFault::Full),
                "Nothing was read. The record that mail is being read could not be written: the disk is full. \
                 Tell the account's owner; nothing in the mailbox was changed.",
            ),
            (
                Refusal::ModeUnsupported(ConfirmMode::NewRecipients),
                "Nothing was sent by this call. The account is configured with confirm = \"new-recipients\", and this \
                 version carries out only \"always\". The account's owner can set confirm = \"always\" in the \
                 configuration file; it can't be done from here.",
            ),
            (
                Refusal::BadAddress(Field::Bcc, AddressError::NotOne),
                "Nothing was sent by this call. In the Bcc field, the address is not exactly one bare address. \
                 Draft it again with each address by itself, as local@domain.",
            ),
            (
                Refusal::TooManyRecipients { count: 21, max: 20 },
                "Nothing was sent by this call. The draft names 21 addresses in To, Cc, Bcc and Reply-To; the owner's \
                 limit is 20. Draft it again to fewer people, or leave it in Drafts for the owner to send.",
            ),
        ] {
            assert_eq!(refusal.to_string(), words);
        }
    }
}
