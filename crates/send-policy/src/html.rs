//! An HTML part as text, for the prompt: everything that could be read in it, and where its links go.
//!
//! Nothing is left out for being hidden, on purpose: the person is shown what leaves, not what a mail program would
//! show. Only the tokens are read, so this takes linear time on any input; markup itself goes nowhere.

use std::cell::RefCell;

use html5ever::{
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states::RawKind},
};

/// Elements that begin a line of their own.
const LINE_BREAKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "legend",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "title",
    "tr",
    "ul",
];
/// Attributes whose value a mail program shows, or loads and shows.
const SHOWN: &[&str] = &["alt", "title", "placeholder", "label", "src", "background", "poster", "data"];

/// The text of an HTML part.
pub(crate) fn to_text(html: &str) -> String {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Collector::default(), TokenizerOpts::default());
    // No script is ever run, so the tokenizer pauses only for those it meets, and is fed again.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.0.into_inner().finish()
}

#[derive(Default)]
struct Collector(RefCell<Text>);

impl TokenSink for Collector {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut text = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(characters) => text.characters(&characters),
            Token::TagToken(tag) => return text.tag(&tag),
            Token::CommentToken(comment) => text.aside("comment", &comment),
            Token::DoctypeToken(_) | Token::NullCharacterToken | Token::EOFToken | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

/// The text so far.
#[derive(Default)]
struct Text {
    out: String,
    line: String,
    /// The targets of the links that are open, each with where its text began in `line`.
    link: Option<String>,
    said: String,
}

impl Text {
    fn characters(&mut self, characters: &str) {
        for c in characters.chars() {
            if c.is_whitespace() && c != '\u{a0}' {
                // White space runs together, as a mail program shows it.
                if !self.line.is_empty() && !self.line.ends_with(' ') {
                    self.line.push(' ');
                }
            } else {
                self.line.push(c);
            }
        }
        if self.link.is_some() {
            self.said.push_str(characters);
        }
    }

    fn aside(&mut self, what: &str, value: &str) {
        if !value.trim().is_empty() {
            self.characters(&format!(" [{what}: {}] ", value.trim()));
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if name == "a" {
            self.end_link();
        }
        if LINE_BREAKS.contains(&name) {
            self.end_line();
        } else if matches!(name, "td" | "th") {
            self.characters(" ");
        }
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        for attribute in &tag.attrs {
            let attribute_name: &str = &attribute.name.local;
            if name == "a" && attribute_name == "href" {
                self.link = Some(attribute.value.trim().to_owned());
            } else if SHOWN.contains(&attribute_name) || attribute_name == "href" {
                self.aside(&format!("{name} {attribute_name}"), &attribute.value);
            }
        }
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }

    /// Puts a link's target after its text, unless the text is the target.
    fn end_link(&mut self) {
        let Some(target) = self.link.take() else { return };
        let said = std::mem::take(&mut self.said);
        if !target.is_empty() && said.trim() != target && target.strip_prefix("mailto:") != Some(said.trim())
        {
            let text = format!(" <{target}>");
            self.characters(&text);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        if !line.is_empty() {
            if !self.out.is_empty() {
                self.out.push('\n');
            }
            self.out.push_str(line);
        }
    }

    fn finish(mut self) -> String {
        self.end_link();
        self.end_line();
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, text: &str) {
        assert_eq!(to_text(html), text, "{html}");
    }

    #[test]
    fn blocks_become_lines_and_entities_characters() {
        check("<p>Dear&nbsp;Robin,</p><p>one<br>two &amp; three</p>", "Dear\u{a0}Robin,\none\ntwo & three");
        check("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc");
        check("  a \n\t b  ", "a b");
        check("", "");
    }

    #[test]
    fn what_is_hidden_in_a_mail_program_is_shown() {
        check(r#"<div style="display:none">one</div><span hidden>two</span>"#, "one\ntwo");
        check("<!-- three -->", "[comment: three]");
        check("<style>four {}</style><script>five</script>", "four {}five");
        check("<title>six</title><textarea><b>seven</textarea>", "six\n<b>seven");
        check("<noscript>eight</noscript><template>nine</template>", "eightnine");
        check(
            r#"<img src="https://x.example/p.gif" alt="ten">"#,
            "[img src: https://x.example/p.gif] [img alt: ten]",
        );
    }

    #[test]
    fn links_say_where_they_go() {
        check(r#"<a href="https://evil.example/">my bank</a> now"#, "my bank <https://evil.example/> now");
        check(r#"<a href="https://a.example/">https://a.example/</a>"#, "https://a.example/");
        check(r#"<a href="mailto:a@b.example">a@b.example</a>"#, "a@b.example");
        check(r#"<a href="x:1">one<a href="x:2">two"#, "one <x:1>two <x:2>");
    }

    #[test]
    fn hostile_markup_ends() {
        check(&"<a href=x>".repeat(10_000), " <x>".repeat(10_000).trim_start());
        check("<script>a</script><script>b</script>c", "abc");
        check("<plaintext></plaintext>", "</plaintext>");
    }
}
