//! Clipping regions that leave nothing: `clip` (CSS 2.1 §11.1.2) and the shapes of `clip-path` (CSS Shapes).

use super::super::css::value;

/// `rect(0,0,0,0)`, `rect(1px 1px 1px 1px)`: nothing between top and bottom, or between left and right.
pub(super) fn is_empty_rect(value: &str) -> bool {
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
pub(super) fn is_empty_path(value: &str) -> bool {
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
