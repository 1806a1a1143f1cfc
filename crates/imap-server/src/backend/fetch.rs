//! One message or attachment: the structure first, then only the parts that are text, so that a 25 MB attachment isn't
//! fetched to read two lines. BODY.PEEK and EXAMINE throughout: reading changes nothing.

use std::collections::BTreeMap;

use countersign_core::{
    compose::mime::{Parsed, draft_attachment, parse},
    mailbox::{MailboxError, NotFound},
    model::{Attachment, AttachmentRequest, Body, Headers, Message, MessageRef, Original, Section},
};

use super::{
    ImapMailbox, decode,
    row::{self, Facts},
    structure::{Node, View},
};
use crate::{
    refs::{FolderName, Place},
    session::{Command, Connection, Fetched, Lease, PIECE, Selected, Status, UidSet, Value},
};

/// Most bytes of one text part that are fetched.
const MOST_TEXT: u64 = 512 * 1_024;
/// Most bytes of text that one call fetches, over all its messages.
pub(super) const MOST_TEXTS: u64 = 8 * 1_024 * 1_024;
/// Most text parts of one message that are fetched.
const MOST_PARTS: usize = 20;
/// Longest attachment that is fetched, in bytes as encoded: about 35 MB of content.
const MOST_PART: u64 = 48 * 1_024 * 1_024;
/// Longest message that is fetched whole: a draft with the most attachments that an owner can allow (50 MB) is read back in
/// base64, which takes 37 % more.
pub(super) const MOST_WHOLE: u64 = 72 * 1_024 * 1_024;

/// One message, in two round trips: what it is made of, then its text.
pub(super) async fn message(mailbox: &ImapMailbox, id: &MessageRef) -> Result<Message, MailboxError> {
    let place = Place::parse(id)?;
    let mut lease = mailbox.pool.lease().await?;
    let (open, head) = examine(&mut lease, &place).await?;
    let connection = lease.connection()?;
    if head.facts.structure.is_none() {
        let whole = whole(connection, place.uid).await?;
        return head.into_whole(&place.folder, open.uidvalidity, &whole);
    }
    let mut budget = MOST_TEXTS;
    let Some(command) = head.texts(&mut budget) else {
        return head.into_message(&place.folder, open.uidvalidity, None);
    };
    let answer = connection.run(&command).await?.ok()?;
    let texts = merged(answer.fetched, &[place.uid]).remove(&place.uid);
    // A message that was there a moment ago and is gone now.
    let texts = texts.ok_or(MailboxError::NotFound(NotFound::Message))?;
    if head.lacks_text(&texts) {
        examine(&mut lease, &place).await?;
    }
    head.into_message(&place.folder, open.uidvalidity, Some(&texts))
}

/// Opens a message's folder and reads its head in the same round trip.
pub(super) async fn examine(lease: &mut Lease<'_>, place: &Place) -> Result<(Selected, Head), MailboxError> {
    let set = UidSet::range(place.uid, place.uid);
    let command = |structure| row::items(Command::new("UID FETCH").plain(&set), structure);
    let (open, answers) = lease.examine_with(place.folder.wire(), &[command(true)]).await?;
    place.check(&open)?;
    let mut answer = answers.into_iter().next().unwrap_or_default();
    if answer.status() != Status::Ok && answer.fetched.is_empty() {
        // Some servers refuse a structure that they can't tell.
        answer = lease.connection()?.run(&command(false)).await?.ok()?;
    }
    let fetched = merged(answer.fetched, &[place.uid]).remove(&place.uid);
    let fetched = fetched.ok_or(MailboxError::NotFound(NotFound::Message))?;
    // It is there, and what the server says of it makes no sense.
    Ok((open, Head::read(&fetched).ok_or(MailboxError::Unreadable)?))
}

/// The responses for these messages, what several say of one put together. Others are about other messages: servers tell
/// of changes at any time.
pub(super) fn merged(responses: Vec<Fetched>, uids: &[u32]) -> BTreeMap<u32, Fetched> {
    let mut merged: BTreeMap<u32, Fetched> = BTreeMap::new();
    for fetched in responses {
        if let Some(uid) = fetched.uid().filter(|uid| uids.contains(uid)) {
            merged.entry(uid).or_default().merge(fetched);
        }
    }
    merged
}

/// What was fetched of a message before its text.
pub(super) struct Head {
    pub(super) facts: Facts,
    pub(super) headers: Headers,
}

impl Head {
    /// Reads it out of a response; `None` where that does not say enough.
    pub(super) fn read(fetched: &Fetched) -> Option<Self> {
        let headers = decode::headers(fetched.body("HEADER.FIELDS")?);
        Some(Self { facts: Facts::read(fetched)?, headers })
    }

