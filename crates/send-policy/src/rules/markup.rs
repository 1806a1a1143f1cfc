//! Rule: nothing goes out that a mail program loads by itself, and no comment.
//!
//! A remote picture tells its host who read the message, when and where; a style sheet or a frame brings in what nobody
//! confirmed; a comment is markup to some mail programs (Outlook's conditional ones). Such a formatted version is
//! refused for every recipient. The lists are wider than what loads today, because a draft that a person writes has no
//! use for any of it.
//!
//! The HTML is hostile. It is read as a reader without scripting reads it, tag by tag: building the tree could only
//! drop tags that stand here, never add one, and takes quadratic time on some inputs. Elements whose content is raw text
//! are refused at their start tag, so nothing can hide from the tokenizer in them; `title`, whose content is text too,
//! may hold no `<`. What this doesn't judge: where a link goes. The prompt shows that.

use std::cell::Cell;

use html5ever::{
    Attribute,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states::RawKind},
};

use crate::{fields::DraftFields, refusal::Refusal};

/// Elements that load, or that are read differently by different readers.
const REFUSED_ELEMENTS: &[&str] = &[
    "applet",
    "audio",
    "base",
    "basefont",
    "bgsound",
    "canvas",
    "embed",
    "fencedframe",
    "frame",
    "frameset",
    "iframe",
    "ilayer",
    "image",
    "input",
    "isindex",
    "keygen",
    "layer",
    "link",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "param",
    "picture",
    "plaintext",
    "portal",
    "script",
    "source",
    "style",
    "svg",
    "template",
    "textarea",
    "track",
    "video",
    "xml",
    "xmp",
];

/// Attributes that load on whatever element they stand, by their name after any prefix (`v:src`, `xlink:href`).
const REFUSED_ATTRIBUTES: &[&str] = &[
    "archive",
    "background",
    "classid",
    "code",
    "codebase",
    "data",
    "datasrc",
    "dynsrc",
    "formaction",
    "icon",
    "imagesrcset",
    "longdesc",
    "lowsrc",
    "manifest",
    "ping",
    "pluginspage",
    "poster",
    "profile",
    "src",
    "srcdoc",
    "srcset",
    "usemap",
];

/// The attributes of a picture that is part of the message.
const PICTURE_ATTRIBUTES: &[&str] = &[
    "src", "alt", "title", "width", "height", "style", "class", "id", "border", "align", "hspace", "vspace",
];

/// Refuses a formatted version with markup that loads something, or with a comment. Where `embedded`, an `img` that
/// shows an attachment of the message passes.
pub(super) fn loads_nothing(fields: &DraftFields, embedded: bool) -> Result<(), Refusal> {
    let Some(html) = &fields.html else { return Ok(()) };
    let parts: Vec<&str> = if embedded {
        fields.attachments.iter().filter_map(|part| part.content_id.as_deref()).collect()
    } else {
        Vec::new()
    };
    check(html, &parts)
}

/// Checks HTML, given the Content-IDs of the parts that it may show.
pub(crate) fn check(html: &str, parts: &[&str]) -> Result<(), Refusal> {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let checker = Checker { parts, in_title: Cell::new(false), found: Cell::new(None) };
    let tokenizer = Tokenizer::new(checker, TokenizerOpts::default());
    // The tokenizer pauses after a script's end tag, and is fed again.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.found.get().map_or(Ok(()), Err)
}

struct Checker<'a> {
    parts: &'a [&'a str],
    in_title: Cell<bool>,
    /// The first thing found.
    found: Cell<Option<Refusal>>,
}

impl Checker<'_> {
    fn refuse(&self, refusal: Refusal) {
        self.found.set(self.found.get().or(Some(refusal)));
    }

    fn tag(&self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        self.in_title.set(false);
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        if is_refused(name, &tag.attrs, self.parts) {
            self.refuse(Refusal::LoadingMarkup);
        }
        if name == "title" {
            self.in_title.set(true);
            return TokenSinkResult::RawData(RawKind::Rcdata);
        }
        TokenSinkResult::Continue
    }
}

impl TokenSink for Checker<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => return self.tag(&tag),
            Token::CommentToken(_) => self.refuse(Refusal::Comment),
            Token::CharacterTokens(text) if self.in_title.get() && text.contains('<') => {
                self.refuse(Refusal::LoadingMarkup);
            }
            Token::CharacterTokens(_)
            | Token::DoctypeToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

/// Whether a start tag loads something.
fn is_refused(name: &str, attributes: &[Attribute], parts: &[&str]) -> bool {
    match name {
        "img" => !shows_a_part(attributes, parts),
        "meta" => !is_plain_meta(attributes),
        _ => REFUSED_ELEMENTS.contains(&without_prefix(name)) || attributes.iter().any(loads),
    }
}

/// A picture out of the message itself (RFC 2392), with nothing on it that could load another.
fn shows_a_part(attributes: &[Attribute], parts: &[&str]) -> bool {
    let mut shown = false;
    for attribute in attributes {
        let name: &str = &attribute.name.local;
        if !PICTURE_ATTRIBUTES.contains(&name) {
            return false;
        }
        if name == "src" {
            let Some(id) = content_id(&attribute.value) else { return false };
            shown = parts.contains(&id.as_str());
        } else if loads(attribute) {
            return false;
        }
    }
    shown
}

/// The Content-ID that a `cid:` URL names, its percent escapes resolved.
fn content_id(url: &str) -> Option<String> {
    let (scheme, escaped) = url.split_at_checked(4)?;
    if !scheme.eq_ignore_ascii_case("cid:") {
        return None;
    }
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let digit = |b: u8| char::from(b).to_digit(16);
            let value = digit(rest.next()?)?.checked_mul(16)?.checked_add(digit(rest.next()?)?)?;
            u8::try_from(value).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(bytes).ok()
}

/// A `meta` that says which charset or program the text is of, and does nothing (`refresh` would load another page).
fn is_plain_meta(attributes: &[Attribute]) -> bool {
    attributes.iter().all(|attribute| match &*attribute.name.local {
        "charset" | "name" | "content" => true,
        "http-equiv" => attribute.value.trim().eq_ignore_ascii_case("content-type"),
        _ => false,
    })
}

/// Whether an attribute loads something, or runs.
fn loads(attribute: &Attribute) -> bool {
    let written: &str = &attribute.name.local;
    let name = without_prefix(written);
    let prefixed = name.len() != written.len();
    REFUSED_ATTRIBUTES.contains(&name)
        || name.starts_with("on")
        || (prefixed && name == "href")
        || (name == "style" && style_loads(&attribute.value))
}

/// A function (`url(…)`, `image-set(…)`, `expression(…)`), an escape that could spell one, or a rule of a style sheet.
fn style_loads(style: &str) -> bool {
    style.contains(['(', '\\', '@', '{'])
}

fn without_prefix(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

#[cfg(test)]
mod tests;
