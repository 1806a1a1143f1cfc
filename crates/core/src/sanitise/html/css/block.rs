//! Declaration blocks: the properties that decide visibility, with `!important`.

use super::{plain, position, split, without_comments};

/// Most declarations read of one block. Past it the block hides: what follows could have.
const DECLARATIONS: usize = 1_000;
/// Longest value read. A longer background (a picture in a `data:` URL) says nothing about visibility but its first
/// words; any other longer value hides, since no real one is.
const VALUE: usize = 1_000;

/// One declaration: names and values in lower case, escapes decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Declaration {
    pub(in super::super) name: String,
    pub(in super::super) value: String,
    pub(in super::super) important: bool,
}

impl Declaration {
    /// What stands for something that isn't read to its end.
    fn hides() -> Self {
        Self { name: "display".to_owned(), value: "none".to_owned(), important: true }
    }

    /// Whether this can only hide, so that it counts also where a rule applies for some readers alone.
    pub(super) fn only_hides(&self) -> bool {
        match self.name.as_str() {
            "display" => self.value == "none",
            "visibility" => matches!(self.value.as_str(), "hidden" | "collapse"),
            "mso-hide" => true,
            "opacity" => super::value::number(&self.value).is_some_and(|alpha| alpha < 0.1),
            "font-size" => super::value::length(&self.value, 16.0, 16.0).is_some_and(|size| size < 3.0),
            _ => false,
        }
    }
}

/// Reads a `style` attribute or the inside of a rule.
pub(in super::super) fn parse(css: &str) -> Vec<Declaration> {
    let css = without_comments(css);
    let mut all: Vec<Declaration> =
        split(&css, ';').filter_map(declaration).take(DECLARATIONS.saturating_add(1)).collect();
    if all.len() > DECLARATIONS {
        all = vec![Declaration::hides()];
    }
    all
}

fn declaration(text: &str) -> Option<Declaration> {
    let colon = position(text, |c| c == ':')?;
    let (name, value) = text.split_at_checked(colon)?;
    let name = plain(name);
    if !is_relevant(&name) {
        return None;
    }
    let value = value.strip_prefix(':')?;
    let value = one_blank(value);
    if value.len() > VALUE && !name.starts_with("background") {
        return Some(Declaration::hides());
    }
    let mut value = plain(value.get(..value.floor_char_boundary(VALUE)).unwrap_or(&value));
    let mut important = false;
    if let Some((before, after)) = value.rsplit_once('!')
        && after.trim() == "important"
    {
        important = true;
        value = before.trim_end().to_owned();
    }
    Some(Declaration { name, value, important })
}

/// Blanks of any length as one, so that padding can't push the end of a value out of what is read.
fn one_blank(value: &str) -> String {
    let mut out = String::with_capacity(value.len().min(VALUE));
    for word in value.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn is_relevant(name: &str) -> bool {
    matches!(
        name,
        "display"
            | "visibility"
            | "opacity"
            | "filter"
            | "-webkit-filter"
            | "-ms-filter"
            | "font"
            | "font-size"
            | "line-height"
            | "color"
            | "-webkit-text-fill-color"
            | "background"
            | "background-color"
            | "background-image"
            | "position"
            | "left"
            | "top"
            | "right"
            | "bottom"
            | "inset"
            | "margin"
            | "margin-left"
            | "margin-top"
            | "margin-right"
            | "margin-inline-start"
            | "margin-block-start"
            | "text-indent"
            | "transform"
            | "-webkit-transform"
            | "-ms-transform"
            | "scale"
            | "translate"
            | "zoom"
            | "clip"
            | "clip-path"
            | "-webkit-clip-path"
            | "overflow"
            | "overflow-x"
            | "overflow-y"
            | "height"
            | "width"
            | "max-height"
            | "max-width"
            | "float"
            | "content-visibility"
            | "mso-hide"
            | "white-space"
            | "letter-spacing"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        let cases: &[(&str, &str, &str)] = &[
            ("DISPLAY : None ;", "display=none", "case and blanks"),
            ("display/**/:/* x */none", "display=none", "comments anywhere"),
            ("d\\69splay:n\\6f ne", "display=none", "escapes"),
            ("display:none!important", "display=none!", "important"),
            ("display:none ! IMPORTANT", "display=none!", "important with blanks"),
            ("font-family:'a;b';display:none", "display=none", "a semicolon in quotes"),
            (
                "background:url(data:a;b);color:red",
                "background=url(data:a;b),color=red",
                "a semicolon in a URL",
            ),
            ("color:red;;:;x;font-size", "color=red", "rubbish between"),
            ("", "", "nothing"),
        ];
        for (css, wanted, why) in cases {
            let got: Vec<String> = parse(css)
                .iter()
                .map(|one| format!("{}={}{}", one.name, one.value, if one.important { "!" } else { "" }))
                .collect();
            assert_eq!(got.join(","), *wanted, "{why}");
        }
    }
}
