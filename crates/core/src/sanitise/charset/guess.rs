//! Which legacy charset 8-bit bytes are in when nothing says so.
//!
//! Mail without a usable label comes from old software, so few charsets are worth telling apart. Double-byte
//! text is recognised by decoding without an error and by its commonest characters. Cyrillic is text whose words
//! are of high bytes; its two charsets have lower case in different halves. Of the Latin ones, windows-1252 and
//! windows-1250 differ in letters that are a vowel in one and a consonant in the other (è/č, ø/ř, ò/ň, ï/ď):
//! beside a vowel it is the consonant. What tells nothing is windows-1252, which is what most such mail is.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_8859_2, KOI8_R, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252,
};

/// Bytes looked at: more don't make the guess better.
const SAMPLE: usize = 64 * 1024;

pub(super) fn legacy(bytes: &[u8]) -> &'static Encoding {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let high = sample.iter().filter(|byte| !byte.is_ascii()).count();
    let letters = sample.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if high >= 4 && high > letters {
        if let Some(encoding) = double_byte(sample) {
            return encoding;
        }
        return cyrillic(sample);
    }
    latin(sample)
}

/// Japanese by its kana, Korean by its syllables, Chinese by the rows of common characters.
fn double_byte(sample: &[u8]) -> Option<&'static Encoding> {
    let share = |encoding: &'static Encoding, common: fn(char) -> bool| -> Option<u32> {
        let (text, _) = encoding.decode_without_bom_handling(sample);
        let (mut wide, mut hits, mut broken) = (0_u32, 0_u32, 0_u32);
        for c in text.chars().filter(|c| !c.is_ascii()) {
            wide = wide.saturating_add(1);
            hits = hits.saturating_add(u32::from(common(c)));
            broken = broken.saturating_add(u32::from(c == char::REPLACEMENT_CHARACTER));
        }
        // The sample may end in the middle of a character.
        (wide > 0 && broken <= 1).then(|| hits.saturating_mul(100).checked_div(wide).unwrap_or_default())
    };
    let kana = |c| matches!(c, '\u{3041}'..='\u{30ff}');
    let hangul = |c| matches!(c, '\u{ac00}'..='\u{d7a3}');
    let common_han = |c| "的是不我了在人有他一中大来您好请这和们為這請們會你，。、".contains(c);
    for (encoding, common, enough) in [
        (EUC_JP, kana as fn(char) -> bool, 25),
        (SHIFT_JIS, kana, 25),
        (GBK, common_han, 8),
        (BIG5, common_han, 8),
        // Last: Chinese read as Korean is syllables too, while the commonest Chinese characters are rare syllables.
        (EUC_KR, hangul, 80),
    ] {
        if share(encoding, common).is_some_and(|share| share >= enough) {
            return Some(encoding);
        }
    }
    None
}

fn cyrillic(sample: &[u8]) -> &'static Encoding {
    let upper_half = sample.iter().filter(|byte| matches!(byte, 0xe0..=0xff)).count();
    let lower_half = sample.iter().filter(|byte| matches!(byte, 0xc0..=0xdf)).count();
    if upper_half >= lower_half { WINDOWS_1251 } else { KOI8_R }
}

fn latin(sample: &[u8]) -> &'static Encoding {
    let mut central = 0_i32;
    let mut iso = 0_i32;
    let mut windows = 0_i32;
    let mut previous = b' ';
    for (at, &byte) in sample.iter().enumerate() {
        let next = sample.get(at.saturating_add(1)).copied().unwrap_or(b' ');
        let by_vowel = if is_vowel(previous) || is_vowel(next) { 1 } else { -1 };
        let inside = is_letter(previous) && is_letter(next);
        central = central.saturating_add(match byte {
            // è/č, ø/ř, ò/ň, ï/ď, à/ŕ, å/ĺ, æ/ć, and the capitals È/Č, Ø/Ř, Ï/Ď.
            0xe8 | 0xf8 | 0xf2 | 0xef | 0xe0 | 0xe5 | 0xe6 | 0xc8 | 0xd8 | 0xcf => by_vowel,
            // ì/ě and ù/ů: Italian and French have them at the end of a word.
            0xec | 0xf9 => {
                if is_letter(next) {
                    1
                } else {
                    -1
                }
            }
            // Signs in 1252 that are letters in a Central European page: ³/ł, ¹/ą or š, ¿/ż, ¾/ž or ľ, »/ť, ¶/ś.
            0xb3 | 0xb9 | 0xbf | 0xbe | 0xbb | 0xb6 | 0xbc if inside => 2,
            // ª/Ş, ð/đ, ÿ/˙ and õ/ő, û/ű.
            0xf5 | 0xfb => by_vowel.saturating_neg().min(0),
            0xe3 | 0xf1 | 0xea | 0xee => -1, // ã ñ ê î: everyday in the West
            0x9d => 1,                       // ť; not in 1252 at all
            _ => 0,
        });
        match byte {
            0x80..=0x9f => windows = windows.saturating_add(1),
            0xb9 | 0xbe | 0xbb | 0xb6 if inside => iso = iso.saturating_add(1),
            _ => {}
        }
        previous = byte;
    }
    match (central > 0, iso > 0 && windows == 0) {
        (true, true) => ISO_8859_2,
        (true, false) => WINDOWS_1250,
        (false, _) => WINDOWS_1252,
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(
        byte.to_ascii_lowercase(),
        b'a' | b'e'
            | b'i'
            | b'o'
            | b'u'
            | b'y'
            | 0xe1
            | 0xe9
            | 0xed
            | 0xf3
            | 0xfa
            | 0xfd
            | 0xec
            | 0xf9
            | 0xc1
            | 0xc9
            | 0xcd
            | 0xd3
            | 0xda
    )
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0xc0
}
