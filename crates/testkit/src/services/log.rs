//! Reading Postfix' log: what was accepted, and what became of it.

/// The end of one delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Postfix' queue id.
    pub queue_id: String,
    /// `sent`, `deferred` or `bounced`.
    pub status: String,
    /// The envelope sender of that queue entry.
    pub sender: String,
}

pub(super) fn deliveries(log: &str, recipient: &str) -> Vec<Delivery> {
    let mut found = Vec::new();
    for line in log.lines() {
        let Some((queue_id, rest)) = entry(line) else { continue };
        if !between(rest, "to=<", ">").is_some_and(|to| to.eq_ignore_ascii_case(recipient)) {
            continue;
        }
        let Some(status) = between(rest, "status=", " ") else { continue };
        found.push(Delivery {
            queue_id: queue_id.to_owned(),
            status: status.to_owned(),
            sender: sender(log, queue_id).unwrap_or_default(),
        });
    }
    found
}

pub(super) fn accepted(log: &str, message_id: &str) -> usize {
    let wanted = format!("message-id=<{message_id}>");
    // The id is logged as soon as it is read; a message whose end never came is not queued.
    log.lines()
        .filter(|line| line.contains("/cleanup[") && line.ends_with(&wanted))
        .filter_map(entry)
        .filter(|(queue_id, _)| sender(log, queue_id).is_some())
        .count()
}

fn sender(log: &str, queue_id: &str) -> Option<String> {
    log.lines()
        .filter(|line| line.contains("/qmgr["))
        .filter_map(entry)
        .filter(|(id, _)| *id == queue_id)
        .find_map(|(_, rest)| between(rest, "from=<", ">").map(str::to_owned))
}

/// The queue id of a line and what follows it.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (_, after) = line.split_once("]: ")?;
    let (id, rest) = after.split_once(": ")?;
    (!id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric())).then_some((id, rest))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
Nov 30 21:00:00 h postfix/cleanup[7]: 4A1: message-id=<one@x.test>
Nov 30 21:00:00 h postfix/qmgr[6]: 4A1: from=<a@mail.test>, size=315, nrcpt=2 (queue active)
Nov 30 21:00:00 h postfix/lmtp[9]: 4A1: to=<B@mail.test>, relay=mail.test[/l], delay=0.1, dsn=2.0.0, status=sent (250 ok)
Nov 30 21:00:00 h postfix/lmtp[9]: 4A1: to=<c@mail.test>, relay=mail.test[/l], delay=0.1, dsn=5.1.1, status=bounced (host said)
";

    #[test]
    fn deliveries_are_told_by_recipient_whatever_its_case() {
        let expected =
            Delivery { queue_id: "4A1".into(), status: "sent".into(), sender: "a@mail.test".into() };
        assert_eq!(deliveries(LOG, "b@mail.test"), [expected]);
        assert_eq!(deliveries(LOG, "c@mail.test").first().map(|d| d.status.as_str()), Some("bounced"));
        assert_eq!(deliveries(LOG, "d@mail.test"), []);
    }

    #[test]
    fn acceptance_is_counted_by_message_id_of_what_was_queued() {
        let cut_off = "Nov 30 21:00:00 h postfix/cleanup[7]: 4A2: message-id=<one@x.test>\n";
        let log = format!("{cut_off}{LOG}");
        assert_eq!((accepted(&log, "one@x.test"), accepted(&log, "two@x.test")), (1, 0));
    }
}
