//! Finding the units of a conversation in its bytes: commands, message ends, replies and literals.

use super::Protocol;

/// What both directions of one connection know of it.
#[derive(Default)]
pub(super) struct Conversation {
    /// Commands that the server has not finished: tag (empty in SMTP) and line.
    pub(super) open: Vec<(String, String)>,
    /// The server asked the client to go on (334, 354 or `+`), and the next line is no command.
    pub(super) challenged: bool,
    /// The client is within an SMTP message.
    pub(super) in_data: bool,
    /// Nothing more can be understood: TLS or compression began.
    pub(super) opaque: bool,
    /// The side that spoke last is the client.
    pub(super) client_spoke: bool,
}

/// A unit of what the client sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FromClient {
    /// A whole command line; the tag is empty in SMTP.
    Command { tag: String, line: String },
    /// The end of an SMTP message.
    MessageEnd,
    /// Anything else: an answer to a challenge, message text, the bytes of a literal and what follows it.
    Other,
}

/// Reads the client's side, line by line and literal by literal.
#[derive(Default)]
pub(super) struct ClientReader {
    /// Bytes of a literal still to come.
    literal: usize,
    /// The line that follows ends a command that began before a literal.
    inside: bool,
}

impl ClientReader {
    /// Takes the first unit off a buffer: its bytes and what it is. `None` means more bytes are needed.
    pub(super) fn next(
        &mut self,
        protocol: Protocol,
        talk: &mut Conversation,
        buffer: &mut Vec<u8>,
    ) -> Option<(Vec<u8>, FromClient)> {
        if buffer.is_empty() {
            return None;
        }
        if talk.opaque {
            return Some((std::mem::take(buffer), FromClient::Other));
        }
        if self.literal > 0 {
            let length = self.literal.min(buffer.len());
            self.literal = self.literal.saturating_sub(length);
            return Some((buffer.drain(..length).collect(), FromClient::Other));
        }
        let bytes = take_line(buffer)?;
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        let unit = match protocol {
            Protocol::Smtp => smtp(talk, &line),
            Protocol::Imap => self.imap(talk, &line),
        };
        Some((bytes, unit))
    }

    fn imap(&mut self, talk: &mut Conversation, line: &str) -> FromClient {
        let continues = std::mem::replace(&mut self.inside, false);
        if let Some(length) = literal(line) {
            self.literal = length;
            self.inside = true;
        }
        // After a literal's `+` the rest of the command comes, which `inside` knows already.
        if continues {
            talk.challenged = false;
            return FromClient::Other;
        }
        if std::mem::take(&mut talk.challenged) {
            return FromClient::Other;
        }
        let (tag, line) = line.split_once(' ').unwrap_or(("", line));
        FromClient::Command { tag: tag.to_owned(), line: line.to_owned() }
    }
}

fn smtp(talk: &mut Conversation, line: &str) -> FromClient {
    if talk.in_data {
        if line == "." {
            talk.in_data = false;
            return FromClient::MessageEnd;
        }
        return FromClient::Other;
    }
    if std::mem::take(&mut talk.challenged) {
        return FromClient::Other;
    }
    FromClient::Command { tag: String::new(), line: line.to_owned() }
}

/// A unit of what the server sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FromServer {
    /// The last line of an answer, and the command it ends.
    Finished(String),
    /// A line after which so many bytes of a literal come.
    Literal(usize),
    /// Anything else.
    Other,
}

/// Reads the server's side.
#[derive(Default)]
pub(super) struct ServerReader {
    inside: bool,
    greeted: bool,
}

impl ServerReader {
    /// Takes the first line off a buffer. Literals are taken off by the caller.
    pub(super) fn next(
        &mut self,
        protocol: Protocol,
        talk: &mut Conversation,
        buffer: &mut Vec<u8>,
    ) -> Option<(Vec<u8>, FromServer)> {
        if buffer.is_empty() {
            return None;
        }
        if talk.opaque {
            return Some((std::mem::take(buffer), FromServer::Other));
        }
        let bytes = take_line(buffer)?;
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        let unit = match protocol {
            Protocol::Smtp => self.smtp(talk, &line),
            Protocol::Imap => self.imap(talk, &line),
        };
        Some((bytes, unit))
    }

