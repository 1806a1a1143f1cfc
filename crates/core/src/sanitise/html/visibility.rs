//! Whether a person would see an element's text: the cascade over the few properties that decide it.
//!
//! Order as in CSS: presentational attributes, the mail's sheets by specificity, the `style` attribute, then the
//! same again for what is `!important`. Values that don't parse are ignored, so that a broken one after a hiding
//! one changes nothing. Stricter than a browser in one place: `hidden` and `mso-hide` hide whatever else is said.

use super::css::block::{self, Declaration};
use super::css::colour::{self, BLACK, Colour, WHITE};
use super::css::value;
use super::dom::Element;

/// Below this many pixels nobody reads text.
const TINY: f32 = 3.0;
/// Below this opacity nobody sees it.
const FAINT: f32 = 0.1;
/// Further out than this, in pixels, is off the screen at the start of a line; layouts never shift so far.
const OFF_START: f32 = -500.0;
/// And this far past its end; wide tables scroll, but not so far.
const OFF_END: f32 = 3_000.0;

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

struct Cascade<'a> {
    parent: &'a Style,
    style: Style,
    element_opacity: f32,
    filter_opacity: f32,
    inline_box: bool,
    shown_as_block: bool,
    no_display: bool,
    clips: bool,
    height: Option<f32>,
    width: Option<f32>,
    line_height: Option<f32>,
    positioned: Option<bool>,
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
    margins: [f32; 2],
    clipped: bool,
    path_clipped: bool,
    transformed: [bool; 3],
    skipped: bool,
}

impl<'a> Cascade<'a> {
    fn new(parent: &'a Style, element: &Element) -> Self {
        let mut cascade = Self {
            parent,
            style: parent.clone(),
            element_opacity: 1.0,
            filter_opacity: 1.0,
            inline_box: is_inline(element.local()),
            shown_as_block: false,
            no_display: false,
            clips: false,
            height: None,
            width: None,
            line_height: None,
            positioned: None,
            left: 0.0,
            top: 0.0,
            right: 0.0,
            bottom: 0.0,
            margins: [0.0, 0.0],
            clipped: false,
            path_clipped: false,
            transformed: [false; 3],
            skipped: element.is_html() && element.attr("hidden").is_some(),
        };
        cascade.presentational(element);
        cascade
    }

    /// What HTML's own attributes say; any style outweighs it.
    fn presentational(&mut self, element: &Element) {
        let of = |name: &str| element.attr(name).and_then(colour::from_attribute);
        match element.local() {
            "font" => {
                if let Some(colour) = of("color") {
                    self.style.colour = colour;
                    self.style.fill = None;
                }
                if element.attr("size").is_some() {
                    self.style.font_size = 16.0;
                }
            }
            "body" => {
                if let Some(colour) = of("text") {
                    self.style.colour = colour;
                }
            }
            "a" if element.attr("href").is_some() => self.style.colour = colour::LINK,
            "mark" => {
                self.style.ground = colour::parse("yellow", BLACK);
                self.style.colour = BLACK;
            }
            "button" => {
                self.style.ground = colour::parse("#efefef", BLACK);
                self.style.colour = BLACK;
            }
            "pre" | "listing" | "xmp" | "plaintext" => self.style.preformatted = true,
            "h1" | "h2" | "h3" | "h4" => self.style.font_size = self.parent.font_size * 1.2,
            _ => {}
        }
        if matches!(element.local(), "body" | "table" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th") {
            if let Some(colour) = of("bgcolor") {
                self.style.ground = Some(colour);
            } else if element.attr("background").is_some_and(|picture| !picture.trim().is_empty()) {
                self.style.ground = None;
            }
        }
    }

    fn apply(&mut self, name: &str, value: &str) {
        match name {
            "display" => self.display(value),
            "visibility" => match value {
                "hidden" | "collapse" => self.style.visible = false,
                "visible" | "initial" => self.style.visible = true,
                "inherit" | "unset" => self.style.visible = self.parent.visible,
                _ => {}
            },
            "opacity" => set(value::number(value), &mut self.element_opacity),
            "filter" | "-webkit-filter" | "-ms-filter" => self.filter(value),
            "font-size" => set(value::font_size(value, self.parent.font_size), &mut self.style.font_size),
            "font" => set(value::size_in_font(value, self.parent.font_size), &mut self.style.font_size),
            "color" => set(self.colour(value, self.parent.colour), &mut self.style.colour),
            "-webkit-text-fill-color" => {
                if let Some(colour) = self.colour(value, self.parent.fill.unwrap_or(self.style.colour)) {
                    self.style.fill = Some(colour);
                }
            }
            "background" | "background-color" | "background-image" => self.background(name, value),
            "text-indent" => set(self.length(value), &mut self.style.indent),
            "letter-spacing" => set(self.length(value), &mut self.style.spacing),
            "white-space" => {
                self.style.preformatted = matches!(value, "pre" | "pre-wrap" | "pre-line" | "break-spaces")
                    || (value == "inherit" && self.parent.preformatted);
            }
            "mso-hide" => self.skipped |= value == "all",
            "content-visibility" => self.skipped |= value == "hidden",
            _ => self.geometry(name, value),
        }
    }

