//! Every reason not to send (or not to read), worded once.
//!
//! A refusal says what was not done, why, and what to do next. It goes to a model and so carries nothing of a draft:
//! no address, no subject, no file name. Where a number helps, it is ours (a cap, a count).

use std::fmt;

use crate::{address::AddressError, fields::SourceError, state::StateFault, treatment::Case};

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
    /// `confirm = "never"` without an allowlist.
    NeverNeedsAllow,
    /// The owner's allowlist holds an entry that is neither an address nor a domain.
    BadAllowlist,
    /// The owner's list of known addresses holds an entry that is neither an address nor a domain.
    BadKnownList,
    /// `To`, `Cc` and `Bcc` are all empty.
    NoRecipients,
    /// An address isn't exactly one valid address.
    BadAddress(Field, AddressError),
    /// A header value would not stay one line of its own.
    BadHeader(Field),
    /// An attachment's content doesn't match what is said about it.
    BadAttachment,
    /// The formatted version holds something that a mail program loads by itself.
    LoadingMarkup,
    /// The formatted version holds a comment.
    Comment,
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
    /// The sends of the last hour have reached the cap.
    TooManySendsInHour {
        /// The cap.
        max: u32,
    },
    /// The new addresses of the last 24 hours would exceed the cap.
    TooManyNewAddresses {
        /// The cap.
        max: u32,
    },
    /// The owner's rules refuse a send in this case.
    NotTo(Case),
    /// Only the plain text goes out, and the draft has an attachment.
    PlainAttachment,
    /// Only the plain text goes out, and it doesn't fit the prompt.
    PlainTooLong,
    /// Other people's mail was read after the person was asked.
    ExposedSince,
    /// Only the plain text may go out now, and the person was shown another form.
    PlainSince,
    /// The person has to be asked now, and was not.
    PromptNeeded,
    /// The clock is behind the last recorded send.
    ClockSetBack,
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
            Self::NeverNeedsAllow => "never_needs_allow",
            Self::BadAllowlist => "bad_allowlist",
            Self::BadKnownList => "bad_known_list",
            Self::NoRecipients => "no_recipients",
            Self::BadAddress(..) => "bad_address",
            Self::BadHeader(_) => "bad_header",
            Self::BadAttachment => "bad_attachment",
            Self::LoadingMarkup => "loading_markup",
            Self::Comment => "comment",
            Self::TooManyRecipients { .. } => "too_many_recipients",
            Self::NotAllowed(_) => "not_allowed",
            Self::AlreadySent => "already_sent",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Claimed => "claimed",
            Self::TooManySends { .. } => "too_many_sends",
            Self::TooManySendsInHour { .. } => "too_many_sends_in_hour",
            Self::TooManyNewAddresses { .. } => "too_many_new_addresses",
            Self::NotTo(Case { new: true, exposed: false }) => "not_to_new",
            Self::NotTo(Case { new: true, exposed: true }) => "not_to_new_exposed",
            Self::NotTo(Case { new: false, exposed: false }) => "not_to_known",
            Self::NotTo(Case { new: false, exposed: true }) => "not_to_known_exposed",
            Self::PlainAttachment => "plain_attachment",
            Self::PlainTooLong => "plain_too_long",
            Self::ExposedSince => "exposed_since",
            Self::PlainSince => "plain_since",
            Self::PromptNeeded => "prompt_needed",
            Self::ClockSetBack => "clock_set_back",
            Self::StateUnavailable(_) => "state_unavailable",
            Self::MarkerUnwritten(_) => "marker_unwritten",
        }
    }

    /// The three sentences.
    #[expect(clippy::too_many_lines, reason = "one table, a refusal a row")]
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
            Self::NeverNeedsAllow => (
                "The account is configured with confirm = \"never\" and without an `allow` list.".into(),
                "The account's owner can set `allow` to the addresses that mail may go to unasked, in the configuration file.",
            ),
            Self::BadAllowlist => (
                "The account's allow list holds an entry that is neither one address nor one domain.".into(),
                "The account's owner can correct it in the configuration file; until then nothing is sent.",
            ),
            Self::BadKnownList => (
                "The account's list of known addresses holds an entry that is neither one address nor one domain.".into(),
                "The account's owner can correct `known` in the configuration file; until then nothing is sent.",
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
            Self::LoadingMarkup => (
                "The draft's formatted version holds something that a mail program loads by itself, as a remote picture or a \
                 style sheet."
                    .into(),
                "Draft it again with this server, which writes plain text, or leave it in Drafts for the owner to send.",
            ),
            Self::Comment => (
                "The draft's formatted version holds a comment, which nobody sees and some mail programs act on.".into(),
                "Draft it again with this server, which writes plain text, or leave it in Drafts for the owner to send.",
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
            Self::TooManySendsInHour { max } => (
                format!("The owner's limit of {max} sends in an hour is reached."),
                "Try again later, or leave the draft for the owner to send. No argument lifts the limit.",
            ),
            Self::TooManyNewAddresses { max } => (
                format!("The owner's limit of {max} addresses in 24 hours that were never written to before is reached."),
                "Try again later, or leave the draft for the owner to send. No argument lifts the limit.",
            ),
            Self::NotTo(case) => (
                format!("By the owner's rules, nothing goes {}.", of_case(*case)),
                if case.exposed {
                    "Leave it in Drafts for the owner to send, or send it once ten minutes have passed without reading mail."
                } else {
                    "Leave it in Drafts for the owner to send."
                },
            ),
            Self::PlainAttachment => (
                "Only plain text goes out in this case (someone on it is new, or the owner's rules ask for it), and the draft \
                 has an attachment."
                    .into(),
                "Draft it again without the attachment, or leave it in Drafts for the owner to send.",
            ),
            Self::PlainTooLong => (
                "Only the plain text that the person is shown goes out in this case (someone on it is new, or the owner's \
                 rules ask for it), and the text is longer than the 1,500 characters that are shown."
                    .into(),
                "Draft it again shorter (a reply with `quote: false`), or leave it in Drafts for the owner to send.",
            ),
            Self::ExposedSince => (
                "Other people's mail was read after the person was asked, and what they confirmed didn't say so.".into(),
                "Call again, so that the person can confirm knowing it.",
            ),
            Self::PlainSince => (
                "Only plain text may go out now, and the person was shown the draft as it is.".into(),
                "Call again, so that the person can confirm what would go out.",
            ),
            Self::PromptNeeded => (
                "The person has to be asked now, and this send was begun without asking.".into(),
                "Call again, so that the person can be asked.",
            ),
            Self::ClockSetBack => (
                "This machine's clock is behind the time of the last recorded send, so the limits can't be counted.".into(),
                "Tell the account's owner to set the clock; nothing in the mailbox was changed.",
            ),
        };
        Words { not_done: NOT_SENT, why, next }
    }
}

