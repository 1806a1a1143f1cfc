//! Any HTML becomes harmless text, and what a comment hides stays hidden.
#![no_main]

use countersign_core::sanitise::{html, invisible};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let shown = html::to_text(input).text;
    assert!(shown.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()));
    assert_eq!(invisible::strip(&shown), shown);
    html::to_text_keep_hidden(input);
    let inside = input.replace('>', "");
    assert_eq!(html::to_text(&format!("<p>seen</p><!-- {inside} -->")).text, "seen");
});
