//! The walk over the tree: what each element means for the text, and whether it shows.
//!
//! One pass in document order with a stack of its own, as deep as the tree. Rules of the mail's style sheets are
//! matched under a budget; where it runs out the walk ends, since guessing could show what is hidden.

use std::collections::HashSet;

use super::blocks::Writer;
use super::css::selector::{Budget, Document, Places};
use super::css::sheet::Sheet;
use super::dom::{DOCUMENT, Element, Kind, NodeId, Tree};
use super::links::{self, Target};
use super::visibility::{self, Style};
use super::{HtmlText, OUTPUT_LIMIT, tables};

/// Steps for matching and applying rules; a newsletter with a thousand rules takes about a hundred thousand.
const BUDGET: usize = 10_000_000;
/// Longest alternative text of a picture shown, in characters.
const ALTERNATIVE: usize = 300;

/// What to do when an element ends.
#[derive(Debug)]
enum Ending {
    Nothing,
    Separate(u8),
    Prefix,
    Link(Target),
    Row,
}

struct Frame {
    id: NodeId,
    style: Style,
    ending: Ending,
    /// A quote opened by a wrapper, whose own `blockquote` opens no second one.
    wraps_quote: bool,
    /// The number of the next item, in a numbered list.
    next_item: Option<i64>,
    /// Cells written in this row, in a data table.
    cells: Option<usize>,
    is_data_table: bool,
}

pub(super) fn walk(tree: &Tree, keep_hidden: bool) -> HtmlText {
    let document = Document { tree, places: Places::of(tree) };
    let mut walker = Walker {
        document,
        sheet: Sheet::default(),
        data_tables: tables::data_tables(tree),
        base: None,
        budget: Budget(BUDGET),
        keep_hidden,
        writer: Writer::new(OUTPUT_LIMIT),
        hidden_dropped: false,
        frames: Vec::new(),
        picture_in_link: false,
    };
    walker.read_head();
    walker.run();
    HtmlText {
        hidden_dropped: walker.hidden_dropped,
        truncated: walker.writer.is_full() || walker.budget.is_spent(),
        text: walker.writer.finish(),
    }
}

struct Walker<'a> {
    document: Document<'a>,
    sheet: Sheet,
    data_tables: HashSet<NodeId>,
    base: Option<String>,
    budget: Budget,
    keep_hidden: bool,
    writer: Writer,
    hidden_dropped: bool,
    frames: Vec<Frame>,
    picture_in_link: bool,
}

