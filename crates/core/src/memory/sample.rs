//! The sample mailbox of Jana Nováková, who makes books and lives in Prague: 41 messages in nine languages and ten
//! charsets, as their senders' programs wrote them. All of it is invented; every domain is reserved for examples
//! (RFC 2606). The dates are fixed, the newest being the morning of 30 November 2026, so that a demo and a test read the
//! same mail every time.

use super::MemoryMailbox;
use crate::{
    compose::mime::parse,
    model::{Address, Flag, Flags, Timestamp},
};

const INBOX: &str = "INBOX";
const DRAFTS: &str = "Drafts";
const SENT: &str = "Sent";
const ARCHIVE: &str = "Archive";
const JUNK: &str = "Junk";
const TRASH: &str = "Trash";
const PROJECTS: &str = "Projects";
const BILLS: &str = "Účty/2026";

/// One message as a file holds it, with `\n` line ends.
struct Sample {
    folder: &'static str,
    flags: &'static [Flag],
    file: &'static [u8],
}

const fn m(folder: &'static str, flags: &'static [Flag], file: &'static [u8]) -> Sample {
    Sample { folder, flags, file }
}

use Flag::{Answered, Draft, Flagged, Seen};

/// The messages, each folder's in no particular order: a mailbox sorts them by their dates.
const MESSAGES: &[Sample] = &[
    m(INBOX, &[Seen, Answered], include_bytes!("sample/01-kitchen-quote.eml")),
    m(SENT, &[Seen], include_bytes!("sample/02-kitchen-question.eml")),
    m(INBOX, &[Flagged], include_bytes!("sample/03-kitchen-answer.eml")),
    m(PROJECTS, &[Seen, Answered], include_bytes!("sample/04-rozpocet.eml")),
    m(SENT, &[Seen], include_bytes!("sample/05-rozpocet-odpoved.eml")),
    m(INBOX, &[], include_bytes!("sample/06-rozpocet-oprava.eml")),
    m(INBOX, &[Seen], include_bytes!("sample/07-lunch.eml")),
    m(INBOX, &[Seen], include_bytes!("sample/08-lunch-sam.eml")),
    m(INBOX, &[], include_bytes!("sample/09-lunch-mei.eml")),
    m(INBOX, &[], include_bytes!("sample/10-newsletter.eml")),
    m(INBOX, &[Seen], include_bytes!("sample/11-boletin.eml")),
    m(TRASH, &[Seen], include_bytes!("sample/12-product-news.eml")),
    m(INBOX, &[], include_bytes!("sample/13-sign-in-code.eml")),
    m(ARCHIVE, &[Seen], include_bytes!("sample/14-password-reset.eml")),
    m(INBOX, &[], include_bytes!("sample/15-rechnung.eml")),
    m(BILLS, &[Seen], include_bytes!("sample/16-faktura-elektrina.eml")),
    m(BILLS, &[Seen], include_bytes!("sample/17-uctenka.eml")),
    m(BILLS, &[Seen, Flagged], include_bytes!("sample/18-danovy-urad.eml")),
    m(INBOX, &[Seen], include_bytes!("sample/19-statement.eml")),
    m(INBOX, &[Seen, Flagged], include_bytes!("sample/20-hotel.eml")),
    m(ARCHIVE, &[Seen], include_bytes!("sample/21-train.eml")),
    m(INBOX, &[], include_bytes!("sample/22-parcel.eml")),
    m(INBOX, &[], include_bytes!("sample/23-invitation.eml")),
    m(INBOX, &[Seen], include_bytes!("sample/24-amigo.eml")),
    m(SENT, &[Seen], include_bytes!("sample/25-zofia-dotaz.eml")),
    m(INBOX, &[Seen, Answered], include_bytes!("sample/26-zofia.eml")),
    m(INBOX, &[Seen], include_bytes!("sample/27-yamada.eml")),
    m(ARCHIVE, &[Seen], include_bytes!("sample/28-wang.eml")),
    m(ARCHIVE, &[Seen], include_bytes!("sample/29-sergey.eml")),
    m(ARCHIVE, &[Seen], include_bytes!("sample/30-lena.eml")),
    m(PROJECTS, &[Seen], include_bytes!("sample/31-bianca.eml")),
    m(SENT, &[Seen], include_bytes!("sample/32-catalogo.eml")),
    m(PROJECTS, &[Seen], include_bytes!("sample/33-list-question.eml")),
    m(PROJECTS, &[Seen], include_bytes!("sample/34-list-answer.eml")),
    m(PROJECTS, &[], include_bytes!("sample/35-list-thanks.eml")),
    m(INBOX, &[Seen], include_bytes!("sample/36-forwarded.eml")),
    m(SENT, &[Seen], include_bytes!("sample/37-own-with-bcc.eml")),
    m(INBOX, &[], include_bytes!("sample/38-bounce.eml")),
    m(DRAFTS, &[Seen, Draft], include_bytes!("sample/39-draft.eml")),
    m(JUNK, &[], include_bytes!("sample/40-lottery.eml")),
    m(JUNK, &[], include_bytes!("sample/41-fake-parcel.eml")),
];

/// A new copy of the sample mailbox.
pub fn sample() -> MemoryMailbox {
    let own = |addr_spec: &str| Address {
        display_name: Some("Jana Nováková".into()),
        addr_spec: addr_spec.into(),
    };
    let mailbox = MemoryMailbox::new(vec![own("jana@example.com"), own("jana.novakova@example.com")]);
    let mut messages: Vec<_> = MESSAGES.iter().map(|sample| (sample, wire(sample.file))).collect();
    messages.sort_by_key(|(_, raw)| written(raw));
    for (Sample { folder, flags, .. }, raw) in messages {
        let flags = Flags { system: flags.to_vec(), keywords: Vec::new() };
        if let Some(folder) = mailbox.folder(folder) {
            // A folder that was listed a line above takes what is appended to it.
            mailbox.append(&folder, &raw, written(&raw), flags).ok();
        }
    }
    mailbox
}

/// With the line ends of the wire.
fn wire(file: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(file.len().saturating_add(file.len() / 40));
    for byte in file {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}

/// Every sample arrived when it was written.
fn written(raw: &[u8]) -> Timestamp {
    parse(raw).headers.date.unwrap_or(Timestamp(0))
}
