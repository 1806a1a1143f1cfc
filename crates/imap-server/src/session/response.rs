//! What a response says (RFC 9051 §7): its kind, status and response code. Text for people is dropped here: it is foreign,
//! and nothing may repeat it.

use super::value::{Value, parse};

/// The outcome of a command, or of something else that the server mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done.
    Ok,
    /// Refused.
    No,
    /// Not understood.
    Bad,
}

/// A response code (RFC 9051 §7.1, RFC 5530): what stands in brackets after a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Code {
    /// Its name in capitals.
    pub(crate) name: String,
    /// What follows the name.
    pub(crate) values: Vec<Value>,
}

/// One response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Response {
    /// `+`: the server waits for the rest of the command.
    Continue,
    /// The end of the command with this tag.
    Tagged { tag: String, status: Status, code: Option<Code> },
    /// `* OK`, `* NO`, `* BAD`.
    Condition { status: Status, code: Option<Code> },
    /// `* PREAUTH`.
    Preauth,
    /// `* BYE`: the server closes the connection.
    Bye,
    /// `* FETCH`.
    Fetch(Fetched),
    /// `* 12 EXISTS` and the like.
    Numbered { number: u64, name: String },
    /// `* SEARCH`: the numbers, of which there may be a million.
    Searched(Vec<u32>),
    /// Anything else untagged, by its first word in capitals.
    Data { name: String, values: Vec<Value> },
    /// A line that is none of these.
    Unknown,
}

impl Response {
    /// Reads a framed response.
    pub(crate) fn read(line: &[u8]) -> Self {
        if line.starts_with(b"+") {
            return Self::Continue;
        }
        let (tag, rest) = word(line);
        if tag != b"*" {
            let (status, rest) = word(rest);
            return match (status_of(status), std::str::from_utf8(tag)) {
                (Some(status), Ok(tag)) => Self::Tagged { tag: tag.to_owned(), status, code: code(rest) },
                _ => Self::Unknown,
            };
        }
        let (name, rest) = word(rest);
        if let Some(status) = status_of(name) {
            return Self::Condition { status, code: code(rest) };
        }
        let Ok(name) = std::str::from_utf8(name).map(str::to_ascii_uppercase) else { return Self::Unknown };
        match name.as_str() {
            "" => Self::Unknown,
            "PREAUTH" => Self::Preauth,
            "BYE" => Self::Bye,
            "SEARCH" => Self::Searched(searched(rest)),
            _ => match name.parse::<u64>() {
                Ok(number) => numbered(number, rest),
                Err(_) => Self::Data { name, values: parse(rest) },
            },
        }
    }
}

/// The numbers of a SEARCH answer; `(MODSEQ …)` at its end (RFC 7162) is none of them.
fn searched(rest: &[u8]) -> Vec<u32> {
    let rest = rest.split(|byte| *byte == b'(').next().unwrap_or_default();
    let words = rest.split(u8::is_ascii_whitespace);
    let number = |word: &[u8]| std::str::from_utf8(word).ok()?.parse().ok().filter(|number| *number > 0);
    words.filter_map(number).collect()
}

fn numbered(number: u64, rest: &[u8]) -> Response {
    let (name, rest) = word(rest);
    match String::from_utf8_lossy(name).to_ascii_uppercase() {
        name if name == "FETCH" => Response::Fetch(Fetched::read(rest)),
        name => Response::Numbered { number, name },
    }
}

fn word(input: &[u8]) -> (&[u8], &[u8]) {
    let start = input.iter().position(|&b| b != b' ').unwrap_or(input.len());
    let (_, input) = input.split_at_checked(start).unwrap_or((&[], input));
    let end = input.iter().position(|b| b" \r\n(".contains(b)).unwrap_or(input.len());
    input.split_at_checked(end).unwrap_or((input, &[]))
}

fn status_of(word: &[u8]) -> Option<Status> {
    [(&b"OK"[..], Status::Ok), (b"NO", Status::No), (b"BAD", Status::Bad)]
        .into_iter()
        .find_map(|(name, status)| word.eq_ignore_ascii_case(name).then_some(status))
}

fn code(text: &[u8]) -> Option<Code> {
    let start = text.iter().position(|&b| b != b' ')?;
    let inner = text.get(start..)?.strip_prefix(b"[")?;
    let end = inner.iter().position(|&b| b == b']')?;
    let mut values = parse(inner.get(..end)?).into_iter();
    let name = values.next()?.word();
    Some(Code { name, values: values.collect() })
}

