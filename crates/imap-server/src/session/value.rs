//! The values that IMAP answers are made of: atoms, strings, literals and lists (RFC 9051 §4), read leniently. Nesting is
//! bounded and walked without recursion; where an answer stops making sense, what was read up to there is kept.

/// Deepest nesting of lists that is kept; what lies deeper is read and dropped.
const MAX_DEPTH: usize = 64;
/// Most values of one answer: a thousand parts in a BODYSTRUCTURE take some twenty thousand. Each costs many times the
/// byte or two that announce it.
const MAX_VALUES: usize = 200_000;

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// `NIL`.
    Nil,
    /// An atom, number, flag or fetch item name (`BODY[1.MIME]<0>`), as sent.
    Atom(Vec<u8>),
    /// A quoted string or a literal.
    Text(Vec<u8>),
    /// A parenthesised list.
    List(Vec<Value>),
}

impl Value {
    /// The bytes of an atom or string.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Atom(bytes) | Self::Text(bytes) => Some(bytes),
            Self::Nil | Self::List(_) => None,
        }
    }

    /// The bytes, taken out.
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Atom(bytes) | Self::Text(bytes) => Some(bytes),
            Self::Nil | Self::List(_) => None,
        }
    }

    /// An atom or string as text, where it is UTF-8.
    pub(crate) fn text(&self) -> Option<&str> {
        self.bytes().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// The text in capitals, for comparing words.
    pub(crate) fn word(&self) -> String {
        self.text().unwrap_or_default().to_ascii_uppercase()
    }

    /// A number.
    pub(crate) fn number<N: std::str::FromStr>(&self) -> Option<N> {
        self.text().filter(|text| text.bytes().all(|b| b.is_ascii_digit())).and_then(|text| text.parse().ok())
    }

    /// The items of a list; nothing for anything else.
    pub(crate) fn items(&self) -> &[Value] {
        match self {
            Self::List(items) => items,
            Self::Nil | Self::Atom(_) | Self::Text(_) => &[],
        }
    }
}

/// Reads values until the end of the text, or until it stops making sense.
pub(crate) fn parse(mut rest: &[u8]) -> Vec<Value> {
    let mut open: Vec<Vec<Value>> = Vec::new();
    let mut top = Vec::new();
    let mut too_deep = 0_usize;
    let mut count = 0_usize;
    while let Some((&first, after)) = rest.split_first() {
        let value = match first {
            b' ' | b'\r' | b'\n' | b'\t' => {
                rest = after;
                continue;
            }
            b'(' => {
                if open.len() >= MAX_DEPTH {
                    too_deep = too_deep.saturating_add(1);
                } else {
                    open.push(Vec::new());
                }
                rest = after;
                continue;
            }
            b')' => {
                rest = after;
                if too_deep > 0 {
                    too_deep = too_deep.saturating_sub(1);
                    continue;
                }
                match open.pop() {
                    Some(items) => Value::List(items),
                    None => continue,
                }
            }
            b'"' => {
                let Some((text, after)) = quoted(after) else { break };
                rest = after;
                Value::Text(text)
            }
            b'{' | b'~' if literal_length(rest).is_some() => {
                let Some((text, after)) = literal(rest) else { break };
                rest = after;
                Value::Text(text.to_vec())
            }
            _ => {
                let (atom, after) = atom(rest);
                rest = after;
                if atom.eq_ignore_ascii_case(b"NIL") { Value::Nil } else { Value::Atom(atom.to_vec()) }
            }
        };
        count = count.saturating_add(1);
        if count > MAX_VALUES {
            break;
        }
        if too_deep == 0 {
            open.last_mut().unwrap_or(&mut top).push(value);
        }
    }
    // Lists that were never closed still hold what was read of them.
    while let Some(items) = open.pop() {
        open.last_mut().unwrap_or(&mut top).push(Value::List(items));
    }
    top
}

/// A quoted string after its opening quote; 8-bit bytes are kept as they are.
fn quoted(input: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut text = Vec::new();
    let mut bytes = input.iter().enumerate();
    while let Some((at, &byte)) = bytes.next() {
        match byte {
            b'"' => return input.split_at_checked(at.saturating_add(1)).map(|(_, rest)| (text, rest)),
            b'\\' => text.push(*bytes.next()?.1),
            _ => text.push(byte),
        }
    }
    None
}

