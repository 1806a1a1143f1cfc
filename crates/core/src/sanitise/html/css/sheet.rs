//! Style sheets of the mail itself: rules in order, filed by what they select, media queries answered for a
//! screen 1,024 pixels wide in light colours.
//!
//! A query that can't be answered (`prefers-reduced-motion`, `@supports`) applies for some readers: of such rules
//! only the declarations that hide are kept, so that text which some readers see by them stays hidden where the
//! plain rules hide it. `@import`, `@font-face`, `@keyframes` and nested rules aren't read.

use std::collections::HashMap;

use super::super::dom::NodeId;
use super::block::{self, Declaration};
use super::selector::{self, Budget, Document, Key, Selector};
use super::value::{self, CANVAS};
use super::{plain, position, split, without_comments};

/// Most selectors read over all sheets of a message. Past it, and past the nesting, the sheet counts as cut.
const SELECTORS: usize = 20_000;
/// Deepest nesting of `@media` and the like.
const NESTING: usize = 16;

#[derive(Debug)]
struct Rule {
    selector: Selector,
    /// Index into the blocks: rules of one selector list share theirs.
    block: usize,
}

/// All rules of a message.
#[derive(Debug, Default)]
pub(in super::super) struct Sheet {
    rules: Vec<Rule>,
    blocks: Vec<Vec<Declaration>>,
    by_id: HashMap<String, Vec<usize>>,
    by_class: HashMap<String, Vec<usize>>,
    by_type: HashMap<String, Vec<usize>>,
    other: Vec<usize>,
    /// Whether rules were left out: what is visible can't be known then.
    pub(in super::super) is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Applies {
    No,
    Maybe,
    Yes,
}

impl Sheet {
    /// Adds the text of one `style` element. `media` is the element's attribute.
    pub(in super::super) fn add(&mut self, css: &str, media: Option<&str>) {
        let applies = media.map_or(Applies::Yes, media_list);
        if applies == Applies::No {
            return;
        }
        let css = without_comments(css);
        // Text still to be read, innermost last.
        let mut open: Vec<(&str, Applies)> = vec![(&css, applies)];
        while let Some((text, applies)) = open.pop() {
            let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '}'));
            let text =
                text.strip_prefix("<!--").or_else(|| text.strip_prefix("-->")).unwrap_or(text).trim_start();
            if text.is_empty() {
                continue;
            }
            if self.rules.len() >= SELECTORS {
                self.is_cut = true;
                return;
            }
            let Some(end) = position(text, |c| matches!(c, '{' | ';')) else { continue };
            let Some((prelude, rest)) = text.split_at_checked(end) else { continue };
            let Some(rest) = rest.strip_prefix('{') else {
                // `@import …;` or rubbish up to a semicolon.
                open.push((rest.get(1..).unwrap_or_default(), applies));
                continue;
            };
            let (inside, after) = block_end(rest);
            open.push((after, applies));
            let prelude = prelude.trim();
            if let Some(at_rule) = prelude.strip_prefix('@') {
                let inner = at_rule_applies(at_rule).min(applies);
                if inner != Applies::No && open.len() > NESTING {
                    self.is_cut = true;
                    return;
                }
                if inner != Applies::No {
                    open.push((inside, inner));
                }
            } else {
                self.add_rule(prelude, inside, applies);
            }
        }
    }

    fn add_rule(&mut self, selectors: &str, inside: &str, applies: Applies) {
        let all = block::parse(inside);
        if all.is_empty() {
            return;
        }
        let mut hiding = None;
        let mut whole = None;
        for text in split(selectors, ',') {
            if self.rules.len() >= SELECTORS {
                self.is_cut = true;
                return;
            }
            let Some(selector) = selector::parse(text) else { continue };
            let block = if applies == Applies::Yes && !selector.is_partial {
                *whole.get_or_insert_with(|| push(&mut self.blocks, all.clone()))
            } else {
                let only: Vec<Declaration> = all.iter().filter(|one| one.only_hides()).cloned().collect();
                *hiding.get_or_insert_with(|| push(&mut self.blocks, only))
            };
            let index = self.rules.len();
            match selector.key() {
                Key::Id(id) => self.by_id.entry(id).or_default().push(index),
                Key::Class(class) => self.by_class.entry(class).or_default().push(index),
                Key::Type(name) => self.by_type.entry(name).or_default().push(index),
                Key::Any => self.other.push(index),
            }
            self.rules.push(Rule { selector, block });
        }
    }

    /// The blocks of the rules that select an element, weakest first.
    pub(in super::super) fn blocks_for(
        &self,
        document: &Document<'_>,
        id: NodeId,
        budget: &mut Budget,
    ) -> Vec<&[Declaration]> {
        let Some(element) = document.tree.element(id) else { return Vec::new() };
        if self.rules.is_empty() {
            return Vec::new();
        }
        let mut candidates: Vec<usize> = self.other.clone();
        let mut file = |found: Option<&Vec<usize>>| candidates.extend(found.into_iter().flatten());
        file(self.by_type.get(&element.local().to_ascii_lowercase()));
        if let Some(id) = element.attr("id") {
            file(self.by_id.get(&id.trim().to_ascii_lowercase()));
        }
        for class in element.attr("class").unwrap_or_default().split_ascii_whitespace() {
            file(self.by_class.get(&class.to_ascii_lowercase()));
        }
        budget.take(candidates.len());
        let mut matched: Vec<((u16, u16, u16), usize, usize)> = Vec::new();
        for index in candidates {
            let Some(rule) = self.rules.get(index) else { continue };
            if budget.is_spent() {
                break;
            }
            if document.matches(&rule.selector, id, budget) {
                matched.push((rule.selector.specificity, index, rule.block));
            }
        }
        matched.sort_unstable();
        matched.dedup();
        let blocks: Vec<&[Declaration]> =
            matched.iter().filter_map(|(_, _, block)| self.blocks.get(*block)).map(Vec::as_slice).collect();
        budget.take(blocks.iter().map(|block| block.len()).fold(0, usize::saturating_add));
        blocks
    }
}

