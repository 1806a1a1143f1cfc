//! Bodies: nested and broken multiparts, wrong transfer encodings, HTML.

use super::Case;
use super::build::{attachment, base64_lines, message, multipart, part};

const MIXED: &str = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n";

fn case(
    name: &'static str,
    why: &'static str,
    fields: &str,
    body: &[u8],
    text: &'static str,
    files: &[&'static str],
) -> Case {
    let fields = format!("From: s@corpus.test\r\nSubject: Structure\r\n{fields}");
    Case {
        name,
        why,
        raw: message(&fields, body),
        subject: "Structure",
        from: "s@corpus.test",
        text_contains: vec![text],
        attachments: files.to_vec(),
    }
}

pub(super) fn cases() -> Vec<Case> {
    let mut all = multiparts();
    all.extend(encodings());
    all
}

fn multiparts() -> Vec<Case> {
    let plain = part("text/plain; charset=utf-8", "", "Ahoj, čau.".as_bytes());
    let html = part("text/html; charset=utf-8", "", b"<p>The <b>HTML</b> form.</p>");
    let picture = part(
        "image/png; name=logo.png",
        "Content-ID: <logo@corpus.test>\r\nContent-Disposition: inline; filename=logo.png\r\n\
         Content-Transfer-Encoding: base64\r\n",
        base64_lines(super::PNG).as_bytes(),
    );
    let data = attachment("application/octet-stream", "data.bin", b"\0\x01\x02");
    let related = part("multipart/related; boundary=r", "", &multipart("r", &[&html, &picture]));
    let alternative = part("multipart/alternative; boundary=a", "", &multipart("a", &[&plain, &related]));
    let mut open = multipart("b", &[&plain, &data]);
    open.truncate(open.len().saturating_sub(b"\r\n--b--\r\n".len()));
    let inner = message("From: in@corpus.test\r\nSubject: Inside\r\n", b"The inner text.");
    let forwarded =
        part("message/rfc822", "Content-Disposition: attachment; filename=inside.eml\r\n", &inner);
    vec![
        case(
            "nested",
            "mixed of alternative of related; the last alternative is the one shown (RFC 2046 §5.1.4)",
            MIXED,
            &multipart("b", &[&alternative, &data]),
            "The HTML form.",
            &["logo.png", "data.bin"],
        ),
        case(
            "no-end-boundary",
            "the last boundary is missing (RFC 2046 §5.1.2 lets it end)",
            MIXED,
            &open,
            "Ahoj, čau.",
            &["data.bin"],
        ),
        case(
            "forwarded",
            "a message inside (RFC 2046 §5.2.1)",
            MIXED,
            &multipart("b", &[&plain, &forwarded]),
            "Ahoj, čau.",
            &["inside.eml"],
        ),
        case(
            "empty-multipart",
            "a multipart without a part",
            MIXED,
            b"Only a preamble.\r\n--b--\r\n",
            "",
            &[],
        ),
        case(
            "no-boundary",
            "a multipart that names no boundary: its body stays readable or is nothing, and is no attachment",
            "MIME-Version: 1.0\r\nContent-Type: multipart/mixed\r\n",
            &multipart("b", &[&plain]),
            "",
            &[],
        ),
    ]
}

fn encodings() -> Vec<Case> {
    vec![
        case("no-type", "no Content-Type at all is plain text (RFC 2045 §5.2)", "", b"Just text.", "Just text.", &[]),
        case(
            "quoted-printable",
            "soft line breaks, lower-case digits and white space before a line's end",
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n",
            b"One long =\r\nline, caf=c3=a9 =3D coffee  \r\nnext",
            "One long line, café = coffee",
            &[],
        ),
        case(
            "broken-quoted-printable",
            "what is no escape stays as it is (RFC 2045 §6.7)",
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n",
            b"100 =% and =ZZ, =C3=A9",
            "100 =% and =ZZ, é",
            &[],
        ),
        case(
            "base64-with-noise",
            "characters outside the alphabet are skipped (RFC 2045 §6.8)",
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n",
            b"U2Vjb25k!IHRl*\r\n\teHQu",
            "Second text.",
            &[],
        ),
        case(
            "unknown-encoding",
            "an encoding nobody knows: the text as it stands",
            "Content-Type: text/plain\r\nContent-Transfer-Encoding: x-none\r\n",
            b"Stands as it is.",
            "Stands as it is.",
            &[],
        ),
        case(
            "html-only",
            "HTML becomes text, with its links",
            "Content-Type: text/html; charset=utf-8\r\n",
            b"<html><body><h1>News</h1><p>Read <a href=\"https://shop.test/a\">the offer</a>.</p></body></html>",
            "https://shop.test/a",
            &[],
        ),
    ]
}
