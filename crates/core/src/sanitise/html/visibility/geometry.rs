//! Where an element's box stands, how large it is and what is cut off it: whether it can be on the screen at all.

use super::super::css::value;
use super::{clip, set};

/// Further out than this, in pixels, is off the screen at the start of a line; layouts never shift so far.
pub(super) const OFF_START: f32 = -500.0;
/// And this far past its end; wide tables scroll, but not so far.
const OFF_END: f32 = 3_000.0;

/// The box of one element, as its declarations so far make it.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    /// The element's box has no size of its own unless something makes it a block.
    pub(super) inline_box: bool,
    pub(super) shown_as_block: bool,
    clips: bool,
    height: Option<f32>,
    width: Option<f32>,
    line_height: Option<f32>,
    /// Positioned, and whether out of the flow (`absolute`, `fixed`).
    positioned: Option<bool>,
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
    margins: [f32; 2],
    clipped: bool,
    path_clipped: bool,
    transformed: [bool; 3],
}

impl Geometry {
    pub(super) fn of(element_name: &str) -> Self {
        Self { inline_box: is_inline(element_name), ..Self::default() }
    }

    /// Takes a declaration of a property that moves, sizes or clips the box, `font_size` being the element's so far.
    pub(super) fn apply(&mut self, name: &str, value: &str, font_size: f32) {
        let length = |value: &str| value::length(value, font_size, value::CANVAS);
        match name {
            "position" => {
                self.positioned = match value {
                    "absolute" | "fixed" | "-ms-page" => Some(true),
                    "relative" | "sticky" => Some(false),
                    _ => None,
                }
            }
            "left" => set(length(value), &mut self.left),
            "top" => set(length(value), &mut self.top),
            "right" => set(length(value), &mut self.right),
            "bottom" => set(length(value), &mut self.bottom),
            "inset" => {
                let sides = sides(value, length);
                [self.top, self.right, self.bottom, self.left] = sides;
            }
            "margin" => {
                let [top, _, _, left] = sides(value, length);
                self.margins = [top, left];
            }
            "margin-top" | "margin-block-start" => set(length(value), &mut self.margins[0]),
            "margin-left" | "margin-inline-start" => set(length(value), &mut self.margins[1]),
            "transform" | "-webkit-transform" | "-ms-transform" => {
                self.transformed[0] = moves_away(value, length);
            }
            "scale" => {
                self.transformed[1] = value
                    .split_ascii_whitespace()
                    .filter_map(value::number)
                    .any(|factor| factor.abs() < 0.05);
            }
            "translate" => {
                self.transformed[2] = value.split_ascii_whitespace().filter_map(&length).any(is_far);
            }
            "zoom" => {
                self.transformed[1] = value::number(value).is_some_and(|factor| factor > 0.0 && factor < 0.1);
            }
            "clip" => self.clipped = clip::is_empty_rect(value),
            "clip-path" | "-webkit-clip-path" => self.path_clipped = clip::is_empty_path(value),
            "overflow" | "overflow-x" | "overflow-y" => {
                self.clips = value
                    .split_ascii_whitespace()
                    .any(|word| matches!(word, "hidden" | "clip" | "scroll" | "auto"));
            }
            "height" | "max-height" => shrink(length(value), &mut self.height),
            "width" | "max-width" => shrink(length(value), &mut self.width),
            "line-height" => {
                self.line_height = match value::number(value) {
                    Some(factor) => Some(factor * font_size),
                    None => length(value),
                }
            }
            "float" => self.shown_as_block |= matches!(value, "left" | "right"),
            _ => {}
        }
    }

    /// Whether nothing of the box can be seen: collapsed, shifted off the screen, clipped or transformed away.
    pub(super) fn is_out_of_sight(&self) -> bool {
        let absolute = self.positioned == Some(true);
        let is_box = !self.inline_box || self.shown_as_block || absolute;
        let flat = |side: Option<f32>| side.is_some_and(|length| length <= 1.5);
        let collapsed = is_box
            && self.clips
            && (flat(self.height) || flat(self.width) || (self.height.is_none() && flat(self.line_height)));
        let shifted = self.positioned.is_some()
            && (is_far(self.left)
                || is_far(self.top)
                || self.right <= OFF_START
                || self.right >= OFF_END
                || self.bottom <= OFF_START
                || self.bottom >= OFF_END);
        collapsed
            || shifted
            || self.margins.iter().any(|margin| is_far(*margin))
            || (self.clipped && absolute)
            || self.path_clipped
            || (is_box && self.transformed.contains(&true))
    }
}

/// One to four values for top, right, bottom and left.
fn sides(value: &str, length: impl Fn(&str) -> Option<f32>) -> [f32; 4] {
    let given: Vec<f32> =
        value.split_ascii_whitespace().take(4).map(|word| length(word).unwrap_or_default()).collect();
    match given[..] {
        [all] => [all; 4],
        [vertical, horizontal] => [vertical, horizontal, vertical, horizontal],
        [top, horizontal, bottom] => [top, horizontal, bottom, horizontal],
        [top, right, bottom, left] => [top, right, bottom, left],
        _ => [0.0; 4],
    }
}

/// Whether a `transform` flattens the box, turns it edge-on or moves it off the screen.
fn moves_away(value: &str, length: impl Fn(&str) -> Option<f32>) -> bool {
    let any = |name: &str, test: &dyn Fn(&str) -> bool| {
        value::arguments(value, name).is_some_and(|words| words.iter().any(|word| test(word)))
    };
    let flat = |word: &str| value::number(word).is_some_and(|factor| factor.abs() < 0.05);
    let far = |word: &str| length(word).is_some_and(is_far);
    let edge_on = |word: &str| matches!(word, "90deg" | "-90deg" | "270deg" | "0.25turn" | ".25turn");
    any("scale", &flat)
        || any("scalex", &flat)
        || any("scaley", &flat)
        || any("scale3d", &flat)
        || any("translate", &far)
        || any("translatex", &far)
        || any("translatey", &far)
        || any("translate3d", &far)
        || any("rotatex", &edge_on)
        || any("rotatey", &edge_on)
        || value::arguments(value, "matrix").is_some_and(|words| {
            let at = |index: usize| words.get(index).and_then(|word| value::number(word)).unwrap_or(1.0);
            (at(0) * at(3) - at(1) * at(2)).abs() < 0.002 || is_far(at(4)) || is_far(at(5))
        })
}

/// `height` and `max-height` together: the smaller counts.
fn shrink(value: Option<f32>, slot: &mut Option<f32>) {
    if let Some(value) = value {
        *slot = Some(slot.map_or(value, |before| before.min(value)));
    }
}

fn is_far(offset: f32) -> bool {
    offset <= OFF_START || offset >= OFF_END
}

/// Elements whose box has no size of its own, so that `height` and `overflow` do nothing to them.
fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "ins"
            | "del"
            | "kbd"
            | "label"
            | "mark"
            | "q"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
    )
}
