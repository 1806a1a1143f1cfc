//! Modified UTF-7 (RFC 3501 §5.1.3), in which servers name folders unless UTF-8 was agreed on.

use base64::{
    Engine as _, alphabet,
    engine::{GeneralPurpose, GeneralPurposeConfig, general_purpose::NO_PAD},
};

const CONFIG: GeneralPurposeConfig = NO_PAD;

fn engine() -> Option<GeneralPurpose> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";
    alphabet::Alphabet::new(letters).ok().map(|alphabet| GeneralPurpose::new(&alphabet, CONFIG))
}

/// A name as a person reads it. What is not modified UTF-7 in its one spelling is shown as it is (some servers send bare
/// UTF-8, some `&` for itself), so two names are never shown as one.
pub(crate) fn decode(raw: &[u8]) -> String {
    let as_it_is = || String::from_utf8_lossy(raw).into_owned();
    match strict(raw) {
        Some(name) if encode(&name) == raw => name,
        _ => as_it_is(),
    }
}

fn strict(raw: &[u8]) -> Option<String> {
    let engine = engine()?;
    let mut rest = std::str::from_utf8(raw).ok().filter(|text| text.is_ascii())?;
    let mut name = String::new();
    while let Some((plain, shifted)) = rest.split_once('&') {
        name.push_str(plain);
        let (encoded, after) = shifted.split_once('-')?;
        if encoded.is_empty() {
            name.push('&');
        } else {
            let bytes = engine.decode(encoded).ok()?;
            let (units, odd) = bytes.as_chunks::<2>();
            if !odd.is_empty() {
                return None;
            }
            let units: Vec<u16> = units.iter().map(|unit| u16::from_be_bytes(*unit)).collect();
            name.push_str(&String::from_utf16(&units).ok()?);
        }
        rest = after;
    }
    name.push_str(rest);
    Some(name)
}

/// A name as a server takes it.
pub(crate) fn encode(name: &str) -> Vec<u8> {
    let mut raw = Vec::new();
    let mut shifted: Vec<u8> = Vec::new();
    let flush = |shifted: &mut Vec<u8>, raw: &mut Vec<u8>| {
        if let Some(engine) = engine().filter(|_| !shifted.is_empty()) {
            raw.push(b'&');
            raw.extend(engine.encode(&shifted).bytes());
            raw.push(b'-');
            shifted.clear();
        }
    };
    for c in name.chars() {
        if matches!(c, ' '..='~') {
            flush(&mut shifted, &mut raw);
            raw.extend(if c == '&' { &b"&-"[..] } else { &[] });
            if c != '&' {
                raw.extend(c.encode_utf8(&mut [0; 4]).bytes());
            }
        } else {
            shifted.extend(c.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_be_bytes()));
        }
    }
    flush(&mut shifted, &mut raw);
    raw
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_names() {
        for (name, raw) in [
            ("INBOX", "INBOX"),
            ("Entwürfe", "Entw&APw-rfe"),
            ("R&D", "R&-D"),
            ("Odeslaná pošta", "Odeslan&AOE- po&AWE-ta"),
            ("台北", "&U,BTFw-"),
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
            ("😀", "&2D3eAA-"),
        ] {
            assert_eq!(decode(raw.as_bytes()), name);
            assert_eq!(encode(name), raw.as_bytes());
        }
    }

    #[test]
    fn what_is_not_modified_utf7_is_shown_as_it_is() {
        for raw in ["R&D", "a&", "&AOk", "&A-", "&AGE-", "&2D0-", "Entwürfe", "&AOk-&AOk-"] {
            assert_eq!(decode(raw.as_bytes()), raw);
        }
        assert_eq!(decode(&[b'a', 0xff]), "a\u{fffd}");
    }

    proptest! {
        #[test]
        fn every_name_reads_back(name in "\\PC*") {
            prop_assert_eq!(decode(&encode(&name)), name);
        }

        #[test]
        fn no_bytes_are_too_odd(raw in proptest::collection::vec(any::<u8>(), 0..80)) {
            let shown = decode(&raw);
            prop_assert!(encode(&shown) == raw || shown == String::from_utf8_lossy(&raw));
        }
    }
}
