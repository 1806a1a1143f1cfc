//! Any bytes are read as a message; every attachment listed can be fetched and has the size that was said.
#![no_main]

use countersign_core::mime;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|raw: &[u8]| {
    let message = mime::parse(raw);
    assert!(!message.subject.chars().any(char::is_control));
    for attachment in &message.attachments {
        let bytes = message.section(raw, &attachment.section).expect("a listed section is there");
        assert_eq!(bytes.len() as u64, attachment.size);
    }
});
