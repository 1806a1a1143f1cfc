//! Files as attachments, each with content that is known.

use std::fmt::Write as _;

use super::Case;
use super::build::{attachment, message, multipart, part};

/// A picture of one transparent pixel.
pub const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\
    \xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";
/// A table.
pub const CSV: &str = "item;price\r\nkitchen;1200\r\ntiles, čtverec;300\r\n";
/// An invitation (RFC 5545).
pub const ICS: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1@corpus.test\r\n\
    DTSTART:20261201T090000Z\r\nSUMMARY:Kitchen visit\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// A PDF of one page that holds this line of ASCII text.
pub fn pdf(line: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = String::new();
    for (number, object) in (1..).zip(&objects) {
        // Writing to a string can't fail.
        let _ = writeln!(table, "{:010} 00000 n ", out.len());
        let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = out.len();
    let _ = write!(
        out,
        "xref\n0 6\n0000000000 65535 f \n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    out.into_bytes()
}

pub(super) fn cases() -> Vec<Case> {
    let files = [
        attachment("application/pdf", "quote.pdf", &pdf("The kitchen costs 1200.")),
        attachment("image/png", "dot.png", PNG),
        attachment("text/csv; charset=utf-8", "prices.csv", CSV.as_bytes()),
        attachment("text/calendar; charset=utf-8; method=REQUEST", "visit.ics", ICS.as_bytes()),
        attachment("application/zip", "small.zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    ];
    let text = part("text/plain", "", b"Everything is attached.");
    let mut parts: Vec<&[u8]> = vec![&text];
    parts.extend(files.iter().map(Vec::as_slice));
    let head = "From: Shop <shop@corpus.test>\r\nSubject: Files\r\nMIME-Version: 1.0\r\n\
                Content-Type: multipart/mixed; boundary=files\r\n";
    vec![Case {
        name: "files",
        why: "one attachment of each kind that is read",
        raw: message(head, &multipart("files", &parts)),
        subject: "Files",
        from: "Shop <shop@corpus.test>",
        text_contains: vec!["Everything is attached."],
        attachments: vec!["quote.pdf", "dot.png", "prices.csv", "visit.ics", "small.zip"],
    }]
}
