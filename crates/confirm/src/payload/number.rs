//! Doubles as ECMA-262 writes them (`Number::toString`): the shortest digits that read back as the same double, without
//! an exponent from 1e-6 up to 1e21; of two that are equally near the even ones.

use std::fmt::Write as _;

/// The largest integer up to which every integer is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// The first power of ten that is written with an exponent.
const PLAIN_UNTIL: usize = 21;
/// No double has more digits after its first one.
const EVERY_DIGIT: usize = 767;
/// How many zeros may stand between the point and the first digit.
const LEADING_ZEROS: usize = 5;

pub(super) fn write(out: &mut String, number: f64) {
    if number.is_nan() {
        out.push_str("NaN");
        return;
    }
    if number < 0.0 {
        out.push('-');
    }
    let number = number.abs();
    if number.is_infinite() {
        out.push_str("Infinity");
        return;
    }
    // `1.25e-7`
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    let exponent = exponent.parse().unwrap_or_default();
    place(out, &even(number, &digits).unwrap_or(digits), exponent);
}

/// The even one of two digit strings that are equally near to `number`, where `digits` is one of them. ECMA-262 wants
/// that one; the standard library gives the larger.
fn even(number: f64, digits: &str) -> Option<String> {
    // In the middle there is one digit more, a five. Most numbers end here, before all their digits are worked out.
    if !format!("{number:.*e}", digits.len()).split_once('e')?.0.ends_with('5') {
        return None;
    }
    let exact = format!("{number:.EVERY_DIGIT$e}");
    let exact = exact.split_once('e')?.0.replace('.', "");
    let (below, rest) = exact.split_at_checked(digits.len())?;
    if rest.strip_prefix('5')?.contains(|digit| digit != '0') {
        return None;
    }
    let below: u64 = below.parse().ok()?;
    let even = below.checked_add(below & 1)?.to_string();
    let exponent = format!("{number:e}").split_once('e')?.1.parse::<i32>().ok()?;
    let last = i32::try_from(digits.len()).ok()?.checked_sub(1)?;
    let read: f64 = format!("{even}e{}", exponent.checked_sub(last)?).parse().ok()?;
    (read.to_bits() == number.to_bits()).then_some(even)
}

/// Puts the point into `digits`, of which the first stands before it when `exponent` is 0.
fn place(out: &mut String, digits: &str, exponent: i32) {
    let size = usize::try_from(exponent.unsigned_abs()).unwrap_or_default();
    if exponent < 0 {
        let zeros = size.saturating_sub(1);
        if zeros <= LEADING_ZEROS {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', zeros));
            out.push_str(digits);
            return;
        }
    } else if size < PLAIN_UNTIL {
        let whole = size.saturating_add(1);
        match digits.split_at_checked(whole) {
            Some((digits, "")) => out.push_str(digits),
            Some((before, after)) => write!(out, "{before}.{after}").unwrap_or_default(),
            None => {
                out.push_str(digits);
                out.extend(std::iter::repeat_n('0', whole.saturating_sub(digits.len())));
            }
        }
        return;
    }
    match digits.split_at_checked(1) {
        Some((first, rest)) if !rest.is_empty() => write!(out, "{first}.{rest}"),
        _ => write!(out, "{digits}"),
    }
    .unwrap_or_default();
    write!(out, "e{exponent:+}").unwrap_or_default();
}

/// The integer that `number` is, where every integer near it is a double.
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
pub(super) fn exact_integer(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (10.0, "10"),
            (100.5, "100.5"),
            (0.1, "0.1"),
            (0.001_25, "0.00125"),
            (1e-6, "0.000001"),
            (1.5e-6, "0.0000015"),
            (1e-7, "1e-7"),
            (1.5e-7, "1.5e-7"),
            (-1e-7, "-1e-7"),
            (1e20, "100000000000000000000"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (1e21, "1e+21"),
            (1.25e21, "1.25e+21"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (0.1 + 0.2, "0.30000000000000004"),
            (4.35, "4.35"),
            // In the middle between two: the even one.
            (799_066_887_930_650.0 + 0.25, "799066887930650.2"),
            (799_066_887_930_650.0 + 0.75, "799066887930650.8"),
            (5e-324, "5e-324"),
            (9_007_199_254_740_991.5, "9007199254740992"),
            (0.5, "0.5"),
            (2.5, "2.5"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            let mut out = String::new();
            write(&mut out, number);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn integers_are_known_where_they_are_exact() {
        for (number, integer) in [
            (0.0, Some(0)),
            (-3.0, Some(-3)),
            (0.5, None),
            (9_007_199_254_740_992.0, Some(9_007_199_254_740_992)),
            (-9_007_199_254_740_992.0, Some(-9_007_199_254_740_992)),
            (9_007_199_254_740_994.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(exact_integer(number), integer, "{number}");
        }
    }
}
