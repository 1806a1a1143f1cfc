//! The test program starts itself as the reader: [`as_child`] is a test that does nothing else.

use super::*;

const CHILD: &str = "attachment::pdf::tests::as_child";
/// An argument that only the reader is started with; to the test program it is one more test to leave out.
const MARK: &str = "started-as-the-reader";

/// Runs as the reader where it was started as one, and otherwise says that it wasn't.
#[test]
fn as_child() {
    let is_child = std::env::args().any(|argument| argument == MARK);
    if is_child {
        run_child().unwrap();
    } else {
        assert_eq!(read(b"not a PDF").0, b'u');
    }
}

fn reader() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", CHILD, "--nocapture", "--test-threads=1", "--skip", MARK]);
    command
}

/// A PDF of one page, its objects as given, with a cross-reference table.
fn pdf(page: &str, stream: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        page.to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut pieces = vec!["%PDF-1.4\n".to_owned()];
    let mut entries = Vec::new();
    for (number, object) in (1_u32..).zip(&objects) {
        entries.push(format!("{:010} 00000 n \n", pieces.concat().len()));
        pieces.push(format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let body = pieces.concat();
    let table = format!("xref\n0 6\n0000000000 65535 f \n{}", entries.concat());
    let trailer = format!("trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", body.len());
    format!("{body}{table}{trailer}").into_bytes()
}

const PAGE: &str = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>";

#[test]
fn text_is_read_in_a_child() {
    let file = pdf(PAGE, "BT /F1 12 Tf 10 100 Td (Invoice 42) Tj ET");
    assert_eq!(
        text_by(reader(), &file, DEADLINE),
        Ok(PdfText { text: "Invoice 42".to_owned(), truncated: false })
    );
}

#[test]
fn a_page_that_is_its_own_parent_ends_only_the_child() {
    let page = "<< /Type /Page /Parent 3 0 R /Contents 4 0 R >>";
    assert_eq!(text_by(reader(), &pdf(page, "BT ET"), DEADLINE), Err(PdfError::Unreadable));
}

#[test]
fn damaged_files_are_unreadable() {
    for file in [&b""[..], b"%PDF-1.7", b"%PDF-1.7\n1 0 obj\n<<", b"hello"] {
        assert_eq!(text_by(reader(), file, DEADLINE), Err(PdfError::Unreadable));
    }
}

#[test]
fn time_that_is_up_ends_the_wait() {
    let mut command = Command::new("sleep");
    command.arg("60");
    assert_eq!(text_by(command, b"%PDF", Duration::from_millis(20)), Err(PdfError::TimedOut));
}

#[test]
fn what_is_too_large_is_not_read() {
    assert_eq!(text_by(reader(), &vec![0; INPUT_LIMIT + 1], DEADLINE), Err(PdfError::TooLarge));
}
