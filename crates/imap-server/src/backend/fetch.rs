//! One message or attachment: the structure first, then only the parts that are text, so that a 25 MB attachment isn't
//! fetched to read two lines. BODY.PEEK and EXAMINE throughout: reading changes nothing.

use std::collections::BTreeMap;

use countersign_core::{
    compose::mime::{Parsed, draft_attachment, parse},
    mailbox::{MailboxError, NotFound},
    model::{Attachment, AttachmentRequest, Body, Message, MessageRef, Original, Section},
};

use super::{
    ImapMailbox, decode,
    row::Facts,
    structure::{Node, View},
};
use crate::{
    refs::{FolderName, Place},
    session::{Command, Connection, Fetched, Selected, UidSet, Value},
};

/// Most bytes of one text part that are fetched.
const MOST_TEXT: u64 = 512 * 1_024;
/// Most text parts of one message that are fetched.
const MOST_PARTS: usize = 20;
/// Longest attachment that is fetched, in bytes as encoded: about 35 MB of content.
const MOST_PART: u64 = 48 * 1_024 * 1_024;
/// Longest message that is fetched whole.
pub(super) const MOST_WHOLE: u64 = 30 * 1_024 * 1_024;
/// Most header bytes of one message that are fetched.
const MOST_HEADER: u64 = 256 * 1_024;

/// One message.
pub(super) async fn message(mailbox: &ImapMailbox, id: &MessageRef) -> Result<Message, MailboxError> {
    let place = Place::parse(id)?;
    let mut lease = mailbox.pool.lease().await?;
    let open = lease.examine(place.folder.wire()).await?;
    place.check(&open)?;
    let mut found = messages(lease.connection()?, &place.folder, &open, &[place.uid]).await?;
    found.pop().ok_or(MailboxError::NotFound(NotFound::Message))
}

/// Several messages of the open folder, in the order of their UIDs; those that are gone are left out. Two round trips:
/// headers with structures, then texts.
pub(super) async fn messages(
    connection: &mut Connection,
    folder: &FolderName,
    open: &Selected,
    uids: &[u32],
) -> Result<Vec<Message>, MailboxError> {
    let heads = heads(connection, uids).await?;
    let mut wanted = BTreeMap::new();
    for (uid, head) in &heads {
        if let Some(node) = &head.facts.structure {
            wanted.insert(*uid, text_sections(&node.view()));
        }
    }
    let mut texts = texts(connection, &wanted).await?;
    let mut messages = Vec::new();
    for (uid, head) in heads {
        let texts = texts.remove(&uid);
        let whole = match &head.facts.structure {
            Some(_) => None,
            None if head.facts.size > MOST_WHOLE => return Err(MailboxError::TooLarge(MOST_WHOLE)),
            None => Some(parse(&whole(connection, uid).await?)),
        };
        messages.push(head.message(folder, open, texts.as_ref(), whole)?);
    }
    Ok(messages)
}

/// What was fetched of a message before its text.
struct Head {
    facts: Facts,
    header: Vec<u8>,
}

impl Head {
    fn message(
        self,
        folder: &FolderName,
        open: &Selected,
        texts: Option<&Fetched>,
        whole: Option<Parsed>,
    ) -> Result<Message, MailboxError> {
        let Self { facts, header } = self;
        let headers = decode::headers(&header);
        if let Some(Parsed { body, attachments, .. }) = whole {
            let attachments: Vec<_> = attachments.into_iter().map(|part| part.info).collect();
            let has = attachments.iter().any(|part| !part.inline);
            let mut row = facts.row(folder, open.uidvalidity, headers)?;
            row.has_attachments = Some(has);
            return Ok(Message { row, body, attachments });
        }
        let node = facts.structure.clone().unwrap_or_default();
        let view = node.view();
        let body = body(&view, texts);
        let attachments = view.attachments.iter().filter_map(|part| part.info()).collect();
        Ok(Message { row: facts.row(folder, open.uidvalidity, headers)?, body, attachments })
    }
}

