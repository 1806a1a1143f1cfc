//! Charset labels as mail writes them, to a decoder: the WHATWG's labels, then the names that only mail has.

use encoding_rs::Encoding;

use super::tables;

/// What a label names.
pub(super) enum Named {
    Known(&'static Encoding),
    /// ASCII says nothing about bytes beyond it, so those are guessed.
    Ascii,
    Utf7,
    Iso2022Kr,
    Iso2022Cn,
    Hz,
    Table(&'static str, &'static str),
    Unknown,
}

/// Longest label looked at; registered names have at most 40 characters (RFC 2978).
const LONGEST: usize = 64;

pub(super) fn find(label: &str) -> Named {
    let label =
        label.trim_matches(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | ';'));
    if label.len() > LONGEST {
        return Named::Unknown;
    }
    let mut name = label.to_ascii_lowercase().replace('_', "-").replace(' ', "");
    // RFC 2231 lets a language follow the charset of an encoded word: `utf-8*en`.
    if let Some((charset, _)) = name.split_once('*') {
        name = charset.to_owned();
    }
    special(&name)
        .or_else(|| standard(&name))
        .or_else(|| standard(&label.to_ascii_lowercase()))
        .or_else(|| name.strip_prefix("x-").and_then(|bare| special(bare).or_else(|| standard(bare))))
        .or_else(|| by_code_page(&name))
        .unwrap_or(Named::Unknown)
}

fn special(name: &str) -> Option<Named> {
    Some(match name {
        "us-ascii" | "ascii" | "ansi-x3.4-1968" | "iso-ir-6" | "iso646-us" | "us" | "646" | "cp20127" => {
            Named::Ascii
        }
        "utf-7" | "utf7" | "unicode-1-1-utf-7" | "x-unicode-2-0-utf-7" | "csutf7" | "cp65000" => Named::Utf7,
        "iso-2022-kr" | "csiso2022kr" => Named::Iso2022Kr,
        "iso-2022-cn" | "iso-2022-cn-ext" => Named::Iso2022Cn,
        "hz" | "hz-gb-2312" => Named::Hz,
        "cp437" | "ibm437" | "437" | "cspc8codepage437" => Named::Table("IBM437", tables::CP437),
        "cp850" | "ibm850" | "850" | "cspc850multilingual" | "cp858" | "ibm00858" => {
            Named::Table("IBM850", tables::CP850)
        }
        "cp852" | "ibm852" | "852" | "cspcp852" => Named::Table("IBM852", tables::CP852),
        "x-mac-ce" | "mac-ce" | "macce" | "x-mac-centraleurroman" | "maccentraleurope" | "x-mac-latin2" => {
            Named::Table("x-mac-ce", tables::MAC_CENTRAL_EUROPE)
        }
        "utf8mb4" | "utf-8-mac" | "utf-8n" | "utf8n" | "cp65001" | "utf-8-sig" => {
            Named::Known(encoding_rs::UTF_8)
        }
        "utf-16" => Named::Known(encoding_rs::UTF_16BE),
        "latin-1" | "iso-latin-1" | "iso8859-1-windows-latin-1" => Named::Known(encoding_rs::WINDOWS_1252),
        "latin-2" => Named::Known(encoding_rs::ISO_8859_2),
        "latin-9" | "latin9" => Named::Known(encoding_rs::ISO_8859_15),
        "uhc" | "ks-c-5601" | "ksc5601" | "ks-x-1001" => Named::Known(encoding_rs::EUC_KR),
        "koi8" | "koi8-ru" => Named::Known(encoding_rs::KOI8_U),
        "gb18030-2000" | "gb-2312" | "euc-cn" | "euccn" => Named::Known(encoding_rs::GB18030),
        "eucjp" | "cp51932" => Named::Known(encoding_rs::EUC_JP),
        "iso-2022-jp-2" | "iso-2022-jp-ms" | "cp50220" | "cp50221" | "cp50222" => {
            Named::Known(encoding_rs::ISO_2022_JP)
        }
        "big5hkscs" | "big5-tw" | "big5-eten" => Named::Known(encoding_rs::BIG5),
        "macroman" | "mac-roman" => Named::Known(encoding_rs::MACINTOSH),
        _ => return None,
    })
}

fn standard(name: &str) -> Option<Named> {
    let encoding = Encoding::for_label(name.as_bytes())?;
    (encoding != encoding_rs::REPLACEMENT).then_some(Named::Known(encoding))
}

/// `cp1250`, `win-1250`, `windows1250`, `ibm-1250`, `ms932`… all name a code page.
fn by_code_page(name: &str) -> Option<Named> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let prefix = name.strip_suffix(digits)?;
    if !matches!(
        prefix.trim_end_matches('-'),
        "cp" | "win" | "windows" | "ibm" | "ms" | "codepage" | "microsoft-cp" | ""
    ) {
        return None;
    }
    Some(Named::Known(match digits {
        "874" => encoding_rs::WINDOWS_874,
        "932" | "943" => encoding_rs::SHIFT_JIS,
        "936" | "1386" => encoding_rs::GBK,
        "949" | "970" => encoding_rs::EUC_KR,
        "950" => encoding_rs::BIG5,
        "1250" => encoding_rs::WINDOWS_1250,
        "1251" => encoding_rs::WINDOWS_1251,
        "1252" | "28591" => encoding_rs::WINDOWS_1252,
        "1253" => encoding_rs::WINDOWS_1253,
        "1254" => encoding_rs::WINDOWS_1254,
        "1255" => encoding_rs::WINDOWS_1255,
        "1256" => encoding_rs::WINDOWS_1256,
        "1257" => encoding_rs::WINDOWS_1257,
        "1258" => encoding_rs::WINDOWS_1258,
        "20866" | "878" => encoding_rs::KOI8_R,
        "21866" => encoding_rs::KOI8_U,
        "28592" => encoding_rs::ISO_8859_2,
        "28605" => encoding_rs::ISO_8859_15,
        "54936" => encoding_rs::GB18030,
        _ => return None,
    }))
}
