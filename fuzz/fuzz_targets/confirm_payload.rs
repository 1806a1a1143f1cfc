//! The canonical form of any payload can be read back, so no two payloads share one.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/confirm/tests/it/fuzz/payload.rs"]
mod payload;

fuzz_target!(|input: &[u8]| payload::check(input));
