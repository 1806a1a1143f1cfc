//! Colours of CSS and of HTML's presentational attributes.

use super::value;

/// A colour with its opacity, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Colour {
    pub(in super::super) red: f32,
    pub(in super::super) green: f32,
    pub(in super::super) blue: f32,
    pub(in super::super) alpha: f32,
}

pub(in super::super) const BLACK: Colour = Colour { red: 0.0, green: 0.0, blue: 0.0, alpha: 1.0 };
pub(in super::super) const WHITE: Colour = Colour { red: 255.0, green: 255.0, blue: 255.0, alpha: 1.0 };
/// What browsers give a link that no style colours.
pub(in super::super) const LINK: Colour = Colour { red: 0.0, green: 0.0, blue: 238.0, alpha: 1.0 };

/// Furthest that each of red, green and blue may differ for two colours to count as the same. White text on a
/// ground this near to white can't be read.
const NEAR: f32 = 24.0;

impl Colour {
    fn new(red: f32, green: f32, blue: f32, alpha: f32) -> Self {
        Self { red, green, blue, alpha: alpha.clamp(0.0, 1.0) }
    }

    /// This colour painted over an opaque one.
    pub(in super::super) fn over(self, ground: Self) -> Self {
        let mix = |top: f32, below: f32| top * self.alpha + below * (1.0 - self.alpha);
        Self::new(mix(self.red, ground.red), mix(self.green, ground.green), mix(self.blue, ground.blue), 1.0)
    }

    /// Whether a person couldn't tell two opaque colours apart.
    pub(in super::super) fn is_near(self, other: Self) -> bool {
        (self.red - other.red).abs() <= NEAR
            && (self.green - other.green).abs() <= NEAR
            && (self.blue - other.blue).abs() <= NEAR
    }
}

/// A CSS colour in lower case. `current` is what `currentcolor` means.
pub(in super::super) fn parse(text: &str, current: Colour) -> Option<Colour> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix('#') {
        return from_hex(hex);
    }
    if let Some(open) = text.find('(') {
        let (name, _) = text.split_at_checked(open)?;
        return function(name, text);
    }
    match text {
        "transparent" => Some(Colour { alpha: 0.0, ..BLACK }),
        "currentcolor" => Some(current),
        "canvas" | "window" | "field" | "-webkit-canvas" => Some(WHITE),
        "canvastext" | "windowtext" | "fieldtext" | "buttontext" | "-webkit-text" | "menutext" => Some(BLACK),
        "linktext" | "-webkit-link" => Some(LINK),
        _ => named(text),
    }
}

/// A colour in an HTML attribute: a name, `#rgb`, `#rrggbb`, or digits whose `#` was forgotten.
pub(in super::super) fn from_attribute(text: &str) -> Option<Colour> {
    let text = text.trim().to_ascii_lowercase();
    if text == "transparent" {
        return None;
    }
    parse(&text, BLACK).or_else(|| from_hex(&text))
}

/// The first colour among the words of a `background` shorthand.
pub(in super::super) fn in_background(value: &str, current: Colour) -> Option<Colour> {
    let mut rest = value.trim();
    while !rest.is_empty() {
        let end = super::position(rest, char::is_whitespace).unwrap_or(rest.len());
        let (word, tail) = rest.split_at_checked(end)?;
        if let Some(colour) = parse(word.trim_matches(','), current) {
            return Some(colour);
        }
        rest = tail.trim_start();
    }
    None
}

fn from_hex(hex: &str) -> Option<Colour> {
    if hex.len() > 8 || !hex.bytes().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let digits: Vec<f32> = hex
        .chars()
        .filter_map(|c| c.to_digit(16))
        .map(|digit| f32::from(u8::try_from(digit).unwrap_or(0)))
        .collect();
    let pair = |high: f32, low: f32| high * 16.0 + low;
    match digits[..] {
        [r, g, b] => Some(Colour::new(r * 17.0, g * 17.0, b * 17.0, 1.0)),
        [r, g, b, a] => Some(Colour::new(r * 17.0, g * 17.0, b * 17.0, a * 17.0 / 255.0)),
        [r, rr, g, gg, b, bb] => Some(Colour::new(pair(r, rr), pair(g, gg), pair(b, bb), 1.0)),
        [r, rr, g, gg, b, bb, a, aa] => {
            Some(Colour::new(pair(r, rr), pair(g, gg), pair(b, bb), pair(a, aa) / 255.0))
        }
        _ => None,
    }
}