    /// The command that fetches its text, if it has any within the budget, which is charged.
    pub(super) fn texts(&self, budget: &mut u64) -> Option<Command> {
        let sections = text_sections(&self.facts.structure.as_ref()?.view(), budget);
        if sections.is_empty() {
            return None;
        }
        let set = UidSet::range(self.facts.uid, self.facts.uid);
        let mut command = Command::new("UID FETCH").plain(&set).word("(UID");
        for section in &sections {
            command =
                command.word("BODY.PEEK[").join_plain(section).join("]<0.").join_plain(MOST_TEXT).join(">");
        }
        Some(command.join(")"))
    }

    /// Whether nothing came of text that is there. So some servers answer for a message that has gone.
    pub(super) fn lacks_text(&self, texts: &Fetched) -> bool {
        let Some(structure) = &self.facts.structure else { return false };
        let view = structure.view();
        let mut there = view.plain.iter().chain(&view.html).filter(|node| node.size > 0).peekable();
        there.peek().is_some() && there.all(|node| texts.body(&node.section).is_none())
    }

    /// The message, with the text that was fetched for it.
    pub(super) fn into_message(
        self,
        folder: &FolderName,
        uidvalidity: u32,
        texts: Option<&Fetched>,
    ) -> Result<Message, MailboxError> {
        let Self { facts, headers } = self;
        let node = facts.structure.clone().unwrap_or_default();
        let view = node.view();
        let body = body(&view, texts);
        let attachments = view.attachments.iter().filter_map(|part| part.info()).collect();
        Ok(Message { row: facts.row(folder, uidvalidity, headers)?, body, attachments })
    }

    /// The message, where its structure could not be told and it was fetched whole.
    pub(super) fn into_whole(
        self,
        folder: &FolderName,
        uidvalidity: u32,
        whole: &[u8],
    ) -> Result<Message, MailboxError> {
        let Parsed { body, attachments, .. } = parse(whole);
        let attachments: Vec<_> = attachments.into_iter().map(|part| part.info).collect();
        let has = attachments.iter().any(|part| !part.inline);
        let mut row = self.facts.row(folder, uidvalidity, self.headers)?;
        row.has_attachments = Some(has);
        Ok(Message { row, body, attachments })
    }
}

/// The parts that are the message's text: plain and HTML, each once, while the budget lasts.
fn text_sections(view: &View<'_>, budget: &mut u64) -> Vec<Section> {
    let mut sections = Vec::new();
    for node in view.plain.iter().chain(&view.html) {
        let bytes = node.size.min(MOST_TEXT);
        if let Ok(section) = Section::parse(&node.section)
            && !sections.contains(&section)
            && sections.len() < MOST_PARTS
            && bytes <= *budget
        {
            *budget = budget.saturating_sub(bytes);
            sections.push(section);
        }
    }
    sections
}

fn body(view: &View<'_>, texts: Option<&Fetched>) -> Body {
    let mut body = Body::default();
    let mut read = |nodes: &[&Node], html: bool| -> Option<String> {
        let mut text = String::new();
        for node in nodes {
            let raw = texts.and_then(|texts| texts.body(&node.section));
            // What is there and was not sent was left out for its size, or the server lost it.
            body.truncated |= raw.is_none() && node.size > 0;
            let raw = raw.unwrap_or_default();
            body.truncated |=
                u64::try_from(raw.len()).is_ok_and(|length| length >= MOST_TEXT && node.size > length);
            let part = decode::text(node, raw);
            if !text.is_empty() {
                text.push('\n');
            }
            if html && node.media_type != "text/html" {
                text.push_str(&decode::preformatted(&part));
            } else {
                text.push_str(&part);
            }
        }
        (!nodes.is_empty()).then_some(text)
    };
    let has_html = view.html.iter().any(|node| node.media_type == "text/html");
    let html = if has_html { read(&view.html, true) } else { None };
    let plain = if view.plain_is_whole || !has_html { read(&view.plain, false) } else { None };
    body.html = html;
    body.plain = plain;
    body
}

/// A message as bytes, within the limit.
pub(super) async fn whole(connection: &mut Connection, uid: u32) -> Result<Vec<u8>, MailboxError> {
    let set = UidSet::range(uid, uid);
    let size =
        connection.run(&Command::new("UID FETCH").plain(&set).word("(UID RFC822.SIZE)")).await?.ok()?;
    let size = size.fetched.iter().find(|fetched| fetched.uid() == Some(uid));
    let size: u64 = size
        .ok_or(MailboxError::NotFound(NotFound::Message))?
        .get("RFC822.SIZE")
        .and_then(Value::number)
        .unwrap_or(0);
    if size > MOST_WHOLE {
        return Err(MailboxError::TooLarge(MOST_WHOLE));
    }
    content(connection, uid, None, size, MOST_WHOLE).await?.ok_or(MailboxError::NotFound(NotFound::Message))
}

