//! Search criteria as SEARCH keys (RFC 9051 §6.4.4), and the comparison done here where a server can't.

use countersign_core::{
    mailbox::MailboxError,
    model::{Address, Day, Headers, Search},
};

use crate::session::{Command, ImapDate};

/// How the texts of a search reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    /// All of them.
    All,
    /// Only those in ASCII: the server knows no other charset.
    AsciiOnly,
}

/// Whether a search holds text that needs a charset.
pub(super) fn needs_charset(search: &Search) -> bool {
    texts(search).any(|text| !text.is_ascii())
}

fn texts(search: &Search) -> impl Iterator<Item = &String> {
    [&search.from, &search.to, &search.subject, &search.text].into_iter().flatten()
}

/// The SEARCH command; `newest` leaves out what arrived after that day.
pub(super) fn command(search: &Search, texts: Texts, newest: Option<Day>) -> Result<Command, MailboxError> {
    let Search {
        scope: _,
        from,
        to,
        subject,
        text,
        since,
        before,
        unread,
        flagged,
        has_attachment: _,
        larger,
    } = search;
    let sent = |text: &Option<String>| -> Option<String> {
        text.clone().filter(|text| !text.is_empty() && (texts == Texts::All || text.is_ascii()))
    };
    let mut command = Command::new("UID SEARCH");
    if texts == Texts::All && needs_charset(search) {
        command = command.word("CHARSET UTF-8");
    }
    // One key that always holds, so that there is one.
    command = command.word("ALL");
    if let Some(text) = sent(from) {
        command = command.word("FROM").string(text.as_bytes())?;
    }
    if let Some(text) = sent(to) {
        command = command.word("OR TO").string(text.as_bytes())?.word("CC").string(text.as_bytes())?;
    }
    if let Some(found) = sent(subject) {
        command = command.word("SUBJECT").string(found.as_bytes())?;
    }
    if let Some(found) = sent(text) {
        command = command.word("TEXT").string(found.as_bytes())?;
    }
    if let Some(day) = since {
        command = command.word("SINCE").plain(ImapDate(*day));
    }
    if let Some(day) = before {
        command = command.word("BEFORE").plain(ImapDate(*day));
    }
    if let Some(day) = newest {
        command = command.word("BEFORE").plain(ImapDate(day));
    }
    if let Some(unread) = unread {
        command = command.word(if *unread { "UNSEEN" } else { "SEEN" });
    }
    if let Some(flagged) = flagged {
        command = command.word(if *flagged { "FLAGGED" } else { "UNFLAGGED" });
    }
    if let Some(bytes) = larger {
        command = command.word("LARGER").plain(*bytes);
    }
    Ok(command)
}

/// Whether what the server was not asked for could be compared with header fields alone.
pub(super) fn is_local(search: &Search) -> bool {
    search.text.as_ref().is_none_or(|text| text.is_ascii())
}

/// Compares the texts that the server was not asked for.
pub(super) fn matches_locally(search: &Search, headers: &Headers) -> bool {
    let held = |text: &Option<String>, found: &dyn Fn(&str) -> bool| match text {
        Some(text) if !text.is_ascii() => found(&text.to_lowercase()),
        Some(_) | None => true,
    };
    let within = |addresses: &[Address], text: &str| {
        addresses.iter().any(|address| {
            let name = address.display_name.as_deref().unwrap_or_default();
            name.to_lowercase().contains(text) || address.addr_spec.to_lowercase().contains(text)
        })
    };
    held(&search.from, &|text| within(&headers.from, text))
        && held(&search.to, &|text| within(&headers.to, text) || within(&headers.cc, text))
        && held(&search.subject, &|text| headers.subject.to_lowercase().contains(text))
}

#[cfg(test)]
mod tests {
    use countersign_core::model::FolderScope;

    use super::*;

    fn all() -> Search {
        Search::everything(FolderScope::All)
    }

    fn check(search: &Search, expected: &str) {
        assert_eq!(command(search, Texts::All, None).unwrap().shown(), expected);
    }

    #[test]
    fn every_criterion_becomes_a_key() {
        check(&all(), "UID SEARCH ALL");
        let day = Day::parse("2026-02-03");
        let full = Search {
            from: Some("a".into()),
            to: Some("b\" c".into()),
            subject: Some("d".into()),
            text: Some("e".into()),
            since: day,
            before: day,
            unread: Some(true),
            flagged: Some(false),
            has_attachment: Some(true),
            larger: Some(9),
            ..all()
        };
        check(
            &full,
            r#"UID SEARCH ALL FROM "a" OR TO "b\" c" CC "b\" c" SUBJECT "d" TEXT "e" SINCE 3-Feb-2026 BEFORE 3-Feb-2026 UNSEEN UNFLAGGED LARGER 9"#,
        );
    }

    #[test]
    fn other_scripts_go_as_literals_with_their_charset() {
        check(
            &Search { subject: Some("žluť".into()), ..all() },
            "UID SEARCH CHARSET UTF-8 ALL SUBJECT {6}\u{2193}žluť",
        );
    }

    #[test]
    fn line_ends_are_refused() {
        for bad in ["a\r\nb", "\n", "x\0"] {
            let search = Search { text: Some(bad.into()), ..all() };
            assert_eq!(command(&search, Texts::All, None), Err(MailboxError::SearchText));
        }
    }

    #[test]
    fn local_comparison_ignores_letter_case() {
        let headers = Headers {
            subject: "Žluťoučký".into(),
            from: vec![Address::bare("a@example.org")],
            ..Headers::default()
        };
        assert!(matches_locally(
            &Search { subject: Some("ŽLUŤ".into()), from: Some("zebra".into()), ..all() },
            &headers
        ));
        assert!(!matches_locally(&Search { from: Some("ž".into()), ..all() }, &headers));
        assert!(
            is_local(&Search { text: Some("ascii".into()), ..all() })
                && !is_local(&Search { text: Some("ž".into()), ..all() })
        );
    }
}
