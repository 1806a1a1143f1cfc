//! Rules on the IMAP wire (RFC 9051 §6.4): one file issues what moves or removes mail, and reading never sets `\Seen`.
//!
//! `backend/organise.rs` alone may issue STORE, EXPUNGE, COPY, MOVE and CLOSE, by method or by command text, so that
//! one review covers every way in which mail can vanish. Comments and tests are not looked at.

use super::Offence;
use super::source::{Line, is_word};
use super::tree::Tree;

/// Where the rules hold.
const IMAP: &str = "crates/imap-server/src/";
/// The one issuer.
const ISSUER: &str = "crates/imap-server/src/backend/organise.rs";
/// Methods of an IMAP session that change or remove mail.
const METHODS: [&str; 10] =
    ["uid_store", "store", "uid_copy", "copy", "uid_mv", "mv", "uid_expunge", "expunge", "close", "uid_move"];
/// Commands that take arguments; alone they are words (`MOVE` is also a capability's name).
const WITH_ARGUMENTS: [&str; 3] = ["store", "copy", "move"];
/// Commands that are complete alone.
const COMPLETE: [&str; 2] = ["expunge", "close"];

/// Commands that change or remove mail, issued outside the one file.
pub(crate) fn single_issuer(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    for (file, number, line) in shipped(tree).iter().filter(|(file, _, _)| *file != ISSUER) {
        if let Some(method) = METHODS.into_iter().find(|method| calls(&line.code, method)) {
            let what =
                format!("`{method}` belongs in backend/organise.rs, which alone moves and removes mail");
            found.push(Offence::new(file, *number, what));
        }
        let answered = is_pattern(&line.code);
        for text in line.strings.iter().filter(|text| !answered && is_removing(text)) {
            let what = format!(
                "the command `{text}` belongs in backend/organise.rs, which alone moves and removes mail"
            );
            found.push(Offence::new(file, *number, what));
        }
    }
    found
}

/// Fetch items that set `\Seen`: a body section without PEEK, and RFC822 but for its size and header.
pub(crate) fn peek_only(tree: &Tree) -> Vec<Offence> {
    let mut found = Vec::new();
    for (file, number, line) in shipped(tree) {
        for text in line.strings.iter().filter(|text| sets_seen(text)) {
            found.push(Offence::new(file, number, format!("`{text}` sets \\Seen: fetch BODY.PEEK[…]")));
        }
    }
    found
}

/// Every line that ends in the IMAP server, with its file and number.
fn shipped(tree: &Tree) -> Vec<(&str, usize, Line)> {
    let mut found = Vec::new();
    for (file, source) in tree.sources().filter(|(file, _)| file.starts_with(IMAP)) {
        let lines = (1..).zip(source.lines).filter(|(_, line)| !line.in_test);
        found.extend(lines.map(|(number, line)| (file, number, line)));
    }
    found
}

/// Whether the code calls a method of this name. An atomic's `store` names its ordering and is no IMAP command.
fn calls(code: &str, method: &str) -> bool {
    let called = |prefix: &str| code.contains(&format!("{prefix}{method}("));
    (called(".") || called("::"))
        && !(method == "store" && code.contains("Ordering::"))
        && !is_path_copy(code, method)
}

/// `io::copy` and `fs::copy` copy bytes, not mail.
fn is_path_copy(code: &str, method: &str) -> bool {
    method == "copy" && (code.contains("io::copy(") || code.contains("fs::copy("))
}

/// Whether the literals of a line are patterns of a match: what a server said, not what it is told.
fn is_pattern(code: &str) -> bool {
    code.trim_start().starts_with('"') && code.contains("=>")
}

