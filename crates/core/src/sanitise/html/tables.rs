//! Which tables hold data and which only lay out the page.
//!
//! Mail is laid out in tables, so most of them are layout: their cells read as paragraphs. A table is data where
//! it says so by header cells, or where it has rows of several short cells and nothing bulky inside.

use std::collections::HashSet;

use super::dom::{DOCUMENT, Kind, NodeId, Tree};

/// Average length of a data cell without header cells, in bytes.
const SHORT: usize = 60;

#[derive(Debug, Default)]
struct Facts {
    cells: usize,
    cells_in_row: usize,
    rows_of_several: usize,
    has_header: bool,
    is_bulky: bool,
    is_presentation: bool,
    text: usize,
}

impl Facts {
    fn end_row(&mut self) {
        if self.cells_in_row > 1 {
            self.rows_of_several = self.rows_of_several.saturating_add(1);
        }
        self.cells_in_row = 0;
    }

    fn is_data(&self) -> bool {
        if self.is_presentation || self.is_bulky || self.rows_of_several == 0 {
            return false;
        }
        let average = self.text.checked_div(self.cells).unwrap_or_default();
        self.has_header || (self.rows_of_several > 1 && average <= SHORT)
    }
}

/// The data tables of a tree, found in one walk.
pub(super) fn data_tables(tree: &Tree) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    let mut open: Vec<(NodeId, Facts)> = Vec::new();
    let mut next = Some(DOCUMENT);
    while let Some(id) = next {
        enter(tree, id, &mut open);
        next = tree.node(id).and_then(|node| node.first_child);
        let mut at = id;
        while next.is_none() {
            if open.last().is_some_and(|(table, _)| *table == at)
                && let Some((table, mut facts)) = open.pop()
            {
                facts.end_row();
                if facts.is_data() {
                    found.insert(table);
                }
            }
            let Some(node) = tree.node(at) else { return found };
            next = node.next;
            match node.parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
    found
}

fn enter(tree: &Tree, id: NodeId, open: &mut Vec<(NodeId, Facts)>) {
    let Some(node) = tree.node(id) else { return };
    let element = match &node.kind {
        Kind::Element(element) => element,
        Kind::Text(text) => {
            if let Some((_, facts)) = open.last_mut() {
                facts.text = facts.text.saturating_add(text.trim().len());
            }
            return;
        }
        Kind::Document | Kind::Other => return,
    };
    if element.local() == "table" {
        if let Some((_, facts)) = open.last_mut() {
            facts.is_bulky = true;
        }
        let role = element.attr("role").unwrap_or_default();
        let is_presentation = role.eq_ignore_ascii_case("presentation") || role.eq_ignore_ascii_case("none");
        open.push((id, Facts { is_presentation, ..Facts::default() }));
        return;
    }
    let Some((_, facts)) = open.last_mut() else { return };
    match element.local() {
        "tr" => facts.end_row(),
        "td" | "th" => {
            facts.cells = facts.cells.saturating_add(1);
            facts.cells_in_row = facts.cells_in_row.saturating_add(1);
            facts.has_header |= element.local() == "th";
        }
        "ul" | "ol" | "blockquote" | "h1" | "h2" | "h3" | "hr" | "pre" | "center" => facts.is_bulky = true,
        _ => {}
    }
}
