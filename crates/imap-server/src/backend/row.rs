//! One FETCH response as a row of a list. Headers are read from the fields themselves, never from ENVELOPE, which servers
//! write in too many ways.

use countersign_core::{
    mailbox::MailboxError,
    model::{Day, Flag, Flags, Headers, Keyword, MessageRow, Timestamp},
};

use super::{fetch::Head, structure::Node};
use crate::{
    refs::{FolderName, Place},
    session::{Command, Fetched, MONTHS, Value},
};

/// Most bytes of one message's header fields that are fetched.
const MOST_HEADER: u64 = 64 * 1_024;

/// What a row needs, as fetch items after the set of messages.
pub(super) fn items(command: Command, structure: bool) -> Command {
    let command = command.word("(UID FLAGS INTERNALDATE RFC822.SIZE");
    let command = if structure { command.word("BODYSTRUCTURE") } else { command };
    command
        .word("BODY.PEEK[HEADER.FIELDS (FROM SENDER REPLY-TO TO CC BCC SUBJECT DATE MESSAGE-ID")
        // The charset of the text is a hint for what stands in a field as bare 8-bit bytes.
        .word("IN-REPLY-TO REFERENCES CONTENT-TYPE)]<0.")
        .join_plain(MOST_HEADER)
        .join(">)")
}

/// What a response says of a message, beside its text.
pub(super) struct Facts {
    pub(super) uid: u32,
    pub(super) received: Option<Timestamp>,
    pub(super) flags: Flags,
    pub(super) size: u64,
    pub(super) structure: Option<Node>,
}

impl Facts {
    /// Reads them; `None` where the response does not name its message.
    pub(super) fn read(fetched: &Fetched) -> Option<Self> {
        Some(Self {
            uid: fetched.uid()?,
            received: fetched.get("INTERNALDATE").and_then(Value::text).and_then(date),
            flags: flags_of(fetched),
            size: fetched.get("RFC822.SIZE").and_then(Value::number).unwrap_or(0),
            structure: fetched.get("BODYSTRUCTURE").and_then(Node::of_structure),
        })
    }

    /// The row.
    pub(super) fn row(
        self,
        folder: &FolderName,
        uidvalidity: u32,
        headers: Headers,
    ) -> Result<MessageRow, MailboxError> {
        let place = Place { folder: folder.clone(), uidvalidity, uid: self.uid };
        Ok(MessageRow {
            id: place.id()?,
            folder: folder.id().ok_or(MailboxError::InvalidRef)?,
            headers,
            received: self.received,
            flags: self.flags,
            size: self.size,
            has_attachments: self.structure.as_ref().map(|node| node.view().has_attachments()),
        })
    }
}

/// A row out of a response; `None` where it does not say enough.
pub(super) fn read(fetched: &Fetched, folder: &FolderName, uidvalidity: u32) -> Option<MessageRow> {
    let Head { facts, headers } = Head::read(fetched)?;
    facts.row(folder, uidvalidity, headers).ok()
}

/// The flags that a response names.
pub(super) fn flags_of(fetched: &Fetched) -> Flags {
    let mut flags = Flags::default();
    for item in fetched.get("FLAGS").map(Value::items).unwrap_or_default() {
        let Some(text) = item.text() else { continue };
        let system = match text.to_ascii_lowercase().as_str() {
            "\\seen" => Some(Flag::Seen),
            "\\answered" => Some(Flag::Answered),
            "\\flagged" => Some(Flag::Flagged),
            "\\draft" => Some(Flag::Draft),
            "\\deleted" => Some(Flag::Deleted),
            _ => None,
        };
        match (system, Keyword::parse(text)) {
            (Some(flag), _) if !flags.has(flag) => flags.system.push(flag),
            (None, Some(keyword)) => flags.keywords.push(keyword),
            (Some(_) | None, _) => {}
        }
    }
    flags.system.sort_unstable();
    flags
}

/// `17-Jul-1996 02:44:25 -0700` (RFC 9051, date-time).
fn date(text: &str) -> Option<Timestamp> {
    let mut fields = text.split_whitespace();
    let (day, clock, zone) = (fields.next()?, fields.next()?, fields.next()?);
    let mut day = day.split('-');
    let (date, month, year) = (day.next()?, day.next()?, day.next()?);
    let month = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(month))?.checked_add(1)?;
    let mut clock = clock.split(':');
    let (hour, minute, second) = (clock.next()?, clock.next()?, clock.next()?);
    let (sign, offset) = zone.split_at_checked(1)?;
    let (zone_hours, zone_minutes) = offset.split_at_checked(2)?;
    let day = Day::parse(&format!("{year:0>4}-{month:02}-{date:0>2}"))?;
    let below = |text: &str, end: i64| text.parse::<i64>().ok().filter(|number| (0..end).contains(number));
    let seconds = below(hour, 24)?.checked_mul(3_600)?.checked_add(below(minute, 60)?.checked_mul(60)?)?;
    let seconds = seconds.checked_add(below(second, 61)?)?;
    let east =
        below(zone_hours, 24)?.checked_mul(3_600)?.checked_add(below(zone_minutes, 60)?.checked_mul(60)?)?;
    let local = day.start().0.checked_add(seconds)?;
    match sign {
        "+" => local.checked_sub(east),
        "-" => local.checked_add(east),
        _ => None,
    }
    .map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrival_dates_are_read_with_their_zone() {
        assert_eq!(
            date("17-Jul-1996 02:44:25 -0700").map(|t| t.to_string()).as_deref(),
            Some("1996-07-17T09:44:25Z")
        );
        assert_eq!(
            date(" 1-Jan-2026 00:00:00 +0100").map(|t| t.to_string()).as_deref(),
            Some("2025-12-31T23:00:00Z")
        );
        for bad in [
            "",
            "17-Jul-1996",
            "17-Foo-1996 02:44:25 +0000",
            "40-Jul-1996 02:44:25 +0000",
            "1-Jul-1996 2:4 +0",
        ] {
            assert_eq!(date(bad), None, "{bad}");
        }
    }
}
