//! Lengths and numbers of CSS, in pixels of a canvas 1,024 wide.

/// Width and height of the canvas that percentages, `vw` and media queries are taken from.
pub(in super::super) const CANVAS: f32 = 1_024.0;

/// A plain number or percentage (as a fraction).
pub(in super::super) fn number(value: &str) -> Option<f32> {
    let value = value.trim();
    match value.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f32>().ok().map(|number| number / 100.0),
        None => inside_calc(value).parse::<f32>().ok(),
    }
    .filter(|number| number.is_finite())
}

/// A length: `em` is the font size it is relative to, `whole` what a percentage is of. A number without a unit
/// is pixels, as browsers read it in mail's usual quirks mode.
pub(in super::super) fn length(value: &str, em: f32, whole: f32) -> Option<f32> {
    let value = inside_calc(value.trim());
    let unit_at = value.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(value.len());
    let (digits, unit) = value.split_at_checked(unit_at)?;
    // `1e3px` has its exponent where a unit would start.
    let (digits, unit) = match unit.strip_prefix('e').and_then(exponent) {
        Some((power, unit)) => (format!("{digits}e{power}"), unit),
        None => (digits.trim().to_owned(), unit),
    };
    let number: f32 = digits.parse().ok()?;
    let factor = match unit.trim() {
        "" | "px" => 1.0,
        "em" => em,
        "ex" | "ch" => em / 2.0,
        "pt" => 4.0 / 3.0,
        "rem" | "pc" => 16.0,
        "in" => 96.0,
        "cm" => 37.8,
        "mm" => 3.78,
        "q" => 0.945,
        "%" => whole / 100.0,
        "vw" | "vh" | "vmin" | "vmax" | "dvw" | "dvh" | "svw" | "svh" | "lvw" | "lvh" => CANVAS / 100.0,
        _ => return None,
    };
    Some(number * factor).filter(|length| length.is_finite())
}

/// `e3px` after the `e`: the power and what follows it. `em` and `ex` aren't exponents.
fn exponent(text: &str) -> Option<(&str, &str)> {
    let signed = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = text.len().checked_sub(signed.len())?;
    let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| text.split_at_checked(sign.saturating_add(digits)))?
}

/// `calc(0px)`, `max(0px)` and the like around a single value mean that value.
fn inside_calc(value: &str) -> &str {
    let mut value = value;
    while let Some(inner) = ["calc(", "-webkit-calc(", "min(", "max("]
        .iter()
        .find_map(|name| value.strip_prefix(name))
        .and_then(|rest| rest.strip_suffix(')'))
    {
        value = inner.trim();
    }
    // The smallest of a clamp is what a tiny preferred size gives.
    if let Some(inner) = value.strip_prefix("clamp(").and_then(|rest| rest.strip_suffix(')'))
        && let Some((_, most)) = inner.rsplit_once(',')
    {
        return most.trim();
    }
    value
}

/// A font size: a length or a keyword.
pub(in super::super) fn font_size(value: &str, parent: f32) -> Option<f32> {
    Some(match value {
        "xx-small" => 9.0,
        "x-small" => 10.0,
        "small" => 13.0,
        "medium" | "initial" => 16.0,
        "large" => 18.0,
        "x-large" => 24.0,
        "xx-large" => 32.0,
        "xxx-large" => 48.0,
        "smaller" => parent / 1.2,
        "larger" => parent * 1.2,
        "inherit" | "unset" => parent,
        _ => length(value, parent, parent).filter(|size| *size >= 0.0)?,
    })
}

/// The size in a `font` shorthand: the first word that is a length, `/line-height` cut off. A number without a
/// unit is a weight unless it is zero or a line height follows.
pub(in super::super) fn size_in_font(value: &str, parent: f32) -> Option<f32> {
    value.split_ascii_whitespace().find_map(|word| {
        let (size, has_height) = word.split_once('/').map_or((word, false), |(size, _)| (size, true));
        let is_weight = size.parse::<f32>().is_ok_and(|number| number >= 1.0) && !has_height;
        if is_weight || matches!(size, "inherit" | "initial" | "unset") {
            None
        } else {
            font_size(size, parent)
        }
    })
}

/// The numbers in a functional notation, `rect(0, 0, 1px, 1px)`: arguments between the brackets.
pub(in super::super) fn arguments<'a>(value: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let start = value.find(name)?;
    let rest = value.get(start..)?.strip_prefix(name)?.trim_start().strip_prefix('(')?;
    let inner = rest.get(..rest.find(')').unwrap_or(rest.len()))?;
    Some(
        inner
            .split(|c: char| c == ',' || c.is_whitespace())
            .filter(|word| !word.is_empty())
            .take(32)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let cases: &[(&str, Option<f32>)] = &[
            ("0", Some(0.0)),
            ("-9999px", Some(-9_999.0)),
            ("-9999em", Some(-159_984.0)),
            (".01em", Some(0.16)),
            ("12pt", Some(16.0)),
            ("50%", Some(100.0)),
            ("-100vw", Some(-1_024.0)),
            ("calc(0px)", Some(0.0)),
            ("1e3px", Some(1_000.0)),
            ("-1e4", Some(-10_000.0)),
            ("auto", None),
            ("", None),
            ("nan", None),
            ("inf", None),
        ];
        for (text, wanted) in cases {
            let got = length(text, 16.0, 200.0);
            assert_eq!(got.is_some(), wanted.is_some(), "{text}");
            assert!((got.unwrap_or(0.0) - wanted.unwrap_or(0.0)).abs() < 0.01, "{text}: {got:?}");
        }
    }

    #[test]
    fn sizes_in_shorthands() {
        let cases: &[(&str, Option<f32>)] = &[
            ("1px/1px serif", Some(1.0)),
            ("0/0 a", Some(0.0)),
            ("italic 700 14px/20px Arial", Some(14.0)),
            ("bold 0 serif", Some(0.0)),
            ("inherit", None),
            ("400 large Arial", Some(18.0)),
        ];
        for (text, wanted) in cases {
            assert_eq!(size_in_font(text, 16.0), *wanted, "{text}");
        }
    }
}
