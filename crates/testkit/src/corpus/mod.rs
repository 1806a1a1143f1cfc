//! Generated mail with what a reader must find in it: one case for each oddity that real mail has.
//!
//! The bytes are made here and not by the product's own composer. A case says what a person sees in a good mail
//! program; where the standards leave a choice, `why` says which one.

mod build;
mod charsets;
mod files;
mod headers;
mod structure;

pub use build::{message, part};
pub use files::{CSV, ICS, PNG, pdf};

/// One message and what must be read out of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// A name for reports.
    pub name: &'static str,
    /// What is odd, and by which rule the expectation holds.
    pub why: &'static str,
    /// The message as it is put into a mailbox.
    pub raw: Vec<u8>,
    /// The decoded subject.
    pub subject: &'static str,
    /// The decoded sender, `Name <address>` or a bare address.
    pub from: &'static str,
    /// Pieces of the readable text.
    pub text_contains: Vec<&'static str>,
    /// The names of the attachments, in the order of the message.
    pub attachments: Vec<&'static str>,
}

/// Every case.
pub fn all() -> Vec<Case> {
    let mut all = headers::cases();
    all.extend(charsets::cases());
    all.extend(structure::cases());
    all.extend(files::cases());
    all
}

/// A conversation of five messages that ends up in several folders: each answers the one before it, and the last names
/// only the first and the fourth. What comes first is the folder.
pub fn thread(own: &str) -> Vec<(&'static str, Vec<u8>)> {
    let one = |number: usize, from: &str, to: &str, answers: &str| {
        let mut head = format!(
            "From: {from}\r\nTo: {to}\r\nSubject: {}The plan\r\nDate: Mon, 30 Nov 2026 1{number}:00:00 +0000\r\n\
             Message-ID: <plan.{number}@thread.test>\r\n",
            if number == 1 { "" } else { "Re: " },
        );
        head.push_str(answers);
        format!("{head}\r\nStep {number} of the plan.\r\n").into_bytes()
    };
    let answer = |parent: usize, all: &[usize]| {
        let references: Vec<String> = all.iter().map(|n| format!("<plan.{n}@thread.test>")).collect();
        format!("In-Reply-To: <plan.{parent}@thread.test>\r\nReferences: {}\r\n", references.join(" "))
    };
    let ben = "Ben <ben@thread.test>";
    vec![
        ("INBOX", one(1, ben, own, "")),
        ("Sent", one(2, own, ben, &answer(1, &[1]))),
        ("Archive", one(3, ben, own, &answer(2, &[1, 2]))),
        ("Sent", one(4, own, ben, &answer(3, &[1, 2, 3]))),
        ("INBOX", one(5, ben, own, &answer(4, &[1, 4]))),
    ]
}

/// A message with one attachment of this many bytes, `large.bin`, and a short text before it.
pub fn large(bytes: usize) -> Vec<u8> {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut content = Vec::with_capacity(bytes);
    while content.len() < bytes {
        // Marsaglia's xorshift: no two lines alike, so that nothing can be compressed away.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        content.extend_from_slice(&random.to_le_bytes());
    }
    content.truncate(bytes);
    let attachment = build::attachment("application/octet-stream", "large.bin", &content);
    message(
        "Subject: A large one\r\nFrom: big@corpus.test\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n",
        &build::multipart("b", &[&part("text/plain", "", b"The text is short."), &attachment]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_message_has_a_header_and_a_body() {
        let all = all();
        let mut names: Vec<_> = all.iter().map(|case| case.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        assert!(all.len() >= 40, "{}", all.len());
        for case in &all {
            assert!(case.raw.windows(4).any(|four| four == b"\r\n\r\n"), "{}", case.name);
        }
    }

    #[test]
    fn a_large_message_is_as_large_as_it_was_asked_to_be() {
        let raw = large(1_000_000);
        assert!(raw.len() > 1_350_000 && raw.len() < 1_400_000, "{}", raw.len());
        assert_ne!(raw[1_000..1_060], raw[2_000..2_060]);
    }
}
