//! Whether a person would see an element's text: the cascade over the few properties that decide it.
//!
//! Order as in CSS: presentational attributes, the mail's sheets by specificity, the `style` attribute, then the
//! same again for what is `!important`. Values that don't parse are ignored, so that a broken one after a hiding
//! one changes nothing. Stricter than a browser in one place: `hidden` and `mso-hide` hide whatever else is said.
//!
//! [`cascade`] takes the declarations in; [`geometry`] and [`clip`] know what moves, sizes and clips a box.

mod cascade;
mod clip;
mod geometry;

use cascade::Cascade;
use geometry::OFF_START;

use super::css::block::{self, Declaration};
use super::css::colour::{BLACK, Colour, WHITE};
use super::css::value;
use super::dom::Element;

/// Below this many pixels nobody reads text.
const TINY: f32 = 3.0;
/// Below this opacity nobody sees it.
const FAINT: f32 = 0.1;

/// What an element hands to its children, and whether anything below it shows at all.
#[derive(Clone, Debug)]
pub(super) struct Style {
    /// The element and all in it take no part: `display: none`, clipped away, off-screen.
    pub(super) gone: bool,
    visible: bool,
    opacity: f32,
    font_size: f32,
    indent: f32,
    spacing: f32,
    colour: Colour,
    fill: Option<Colour>,
    /// What is painted behind; nothing where it is a picture, which can't be known.
    ground: Option<Colour>,
    /// Whether blanks and line ends count.
    pub(super) preformatted: bool,
}

impl Style {
    /// The canvas: black on white.
    pub(super) fn canvas() -> Self {
        Self {
            gone: false,
            visible: true,
            opacity: 1.0,
            font_size: 16.0,
            indent: 0.0,
            spacing: 0.0,
            colour: BLACK,
            fill: None,
            ground: Some(WHITE),
            preformatted: false,
        }
    }

    /// Whether text directly in the element can't be seen.
    pub(super) fn hides_text(&self) -> bool {
        if self.hides_all()
            || self.font_size < TINY
            || self.indent <= OFF_START
            || self.spacing <= -0.4 * self.font_size
        {
            return true;
        }
        let ink = self.fill.unwrap_or(self.colour);
        let ink = Colour { alpha: ink.alpha * self.opacity, ..ink };
        ink.alpha < FAINT || self.ground.is_some_and(|ground| ink.over(ground).is_near(ground))
    }

    /// Whether a picture in the element can't be seen either.
    pub(super) fn hides_all(&self) -> bool {
        self.gone || !self.visible || self.opacity < FAINT
    }
}

/// The style of an element below `parent`, given the blocks of the rules that select it, weakest first.
pub(super) fn compute(parent: &Style, element: &Element, rules: &[&[Declaration]]) -> Style {
    let inline = element.attr("style").map(block::parse).unwrap_or_default();
    let mut cascade = Cascade::new(parent, element);
    for important in [false, true] {
        let sheets = rules.iter().flat_map(|block| block.iter());
        for declaration in sheets.chain(inline.iter()).filter(|one| one.important == important) {
            cascade.apply(&declaration.name, &declaration.value);
        }
    }
    cascade.finish()
}

/// Whether a picture is a tracking pixel or hidden by its size.
pub(super) fn is_pixel(element: &Element) -> bool {
    let small =
        |text: &str| value::length(text.trim(), 16.0, value::CANVAS).is_some_and(|length| length <= 1.0);
    if element.attr("width").is_some_and(small) || element.attr("height").is_some_and(small) {
        return true;
    }
    let style = element.attr("style").map(block::parse).unwrap_or_default();
    style.iter().any(|one| {
        matches!(one.name.as_str(), "width" | "height" | "max-width" | "max-height") && small(&one.value)
    })
}

fn set<T>(value: Option<T>, slot: &mut T) {
    if let Some(value) = value {
        *slot = value;
    }
}
