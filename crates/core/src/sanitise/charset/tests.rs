//! Charsets as data: what mail says, what its bytes are, what a person should read.

use super::*;

type Case = (Vec<u8>, Option<&'static str>, &'static str, &'static str);

fn encode(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    encoding.encode(text).0.into_owned()
}

fn check(cases: Vec<Case>) {
    for (bytes, label, wanted, why) in cases {
        assert_eq!(decode(&bytes, label).text, wanted, "{why} ({label:?})");
    }
}

#[test]
fn labels_and_bytes() {
    check(vec![
        (b"plain".to_vec(), None, "plain", "ASCII needs no label"),
        ("Žádost".into(), Some("utf-8"), "Žádost", "UTF-8 as it says"),
        ("Žádost".into(), Some("us-ascii"), "Žádost", "UTF-8 mislabelled ASCII"),
        ("Žádost".into(), Some("iso-8859-1"), "Žádost", "UTF-8 mislabelled Latin-1"),
        ("Žádost".into(), Some("windows-1250"), "Žádost", "UTF-8 mislabelled by an old client"),
        ("Žádost".into(), Some("nonsense-42"), "Žádost", "unknown label"),
        (
            "Žádost o schůzku v úterý".into(),
            Some("gb2312"),
            "Žádost o schůzku v úterý",
            "UTF-8 mislabelled Chinese decodes with errors there",
        ),
        ("您好，请看附件".into(), Some("gb2312"), "您好，请看附件", "UTF-8 mislabelled Chinese"),
        (b"\xef\xbb\xbfmark".to_vec(), Some("iso-8859-2"), "mark", "a UTF-8 byte order mark decides"),
        (
            encode(encoding_rs::WINDOWS_1250, "Příliš žluťoučký kůň"),
            Some("windows-1250"),
            "Příliš žluťoučký kůň",
            "as it says",
        ),
        (
            encode(encoding_rs::WINDOWS_1250, "Příliš žluťoučký kůň"),
            Some("utf-8"),
            "Příliš žluťoučký kůň",
            "1250 mislabelled UTF-8",
        ),
        (
            encode(encoding_rs::WINDOWS_1250, "Příliš žluťoučký kůň"),
            Some("iso-8859-2"),
            "Příliš žluťoučký kůň",
            "1250 mislabelled ISO-8859-2",
        ),
        (
            encode(encoding_rs::WINDOWS_1250, "Příliš žluťoučký kůň"),
            Some("CP-1250"),
            "Příliš žluťoučký kůň",
            "a label of its own",
        ),
        (encode(encoding_rs::ISO_8859_2, "Jiří Dvořák"), None, "Jiří Dvořák", "a raw Czech name"),
        (
            encode(encoding_rs::WINDOWS_1252, "très déçu, père Noël"),
            None,
            "très déçu, père Noël",
            "raw French",
        ),
        (
            encode(encoding_rs::WINDOWS_1252, "København først på øen"),
            None,
            "København først på øen",
            "raw Danish",
        ),
        (
            encode(encoding_rs::WINDOWS_1252, "Grüße aus Köln – 5 €"),
            Some("iso-8859-1"),
            "Grüße aus Köln – 5 €",
            "Latin-1 means 1252",
        ),
        (encode(encoding_rs::WINDOWS_1252, "l’été"), Some("us-ascii"), "l’été", "1252 mislabelled ASCII"),
        (
            encode(encoding_rs::WINDOWS_1251, "Привет, как дела"),
            Some("utf-8"),
            "Привет, как дела",
            "1251 mislabelled UTF-8",
        ),
        (encode(encoding_rs::KOI8_R, "Привет, как дела"), None, "Привет, как дела", "raw KOI8-R"),
        (encode(encoding_rs::KOI8_U, "Привіт"), Some("koi8-ru"), "Привіт", "an alias"),
    ]);
}

#[test]
fn east_asian_and_stateful() {
    check(vec![
        (encode(encoding_rs::ISO_2022_JP, "こんにちは"), Some("ISO-2022-JP"), "こんにちは", "as it says"),
        (
            encode(encoding_rs::ISO_2022_JP, "こんにちは"),
            Some("us-ascii"),
            "こんにちは",
            "escapes mislabelled ASCII",
        ),
        (encode(encoding_rs::SHIFT_JIS, "こんにちは世界"), Some("cp932"), "こんにちは世界", "a code page"),
        (encode(encoding_rs::SHIFT_JIS, "こんにちは世界です"), None, "こんにちは世界です", "raw Shift_JIS"),
        (
            encode(encoding_rs::EUC_JP, "こんにちは世界です"),
            Some("utf-8"),
            "こんにちは世界です",
            "EUC-JP mislabelled UTF-8",
        ),
        (encode(encoding_rs::GBK, "您好，请看附件"), Some("gb2312"), "您好，请看附件", "as it says"),
        (encode(encoding_rs::GBK, "您好，请看附件"), None, "您好，请看附件", "raw GBK"),
        (encode(encoding_rs::BIG5, "您好，請看附件"), Some("big5"), "您好，請看附件", "as it says"),
        (encode(encoding_rs::EUC_KR, "안녕하세요"), Some("ks_c_5601-1987"), "안녕하세요", "as Outlook says"),
        (encode(encoding_rs::EUC_KR, "안녕하세요"), None, "안녕하세요", "raw Korean"),
        (b"\x1b$)C\x0e>H3g\x0f hi".to_vec(), Some("iso-2022-kr"), "안녕 hi", "RFC 1557"),
        (b"~{<:Ky2;~} ok ~~".to_vec(), Some("hz-gb-2312"), "己所不 ok ~", "RFC 1843's own example"),
        (b"Hi Mom -+Jjo--!".to_vec(), Some("utf-7"), "Hi Mom -☺-!", "RFC 2152's own example"),
        (b"1 +- 1 +2D3eAA-".to_vec(), Some("UTF-7"), "1 + 1 😀", "a surrogate pair"),
        (b"+ADw-b+AD4-".to_vec(), Some("utf-7"), "<b>", "markup in UTF-7 is plain before it is filtered"),
        (b"\xa7lu\x9c".to_vec(), Some("cp852"), "žluť", "DOS Latin 2"),
        (b"\x81ber".to_vec(), Some("cp850"), "über", "DOS Latin 1"),
        (b"\xff\xfeh\0i\0".to_vec(), Some("utf-16"), "hi", "a mark says little-endian"),
        (b"\0h\0i".to_vec(), Some("utf-16"), "hi", "big-endian without a mark"),
        (b"h\0i\0".to_vec(), Some("utf-16"), "hi", "little-endian without a mark"),
        (b"h\0i\0".to_vec(), Some("utf-16le"), "hi", "named order"),
        (b"hello".to_vec(), Some("utf-16"), "hello", "not UTF-16 at all"),
        ("ok".into(), Some("\"UTF-8\";"), "ok", "a label with rubbish round it"),
        (b"a\xffb".to_vec(), Some(""), "aÿb", "an empty label"),
    ]);
}

#[test]
fn damaged_utf_8_stays_utf_8() {
    let decoded = decode("Žluťoučký kůň\u{0}".as_bytes().split_last().unwrap().1, Some("utf-8"));
    assert!(!decoded.replaced);
    let mut cut = "Žluťoučký kůň".as_bytes().to_vec();
    cut.pop();
    let decoded = decode(&cut, Some("utf-8"));
    assert_eq!((decoded.text.as_str(), decoded.replaced), ("Žluťoučký ků\u{fffd}", true));
}

#[test]
fn header_bytes() {
    assert_eq!(decode_header(b"Ji\xf8\xed Dvo\xf8\xe1k", Some("utf-8")), "Jiří Dvořák");
    assert_eq!(decode_header("Žádost – účet".as_bytes(), Some("iso-8859-2")), "Žádost – účet");
    assert_eq!(decode_header(b"Privet \xd0", Some("koi8-r")), "Privet п");
}
