//! Attachments as a caller names them: a file of the owner's, an attachment of a message, or content of the call's own.
//!
//! What is wrong is said by the entry's number; neither a path nor a name is repeated.

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::Deserialize;

use super::{Grant, ToolError, args};
use crate::{
    account::Account,
    attachment::{
        media_type,
        outgoing::{self, Allowance, OutgoingError},
    },
    compose::{Enclosure, MAX_ATTACHMENTS},
    mailbox::{Mailbox, MailboxError},
    model::{AttachmentRequest, MessageRef, Section},
    protection::Raw,
};

/// Most bytes of an attachment that comes within the call.
const MOST_INLINE: usize = 1_024 * 1_024;
/// Base64 as callers write it: with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// One attachment as typed: exactly one of the three kinds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attach {
    path: Option<String>,
    message: Option<String>,
    attachment: Option<String>,
    name: Option<String>,
    #[serde(rename = "type")]
    media_type: Option<String>,
    text: Option<String>,
    base64: Option<String>,
}

/// How an entry stands in a schema: texts by name. The kinds are told once, in the list's description; seven described
/// properties in each of six tools would take a tenth of what all tools may take.
pub(super) type AttachSchema = std::collections::BTreeMap<String, String>;

/// One attachment, its form checked.
enum Entry {
    File(String),
    Mail(MessageRef, Section),
    Content { name: String, declared: Option<String>, bytes: Vec<u8> },
}

/// Attachments of which those that the machine and the call hold are read. Those in mail are still there.
pub(super) struct Attachments {
    entries: Vec<Part>,
    left: u64,
}

enum Part {
    Ready(Enclosure),
    Mail(AttachmentRequest),
}

impl Attachments {
    /// Checks every entry and reads the files.
    pub(super) async fn read<M: Mailbox<Stage = Raw>>(
        account: &Account<M>,
        typed: Option<Vec<Attach>>,
    ) -> Result<Self, ToolError> {
        let typed = typed.unwrap_or_default();
        let allowed = &account.profile().attachable;
        let mut read = Self { entries: Vec::with_capacity(typed.len()), left: allowed.most_bytes };
        if typed.len() > MAX_ATTACHMENTS {
            return Err(ToolError::arguments(format!("`attachments` may have {MAX_ATTACHMENTS} entries.")));
        }
        let mut entries = Vec::with_capacity(typed.len());
        for (number, attach) in (1_usize..).zip(typed) {
            entries.push((number, entry(number, attach)?));
        }
        let of_mail = entries.iter().any(|(_, entry)| matches!(entry, Entry::Mail(..)));
        if of_mail && !account.profile().grants.has(Grant::Read) {
            return Err(ToolError::new(
                ToolError::NOTHING,
                "The owner does not allow reading this account's mail, so nothing can be attached from it.",
                "Attach something else, or tell the person that `capabilities` in their configuration forbids it.",
            ));
        }
        for (number, entry) in entries {
            let part = match entry {
                Entry::File(path) => Part::Ready(file(number, path, allowed, read.left).await?),
                Entry::Content { name, declared, bytes } => {
                    Part::Ready(Enclosure::new(&name, declared.as_deref(), bytes))
                }
                Entry::Mail(message, section) => {
                    Part::Mail(AttachmentRequest { message, section, max_bytes: 0 })
                }
            };
            if let Part::Ready(enclosure) = &part {
                let left = read.left.checked_sub(enclosure.size());
                read.left = left.ok_or_else(|| too_large(allowed))?;
            }
            read.entries.push(part);
        }
        Ok(read)
    }

