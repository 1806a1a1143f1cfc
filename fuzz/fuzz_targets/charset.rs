//! Any bytes decode under any label.
#![no_main]

use countersign_core::sanitise::charset;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, Option<String>)| {
    let (bytes, label) = input;
    charset::decode(&bytes, label.as_deref());
    charset::decode_header(&bytes, label.as_deref());
    for label in ["utf-7", "hz", "iso-2022-kr", "iso-2022-cn", "utf-16", "iso-2022-jp", "gb18030", "cp852"] {
        charset::decode(&bytes, Some(label));
    }
});