    fn smtp(&mut self, talk: &mut Conversation, line: &str) -> FromServer {
        if line.as_bytes().get(3) == Some(&b'-') {
            return FromServer::Other;
        }
        if !std::mem::replace(&mut self.greeted, true) {
            return FromServer::Other;
        }
        if line.starts_with("334") {
            talk.challenged = true;
            return FromServer::Other;
        }
        talk.challenged = false;
        if talk.open.is_empty() {
            return FromServer::Other;
        }
        let (_, command) = talk.open.remove(0);
        talk.in_data |= line.starts_with("354");
        talk.opaque |= line.starts_with("220") && command.eq_ignore_ascii_case("STARTTLS");
        FromServer::Finished(command)
    }

    fn imap(&mut self, talk: &mut Conversation, line: &str) -> FromServer {
        if let Some(length) = literal(line) {
            self.inside = true;
            return FromServer::Literal(length);
        }
        if std::mem::replace(&mut self.inside, false) || line.starts_with("* ") {
            return FromServer::Other;
        }
        if line.starts_with('+') {
            talk.challenged = true;
            return FromServer::Other;
        }
        let (tag, rest) = line.split_once(' ').unwrap_or((line, ""));
        let Some(place) = talk.open.iter().position(|(open, _)| open == tag) else {
            return FromServer::Other;
        };
        let (_, command) = talk.open.remove(place);
        talk.challenged = false;
        let changes = ["STARTTLS", "COMPRESS"]
            .iter()
            .any(|word| command.split(' ').next().is_some_and(|first| first.eq_ignore_ascii_case(word)));
        talk.opaque |= changes && rest.to_ascii_uppercase().starts_with("OK");
        FromServer::Finished(command)
    }
}

/// The length of the literal that a line announces at its end (RFC 9051 §4.3, RFC 7888).
fn literal(line: &str) -> Option<usize> {
    let (_, length) = line.strip_suffix('}')?.rsplit_once('{')?;
    length.strip_suffix(['+', '-']).unwrap_or(length).parse().ok()
}

fn take_line(buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    let end = buffer.iter().position(|byte| *byte == b'\n')?.checked_add(1)?;
    Some(buffer.drain(..end).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imap_command_with_literals_is_one_command() {
        let (mut reader, mut talk) = (ClientReader::default(), Conversation::default());
        let mut buffer = b"a1 APPEND Sent {3+}\r\nx\r\n\r\na2 NOOP\r\n".to_vec();
        let mut commands = Vec::new();
        while let Some((_, unit)) = reader.next(Protocol::Imap, &mut talk, &mut buffer) {
            if let FromClient::Command { tag, line } = unit {
                commands.push(format!("{tag}|{line}"));
            }
        }
        assert_eq!(commands, ["a1|APPEND Sent {3+}", "a2|NOOP"]);
    }

    #[test]
    fn an_smtp_message_is_no_command_and_its_end_is_found() {
        let (mut client, mut server) =
            (ClientReader::default(), ServerReader { greeted: true, ..Default::default() });
        let mut talk = Conversation { open: vec![(String::new(), "DATA".into())], ..Conversation::default() };
        let mut go = b"354 go\r\n".to_vec();
        let (_, unit) = server.next(Protocol::Smtp, &mut talk, &mut go).unwrap();
        assert_eq!(unit, FromServer::Finished("DATA".into()));
        let mut buffer = b"QUIT\r\n..\r\n.\r\nQUIT\r\n".to_vec();
        let units: Vec<_> =
            std::iter::from_fn(|| client.next(Protocol::Smtp, &mut talk, &mut buffer).map(|(_, unit)| unit))
                .collect();
        let quit = FromClient::Command { tag: String::new(), line: "QUIT".into() };
        assert_eq!(units, [FromClient::Other, FromClient::Other, FromClient::MessageEnd, quit]);
    }

    #[test]
    fn a_tagged_line_ends_its_own_command_and_literals_are_announced() {
        let mut server = ServerReader::default();
        let mut talk = Conversation {
            open: vec![("a1".into(), "FETCH 1".into()), ("a2".into(), "NOOP".into())],
            ..Conversation::default()
        };
        let mut buffer = b"* 1 FETCH (BODY[] {4}\r\n)\r\na2 OK\r\na1 OK done\r\n".to_vec();
        let units: Vec<_> =
            std::iter::from_fn(|| server.next(Protocol::Imap, &mut talk, &mut buffer).map(|(_, unit)| unit))
                .collect();
        let finished = |command: &str| FromServer::Finished(command.to_owned());
        assert_eq!(units, [FromServer::Literal(4), FromServer::Other, finished("NOOP"), finished("FETCH 1")]);
    }
}