fn push(blocks: &mut Vec<Vec<Declaration>>, block: Vec<Declaration>) -> usize {
    blocks.push(block);
    blocks.len().saturating_sub(1)
}

/// The inside of a block whose `{` was read, and what follows its `}`.
fn block_end(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    let mut from = 0_usize;
    while let Some(found) = text.get(from..).and_then(|rest| position(rest, |c| matches!(c, '{' | '}'))) {
        let at = from.saturating_add(found);
        from = at.saturating_add(1);
        let Some(brace) = text.as_bytes().get(at) else { break };
        if *brace == b'{' {
            depth = depth.saturating_add(1);
        } else if depth == 0 {
            return (text.get(..at).unwrap_or_default(), text.get(from..).unwrap_or_default());
        } else {
            depth = depth.saturating_sub(1);
        }
    }
    (text, "")
}

fn at_rule_applies(text: &str) -> Applies {
    let (name, condition) = text
        .split_at_checked(text.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(text.len()))
        .unwrap_or((text, ""));
    match plain(name).as_str() {
        "media" => media_list(condition),
        "layer" | "scope" | "document" | "-moz-document" => Applies::Yes,
        "supports" | "container" | "starting-style" => Applies::Maybe,
        _ => Applies::No,
    }
}

/// A list applies where one of its queries does.
fn media_list(list: &str) -> Applies {
    if list.trim().is_empty() {
        return Applies::Yes;
    }
    split(list, ',').map(media_query).max().unwrap_or(Applies::Yes)
}

fn media_query(query: &str) -> Applies {
    let query = plain(query);
    let (negated, query) = match query.strip_prefix("not ") {
        Some(rest) => (true, rest),
        None => (false, query.strip_prefix("only ").unwrap_or(&query)),
    };
    let answer = query.split(" and ").map(|part| media_part(part.trim())).min().unwrap_or(Applies::Yes);
    match (negated, answer) {
        (true, Applies::Yes) => Applies::No,
        (true, Applies::No) => Applies::Yes,
        _ => answer,
    }
}

fn media_part(part: &str) -> Applies {
    match part {
        "all" | "screen" | "" => return Applies::Yes,
        "print" | "speech" | "aural" | "braille" | "embossed" | "handheld" | "projection" | "tty" | "tv" => {
            return Applies::No;
        }
        _ => {}
    }
    let Some(feature) = part.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return Applies::Maybe;
    };
    let Some((name, wanted)) = feature.split_once(':') else { return Applies::Maybe };
    let (name, wanted) = (name.trim(), wanted.trim());
    let holds = |yes: bool| if yes { Applies::Yes } else { Applies::No };
    match (name, value::length(wanted, 16.0, CANVAS)) {
        ("min-width" | "min-device-width", Some(width)) => holds(width <= CANVAS),
        ("max-width" | "max-device-width", Some(width)) => holds(width >= CANVAS),
        ("prefers-color-scheme", _) => holds(wanted == "light"),
        _ => Applies::Maybe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media() {
        let cases: &[(&str, Applies)] = &[
            ("screen", Applies::Yes),
            ("print", Applies::No),
            ("print, screen", Applies::Yes),
            ("only screen and (max-width:600px)", Applies::No),
            ("screen and (min-width: 480px)", Applies::Yes),
            ("(max-width:9999px)", Applies::Yes),
            ("(prefers-color-scheme: dark)", Applies::No),
            ("not print", Applies::Yes),
            ("not screen", Applies::No),
            ("(prefers-reduced-motion: reduce)", Applies::Maybe),
            ("screen and (-webkit-min-device-pixel-ratio:0)", Applies::Maybe),
        ];
        for (query, wanted) in cases {
            assert_eq!(media_list(query), *wanted, "{query}");
        }
    }
}
