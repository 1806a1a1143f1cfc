//! HTML as data: what is written, what a person would read, and why.

use super::*;

mod hidden;
mod hostile;
mod readable;

fn check(cases: &[(&str, &str, &str)]) {
    for (html, wanted, why) in cases {
        assert_eq!(to_text(html).text, *wanted, "{why}\n{html}");
    }
}