fn function(name: &str, text: &str) -> Option<Colour> {
    let slashless = text.replace('/', " ");
    let words = value::arguments(&slashless, name)?;
    let (first, second, third) = (words.first()?, words.get(1)?, words.get(2)?);
    let alpha = words.get(3).map_or(Some(1.0), |word| value::number(word))?;
    match name {
        "rgb" | "rgba" => {
            let channel = |word: &str| {
                let level = value::number(word)?;
                Some(if word.ends_with('%') { level * 255.0 } else { level })
            };
            let within = |word: &str| channel(word).map(|level| level.clamp(0.0, 255.0));
            Some(Colour::new(within(first)?, within(second)?, within(third)?, alpha))
        }
        "hsl" | "hsla" => {
            let part = |word: &str| {
                let part = value::number(word)?;
                Some(if word.ends_with('%') { part } else { part / 100.0 }.clamp(0.0, 1.0))
            };
            Some(from_hue(degrees(first)?, part(second)?, part(third)?, alpha))
        }
        "hwb" => {
            let (white, black) = (value::number(second)?, value::number(third)?);
            let pure = from_hue(degrees(first)?, 1.0, 0.5, alpha);
            let mix =
                |level: f32| (level / 255.0 * (1.0 - white - black).max(0.0) + white).clamp(0.0, 1.0) * 255.0;
            Some(Colour::new(mix(pure.red), mix(pure.green), mix(pure.blue), alpha))
        }
        _ => None,
    }
}

fn degrees(word: &str) -> Option<f32> {
    for (unit, factor) in [("deg", 1.0), ("grad", 0.9), ("rad", 57.295_78), ("turn", 360.0)] {
        if let Some(number) = word.strip_suffix(unit) {
            return value::number(number).map(|number| number * factor);
        }
    }
    value::number(word)
}

/// CSS Color 4, section 7: hue to red, green and blue.
fn from_hue(hue: f32, saturation: f32, lightness: f32, alpha: f32) -> Colour {
    let spread = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f32| {
        let k = (offset + hue / 30.0).rem_euclid(12.0);
        (lightness - spread * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)) * 255.0
    };
    Colour::new(channel(0.0), channel(8.0), channel(4.0), alpha)
}

fn named(name: &str) -> Option<Colour> {
    let code = NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok().and_then(|at| NAMES.get(at))?.1;
    let [_, red, green, blue] = code.to_be_bytes();
    Some(Colour::new(f32::from(red), f32::from(green), f32::from(blue), 1.0))
}

