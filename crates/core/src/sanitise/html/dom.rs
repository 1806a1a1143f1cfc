//! The parsed tree as a flat arena: nodes in one vector, linked by index.
//!
//! Nothing here is recursive, dropping included, so depth costs no stack. Attribute and text bytes come from the
//! input and stay bounded by it; [`super::parse`] bounds the number of nodes and their depth.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName, ns};

/// Index of a node.
pub(super) type NodeId = usize;

/// The document node, which every tree has.
pub(super) const DOCUMENT: NodeId = 0;

#[derive(Debug)]
pub(super) enum Kind {
    Document,
    Element(Element),
    Text(String),
    /// A comment or processing instruction: nothing that shows.
    Other,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: Rc<QualName>,
    pub(super) attrs: Vec<Attribute>,
    integration_point: bool,
    contents: Option<NodeId>,
}

impl Element {
    /// The local name, lower case for HTML.
    pub(super) fn local(&self) -> &str {
        &self.name.local
    }

    pub(super) fn is_html(&self) -> bool {
        self.name.ns == ns!(html)
    }

    pub(super) fn attr(&self, name: &str) -> Option<&str> {
        self.attrs.iter().find(|attr| &*attr.name.local == name).map(|attr| &*attr.value)
    }

    pub(super) fn has_class(&self, class: &str) -> bool {
        self.attr("class")
            .is_some_and(|all| all.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(class)))
    }
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) parent: Option<NodeId>,
    pub(super) first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    pub(super) previous: Option<NodeId>,
    pub(super) next: Option<NodeId>,
    depth: usize,
}

/// The tree once parsed.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub(super) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.nodes.get(id)?.kind {
            Kind::Element(element) => Some(element),
            Kind::Document | Kind::Text(_) | Kind::Other => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nearest element sibling before.
    pub(super) fn previous_element(&self, id: NodeId) -> Option<NodeId> {
        let mut at = self.node(id)?.previous;
        while let Some(sibling) = at {
            if self.element(sibling).is_some() {
                return Some(sibling);
            }
            at = self.node(sibling)?.previous;
        }
        None
    }

    /// The nearest element sibling after.
    pub(super) fn next_element(&self, id: NodeId) -> Option<NodeId> {
        let mut at = self.node(id)?.next;
        while let Some(sibling) = at {
            if self.element(sibling).is_some() {
                return Some(sibling);
            }
            at = self.node(sibling)?.next;
        }
        None
    }

    /// The children of a node, in order.
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut at = self.node(id).and_then(|node| node.first_child);
        std::iter::from_fn(move || {
            let child = at?;
            at = self.node(child).and_then(|node| node.next);
            Some(child)
        })
    }

    fn push(&mut self, kind: Kind) -> NodeId {
        self.nodes.push(Node {
            kind,
            parent: None,
            first_child: None,
            last_child: None,
            previous: None,
            next: None,
            depth: 0,
        });
        self.nodes.len().saturating_sub(1)
    }

    fn detach(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get_mut(id) else { return };
        let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
        match previous.and_then(|at| self.nodes.get_mut(at)) {
            Some(previous) => previous.next = next,
            None => {
                if let Some(parent) = parent.and_then(|at| self.nodes.get_mut(at)) {
                    parent.first_child = next;
                }
            }
        }
        match next.and_then(|at| self.nodes.get_mut(at)) {
            Some(next) => next.previous = previous,
            None => {
                if let Some(parent) = parent.and_then(|at| self.nodes.get_mut(at)) {
                    parent.last_child = previous;
                }
            }
        }
    }

    fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let Some(above) = self.nodes.get_mut(parent) else { return };
        let last = above.last_child.replace(child);
        let depth = above.depth.saturating_add(1);
        if last.is_none() {
            above.first_child = Some(child);
        }
        if let Some(last) = last.and_then(|at| self.nodes.get_mut(at)) {
            last.next = Some(child);
        }
        if let Some(node) = self.nodes.get_mut(child) {
            node.parent = Some(parent);
            node.previous = last;
            node.depth = depth;
        }
    }

    fn insert_before(&mut self, sibling: NodeId, child: NodeId) {
        self.detach(child);
        let Some(after) = self.nodes.get_mut(sibling) else { return };
        let previous = after.previous.replace(child);
        let (parent, depth) = (after.parent, after.depth);
        match previous {
            Some(previous) => {
                if let Some(node) = self.nodes.get_mut(previous) {
                    node.next = Some(child);
                }
            }
            None => {
                if let Some(node) = parent.and_then(|at| self.nodes.get_mut(at)) {
                    node.first_child = Some(child);
                }
            }
        }
        if let Some(node) = self.nodes.get_mut(child) {
            node.parent = parent;
            node.previous = previous;
            node.next = Some(sibling);
            node.depth = depth;
        }
    }

    /// Adds text to a text node, if `id` is one.
    fn extend_text(&mut self, id: Option<NodeId>, text: &str) -> bool {
        match id.and_then(|at| self.nodes.get_mut(at)).map(|node| &mut node.kind) {
            Some(Kind::Text(before)) => {
                before.push_str(text);
                true
            }
            _ => false,
        }
    }
}

