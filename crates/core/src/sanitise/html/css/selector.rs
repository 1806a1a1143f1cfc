//! Selectors: types, classes, ids, attributes, the structural pseudo-classes, `:not` and `:is`, four combinators.
//!
//! Classes and ids are compared without case: most mail has no doctype, and browsers then compare them so.
//! Matching charges each step to a [`Budget`]; a spent budget ends the walk ([`super::super::walk`]), since an
//! answer either way could show what is hidden.

use super::super::dom::{Element, NodeId, Tree};
use super::{plain, position, split};

/// Most simple selectors in one selector, and most nesting of `:not` and `:is`.
const PARTS: usize = 64;
const NESTING: usize = 2;

/// Steps left for matching and applying rules.
#[derive(Debug)]
pub(in super::super) struct Budget(pub(in super::super) usize);

impl Budget {
    pub(in super::super) fn take(&mut self, steps: usize) {
        self.0 = self.0.saturating_sub(steps);
    }

    pub(in super::super) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combinator {
    Descendant,
    Child,
    Next,
    Later,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Simple {
    Type(String),
    Class(String),
    Id(String),
    Attribute {
        name: String,
        operator: char,
        value: String,
    },
    Root,
    Link,
    First,
    Last,
    Nth {
        step: i64,
        offset: i64,
    },
    Not(Vec<Compound>),
    Is(Vec<Compound>),
    /// `:hover`, `::before`: never true of text at rest.
    Never,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Compound(Vec<Simple>);

/// A selector, its rightmost compound first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selector {
    subject: Compound,
    /// Each compound further left, with what joins it to the one before in this list.
    rest: Vec<(Combinator, Compound)>,
    pub(super) specificity: (u16, u16, u16),
    /// Whether it holds something that isn't read here, which was left out.
    pub(super) is_partial: bool,
}

/// What a rule is filed under: the most selective part of its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Id(String),
    Class(String),
    Type(String),
    Any,
}

impl Selector {
    pub(super) fn key(&self) -> Key {
        let of = |wanted: fn(&Simple) -> Option<Key>| self.subject.0.iter().find_map(wanted);
        of(|one| if let Simple::Id(id) = one { Some(Key::Id(id.clone())) } else { None })
            .or_else(|| {
                of(|one| if let Simple::Class(class) = one { Some(Key::Class(class.clone())) } else { None })
            })
            .or_else(|| {
                of(|one| if let Simple::Type(name) = one { Some(Key::Type(name.clone())) } else { None })
            })
            .unwrap_or(Key::Any)
    }
}

/// Reads one selector; nothing where it isn't one.
pub(super) fn parse(text: &str) -> Option<Selector> {
    let mut reader = Reader { parts: 0, is_partial: false, specificity: (0, 0, 0) };
    let mut rest = text.trim();
    let mut compounds: Vec<(Combinator, Compound)> = Vec::new();
    let mut combinator = Combinator::Descendant;
    while !rest.is_empty() {
        let end = position(rest, |c| c.is_whitespace() || matches!(c, '>' | '+' | '~')).unwrap_or(rest.len());
        let (head, tail) = rest.split_at_checked(end)?;
        compounds.push((combinator, reader.compound(head, 0)?));
        combinator = Combinator::Descendant;
        rest = tail.trim_start();
        let joined = match rest.chars().next() {
            Some('>') => Combinator::Child,
            Some('+') => Combinator::Next,
            Some('~') => Combinator::Later,
            _ => continue,
        };
        combinator = joined;
        rest = rest.get(1..)?.trim_start();
        if rest.is_empty() {
            return None;
        }
    }
    let mut reversed = compounds.into_iter().rev();
    let (mut joint, subject) = reversed.next()?;
    let mut left = Vec::new();
    for (next_joint, compound) in reversed {
        left.push((joint, compound));
        joint = next_joint;
    }
    if reader.parts > PARTS {
        left.clear();
    }
    Some(Selector { subject, rest: left, specificity: reader.specificity, is_partial: reader.is_partial })
}

struct Reader {
    parts: usize,
    is_partial: bool,
    specificity: (u16, u16, u16),
}

impl Reader {
    fn compound(&mut self, text: &str, nesting: usize) -> Option<Compound> {
        let mut simples = Vec::new();
        let mut rest = text;
        if rest.is_empty() {
            return None;
        }
        while let Some(first) = rest.chars().next() {
            self.parts = self.parts.saturating_add(1);
            if self.parts > PARTS {
                self.is_partial = true;
                break;
            }
            let after = rest.get(first.len_utf8()..)?;
            match first {
                // `*`, `*|p`, `|p`: a namespace selects nothing more in mail.
                '*' | '|' => rest = after,
                '.' => {
                    let (name, tail) = name(after)?;
                    simples.push(Simple::Class(name));
                    self.specificity.1 = self.specificity.1.saturating_add(1);
                    rest = tail;
                }
                '#' => {
                    let (name, tail) = name(after)?;
                    simples.push(Simple::Id(name));
                    self.specificity.0 = self.specificity.0.saturating_add(1);
                    rest = tail;
                }
                '[' => {
                    let end = position(after, |c| c == ']').unwrap_or(after.len());
                    let (inside, tail) = after.split_at_checked(end)?;
                    simples.push(attribute(inside)?);
                    self.specificity.1 = self.specificity.1.saturating_add(1);
                    rest = tail.strip_prefix(']').unwrap_or(tail);
                }
                ':' => {
                    let (simple, tail) = self.pseudo(after, nesting)?;
                    self.specificity.1 = self.specificity.1.saturating_add(1);
                    simples.extend(simple);
                    rest = tail;
                }
                _ => {
                    let (name, tail) = name(rest)?;
                    simples.push(Simple::Type(name));
                    self.specificity.2 = self.specificity.2.saturating_add(1);
                    rest = tail;
                }
            }
        }
        Some(Compound(simples))
    }

