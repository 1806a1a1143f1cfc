//! Threading fields (RFC 5322 §3.6.4). Msg-ids are kept without angle brackets and written with them.
//!
//! Every msg-id of an original is somebody else's text: one that could end a line or hold another id is left out.

use crate::model::Headers;

/// Most msg-ids in References. Longer chains lose their middle, as RFC 5537 §3.4.4 does for news: the first id says
/// which thread it is, the last ones where in it.
pub const MAX_REFERENCES: usize = 40;
/// Longest msg-id in bytes: with its brackets it must fit on one line (RFC 5322 §2.1.1).
const MAX_MSG_ID_BYTES: usize = 900;

/// Whether a msg-id without brackets can stand in a header field as it is.
pub fn is_msg_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>');
    (1..=MAX_MSG_ID_BYTES).contains(&id.len()) && id.bytes().all(plain)
}

/// The msg-ids that can stand in a header field, each once, in order, at most [`MAX_REFERENCES`].
pub fn msg_ids<S: AsRef<str>>(ids: &[S]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for id in ids.iter().map(AsRef::as_ref).filter(|id| is_msg_id(id)) {
        // The last mention counts: a reader walks the chain from its end.
        kept.retain(|earlier| earlier != id);
        kept.push(id.to_owned());
    }
    bounded(kept)
}

/// In-Reply-To and References of an answer to a message.
pub(super) fn answering(original: &Headers) -> (Vec<String>, Vec<String>) {
    let id = original.message_id.clone().filter(|id| is_msg_id(id));
    (id.into_iter().collect(), continuing(original))
}

/// References of a message that continues a thread: the original's References, or its In-Reply-To where that is one
/// msg-id and there are no References, then the original's own id.
pub(super) fn continuing(original: &Headers) -> Vec<String> {
    let mut chain = match (original.references.as_slice(), original.in_reply_to.as_slice()) {
        ([], [parent]) => vec![parent.clone()],
        (references, _) => references.to_vec(),
    };
    chain.extend(original.message_id.clone());
    msg_ids(&chain)
}

fn bounded(ids: Vec<String>) -> Vec<String> {
    let surplus = ids.len().saturating_sub(MAX_REFERENCES);
    let middle = 1..surplus.saturating_add(1);
    ids.into_iter()
        .enumerate()
        .filter(|(at, _)| surplus == 0 || !middle.contains(at))
        .map(|(_, id)| id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn original(id: Option<&str>, in_reply_to: &[&str], references: &[&str]) -> Headers {
        let owned = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
        Headers {
            message_id: id.map(str::to_owned),
            in_reply_to: owned(in_reply_to),
            references: owned(references),
            ..Headers::default()
        }
    }

    #[test]
    fn the_chain_follows_the_rules_for_each_parent() {
        for (parent, in_reply_to, references, why) in [
            (
                original(Some("c@x"), &["b@x"], &["a@x", "b@x"]),
                vec!["c@x"],
                vec!["a@x", "b@x", "c@x"],
                "the parent's chain",
            ),
            (
                original(Some("b@x"), &["a@x"], &[]),
                vec!["b@x"],
                vec!["a@x", "b@x"],
                "one In-Reply-To stands in",
            ),
            (original(Some("b@x"), &["a@x", "z@x"], &[]), vec!["b@x"], vec!["b@x"], "several don't"),
            (original(Some("a@x"), &[], &[]), vec!["a@x"], vec!["a@x"], "a first message"),
            (original(None, &[], &["a@x"]), vec![], vec!["a@x"], "a parent without an id"),
            (
                original(Some("b@x"), &[], &["a@x", "b@x", "a@x"]),
                vec!["b@x"],
                vec!["a@x", "b@x"],
                "each id once",
            ),
        ] {
            assert_eq!(answering(&parent), (owned(&in_reply_to), owned(&references)), "{why}");
        }
    }

    #[test]
    fn what_is_no_msg_id_is_left_out() {
        for bad in ["", "a b@x", "a@x>\r\nBcc: v@x", "a@x> <b@x", "<a@x>", "a\0@x", "á@x", &"a".repeat(901)]
        {
            assert!(!is_msg_id(bad), "{bad:?}");
            assert_eq!(answering(&original(Some(bad), &[], &[bad, "a@x"])).1, ["a@x"], "{bad:?}");
        }
        assert!(is_msg_id("no-at-sign"), "real mail has such ids, and they thread");
    }

    #[test]
    fn a_long_chain_keeps_its_first_and_its_last_ids() {
        let ids: Vec<String> = (0..100).map(|n| format!("{n}@x")).collect();
        let kept = msg_ids(&ids);
        assert_eq!(kept.len(), MAX_REFERENCES);
        assert_eq!(kept.first().map(String::as_str), Some("0@x"));
        assert_eq!(kept[1..], ids[61..]);
    }

    fn owned(ids: &[&str]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }
}
