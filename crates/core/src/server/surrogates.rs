//! Half characters in what a client writes. JavaScript strings may hold one half of a surrogate pair (an emoji cut in
//! two), and `JSON.stringify` escapes it; serde takes no such string, and rmcp passes over a line that it can't read,
//! so the call would never be answered. Each half alone becomes U+FFFD, as JavaScript itself writes it in UTF-8.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};

/// How much is read at a time.
const CHUNK: usize = 8 * 1024;
/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// A reader of JSON lines in which no surrogate stands alone.
pub(super) struct Whole<R> {
    inner: R,
    /// The beginning of an escape, or the first half of a pair: not to be passed on before it is known what follows.
    held: Vec<u8>,
    /// To be passed on.
    out: Vec<u8>,
}

/// What to do with the bytes that are held.
enum Next {
    Wait,
    Pass(usize),
    Replace,
}

impl<R> Whole<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, held: Vec::new(), out: Vec::new() }
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.held.is_empty() && !bytes.contains(&b'\\') {
            self.out.extend_from_slice(bytes);
            return;
        }
        for byte in bytes {
            self.held.push(*byte);
            while !self.held.is_empty() {
                match next(&self.held) {
                    Next::Wait => break,
                    Next::Pass(count) => self.out.extend(self.held.drain(..count)),
                    Next::Replace => {
                        self.held.drain(..ESCAPE);
                        self.out.extend_from_slice(b"\\ufffd");
                    }
                }
            }
        }
    }
}

fn next(held: &[u8]) -> Next {
    match held {
        [b'\\'] => return Next::Wait,
        [b'\\', b'u', ..] => {}
        // Another escape is passed on whole: in `\\ud800` there is none of ours.
        [b'\\', ..] => return Next::Pass(2),
        _ => return Next::Pass(1),
    }
    let (first, after) = held.split_at(held.len().min(ESCAPE));
    if !first.iter().skip(2).all(u8::is_ascii_hexdigit) {
        return Next::Pass(2);
    }
    match (first.get(2..4).map(<[u8]>::to_ascii_lowercase).as_deref(), first.len()) {
        (_, ..ESCAPE) => Next::Wait,
        (Some([b'd', b'c'..=b'f']), _) => Next::Replace,
        (Some([b'd', b'8'..=b'9' | b'a'..=b'b']), _) => second_half(after),
        _ => Next::Pass(ESCAPE),
    }
}

/// After the first half of a pair.
fn second_half(after: &[u8]) -> Next {
    let fits = after.iter().enumerate().all(|(at, byte)| match at {
        0 => *byte == b'\\',
        1 => *byte == b'u',
        2 => byte.eq_ignore_ascii_case(&b'd'),
        3 => matches!(byte.to_ascii_lowercase(), b'c'..=b'f'),
        _ => byte.is_ascii_hexdigit(),
    });
    match after.len() {
        _ if !fits => Next::Replace,
        ESCAPE => Next::Pass(ESCAPE.saturating_mul(2)),
        _ => Next::Wait,
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Whole<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        while self.out.is_empty() && buf.remaining() > 0 {
            let mut chunk = [0_u8; CHUNK];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                let rest = std::mem::take(&mut self.held);
                self.out.extend_from_slice(&rest);
                break;
            }
            self.take(read.filled());
        }
        let count = self.out.len().min(buf.remaining());
        buf.put_slice(self.out.get(..count).unwrap_or_default());
        self.out.drain(..count);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn halves_alone_are_replaced_wherever_the_input_is_cut() {
        let cases = [
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"\uDC00 \uD83D\n"}"#, r#"{"a":"\ufffd \ufffd\n"}"#),
            (r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\ud83d\ude00"}"#),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, r#"{"a":"\ufffd\ud83d\ude00"}"#),
            (r#"{"a":"\ud83d\u0041"}"#, r#"{"a":"\ufffd\u0041"}"#),
            (r#"{"a":"\\ud83d \"\u00e9"}"#, r#"{"a":"\\ud83d \"\u00e9"}"#),
            (r#"{"a":"\u12"}"#, r#"{"a":"\u12"}"#),
            (r#"{"a":"\ud8"#, r#"{"a":"\ud8"#),
            ("", ""),
        ];
        for (input, wanted) in cases {
            for cut in 0..=input.len() {
                let (before, after) = input.as_bytes().split_at(cut);
                let mut got = String::new();
                Whole::new(before.chain(after)).read_to_string(&mut got).await.unwrap();
                assert_eq!(got, wanted, "cut at {cut}");
            }
        }
    }
}