impl Walker<'_> {
    /// Style sheets and the base URL, wherever they stand.
    fn read_head(&mut self) {
        for id in 0..self.document.tree.len() {
            let Some(element) = self.document.tree.element(id) else { continue };
            match element.local() {
                "style" => {
                    let css: String =
                        self.document.tree.children(id).filter_map(|child| self.text_of(child)).collect();
                    self.sheet.add(&css, element.attr("media"));
                    if self.sheet.is_cut && !self.keep_hidden {
                        self.budget = Budget(0);
                    }
                }
                "base" if self.base.is_none() => self.base = element.attr("href").map(str::to_owned),
                _ => {}
            }
        }
    }

    fn text_of(&self, id: NodeId) -> Option<&str> {
        match &self.document.tree.node(id)?.kind {
            Kind::Text(text) => Some(text),
            Kind::Document | Kind::Element(_) | Kind::Other => None,
        }
    }

    fn run(&mut self) {
        let tree = self.document.tree;
        let mut next = Some(DOCUMENT);
        while let Some(id) = next {
            if self.budget.is_spent() || self.writer.is_full() {
                return;
            }
            let into = self.enter(id);
            next = if into { tree.node(id).and_then(|node| node.first_child) } else { None };
            let mut at = id;
            while next.is_none() {
                self.leave(at);
                let Some(node) = tree.node(at) else { return };
                next = node.next;
                if next.is_none() {
                    match node.parent {
                        Some(parent) => at = parent,
                        None => return,
                    }
                }
            }
        }
    }

    fn style(&self) -> Style {
        self.frames.last().map_or_else(Style::canvas, |frame| frame.style.clone())
    }

    /// Returns whether to go on with the children.
    fn enter(&mut self, id: NodeId) -> bool {
        let tree = self.document.tree;
        match tree.node(id).map(|node| &node.kind) {
            Some(Kind::Document) => true,
            Some(Kind::Text(text)) => {
                self.text(text);
                false
            }
            Some(Kind::Element(element)) => self.element(id, element),
            Some(Kind::Other) | None => false,
        }
    }

    fn text(&mut self, text: &str) {
        let style = self.style();
        if style.hides_text() && !self.keep_hidden {
            self.hidden_dropped |= shows(text);
            // Hidden words still keep their neighbours apart.
            self.writer.text(" ");
        } else if style.preformatted {
            self.writer.preformatted(text);
        } else {
            self.writer.text(text);
        }
    }

    fn element(&mut self, id: NodeId, element: &Element) -> bool {
        let name = element.local();
        if never_shows(name) {
            return false;
        }
        if is_unrendered(name, element) && !self.keep_hidden {
            self.hidden_dropped |=
                self.document.tree.children(id).any(|child| self.text_of(child).is_some_and(shows));
            return false;
        }
        let rules = self.sheet.blocks_for(&self.document, id, &mut self.budget);
        let mut style = visibility::compute(&self.style(), element, &rules);
        if self.keep_hidden {
            style.gone = false;
        } else if style.gone {
            self.hidden_dropped |= self.has_text(id);
            return false;
        }
        let mut frame = Frame {
            id,
            style,
            ending: Ending::Nothing,
            wraps_quote: false,
            next_item: None,
            cells: None,
            is_data_table: false,
        };
        self.open(element, &mut frame);
        self.frames.push(frame);
        true
    }

    /// What an element starts.
    fn open(&mut self, element: &Element, frame: &mut Frame) {
        match element.local() {
            "br" => self.writer.line_break(),
            "hr" => {
                self.writer.separate(1);
                self.writer.text("---");
                frame.ending = Ending::Separate(1);
            }
            "img" => self.picture(element, &frame.style),
            "a" => self.link(element, frame),
            "p" | "ul" | "ol" | "dl" | "table" | "pre" | "listing" | "xmp" | "fieldset" | "details"
            | "figure" => {
                self.block(element, frame);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.writer.separate(2);
                let level =
                    element.local().bytes().last().map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
                self.writer.open_item(&format!("{} ", "#".repeat(level)));
                frame.ending = Ending::Prefix;
            }
            "blockquote" => self.quote(element, frame),
            "li" => self.item(frame),
            "tr" => {
                self.writer.separate(1);
                if self.in_data_table() {
                    self.writer.open_row();
                    frame.cells = Some(0);
                    frame.ending = Ending::Row;
                }
            }
            "td" | "th" => self.cell(frame),
            "dd" => {
                self.writer.separate(1);
                self.writer.open_item("  ");
                frame.ending = Ending::Prefix;
            }
            "div" | "section" | "article" | "header" | "footer" | "main" | "nav" | "aside" | "address"
            | "center" | "dt" | "caption" | "form" | "legend" | "summary" | "figcaption" | "tbody"
            | "thead" | "tfoot" | "body" | "option" | "noscript" | "dir" | "menu" | "marquee"
            | "plaintext" | "tt:p" => self.division(element, frame),
            _ => {}
        }
    }

    fn block(&mut self, element: &Element, frame: &mut Frame) {
        let is_list = matches!(element.local(), "ul" | "ol" | "dl");
        let nested = is_list && self.frames.iter().rev().any(|frame| self.local(frame.id) == "li");
        let breaks = if nested { 1 } else { 2 };
        match element.local() {
            "ol" => {
                frame.next_item =
                    Some(element.attr("start").and_then(|start| start.trim().parse().ok()).unwrap_or(1));
            }
            "table" => frame.is_data_table = self.data_tables.contains(&frame.id),
            _ => {}
        }
        let breaks = if element.local() == "table" && !frame.is_data_table { 1 } else { breaks };
        self.writer.separate(breaks);
        frame.ending = Ending::Separate(breaks);
    }

    fn division(&mut self, element: &Element, frame: &mut Frame) {
        self.writer.separate(1);
        frame.ending = Ending::Separate(1);
        let is_wrapper = ["gmail_quote", "gmail_quote_container", "yahoo_quoted", "protonmail_quote"]
            .iter()
            .any(|class| element.has_class(class));
        if element.local() == "div" && is_wrapper && !self.is_wrapped() {
            self.writer.open_quote();
            frame.ending = Ending::Prefix;
            frame.wraps_quote = true;
        }
        // Outlook puts the earlier message after an element with one of these ids, not into one.
        if element.attr("id").is_some_and(|id| id.eq_ignore_ascii_case("divRplyFwdMsg")) {
            self.writer.separate(2);
            self.writer.text("[earlier message follows]");
            self.writer.separate(1);
        }
    }

    fn is_wrapped(&self) -> bool {
        self.frames
            .iter()
            .rev()
            .take_while(|frame| self.local(frame.id) != "blockquote")
            .any(|frame| frame.wraps_quote)
    }

    fn quote(&mut self, element: &Element, frame: &mut Frame) {
        self.writer.separate(1);
        let has_own =
            self.is_wrapped() && (element.has_class("gmail_quote") || element.attr("type").is_some());
        if has_own {
            frame.ending = Ending::Separate(1);
        } else {
            self.writer.open_quote();
            frame.ending = Ending::Prefix;
        }
    }

    fn item(&mut self, frame: &mut Frame) {
        self.writer.separate(1);
        let tree = self.document.tree;
        let is_list = |id: NodeId| {
            tree.element(id).is_some_and(|list| matches!(list.local(), "ol" | "ul" | "menu" | "dir"))
        };
        let number = self
            .frames
            .iter_mut()
            .rev()
            .find(|frame| is_list(frame.id))
            .and_then(|list| list.next_item.as_mut());
        let marker = match number {
            Some(number) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            None => "- ".to_owned(),
        };
        self.writer.open_item(&marker);
        frame.ending = Ending::Prefix;
    }

    fn cell(&mut self, frame: &mut Frame) {
        if let Some(cells) = self.frames.last_mut().and_then(|row| row.cells.as_mut()) {
            *cells = cells.saturating_add(1);
            if *cells > 1 {
                self.writer.cell();
            }
        } else {
            self.writer.separate(1);
            frame.ending = Ending::Separate(1);
        }
    }

    fn link(&mut self, element: &Element, frame: &mut Frame) {
        if let Some(href) = element.attr("href") {
            frame.ending = Ending::Link(links::target(href, self.base.as_deref()));
            self.picture_in_link = false;
            self.writer.start_capture();
        }
    }

    fn picture(&mut self, element: &Element, style: &Style) {
        if visibility::is_pixel(element) || (style.hides_all() && !self.keep_hidden) {
            self.hidden_dropped |= element.attr("alt").is_some_and(shows);
            return;
        }
        self.picture_in_link = true;
        let alternative =
            super::super::header::line_within(element.attr("alt").unwrap_or_default(), ALTERNATIVE);
        let source = element.attr("src").unwrap_or_default().trim();
        if !alternative.is_empty() {
            self.writer.text(&format!("[image: {alternative}]"));
        } else if let Some(id) =
            source.get(..4).filter(|scheme| scheme.eq_ignore_ascii_case("cid:")).and(source.get(4..))
        {
            self.writer.text(&format!("[image: cid:{}]", super::super::header::line_within(id, ALTERNATIVE)));
        }
    }

    fn leave(&mut self, id: NodeId) {
        if self.frames.last().is_none_or(|frame| frame.id != id) {
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        match frame.ending {
            Ending::Nothing => {}
            Ending::Separate(breaks) => self.writer.separate(breaks),
            Ending::Prefix => {
                self.writer.close();
                self.writer.separate(if self.local(id).starts_with('h') { 2 } else { 1 });
            }
            Ending::Row => self.writer.close_row(),
            Ending::Link(target) => {
                let text = self.writer.end_capture();
                // A link without text or picture isn't there to be seen.
                let shown = !text.is_empty() || self.picture_in_link;
                if let Some(suffix) = links::suffix(&text, &target).filter(|_| shown) {
                    self.writer.note(&suffix);
                }
            }
        }
    }

    fn local(&self, id: NodeId) -> &str {
        self.document.tree.element(id).map_or("", Element::local)
    }

    fn in_data_table(&self) -> bool {
        let table = self.frames.iter().rev().find(|frame| self.local(frame.id) == "table");
        table.is_some_and(|table| table.is_data_table)
    }

    /// Whether there is text in an element that is skipped. Looks at a few hundred nodes: it only has to be said
    /// that something was left out.
    fn has_text(&self, id: NodeId) -> bool {
        let tree = self.document.tree;
        let mut waiting = vec![id];
        for _ in 0..300 {
            let Some(at) = waiting.pop() else { return false };
            if self.text_of(at).is_some_and(shows) {
                return true;
            }
            if !never_shows(self.local(at)) {
                waiting.extend(tree.children(at).take(50));
            }
        }
        !waiting.is_empty()
    }
}

/// Whether a text has a character that would show.
fn shows(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && !super::super::invisible::is_invisible(c))
}

/// Elements that hold no text for a reader, hidden or not.
fn never_shows(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "head"
            | "title"
            | "meta"
            | "link"
            | "base"
            | "param"
            | "source"
            | "track"
            | "xml"
    )
}

/// Elements that mail clients don't render: form fields, embedded objects, drawings, what stands in for them.
fn is_unrendered(name: &str, element: &Element) -> bool {
    match name {
        "template" | "object" | "embed" | "applet" | "iframe" | "frameset" | "noframes" | "noembed"
        | "canvas" | "audio" | "video" | "svg" | "select" | "option" | "optgroup" | "datalist"
        | "textarea" | "input" | "progress" | "meter" | "rp" | "area" | "annotation" | "annotation-xml" => {
            true
        }
        "dialog" => element.attr("open").is_none(),
        _ => false,
    }
}
