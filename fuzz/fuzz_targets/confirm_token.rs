//! Whatever bytes come as a confirmation token, nothing is accepted but what was signed for the call, and that once.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/confirm/tests/it/fuzz/token.rs"]
mod token;

fuzz_target!(|input: &[u8]| token::check(input));
