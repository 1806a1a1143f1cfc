//! The same kind of message in each charset that mail is written in, and some with a wrong label.

use encoding_rs::Encoding;

use super::Case;
use super::build::{base64_lines, message};

/// Name, charset, subject and a text that the charset can hold.
const TEXTS: [(&str, &str, &str, &str); 13] = [
    ("utf-8", "utf-8", "Přehled — 概要 ✓", "Příliš žluťoučký kůň, 日本語, €"),
    ("iso-8859-1", "iso-8859-1", "Grüße", "Falsches Üben von Xylophonmusik quält"),
    ("iso-8859-2", "iso-8859-2", "Faktúra", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
    ("iso-8859-15", "iso-8859-15", "Prix en €", "Œuvre à 5 €, cœur"),
    ("windows-1250", "windows-1250", "Účet", "„Zażółć gęślą jaźń“"),
    ("windows-1251", "windows-1251", "Счёт", "Съешь ещё этих мягких французских булок"),
    ("windows-1252", "windows-1252", "“Quotes”", "It’s – well… €5"),
    ("koi8-r", "koi8-r", "Привет", "В чащах юга жил бы цитрус"),
    ("shift_jis", "shift_jis", "会議の件", "いろはにほへと、カタカナ"),
    ("iso-2022-jp", "iso-2022-jp", "お知らせ", "漢字とかなの文章です"),
    ("gb18030", "gb18030", "会议通知", "汉字简体𠀀"),
    ("euc-kr", "euc-kr", "회의 안내", "다람쥐 헌 쳇바퀴에 타고파"),
    ("big5", "big5", "會議通知", "繁體中文的內容"),
];

pub(super) fn cases() -> Vec<Case> {
    let mut all: Vec<Case> =
        TEXTS.iter().map(|(name, label, subject, text)| case(name, label, label, subject, text)).collect();
    all.push(Case {
        why: "labelled ISO 8859-1, but its bytes are those of windows-1252, as WHATWG reads the label",
        ..case("latin1-that-is-1252", "windows-1252", "iso-8859-1", "Label", "“Smart” – €")
    });
    all.push(Case {
        why: "labelled us-ascii, but its bytes are UTF-8",
        ..case("ascii-that-is-utf-8", "utf-8", "us-ascii", "Label", "Žluťoučký kůň")
    });
    all
}

fn case(name: &'static str, charset: &str, label: &str, subject: &'static str, text: &'static str) -> Case {
    let encoding = Encoding::for_label(charset.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    let (word, _, _) = encoding.encode(subject);
    let (body, _, _) = encoding.encode(text);
    let word = base64_lines(&word);
    let fields = format!(
        "From: =?{charset}?B?{}?= <c@corpus.test>\r\nSubject: =?{charset}?B?{}?=\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=\"{label}\"\r\nContent-Transfer-Encoding: 8bit\r\n",
        base64_lines(b"Ana").trim_end(),
        word.trim_end(),
    );
    Case {
        name,
        why: "text and header in this charset",
        raw: message(&fields, &body),
        subject,
        from: "Ana <c@corpus.test>",
        text_contains: vec![text],
        attachments: vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_charset_can_hold_its_text() {
        for (name, label, subject, text) in TEXTS {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            assert_eq!(encoding, encoding.output_encoding(), "{name}");
            assert!(!encoding.encode(subject).2 && !encoding.encode(text).2, "{name}");
        }
    }
}