/// What one FETCH response says of one message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fetched {
    items: Vec<(String, Value)>,
}

impl Fetched {
    fn read(rest: &[u8]) -> Self {
        let values = parse(rest);
        let Some(Value::List(list)) = values.into_iter().next() else { return Self::default() };
        let mut items = Vec::new();
        let mut list = list.into_iter();
        while let Some(name) = list.next() {
            let Some(value) = list.next() else { break };
            items.push((name.word(), value));
        }
        Self { items }
    }

    /// The message's UID.
    pub(crate) fn uid(&self) -> Option<u32> {
        self.get("UID")?.number().filter(|uid| *uid > 0)
    }

    /// An item by its name in capitals.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.items.iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }

    /// The text of a `BODY[…]` item by its section. Servers spell `HEADER.FIELDS` lists in their own way, so whatever
    /// follows the word there is not compared.
    pub(crate) fn body(&self, section: &str) -> Option<&[u8]> {
        self.items.iter().find(|(name, _)| is_body(name, section)).and_then(|(_, value)| value.bytes())
    }

    /// The same, taken out.
    pub(crate) fn take_body(&mut self, section: &str) -> Option<Vec<u8>> {
        let at = self.items.iter().position(|(name, _)| is_body(name, section))?;
        self.items.swap_remove(at).1.into_bytes()
    }

    /// Puts what another response says of the same message beside this.
    pub(crate) fn merge(&mut self, other: Self) {
        for (name, value) in other.items {
            match self.items.iter_mut().find(|(found, _)| *found == name) {
                Some((_, old)) => *old = value,
                None => self.items.push((name, value)),
            }
        }
    }
}

fn is_body(name: &str, section: &str) -> bool {
    let inside = name.strip_prefix("BODY").and_then(|rest| rest.strip_prefix('['));
    let Some(rest) = inside.and_then(|rest| rest.strip_prefix(section)) else {
        return false;
    };
    rest.starts_with(']') || (section == "HEADER.FIELDS" && rest.starts_with([' ', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_apart_in_any_letter_case() {
        assert_eq!(Response::read(b"+ go\r\n"), Response::Continue);
        assert_eq!(Response::read(b"* bye x\r\n"), Response::Bye);
        assert_eq!(
            Response::read(b"* 3 exists\r\n"),
            Response::Numbered { number: 3, name: "EXISTS".into() }
        );
        let Response::Tagged { tag, status, code } = Response::read(b"A1 No [TryCreate] gone\r\n") else {
            panic!()
        };
        assert_eq!((tag.as_str(), status, code.unwrap().name.as_str()), ("A1", Status::No, "TRYCREATE"));
        assert!(matches!(
            Response::read(b"* OK\r\n"),
            Response::Condition { status: Status::Ok, code: None }
        ));
        assert_eq!(Response::read(b"\xff\xfe\r\n"), Response::Unknown);
        assert_eq!(
            Response::read(b"* search 3 1  0 x 4294967296 7 (MODSEQ 9)\r\n"),
            Response::Searched(vec![3, 1, 7])
        );
    }

    #[test]
    fn codes_keep_their_values() {
        let Response::Tagged { code: Some(code), .. } =
            Response::read(b"A1 OK [COPYUID 7 1:2,4 10:12] done\r\n")
        else {
            panic!()
        };
        assert_eq!(code.name, "COPYUID");
        assert_eq!(code.values.iter().map(Value::word).collect::<Vec<_>>(), ["7", "1:2,4", "10:12"]);
    }

    #[test]
    fn fetch_items_are_found_whatever_stands_around_them() {
        let line = b"* 5 FETCH (uid 9 BODY[HEADER.FIELDS (Subject \"From\")] {3}\r\na:b BODY[1]<0> \"x\" MODSEQ (12) )\r\n";
        let Response::Fetch(mut fetched) = Response::read(line) else { panic!() };
        assert_eq!(fetched.uid(), Some(9));
        assert_eq!(fetched.body("HEADER.FIELDS"), Some(&b"a:b"[..]));
        assert_eq!(fetched.take_body("1").as_deref(), Some(&b"x"[..]));
        assert_eq!(fetched.body("1.2"), None);
    }
}