    fn pseudo<'a>(&mut self, text: &'a str, nesting: usize) -> Option<(Option<Simple>, &'a str)> {
        if let Some(element) = text.strip_prefix(':') {
            let (_, tail) = name(element)?;
            return Some((Some(Simple::Never), arguments(tail).1));
        }
        let (class, tail) = name(text)?;
        let (inside, tail) = arguments(tail);
        let simple = match class.as_str() {
            "root" => Simple::Root,
            "link" | "any-link" | "-webkit-any-link" => Simple::Link,
            "first-child" => Simple::First,
            "last-child" => Simple::Last,
            "nth-child" => match nth(inside) {
                Some((step, offset)) => Simple::Nth { step, offset },
                None => return Some((self.unread(), tail)),
            },
            "checked" => held("checked"),
            "disabled" => held("disabled"),
            "not" | "is" | "where" | "matches" | "-webkit-any" | "-moz-any" if nesting < NESTING => {
                match self.list(inside, nesting.saturating_add(1)) {
                    None => return Some((self.unread(), tail)),
                    Some(list) if class == "not" => Simple::Not(list),
                    Some(list) => Simple::Is(list),
                }
            }
            "hover" | "focus" | "focus-within" | "focus-visible" | "active" | "visited" | "target"
            | "before" | "after" | "first-letter" | "first-line" => Simple::Never,
            _ => return Some((self.unread(), tail)),
        };
        Some((Some(simple), tail))
    }

    /// Something that isn't read is left out: the selector then selects no less than it says.
    fn unread<T>(&mut self) -> Option<T> {
        self.is_partial = true;
        None
    }

    /// The list in `:not()` or `:is()`; nothing where a part of it isn't read, since leaving that out of a
    /// negation would select less.
    fn list(&mut self, inside: &str, nesting: usize) -> Option<Vec<Compound>> {
        let mut reader = Self { parts: self.parts, is_partial: false, specificity: self.specificity };
        let mut list = Vec::new();
        for one in split(inside, ',').map(str::trim) {
            if position(one, |c| c.is_whitespace() || matches!(c, '>' | '+' | '~')).is_some() {
                return None;
            }
            list.push(reader.compound(one, nesting)?);
        }
        self.parts = reader.parts;
        self.specificity = reader.specificity;
        (!reader.is_partial).then_some(list)
    }
}

/// Holds where the attribute stands.
fn held(attribute: &str) -> Simple {
    Simple::Attribute { name: attribute.to_owned(), operator: ' ', value: String::new() }
}

/// An identifier and what follows it.
fn name(text: &str) -> Option<(String, &str)> {
    let end = position(text, |c| matches!(c, '.' | '#' | ':' | '*')).unwrap_or(text.len());
    let end = text.get(..end)?.find(['[', '(', ')', ']']).unwrap_or(end);
    let (head, tail) = text.split_at_checked(end)?;
    // An XML prefix, as in `o\:p`, is part of the name; `plain` takes the backslash away.
    let name = plain(head);
    (!name.is_empty()).then_some((name, tail))
}

/// What stands in brackets at the start, and what follows.
fn arguments(text: &str) -> (&str, &str) {
    let Some(after) = text.strip_prefix('(') else { return ("", text) };
    let end = position(after, |c| c == ')').unwrap_or(after.len());
    let (inside, tail) = after.split_at_checked(end).unwrap_or((after, ""));
    (inside, tail.strip_prefix(')').unwrap_or(tail))
}

fn attribute(inside: &str) -> Option<Simple> {
    let Some(equals) = inside.find('=') else {
        return Some(Simple::Attribute { name: plain(inside), operator: ' ', value: String::new() });
    };
    let (name, value) = inside.split_at_checked(equals)?;
    let (name, operator) = match name.trim_end().chars().last() {
        Some(sign @ ('~' | '|' | '^' | '$' | '*')) => (name.trim_end().strip_suffix(sign)?, sign),
        _ => (name, '='),
    };
    let value = value.strip_prefix('=')?.trim();
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value.strip_prefix(quote)?.split(quote).next()?,
        _ => value.split_ascii_whitespace().next().unwrap_or_default(),
    };
    Some(Simple::Attribute { name: plain(name), operator, value: plain(value) })
}