    /// Properties that move, size or clip the box.
    fn geometry(&mut self, name: &str, value: &str) {
        match name {
            "position" => {
                self.positioned = match value {
                    "absolute" | "fixed" | "-ms-page" => Some(true),
                    "relative" | "sticky" => Some(false),
                    _ => None,
                }
            }
            "left" => set(self.length(value), &mut self.left),
            "top" => set(self.length(value), &mut self.top),
            "right" => set(self.length(value), &mut self.right),
            "bottom" => set(self.length(value), &mut self.bottom),
            "inset" => {
                let sides = self.sides(value);
                [self.top, self.right, self.bottom, self.left] = sides;
            }
            "margin" => {
                let [top, _, _, left] = self.sides(value);
                self.margins = [top, left];
            }
            "margin-top" | "margin-block-start" => set(self.length(value), &mut self.margins[0]),
            "margin-left" | "margin-inline-start" => set(self.length(value), &mut self.margins[1]),
            "transform" | "-webkit-transform" | "-ms-transform" => {
                self.transformed[0] = self.moves_away(value);
            }
            "scale" => {
                self.transformed[1] = value
                    .split_ascii_whitespace()
                    .filter_map(value::number)
                    .any(|factor| factor.abs() < 0.05);
            }
            "translate" => {
                self.transformed[2] =
                    value.split_ascii_whitespace().filter_map(|word| self.length(word)).any(is_far);
            }
            "zoom" => {
                self.transformed[1] = value::number(value).is_some_and(|factor| factor > 0.0 && factor < 0.1);
            }
            "clip" => self.clipped = is_empty_rect(value),
            "clip-path" | "-webkit-clip-path" => self.path_clipped = is_empty_path(value),
            "overflow" | "overflow-x" | "overflow-y" => {
                self.clips = value
                    .split_ascii_whitespace()
                    .any(|word| matches!(word, "hidden" | "clip" | "scroll" | "auto"));
            }
            "height" | "max-height" => shrink(self.length(value), &mut self.height),
            "width" | "max-width" => shrink(self.length(value), &mut self.width),
            "line-height" => {
                self.line_height = match value::number(value) {
                    Some(factor) => Some(factor * self.style.font_size),
                    None => self.length(value),
                }
            }
            "float" => self.shown_as_block |= matches!(value, "left" | "right"),
            _ => {}
        }
    }

    fn display(&mut self, value: &str) {
        let known = value.split_ascii_whitespace().all(|word| {
            matches!(
                word,
                "none"
                    | "inline"
                    | "block"
                    | "inline-block"
                    | "flex"
                    | "inline-flex"
                    | "grid"
                    | "inline-grid"
                    | "table"
                    | "inline-table"
                    | "list-item"
                    | "contents"
                    | "flow-root"
                    | "flow"
                    | "initial"
                    | "inherit"
                    | "unset"
                    | "revert"
                    | "run-in"
                    | "ruby"
                    | "box"
                    | "-webkit-box"
                    | "-webkit-inline-box"
                    | "-webkit-flex"
            ) || word.starts_with("table-")
        });
        if known && !value.is_empty() {
            self.no_display = value == "none";
            self.shown_as_block =
                !matches!(value, "none" | "inline" | "contents" | "initial" | "inherit" | "unset" | "revert");
            if value == "inline" {
                self.inline_box = true;
            }
        }
    }

    fn filter(&mut self, value: &str) {
        if value == "none" {
            self.filter_opacity = 1.0;
            return;
        }
        // `opacity(0)`, and Internet Explorer's `alpha(opacity=0)`, whose number is of a hundred.
        if let Some(words) = value::arguments(value, "alpha") {
            let level = words.iter().find_map(|word| word.strip_prefix("opacity=")).and_then(value::number);
            set(level.map(|level| level / 100.0), &mut self.filter_opacity);
        } else if let Some(words) = value::arguments(value, "opacity") {
            set(words.first().and_then(|word| value::number(word)), &mut self.filter_opacity);
        } else if let Some(words) = value::arguments(value, "blur")
            && words.first().and_then(|word| self.length(word)).is_some_and(|radius| radius >= 12.0)
        {
            self.filter_opacity = 0.0;
        }
    }

    fn colour(&self, value: &str, inherited: Colour) -> Option<Colour> {
        match value {
            "inherit" | "unset" => Some(inherited),
            "initial" | "revert" => Some(BLACK),
            _ => colour::parse(value, self.parent.colour),
        }
    }

    fn background(&mut self, name: &str, value: &str) {
        let below = self.parent.ground;
        let paint = |colour: Colour| match (colour.alpha >= 1.0, below) {
            (true, _) => Some(colour),
            (false, Some(ground)) => Some(colour.over(ground)),
            (false, None) => None,
        };
        let picture = value.contains("url(") || value.contains("gradient(") || value.contains("image-set(");
        if let Some(colour) = colour::in_background(value, self.style.colour) {
            self.style.ground = paint(colour);
        } else if picture {
            // With a colour said before, that is what shows until the picture is loaded, if it ever is.
            if name == "background" || self.style.ground == below {
                self.style.ground = gradient_ground(value);
            }
        } else if matches!(value, "none" | "initial" | "inherit" | "unset") && name != "background-image" {
            self.style.ground = below;
        }
    }

