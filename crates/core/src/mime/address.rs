//! Address lists (RFC 5322, section 3.4) as mail has them: groups, comments, routes, quoted names with encoded
//! words in them, raw 8-bit names, and addresses that nothing encloses.
//!
//! Encoded words are decoded after the list is taken apart, so that a name can't add an address.

use countersign_send_policy::Address;

use super::encoded_word;

/// Most addresses read of one field.
pub const ADDRESSES: usize = 2_000;

/// Reads an address list whose bytes are decoded and whose lines are unfolded.
pub fn parse_list(text: &str) -> Vec<Address> {
    let mut reader = Reader::default();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => reader.quoted(&mut chars),
            '(' => reader.comment(&mut chars),
            '<' => reader.angle(&mut chars),
            ',' | ';' => reader.end(),
            // What stands before a colon is the name of a group.
            ':' if reader.address.is_none() && !reader.verbatim.contains('@') => reader.forget(),
            _ => {
                reader.phrase.push(c);
                reader.verbatim.push(c);
            }
        }
        if reader.found.len() >= ADDRESSES {
            return reader.found;
        }
    }
    reader.end();
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Address>,
    /// The name so far, quotes taken off.
    phrase: String,
    /// The same with quotes, which belong to an address without angle brackets.
    verbatim: String,
    comment: String,
    address: Option<String>,
}

impl Reader {
    fn quoted(&mut self, chars: &mut std::str::Chars<'_>) {
        self.verbatim.push('"');
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    if let Some(escaped) = chars.next() {
                        self.phrase.push(escaped);
                        self.verbatim.extend(['\\', escaped]);
                    }
                }
                '"' => break,
                _ => {
                    self.phrase.push(c);
                    self.verbatim.push(c);
                }
            }
        }
        self.verbatim.push('"');
    }

    fn comment(&mut self, chars: &mut std::str::Chars<'_>) {
        let mut depth = 1_usize;
        if !self.comment.is_empty() {
            self.comment.push(' ');
        }
        while let Some(c) = chars.next() {
            match c {
                '\\' => self.comment.extend(chars.next()),
                '(' => depth = depth.saturating_add(1),
                ')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                _ => self.comment.push(c),
            }
        }
        // A comment separates words.
        self.phrase.push(' ');
        self.verbatim.push(' ');
    }

    fn angle(&mut self, chars: &mut std::str::Chars<'_>) {
        let mut inside = String::new();
        let mut quoted = false;
        while let Some(c) = chars.next() {
            match c {
                '\\' if quoted => {
                    inside.push(c);
                    inside.extend(chars.next());
                    continue;
                }
                '"' => quoted = !quoted,
                '>' if !quoted => break,
                _ => {}
            }
            inside.push(c);
        }
        // The first address counts: a second one is not what replies go to.
        if self.address.is_none() {
            let bare = inside.trim();
            // An obsolete route: `<@relay,@relay:user@host>`.
            let bare = if bare.starts_with('@') {
                bare.rsplit_once(':').map_or(bare, |(_, last)| last)
            } else {
                bare
            };
            self.address = Some(bare.to_owned());
        }
    }

    fn forget(&mut self) {
        self.phrase.clear();
        self.verbatim.clear();
        self.comment.clear();
        self.address = None;
    }

    fn end(&mut self) {
        let address = self.address.take();
        let phrase = std::mem::take(&mut self.phrase);
        let verbatim = std::mem::take(&mut self.verbatim);
        let comment = std::mem::take(&mut self.comment);
        let (addr_spec, name) = match address {
            Some(address) => (address, phrase),
            None => match verbatim.split_whitespace().find(|word| word.contains('@')) {
                Some(_) if verbatim.trim_start().starts_with('"') => {
                    (verbatim.trim().to_owned(), String::new())
                }
                Some(word) => (word.to_owned(), phrase.replacen(word, " ", 1)),
                None => (verbatim.trim().to_owned(), String::new()),
            },
        };
        let addr_spec: String = addr_spec.chars().filter(|c| !c.is_control()).collect();
        let addr_spec = addr_spec.trim();
        let name = if name.trim().is_empty() { comment } else { name };
        let name = one_line(&encoded_word::decode(&name));
        if addr_spec.is_empty() && name.is_empty() {
            return;
        }
        self.found.push(Address {
            display_name: Some(name).filter(|name| !name.is_empty()),
            addr_spec: addr_spec.to_owned(),
        });
    }
}

/// Controls to blanks, runs of blanks to one.
fn one_line(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let cases: &[(&str, &str, &str)] = &[
            ("Ada Rook <ada@rook.example>", "Ada Rook=ada@rook.example", "a name"),
            ("ada@rook.example", "=ada@rook.example", "bare"),
            (
                "a@x.example, \"Rook, Ada\" <b@x.example>",
                "=a@x.example|Rook, Ada=b@x.example",
                "a comma in quotes",
            ),
            ("ada@rook.example (Ada Rook)", "Ada Rook=ada@rook.example", "a comment as name"),
            (
                "Team: a@x.example, B <b@x.example>;, c@x.example",
                "=a@x.example|B=b@x.example|=c@x.example",
                "a group",
            ),
            ("undisclosed-recipients:;", "", "an empty group"),
            ("<@relay.example,@b.example:ada@rook.example>", "=ada@rook.example", "a route"),
            ("=?utf-8?B?xb1vZmll?= <z@x.example>", "Žofie=z@x.example", "an encoded word"),
            ("\"=?utf-8?q?Ji=C5=99=C3=AD?=\" <j@x.example>", "Jiří=j@x.example", "an encoded word in quotes"),
            (
                "=?utf-8?q?evil=40x.example=2C_b=40y.example?= <a@x.example>",
                "evil@x.example, b@y.example=a@x.example",
                "a name that would be two addresses stays a name",
            ),
            ("\"john doe\"@x.example", "=\"john doe\"@x.example", "a quoted local part"),
            ("\"a \\\" b\" <a@x.example>", "a \" b=a@x.example", "an escaped quote"),
            ("Ada ada@x.example", "Ada=ada@x.example", "no brackets"),
            ("žofie@pošta.example", "=žofie@pošta.example", "an internationalised address"),
            ("Ada <ada@x.example> <eve@y.example>", "Ada=ada@x.example", "two addresses in one"),
            ("root", "=root", "a local name"),
            (",,;", "", "nothing"),
            ("\"Ada <ada@x.example", "=\"Ada <ada@x.example\"", "a quote without an end"),
        ];
        for (given, wanted, why) in cases {
            let got: Vec<String> = parse_list(given)
                .iter()
                .map(|one| format!("{}={}", one.display_name.as_deref().unwrap_or(""), one.addr_spec))
                .collect();
            assert_eq!(got.join("|"), *wanted, "{why}");
        }
    }
}