async fn heads(connection: &mut Connection, uids: &[u32]) -> Result<BTreeMap<u32, Head>, MailboxError> {
    let Some(set) = UidSet::of(uids.iter().copied()) else { return Ok(BTreeMap::new()) };
    let command = |structure: bool| {
        let command = Command::new("UID FETCH").plain(&set).word("(UID FLAGS INTERNALDATE RFC822.SIZE");
        let command = if structure { command.word("BODYSTRUCTURE") } else { command };
        command.word("BODY.PEEK[HEADER]<0.").join_plain(MOST_HEADER).join(">)")
    };
    let answer = connection.run(&command(true)).await?;
    let answer = match answer.ok() {
        Ok(answer) => answer,
        Err(_) => connection.run(&command(false)).await?.ok()?,
    };
    let mut merged: BTreeMap<u32, Fetched> = BTreeMap::new();
    for fetched in answer.fetched {
        if let Some(uid) = fetched.uid().filter(|uid| uids.contains(uid)) {
            merged.entry(uid).or_default().merge(fetched);
        }
    }
    let heads = merged.into_iter().filter_map(|(uid, mut fetched)| {
        let facts = Facts::read(&fetched)?;
        Some((uid, Head { facts, header: fetched.take_body("HEADER")? }))
    });
    Ok(heads.collect())
}

/// The parts that are the message's text: plain and HTML, each once.
fn text_sections(view: &View<'_>) -> Vec<Section> {
    let mut sections = Vec::new();
    for node in view.plain.iter().chain(&view.html) {
        if let Ok(section) = Section::parse(&node.section)
            && !sections.contains(&section)
            && sections.len() < MOST_PARTS
        {
            sections.push(section);
        }
    }
    sections
}

/// Fetches the texts of several messages, those with the same parts by one command, all written ahead.
async fn texts(
    connection: &mut Connection,
    wanted: &BTreeMap<u32, Vec<Section>>,
) -> Result<BTreeMap<u32, Fetched>, MailboxError> {
    let mut by_sections: BTreeMap<&[Section], Vec<u32>> = BTreeMap::new();
    for (uid, sections) in wanted {
        if !sections.is_empty() {
            by_sections.entry(sections.as_slice()).or_default().push(*uid);
        }
    }
    let mut commands = Vec::new();
    for (sections, uids) in &by_sections {
        let Some(set) = UidSet::of(uids.iter().copied()) else { continue };
        let mut command = Command::new("UID FETCH").plain(&set).word("(UID");
        for section in *sections {
            command =
                command.word("BODY.PEEK[").join_plain(section).join("]<0.").join_plain(MOST_TEXT).join(">");
        }
        commands.push(command.join(")"));
    }
    let mut found: BTreeMap<u32, Fetched> = BTreeMap::new();
    for answer in connection.run_all(&commands).await? {
        for fetched in answer.ok()?.fetched {
            if let Some(uid) = fetched.uid() {
                found.entry(uid).or_default().merge(fetched);
            }
        }
    }
    Ok(found)
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
    let answer =
        connection.run(&Command::new("UID FETCH").plain(&set).word("(UID BODY.PEEK[])")).await?.ok()?;
    let mut found = answer.fetched.into_iter().filter(|fetched| fetched.uid() == Some(uid));
    let raw = found.find_map(|mut fetched| fetched.take_body(""));
    raw.ok_or(MailboxError::NotFound(NotFound::Message))
}

/// One attachment.
pub(super) async fn attachment(
    mailbox: &ImapMailbox,
    request: &AttachmentRequest,
) -> Result<Attachment, MailboxError> {
    let place = Place::parse(&request.message)?;
    let mut lease = mailbox.pool.lease().await?;
    let open = lease.examine(place.folder.wire()).await?;
    place.check(&open)?;
    part(lease.connection()?, place.uid, &request.section, request.max_bytes).await
}

async fn part(
    connection: &mut Connection,
    uid: u32,
    section: &Section,
    limit: u64,
) -> Result<Attachment, MailboxError> {
    let heads = heads(connection, &[uid]).await?;
    let head = heads.get(&uid).ok_or(MailboxError::NotFound(NotFound::Message))?;
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
    let set = UidSet::range(uid, uid);
    let command =
        Command::new("UID FETCH").plain(&set).word("(UID BODY.PEEK[").join_plain(section).join("])");
    let answer = connection.run(&command).await?.ok()?;
    let mut found = answer.fetched.into_iter().filter(|fetched| fetched.uid() == Some(uid));
    let raw = found.find_map(|mut fetched| fetched.take_body(section.as_str()));
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
    let open = lease.examine(place.folder.wire()).await?;
    place.check(&open)?;
    let mut attachments = Vec::new();
    let mut rest = MOST_WHOLE;
    for info in &message.attachments {
        let found = part(lease.connection()?, place.uid, &info.section, rest).await?;
        rest = rest.saturating_sub(found.info.size);
        attachments.push(draft_attachment(found));
    }
    Ok(Original { message, attachments })
}