/// `odd`, `even`, `3`, `2n+1`.
fn nth(text: &str) -> Option<(i64, i64)> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    match text.as_str() {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    let Some((step, offset)) = text.split_once('n') else { return Some((0, text.parse().ok()?)) };
    let step = match step {
        "" | "+" => 1,
        "-" => -1,
        _ => step.parse().ok()?,
    };
    Some((step, if offset.is_empty() { 0 } else { offset.parse().ok()? }))
}

/// The elements' places among their siblings, counted once.
pub(in super::super) struct Places(Vec<u32>);

impl Places {
    pub(in super::super) fn of(tree: &Tree) -> Self {
        let mut places = vec![0_u32; tree.len()];
        for parent in 0..tree.len() {
            let mut place = 0_u32;
            for child in tree.children(parent) {
                if tree.element(child).is_some() {
                    place = place.saturating_add(1);
                    if let Some(slot) = places.get_mut(child) {
                        *slot = place;
                    }
                }
            }
        }
        Self(places)
    }

    fn place(&self, id: NodeId) -> i64 {
        self.0.get(id).copied().unwrap_or_default().into()
    }
}

/// What matching needs of the document.
pub(in super::super) struct Document<'a> {
    pub(in super::super) tree: &'a Tree,
    pub(in super::super) places: Places,
}

impl Document<'_> {
    /// Whether an element matches; meaningless once the budget is spent.
    pub(super) fn matches(&self, selector: &Selector, id: NodeId, budget: &mut Budget) -> bool {
        if !self.compound(&selector.subject, id, budget) {
            return false;
        }
        // Places to go back to: a descendant or later-sibling joint may have chosen the wrong element.
        let mut retry: Vec<(usize, NodeId)> = Vec::new();
        let mut at = id;
        let mut joint = 0_usize;
        loop {
            let Some((combinator, compound)) = selector.rest.get(joint) else { return true };
            let mut candidate = self.step(*combinator, at);
            loop {
                budget.take(1);
                if budget.is_spent() {
                    return false;
                }
                let Some(found) = candidate else {
                    // Nothing further on this way: take the last joint that had another choice.
                    let Some((earlier, from)) = retry.pop() else { return false };
                    joint = earlier;
                    at = from;
                    break;
                };
                if self.compound(compound, found, budget) {
                    if matches!(combinator, Combinator::Descendant | Combinator::Later) {
                        retry.push((joint, found));
                    }
                    at = found;
                    joint = joint.saturating_add(1);
                    break;
                }
                candidate = match combinator {
                    Combinator::Descendant | Combinator::Later => self.step(*combinator, found),
                    Combinator::Child | Combinator::Next => None,
                };
            }
        }
    }

    fn step(&self, combinator: Combinator, id: NodeId) -> Option<NodeId> {
        match combinator {
            Combinator::Descendant | Combinator::Child => {
                let parent = self.tree.node(id)?.parent?;
                self.tree.element(parent).map(|_| parent)
            }
            Combinator::Next | Combinator::Later => self.tree.previous_element(id),
        }
    }

    fn compound(&self, compound: &Compound, id: NodeId, budget: &mut Budget) -> bool {
        let Some(element) = self.tree.element(id) else { return false };
        compound.0.iter().all(|simple| self.simple(simple, id, element, budget))
    }

    fn simple(&self, simple: &Simple, id: NodeId, element: &Element, budget: &mut Budget) -> bool {
        budget.take(1);
        match simple {
            Simple::Type(name) => element.local().eq_ignore_ascii_case(name),
            Simple::Id(wanted) => element.attr("id").is_some_and(|id| id.trim().eq_ignore_ascii_case(wanted)),
            Simple::Class(wanted) => {
                budget.take(element.attr("class").map_or(0, str::len) / 16);
                element.has_class(wanted)
            }
            Simple::Attribute { name, operator, value } => element.attr(name).is_some_and(|actual| {
                budget.take(actual.len() / 16);
                compare(&actual.to_ascii_lowercase(), *operator, value)
            }),
            Simple::Root => element.local() == "html",
            Simple::Link => element.local() == "a" && element.attr("href").is_some(),
            Simple::First => self.places.place(id) == 1,
            Simple::Last => self.tree.next_element(id).is_none(),
            Simple::Nth { step, offset } => {
                let distance = self.places.place(id).saturating_sub(*offset);
                match *step {
                    0 => distance == 0,
                    step => {
                        distance.checked_rem(step) == Some(0)
                            && distance.checked_div(step).is_some_and(|n| n >= 0)
                    }
                }
            }
            // Two levels at most, by `NESTING`.
            Simple::Not(list) => !list.iter().any(|one| self.compound(one, id, budget)),
            Simple::Is(list) => list.iter().any(|one| self.compound(one, id, budget)),
            Simple::Never => false,
        }
    }
}

fn compare(actual: &str, operator: char, wanted: &str) -> bool {
    match operator {
        ' ' => true,
        '=' => actual == wanted,
        '~' => actual.split_ascii_whitespace().any(|word| word == wanted),
        '|' => actual.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
        '^' => !wanted.is_empty() && actual.starts_with(wanted),
        '$' => !wanted.is_empty() && actual.ends_with(wanted),
        _ => !wanted.is_empty() && actual.contains(wanted),
    }
}
