//! The cascade over one element: attributes, sheets and the `style` attribute, in their order, each over the last.

use super::super::css::{
    self,
    colour::{self, BLACK, Colour},
    value,
};
use super::super::dom::Element;
use super::geometry::Geometry;
use super::{Style, set};

/// What the declarations so far make of an element.
pub(super) struct Cascade<'a> {
    parent: &'a Style,
    style: Style,
    geometry: Geometry,
    element_opacity: f32,
    filter_opacity: f32,
    no_display: bool,
    /// Hidden by a word that nothing outweighs.
    skipped: bool,
}

impl<'a> Cascade<'a> {
    pub(super) fn new(parent: &'a Style, element: &Element) -> Self {
        let mut cascade = Self {
            parent,
            style: parent.clone(),
            geometry: Geometry::of(element.local()),
            element_opacity: 1.0,
            filter_opacity: 1.0,
            no_display: false,
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

    /// Takes one declaration.
    pub(super) fn apply(&mut self, name: &str, value: &str) {
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
            _ => self.geometry.apply(name, value, self.style.font_size),
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
            self.geometry.shown_as_block =
                !matches!(value, "none" | "inline" | "contents" | "initial" | "inherit" | "unset" | "revert");
            if value == "inline" {
                self.geometry.inline_box = true;
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

    /// The style that comes out.
    pub(super) fn finish(self) -> Style {
        let mut style = self.style;
        style.opacity = (self.parent.opacity
            * self.element_opacity.clamp(0.0, 1.0)
            * self.filter_opacity.clamp(0.0, 1.0))
        .clamp(0.0, 1.0);
        style.gone = self.parent.gone || self.skipped || self.no_display || self.geometry.is_out_of_sight();
        style
    }
}

/// The ground that a gradient between near colours makes; nothing for any other picture.
fn gradient_ground(value: &str) -> Option<Colour> {
    if value.contains("url(") || !value.contains("gradient(") {
        return None;
    }
    let (_, inside) = value.split_once("gradient(")?;
    let inside = inside.get(..inside.rfind(')').unwrap_or(inside.len()))?;
    let stops: Vec<Colour> =
        css::split(inside, ',').take(16).filter_map(|stop| colour::in_background(stop, BLACK)).collect();
    let first = *stops.first()?;
    stops.iter().all(|stop| stop.is_near(first)).then_some(first)
}