/// Whether a literal is such a command, in any case and with or without `UID`, or writes the flag that removes.
fn is_removing(literal: &str) -> bool {
    let text = literal.to_ascii_lowercase();
    if text.contains("\\deleted") || text.contains("uid {") {
        return true;
    }
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let Some(first) = words.next() else { return false };
    if first == "uid" {
        return words.next().is_some_and(|verb| WITH_ARGUMENTS.contains(&verb) || COMPLETE.contains(&verb));
    }
    // English may begin with the same words ("move it yourself"), a command goes on with a set or a placeholder.
    let goes_on = |word: &str| word.starts_with(|c: char| c == '{' || c == '*' || c.is_ascii_digit());
    let second = words.next();
    (WITH_ARGUMENTS.contains(&first) && second.is_some_and(goes_on))
        || (COMPLETE.contains(&first.trim_end_matches("\\r\\n")) && second.is_none())
}

fn sets_seen(literal: &str) -> bool {
    let whole = |(at, found): (usize, &str)| {
        let (before, from) = literal.split_at_checked(at).unwrap_or_default();
        let after = from.strip_prefix(found).unwrap_or_default();
        let joined = before.chars().next_back().is_some_and(|c| is_word(c) || c == '/');
        !joined && !after.starts_with(".SIZE") && !after.starts_with(".HEADER")
    };
    literal.to_ascii_uppercase().contains("BODY[") || literal.match_indices("RFC822").any(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, code: &str) -> usize {
        single_issuer(&Tree::sample(&[(file, code)])).len()
    }

    #[test]
    fn each_method_and_command_is_found_outside_organise() {
        let offending = [
            "s.uid_store(set, \"+FLAGS (seen)\").await?;",
            "s.store(set, q).await?;",
            "s.uid_copy(set, to).await?;",
            "s.copy(set, to).await?;",
            "s.uid_mv(set, to).await?;",
            "s.mv(set, to).await?;",
            "s.expunge().await?;",
            "s.uid_expunge(set).await?;",
            "s.close().await?;",
            "Session::uid_mv(&mut s, set, to)",
            "run(\"UID STORE 4 +FLAGS (\\\\Seen)\")",
            "run(\"expunge\")",
            "run(\"Close\")",
            "run(&format!(\"uid Move {set} {to}\"))",
            "run(&format!(\"COPY {set} {to}\"))",
            "run(&format!(\"UID {verb} {set}\"))",
            "let flags = r\"+FLAGS (\\Deleted)\";",
            "Change::Removal => run(\"EXPUNGE\"),",
        ];
        for code in offending {
            assert_eq!(found("crates/imap-server/src/backend/drafts.rs", code), 1, "{code}");
            assert_eq!(found(ISSUER, code), 0, "{code}");
            assert_eq!(found("crates/core/src/memory/mod.rs", code), 0, "{code}");
        }
    }

    #[test]
    fn what_is_no_such_command_passes() {
        let fine = [
            "// s.expunge()",
            "ready.store(true, Ordering::Release);",
            "tokio::io::copy(&mut a, &mut b).await?;",
            "capabilities.has_str(\"MOVE\")",
            "\"Move it yourself\"",
            "\"EXPUNGE\" => now.saturating_sub(1),",
            "\"close to the limit\"",
            "#[cfg(test)]\nmod tests { fn f() { s.expunge(); } }",
        ];
        for code in fine {
            assert_eq!(found("crates/imap-server/src/backend/drafts.rs", code), 0, "{code}");
        }
    }

    #[test]
    fn a_fetch_that_sets_seen_is_found() {
        let file = "crates/imap-server/src/backend/organise.rs";
        let count = |code: &str| peek_only(&Tree::sample(&[(file, code)])).len();
        for code in ["f(\"(UID BODY[TEXT])\")", "f(\"body[]\")", "f(\"RFC822\")", "f(\"(RFC822.TEXT)\")"] {
            assert_eq!(count(code), 1, "{code}");
        }
        for code in [
            "f(\"BODY.PEEK[]\")",
            "f(\"RFC822.SIZE\")",
            "f(\"message/rfc822\")",
            "// BODY[]",
            "f(\"BODYSTRUCTURE\")",
        ] {
            assert_eq!(count(code), 0, "{code}");
        }
    }
}