/// The case in words.
fn of_case(case: Case) -> &'static str {
    match case {
        Case { new: true, exposed: false } => "to someone who was never written to before",
        Case { new: true, exposed: true } => {
            "to someone who was never written to before within ten minutes of reading other people's mail"
        }
        Case { new: false, exposed: false } => "to people who are known",
        Case { new: false, exposed: true } => {
            "to people who are known within ten minutes of reading other people's mail"
        }
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
            Refusal::NeverNeedsAllow,
            Refusal::BadAllowlist,
            Refusal::BadKnownList,
            Refusal::NoRecipients,
            Refusal::BadAddress(Field::Bcc, AddressError::NotOne),
            Refusal::BadHeader(Field::Subject),
            Refusal::BadAttachment,
            Refusal::LoadingMarkup,
            Refusal::Comment,
            Refusal::TooManyRecipients { count: 21, max: 20 },
            Refusal::NotAllowed(Field::ReplyTo),
            Refusal::AlreadySent,
            Refusal::OutcomeUnknown,
            Refusal::Claimed,
            Refusal::TooManySends { max: 50 },
            Refusal::TooManySendsInHour { max: 5 },
            Refusal::TooManyNewAddresses { max: 10 },
            Refusal::NotTo(Case { new: true, exposed: false }),
            Refusal::NotTo(Case { new: true, exposed: true }),
            Refusal::NotTo(Case { new: false, exposed: false }),
            Refusal::NotTo(Case { new: false, exposed: true }),
            Refusal::PlainAttachment,
            Refusal::PlainTooLong,
            Refusal::ExposedSince,
            Refusal::PlainSince,
            Refusal::PromptNeeded,
            Refusal::ClockSetBack,
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
                Refusal::PlainTooLong,
                "Nothing was sent by this call. Only the plain text that the person is shown goes out in this case (someone \
                 on it is new, or the owner's rules ask for it), and the text is longer than the 1,500 characters that are \
                 shown. Draft it again shorter (a reply with `quote: false`), or leave it in Drafts for the owner to send.",
            ),
            (
                Refusal::NotTo(Case { new: true, exposed: true }),
                "Nothing was sent by this call. By the owner's rules, nothing goes to someone who was never written to \
                 before within ten minutes of reading other people's mail. Leave it in Drafts for the owner to send, or \
                 send it once ten minutes have passed without reading mail.",
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