    /// What of them the arguments don't say: the content of the files.
    pub(super) fn identities(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|part| match part {
            Part::Ready(enclosure) => Some(enclosure.identity()),
            Part::Mail(_) => None,
        })
    }

    /// Fetches those that are in mail, and gives back all of them in their order.
    pub(super) async fn fetch<M: Mailbox<Stage = Raw>>(
        self,
        account: &Account<M>,
    ) -> Result<Vec<Enclosure>, ToolError> {
        let Self { entries, mut left } = self;
        let mut enclosures = Vec::with_capacity(entries.len());
        for part in entries {
            let enclosure = match part {
                Part::Ready(enclosure) => enclosure,
                Part::Mail(request) => {
                    let request = AttachmentRequest { max_bytes: left, ..request };
                    let fetched = account.mailbox().enclosure(&request).await;
                    let enclosure = fetched.map_err(|error| {
                        let is_too_large = matches!(error, MailboxError::TooLarge(_));
                        if is_too_large { too_large(&account.profile().attachable) } else { error.into() }
                    })?;
                    left = left.saturating_sub(enclosure.size());
                    enclosure
                }
            };
            enclosures.push(enclosure);
        }
        Ok(enclosures)
    }
}

/// Takes an entry as exactly one of the three kinds.
fn entry(number: usize, attach: Attach) -> Result<Entry, ToolError> {
    let Attach { path, message, attachment, name, media_type: declared, text, base64 } = attach;
    match (path, message, attachment, name, text, base64) {
        (Some(path), None, None, None, None, None) if declared.is_none() => Ok(Entry::File(path)),
        (None, Some(message), Some(part), None, None, None) if declared.is_none() => {
            Ok(Entry::Mail(args::message(&message)?, args::section(&part)?))
        }
        (None, None, None, Some(name), Some(text), None) => {
            content(number, name, declared, text.into_bytes())
        }
        (None, None, None, Some(name), None, Some(base64)) => {
            let digits: Vec<u8> = base64.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let bytes = BASE64.decode(digits);
            let bytes = bytes.map_err(|_| of_entry(number, "has a `base64` that is not base64"))?;
            content(number, name, declared, bytes)
        }
        _ => Err(of_entry(
            number,
            "must be exactly one of `path`; `message` with `attachment`; `name` with `text` or `base64`",
        )),
    }
}

fn content(
    number: usize,
    name: String,
    declared: Option<String>,
    bytes: Vec<u8>,
) -> Result<Entry, ToolError> {
    if declared.as_deref().is_some_and(|declared| !media_type::is_media_type(declared)) {
        return Err(of_entry(number, "has a `type` that is not a media type, such as text/csv"));
    }
    if bytes.len() > MOST_INLINE {
        return Err(of_entry(number, "is larger than 1 MB, the most that can be given in the call itself"));
    }
    Ok(Entry::Content { name, declared, bytes })
}

/// Reads a file off the async threads.
async fn file(number: usize, path: String, allowed: &Allowance, left: u64) -> Result<Enclosure, ToolError> {
    let directories = allowed.directories.clone();
    let read = tokio::task::spawn_blocking(move || {
        let file = outgoing::read(&directories, &path, left)?;
        Ok(Enclosure::new(&file.name, None, file.bytes))
    });
    read.await.unwrap_or(Err(OutgoingError::Unreadable)).map_err(|error| match error {
        OutgoingError::NoDirectories => ToolError::new(
            ToolError::NOTHING,
            "No directory is configured whose files may be attached.",
            "Tell the person: they can name one as `attachment_dirs` in their configuration.",
        ),
        OutgoingError::DirectoriesMissing => ToolError::new(
            ToolError::NOTHING,
            "No directory of the person's `attachment_dirs` exists.",
            "Tell the person to correct `attachment_dirs` in their configuration.",
        ),
        OutgoingError::TooLarge => too_large(allowed),
        OutgoingError::NotThere => of_entry(number, "names no file below the person's `attachment_dirs`"),
        OutgoingError::NotAFile => of_entry(number, "names something that is not a regular file"),
        OutgoingError::Unreadable => of_entry(number, "names a file that can't be read"),
    })
}

fn of_entry(number: usize, what: &str) -> ToolError {
    ToolError::arguments(format!("Entry {number} of `attachments` {what}."))
}

fn too_large(allowed: &Allowance) -> ToolError {
    let most = allowed.most_bytes.checked_div(Allowance::MEGABYTE).unwrap_or_default();
    ToolError::arguments(format!(
        "The attachments are larger than {most} MB in all, which is what the owner allows."
    ))
}