/// An atom: up to a space or parenthesis, where `[…]` belongs to it with all that stands between.
fn atom(input: &[u8]) -> (&[u8], &[u8]) {
    let mut in_section = false;
    let end = input.iter().position(|byte| match byte {
        b'[' => {
            in_section = true;
            false
        }
        b']' => {
            in_section = false;
            false
        }
        b'\r' | b'\n' => true,
        b' ' | b'(' | b')' => !in_section,
        _ => false,
    });
    input.split_at_checked(end.unwrap_or(input.len())).unwrap_or((input, &[]))
}

/// The length in `{n}`, `{n+}` or `~{n}` at the start, and how many bytes announce it (without the line end).
fn literal_length(input: &[u8]) -> Option<(usize, usize)> {
    let line_end = input.iter().position(|&b| b == b'\r' || b == b'\n')?;
    let line = input.get(..line_end)?;
    announced_literal(line).filter(|(_, from)| *from == 0).map(|(length, _)| (length, line_end))
}

fn literal(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, line_end) = literal_length(input)?;
    let (_, rest) = input.split_at_checked(line_end)?;
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    let rest = rest.strip_prefix(b"\n")?;
    rest.split_at_checked(length)
}

/// Whether a line ends by announcing a literal: its length, and where in the line the announcement starts.
pub(super) fn announced_literal(line: &[u8]) -> Option<(usize, usize)> {
    let inner = line.strip_suffix(b"}")?;
    let inner = inner.strip_suffix(b"+").unwrap_or(inner);
    let open = inner.iter().rposition(|&b| b == b'{')?;
    let digits = std::str::from_utf8(inner.get(open.saturating_add(1)..)?).ok()?;
    let length = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
    let tilde = open.checked_sub(1).and_then(|at| line.get(at)) == Some(&b'~');
    Some((length, if tilde { open.saturating_sub(1) } else { open }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], expected: &str) {
        fn show(value: &Value) -> String {
            match value {
                Value::Nil => "NIL".into(),
                Value::Atom(a) => String::from_utf8_lossy(a).into_owned(),
                Value::Text(t) => format!("{:?}", String::from_utf8_lossy(t)),
                Value::List(items) => format!("({})", items.iter().map(show).collect::<Vec<_>>().join(" ")),
            }
        }
        let shown = parse(input).iter().map(show).collect::<Vec<_>>().join(" ");
        assert_eq!(shown, expected, "{:?}", String::from_utf8_lossy(input));
    }

    #[test]
    fn values_are_read_as_the_field_sends_them() {
        check(b"(\\HasNoChildren) \"/\" INBOX", "(\\HasNoChildren) \"/\" INBOX");
        check(b"(UID 7 FLAGS (\\Seen) )", "(UID 7 FLAGS (\\Seen))");
        check(b"(a  b)  c", "(a b) c");
        check(
            b"(BODY[HEADER.FIELDS (FROM \"TO\")] {5}\r\na)\r\nb X nil)",
            "(BODY[HEADER.FIELDS (FROM \"TO\")] \"a)\\r\\nb\" X NIL)",
        );
        check(b"({1+}\r\nx ~{2}\r\nyz)", "(\"x\" \"yz\")");
        check(b"(\"a\\\"b\\\\\" \"\")", "(\"a\\\"b\\\\\" \"\")");
        check("(\"žluť\")".as_bytes(), "(\"žluť\")");
    }

    #[test]
    fn what_stops_making_sense_keeps_what_was_read() {
        check(b"(UID 7 \"never closed", "(UID 7)");
        check(b"(UID 7 X {99}\r\nshort", "(UID 7 X)");
        check(b")) a", "a");
    }

    #[test]
    fn nesting_is_bounded() {
        let mut deep = vec![b'('; 100_000];
        deep.extend(vec![b')'; 100_000]);
        deep.extend(b" end");
        assert_eq!(parse(&deep).last(), Some(&Value::Atom(b"end".to_vec())));
    }

    #[test]
    fn the_number_of_values_is_bounded() {
        assert_eq!(parse(&b"1 ".repeat(2 * MAX_VALUES)).len(), MAX_VALUES);
    }

    #[test]
    fn literals_are_announced_at_the_end_of_a_line_only() {
        assert_eq!(announced_literal(b"* 1 FETCH (X {12}"), Some((12, 13)));
        assert_eq!(announced_literal(b"a ~{3+}"), Some((3, 2)));
        for line in [&b"{x}"[..], b"{}1", b"12}", b"{1} "] {
            assert_eq!(announced_literal(line), None);
        }
        assert_eq!(announced_literal(b"{99999999999999999999999}"), None);
    }
}
