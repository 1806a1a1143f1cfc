//! Subject prefixes: `Re:` and `Fwd:` once, whatever language and however many the original's clients wrote
//! (RFC 5322 §3.6.5; RFC 5256 §2.1 has the English ones only).

use super::{MAX_SUBJECT_BYTES, beginning};
use crate::sanitise::header;

/// Prefixes of answers, in lower case: English (and most others), German, Dutch, Danish and Norwegian, Swedish,
/// Finnish, Polish, Czech, Italian, Portuguese, Hungarian, Turkish, Greek, Chinese.
const REPLY: &[&str] = &[
    "re",
    "aw",
    "antw",
    "antwort",
    "sv",
    "vs",
    "odp",
    "odpověď",
    "r",
    "rif",
    "res",
    "vá",
    "ynt",
    "απ",
    "σχετ",
    "回复",
    "回覆",
    "答复",
];

/// Prefixes of forwarded mail: English, German, French, Italian, Polish, Dutch, Swedish, Finnish, Spanish, Portuguese,
/// Turkish, Greek, Chinese. (`VS` is Finnish for an answer and Danish for a forward; answers are far more common.)
const FORWARD: &[&str] = &[
    "fwd", "fw", "wg", "tr", "i", "pd", "doorst", "vb", "vl", "rv", "enc", "ilt", "i̇lt", "πρθ", "转发",
    "轉寄",
];

/// The subject of an answer.
pub(super) fn reply(subject: &str) -> String {
    prefixed("Re: ", REPLY, subject)
}

/// The subject of a forward.
pub(super) fn forward(subject: &str) -> String {
    prefixed("Fwd: ", FORWARD, subject)
}

fn prefixed(prefix: &'static str, known: &[&str], subject: &str) -> String {
    let line = header::line(subject);
    let mut rest = line.as_str();
    while let Some(shorter) = without(rest, known) {
        rest = shorter;
    }
    let room = MAX_SUBJECT_BYTES.saturating_sub(prefix.len());
    format!("{prefix}{}", beginning(rest, room)).trim_end().to_owned()
}

/// The subject without one of the prefixes at its head: the word, perhaps a count (`Re[2]:`, `Re (2):`, `Re^2:`), and
/// an ASCII or full-width colon.
fn without<'a>(subject: &'a str, known: &[&str]) -> Option<&'a str> {
    let (head, rest) = subject.split_once([':', '：'])?;
    let word =
        head.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']' | '(' | ')' | '^' | ' '));
    known.contains(&word.trim_start().to_lowercase().as_str()).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_one_prefix() {
        for (subject, wanted) in [
            ("Offer", "Re: Offer"),
            ("Re: Offer", "Re: Offer"),
            ("RE: re: Offer", "Re: Offer"),
            ("AW: Re: Angebot", "Re: Angebot"),
            ("Odp: SV: VS: Antw: Oferta", "Re: Oferta"),
            ("Re[2]: Offer", "Re: Offer"),
            ("Re (3): Re^2: Offer", "Re: Offer"),
            ("RE : Devis", "Re: Devis"),
            ("R: Offerta", "Re: Offerta"),
            ("回复：报价", "Re: 报价"),
            ("Fwd: Re: Offer", "Re: Fwd: Re: Offer"),
            ("Reminder: pay", "Re: Reminder: pay"),
            ("Regarding: re", "Re: Regarding: re"),
            ("", "Re:"),
            ("Re:", "Re:"),
            ("Offer\r\nBcc: x@y", "Re: Offer Bcc: x@y"),
        ] {
            assert_eq!(reply(subject), wanted, "{subject:?}");
        }
    }

    #[test]
    fn a_forward_has_one_prefix() {
        for (subject, wanted) in [
            ("Offer", "Fwd: Offer"),
            ("FW: Offer", "Fwd: Offer"),
            ("WG: TR: I: PD: Angebot", "Fwd: Angebot"),
            ("Re: Offer", "Fwd: Re: Offer"),
        ] {
            assert_eq!(forward(subject), wanted, "{subject:?}");
        }
    }

    #[test]
    fn a_long_subject_of_somebody_else_is_cut_on_a_character() {
        let subject = reply(&"ž".repeat(900));
        assert!(subject.len() <= MAX_SUBJECT_BYTES && subject.ends_with('ž'), "{}", subject.len());
    }
}