    fn length(&self, value: &str) -> Option<f32> {
        value::length(value, self.style.font_size, value::CANVAS)
    }

    /// One to four values for top, right, bottom and left.
    fn sides(&self, value: &str) -> [f32; 4] {
        let given: Vec<f32> = value
            .split_ascii_whitespace()
            .take(4)
            .map(|word| self.length(word).unwrap_or_default())
            .collect();
        match given[..] {
            [all] => [all; 4],
            [vertical, horizontal] => [vertical, horizontal, vertical, horizontal],
            [top, horizontal, bottom] => [top, horizontal, bottom, horizontal],
            [top, right, bottom, left] => [top, right, bottom, left],
            _ => [0.0; 4],
        }
    }

    fn moves_away(&self, value: &str) -> bool {
        let any = |name: &str, test: &dyn Fn(&str) -> bool| {
            value::arguments(value, name).is_some_and(|words| words.iter().any(|word| test(word)))
        };
        let flat = |word: &str| value::number(word).is_some_and(|factor| factor.abs() < 0.05);
        let far = |word: &str| self.length(word).is_some_and(is_far);
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

    fn finish(self) -> Style {
        let mut style = self.style;
        style.opacity = (self.parent.opacity
            * self.element_opacity.clamp(0.0, 1.0)
            * self.filter_opacity.clamp(0.0, 1.0))
        .clamp(0.0, 1.0);
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
        style.gone = self.parent.gone
            || self.skipped
            || self.no_display
            || collapsed
            || shifted
            || self.margins.iter().any(|margin| is_far(*margin))
            || (self.clipped && absolute)
            || self.path_clipped
            || (is_box && self.transformed.contains(&true));
        style
    }
}

fn set<T>(value: Option<T>, slot: &mut T) {
    if let Some(value) = value {
        *slot = value;
    }
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

/// `rect(0,0,0,0)`, `rect(1px 1px 1px 1px)`: nothing between top and bottom, or between left and right.
fn is_empty_rect(value: &str) -> bool {
    let Some(words) = value::arguments(value, "rect") else { return false };
    let sides: Vec<Option<f32>> = words.iter().map(|word| value::length(word, 16.0, value::CANVAS)).collect();
    let empty = |from: Option<f32>, to: Option<f32>| match (from.unwrap_or(0.0), to) {
        (from, Some(to)) => to - from <= 1.0,
        (_, None) => false,
    };
    match sides[..] {
        [top, right, bottom, left] => empty(top, bottom) || empty(left, right),
        _ => false,
    }
}

/// Shapes that enclose nothing: `inset(100%)`, `inset(50%)`, `circle(0)`, a polygon in one point.
fn is_empty_path(value: &str) -> bool {
    let zero = |word: &str| value::length(word, 16.0, value::CANVAS).is_some_and(|length| length < 1.0);
    if let Some(words) = value::arguments(value, "inset") {
        let parts: Vec<f32> = words
            .iter()
            .take_while(|word| **word != "round")
            .map(|word| value::length(word, 16.0, 1.0).filter(|_| word.ends_with('%')).unwrap_or_default())
            .collect();
        return match parts[..] {
            [all] => all >= 0.5,
            [vertical, horizontal] => vertical >= 0.5 || horizontal >= 0.5,
            [top, horizontal, bottom] => top + bottom >= 1.0 || horizontal >= 0.5,
            [top, right, bottom, left] => top + bottom >= 1.0 || left + right >= 1.0,
            _ => false,
        };
    }
    if let Some(words) = value::arguments(value, "circle").or_else(|| value::arguments(value, "ellipse")) {
        return words.first().is_some_and(|word| zero(word));
    }
    if let Some(words) = value::arguments(value, "rect").or_else(|| value::arguments(value, "xywh")) {
        return !words.is_empty() && words.iter().all(|word| zero(word));
    }
    value::arguments(value, "polygon").is_some_and(|words| {
        let first = words.first();
        !words.is_empty() && words.iter().all(|word| Some(word) == first || zero(word))
    })
}

/// The ground that a gradient between near colours makes; nothing for any other picture.
fn gradient_ground(value: &str) -> Option<Colour> {
    if value.contains("url(") || !value.contains("gradient(") {
        return None;
    }
    let (_, inside) = value.split_once("gradient(")?;
    let inside = inside.get(..inside.rfind(')').unwrap_or(inside.len()))?;
    let stops: Vec<Colour> = super::css::split(inside, ',')
        .take(16)
        .filter_map(|stop| colour::in_background(stop, BLACK))
        .collect();
    let first = *stops.first()?;
    stops.iter().all(|stop| stop.is_near(first)).then_some(first)
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