/// What the tree builder holds of a node: its index, and its name so that asking for it borrows nothing.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    id: NodeId,
    name: Rc<QualName>,
}

/// Builds the tree; html5ever's tree builder drives it.
#[derive(Debug)]
pub(super) struct Sink {
    tree: RefCell<Tree>,
    nameless: Rc<QualName>,
    depth: Cell<usize>,
}

impl Sink {
    pub(super) fn new() -> Self {
        let mut tree = Tree::default();
        tree.push(Kind::Document);
        let nameless = Rc::new(QualName::new(None, ns!(), html5ever::LocalName::from("")));
        Self { tree: RefCell::new(tree), nameless, depth: Cell::new(0) }
    }

    /// Nodes so far.
    pub(super) fn len(&self) -> usize {
        self.tree.borrow().len()
    }

    /// Depth of what was added last: how far the tree builder may have to look up.
    pub(super) fn depth(&self) -> usize {
        self.depth.get()
    }

    fn handle(&self, id: NodeId) -> Handle {
        Handle { id, name: Rc::clone(&self.nameless) }
    }

    fn place(&self, child: NodeOrText<Handle>, parent: NodeId, before: Option<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        let id = match child {
            NodeOrText::AppendNode(handle) => handle.id,
            NodeOrText::AppendText(text) => {
                let neighbour = match before {
                    Some(sibling) => tree.node(sibling).and_then(|node| node.previous),
                    None => tree.node(parent).and_then(|node| node.last_child),
                };
                if tree.extend_text(neighbour, &text) {
                    return;
                }
                tree.push(Kind::Text(text.to_string()))
            }
        };
        match before {
            Some(sibling) => tree.insert_before(sibling, id),
            None => tree.append(parent, id),
        }
        self.depth.set(tree.node(id).map_or(0, |node| node.depth));
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.handle(DOCUMENT)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let name = Rc::new(name);
        let mut tree = self.tree.borrow_mut();
        let contents = flags.template.then(|| tree.push(Kind::Other));
        let id = tree.push(Kind::Element(Element {
            name: Rc::clone(&name),
            attrs,
            integration_point: flags.mathml_annotation_xml_integration_point,
            contents,
        }));
        Handle { id, name }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.handle(self.tree.borrow_mut().push(Kind::Other))
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.handle(self.tree.borrow_mut().push(Kind::Other))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.place(child, parent.id, None);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        let parent = self.tree.borrow().node(element.id).and_then(|node| node.parent);
        match parent {
            Some(parent) => self.place(child, parent, Some(element.id)),
            None => self.place(child, previous.id, None),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        let contents = self.tree.borrow().element(target.id).and_then(|element| element.contents);
        self.handle(contents.unwrap_or(target.id))
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        let parent = self.tree.borrow().node(sibling.id).and_then(|node| node.parent);
        self.place(new_node, parent.unwrap_or(DOCUMENT), Some(sibling.id));
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        let Some(Kind::Element(element)) = tree.nodes.get_mut(target.id).map(|node| &mut node.kind) else {
            return;
        };
        for attr in attrs {
            // A second `body` or `html` tag can add to the first; the first value of a name counts.
            if element.attrs.len() < super::parse::ATTRIBUTES
                && !element.attrs.iter().any(|known| known.name == attr.name)
            {
                element.attrs.push(attr);
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.tree.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.node(node.id).and_then(|node| node.first_child) {
            tree.append(new_parent.id, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.tree.borrow().element(target.id).is_some_and(|element| element.integration_point)
    }

    fn allow_declarative_shadow_roots(&self, _: &Handle) -> bool {
        false
    }
}