/// CSS Color 4, section 6.1, in alphabetical order.
const NAMES: &[(&str, u32)] = &[
    ("aliceblue", 0x00f0_f8ff),
    ("antiquewhite", 0x00fa_ebd7),
    ("aqua", 0x0000_ffff),
    ("aquamarine", 0x007f_ffd4),
    ("azure", 0x00f0_ffff),
    ("beige", 0x00f5_f5dc),
    ("bisque", 0x00ff_e4c4),
    ("black", 0x0000_0000),
    ("blanchedalmond", 0x00ff_ebcd),
    ("blue", 0x0000_00ff),
    ("blueviolet", 0x008a_2be2),
    ("brown", 0x00a5_2a2a),
    ("burlywood", 0x00de_b887),
    ("cadetblue", 0x005f_9ea0),
    ("chartreuse", 0x007f_ff00),
    ("chocolate", 0x00d2_691e),
    ("coral", 0x00ff_7f50),
    ("cornflowerblue", 0x0064_95ed),
    ("cornsilk", 0x00ff_f8dc),
    ("crimson", 0x00dc_143c),
    ("cyan", 0x0000_ffff),
    ("darkblue", 0x0000_008b),
    ("darkcyan", 0x0000_8b8b),
    ("darkgoldenrod", 0x00b8_860b),
    ("darkgray", 0x00a9_a9a9),
    ("darkgreen", 0x0000_6400),
    ("darkgrey", 0x00a9_a9a9),
    ("darkkhaki", 0x00bd_b76b),
    ("darkmagenta", 0x008b_008b),
    ("darkolivegreen", 0x0055_6b2f),
    ("darkorange", 0x00ff_8c00),
    ("darkorchid", 0x0099_32cc),
    ("darkred", 0x008b_0000),
    ("darksalmon", 0x00e9_967a),
    ("darkseagreen", 0x008f_bc8f),
    ("darkslateblue", 0x0048_3d8b),
    ("darkslategray", 0x002f_4f4f),
    ("darkslategrey", 0x002f_4f4f),
    ("darkturquoise", 0x0000_ced1),
    ("darkviolet", 0x0094_00d3),
    ("deeppink", 0x00ff_1493),
    ("deepskyblue", 0x0000_bfff),
    ("dimgray", 0x0069_6969),
    ("dimgrey", 0x0069_6969),
    ("dodgerblue", 0x001e_90ff),
    ("firebrick", 0x00b2_2222),
    ("floralwhite", 0x00ff_faf0),
    ("forestgreen", 0x0022_8b22),
    ("fuchsia", 0x00ff_00ff),
    ("gainsboro", 0x00dc_dcdc),
    ("ghostwhite", 0x00f8_f8ff),
    ("gold", 0x00ff_d700),
    ("goldenrod", 0x00da_a520),
    ("gray", 0x0080_8080),
    ("green", 0x0000_8000),
    ("greenyellow", 0x00ad_ff2f),
    ("grey", 0x0080_8080),
    ("honeydew", 0x00f0_fff0),
    ("hotpink", 0x00ff_69b4),
    ("indianred", 0x00cd_5c5c),
    ("indigo", 0x004b_0082),
    ("ivory", 0x00ff_fff0),
    ("khaki", 0x00f0_e68c),
    ("lavender", 0x00e6_e6fa),
    ("lavenderblush", 0x00ff_f0f5),
    ("lawngreen", 0x007c_fc00),
    ("lemonchiffon", 0x00ff_facd),
    ("lightblue", 0x00ad_d8e6),
    ("lightcoral", 0x00f0_8080),
    ("lightcyan", 0x00e0_ffff),
    ("lightgoldenrodyellow", 0x00fa_fad2),
    ("lightgray", 0x00d3_d3d3),
    ("lightgreen", 0x0090_ee90),
    ("lightgrey", 0x00d3_d3d3),
    ("lightpink", 0x00ff_b6c1),
    ("lightsalmon", 0x00ff_a07a),
    ("lightseagreen", 0x0020_b2aa),
    ("lightskyblue", 0x0087_cefa),
    ("lightslategray", 0x0077_8899),
    ("lightslategrey", 0x0077_8899),
    ("lightsteelblue", 0x00b0_c4de),
    ("lightyellow", 0x00ff_ffe0),
    ("lime", 0x0000_ff00),
    ("limegreen", 0x0032_cd32),
    ("linen", 0x00fa_f0e6),
    ("magenta", 0x00ff_00ff),
    ("maroon", 0x0080_0000),
    ("mediumaquamarine", 0x0066_cdaa),
    ("mediumblue", 0x0000_00cd),
    ("mediumorchid", 0x00ba_55d3),
    ("mediumpurple", 0x0093_70db),
    ("mediumseagreen", 0x003c_b371),
    ("mediumslateblue", 0x007b_68ee),
    ("mediumspringgreen", 0x0000_fa9a),
    ("mediumturquoise", 0x0048_d1cc),
    ("mediumvioletred", 0x00c7_1585),
    ("midnightblue", 0x0019_1970),
    ("mintcream", 0x00f5_fffa),
    ("mistyrose", 0x00ff_e4e1),
    ("moccasin", 0x00ff_e4b5),
    ("navajowhite", 0x00ff_dead),
    ("navy", 0x0000_0080),
    ("oldlace", 0x00fd_f5e6),
    ("olive", 0x0080_8000),
    ("olivedrab", 0x006b_8e23),
    ("orange", 0x00ff_a500),
    ("orangered", 0x00ff_4500),
    ("orchid", 0x00da_70d6),
    ("palegoldenrod", 0x00ee_e8aa),
    ("palegreen", 0x0098_fb98),
    ("paleturquoise", 0x00af_eeee),
    ("palevioletred", 0x00db_7093),
    ("papayawhip", 0x00ff_efd5),
    ("peachpuff", 0x00ff_dab9),
    ("peru", 0x00cd_853f),
    ("pink", 0x00ff_c0cb),
    ("plum", 0x00dd_a0dd),
    ("powderblue", 0x00b0_e0e6),
    ("purple", 0x0080_0080),
    ("rebeccapurple", 0x0066_3399),
    ("red", 0x00ff_0000),
    ("rosybrown", 0x00bc_8f8f),
    ("royalblue", 0x0041_69e1),
    ("saddlebrown", 0x008b_4513),
    ("salmon", 0x00fa_8072),
    ("sandybrown", 0x00f4_a460),
    ("seagreen", 0x002e_8b57),
    ("seashell", 0x00ff_f5ee),
    ("sienna", 0x00a0_522d),
    ("silver", 0x00c0_c0c0),
    ("skyblue", 0x0087_ceeb),
    ("slateblue", 0x006a_5acd),
    ("slategray", 0x0070_8090),
    ("slategrey", 0x0070_8090),
    ("snow", 0x00ff_fafa),
    ("springgreen", 0x0000_ff7f),
    ("steelblue", 0x0046_82b4),
    ("tan", 0x00d2_b48c),
    ("teal", 0x0000_8080),
    ("thistle", 0x00d8_bfd8),
    ("tomato", 0x00ff_6347),
    ("turquoise", 0x0040_e0d0),
    ("violet", 0x00ee_82ee),
    ("wheat", 0x00f5_deb3),
    ("white", 0x00ff_ffff),
    ("whitesmoke", 0x00f5_f5f5),
    ("yellow", 0x00ff_ff00),
    ("yellowgreen", 0x009a_cd32),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_say_white() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
        for text in [
            "#fff",
            "#ffffff",
            "#ffffffff",
            "white",
            "rgb(255,255,255)",
            "rgb(100% 100% 100% / 1)",
            "rgba(255, 255, 255, 1)",
            "hsl(0,0%,100%)",
            "hsl(120deg 50% 100%)",
            "hwb(0 100% 0%)",
            "canvas",
        ] {
            assert!(parse(text, BLACK).is_some_and(|colour| colour.is_near(WHITE)), "{text}");
        }
        for text in ["#FFFFFE", "ffffff", "White", " #fff "] {
            assert!(from_attribute(text).is_some_and(|colour| colour.is_near(WHITE)), "{text}");
        }
    }

    #[test]
    fn what_is_and_what_isn_t_the_same() {
        let near = |a: &str, b: &str| parse(a, BLACK).unwrap().is_near(parse(b, BLACK).unwrap());
        assert!(near("#fff", "#f0f0f0"));
        assert!(!near("#fff", "#ccc"));
        assert!(!near("red", "green"));
        assert!(near("hsl(0,100%,50%)", "#f00"));
        assert!(near("hsl(240 100% 50%)", "blue"));
        assert!(parse("rgba(0,0,0,0)", BLACK).unwrap().alpha < 0.01);
        assert!(parse("#0000", BLACK).unwrap().alpha < 0.01);
        assert_eq!(parse("url(x)", BLACK), None);
        assert_eq!(in_background("url(a b) no-repeat #123456 center", BLACK), parse("#123456", BLACK));
    }
}