/// The bytes of a part, or of the whole message, in pieces; `None` where there is nothing of that number. Whatever the
/// server said of its size, it ends at the limit.
async fn content(
    connection: &mut Connection,
    uid: u32,
    section: Option<&Section>,
    announced: u64,
    limit: u64,
) -> Result<Option<Vec<u8>>, MailboxError> {
    let set = UidSet::range(uid, uid);
    let name = section.map(Section::as_str).unwrap_or_default();
    let length = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut all: Vec<u8> = Vec::new();
    loop {
        let from = length(&all);
        let command = Command::new("UID FETCH").plain(&set).word("(UID BODY.PEEK[");
        let command = section.into_iter().fold(command, Command::join_plain).join("]<");
        let command = command.join_plain(from).join(".").join_plain(PIECE).join(">)");
        let answer = connection.run(&command).await?.ok()?;
        let fetched = merged(answer.fetched, &[uid]).remove(&uid);
        // Gone by now. What was read of it is not the whole.
        let mut fetched = fetched.ok_or(MailboxError::NotFound(NotFound::Message))?;
        let piece = match fetched.take_body(name) {
            Some(piece) if from == 0 || !piece.is_empty() => piece,
            _ if from == 0 => return Ok(None),
            // Some servers still name a message that is gone and have nothing of it.
            _ if from < announced => return Err(MailboxError::NotFound(NotFound::Message)),
            _ => return Ok(Some(all)),
        };
        // A server that knows no ranges sends everything at once.
        let is_last = length(&piece) != PIECE;
        if from.saturating_add(length(&piece)) > limit {
            return Err(MailboxError::TooLarge(limit));
        }
        if all.is_empty() {
            all = piece;
        } else {
            all.extend_from_slice(&piece);
        }
        if is_last {
            return Ok(Some(all));
        }
    }
}

/// One attachment.
pub(super) async fn attachment(
    mailbox: &ImapMailbox,
    request: &AttachmentRequest,
) -> Result<Attachment, MailboxError> {
    let place = Place::parse(&request.message)?;
    let mut lease = mailbox.pool.lease().await?;
    let (_, head) = examine(&mut lease, &place).await?;
    part(lease.connection()?, &head, &request.section, request.max_bytes).await
}

/// A part of a message in the open folder.
async fn part(
    connection: &mut Connection,
    head: &Head,
    section: &Section,
    limit: u64,
) -> Result<Attachment, MailboxError> {
    let uid = head.facts.uid;
    let Some(node) = &head.facts.structure else {
        let parsed = parse(&whole(connection, uid).await?);
        let found = parsed.attachments.into_iter().find(|part| part.info.section == *section);
        return within(found.ok_or(MailboxError::NotFound(NotFound::Attachment))?, limit);
    };
    let node = node.find(section.as_str()).ok_or(MailboxError::NotFound(NotFound::Attachment))?;
    let info = node.info().ok_or(MailboxError::NotFound(NotFound::Attachment))?;
    // An estimate from the encoded size, so what is barely larger is found out after fetching it.
    if info.size.saturating_mul(99) / 100 > limit || node.size > MOST_PART {
        return Err(MailboxError::TooLarge(limit.min(MOST_PART)));
    }
    let raw = content(connection, uid, Some(section), node.size, MOST_PART).await?;
    let raw = raw.ok_or(MailboxError::NotFound(NotFound::Attachment))?;
    let bytes = decode::transfer(&node.encoding, raw);
    within(Attachment { info, charset: node.charset.clone(), bytes }, limit)
}

fn within(mut found: Attachment, limit: u64) -> Result<Attachment, MailboxError> {
    found.info.size = u64::try_from(found.bytes.len()).unwrap_or(u64::MAX);
    if found.info.size > limit { Err(MailboxError::TooLarge(limit)) } else { Ok(found) }
}

/// A message to answer or forward, with its attachments where they are to go along.
pub(super) async fn original(
    mailbox: &ImapMailbox,
    id: &MessageRef,
    with_attachments: bool,
) -> Result<Original, MailboxError> {
    let message = message(mailbox, id).await?;
    if !with_attachments || message.attachments.is_empty() {
        return Ok(Original { message, attachments: Vec::new() });
    }
    let place = Place::parse(id)?;
    let mut lease = mailbox.pool.lease().await?;
    let (_, head) = examine(&mut lease, &place).await?;
    let mut attachments = Vec::new();
    let mut rest = MOST_WHOLE;
    for info in &message.attachments {
        let found = part(lease.connection()?, &head, &info.section, rest).await?;
        rest = rest.saturating_sub(found.info.size);
        attachments.push(draft_attachment(found));
    }
    Ok(Original { message, attachments })
}
