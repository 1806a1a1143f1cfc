//! Framing: cuts what a server sends into whole responses, literals included, and bounds what one may hold.
//!
//! During the sign-in async-imap reads through this as a stream. It then gets one response at a time and only those it
//! needs (continuations and tagged ones), so a greeting or an untagged line that its parser refuses can't stop it and
//! nothing is left behind in its buffer when we read on ourselves.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, timeout_at},
};

use super::value::announced_literal;

/// Longest response, literals included. What is longer is fetched in pieces of [`super::PIECE`] bytes, so this leaves room.
pub(crate) const MAX_RESPONSE: usize = 16 * 1_024 * 1_024;
/// Longest line without a literal: what SEARCH answers for a million messages.
const MAX_LINE: usize = 8 * 1_024 * 1_024;
const CHUNK: usize = 16 * 1_024;
/// Most bytes that a server may send while nothing was asked of it.
const MOST_UNASKED: usize = 64 * 1_024;

/// Why no response came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireFault {
    /// The connection ended.
    Lost,
    /// The time was up.
    TimedOut,
    /// A response was longer than is held.
    TooLong,
}

/// A stream of whole responses.
#[derive(Debug)]
pub(crate) struct Wire<S> {
    stream: S,
    /// What was received and not yet handed out.
    buffer: Vec<u8>,
    /// Where the line begins that may end the response: literals before it are passed over.
    scanned: usize,
    /// How far that line was searched for its end, so that a long one is searched once.
    searched: usize,
    /// A response on its way to async-imap.
    outgoing: io::Cursor<Vec<u8>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    /// Frames a stream.
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, buffer: Vec::new(), scanned: 0, searched: 0, outgoing: io::Cursor::new(Vec::new()) }
    }

    /// The stream, if nothing was received that has not been handed out. What a server sends on before TLS stands was
    /// perhaps put in by someone else (CVE-2011-0411), so such a connection is given up.
    pub(crate) fn into_clean_stream(self) -> Option<S> {
        self.buffer.is_empty().then_some(self.stream)
    }

    /// The next response, if it comes before the server was silent for `silence` and before `deadline`.
    pub(crate) async fn next(&mut self, silence: Duration, deadline: Instant) -> Result<Vec<u8>, WireFault> {
        loop {
            if let Some(response) = self.take()? {
                return Ok(response);
            }
            // A server that always has more to say never lets the timer below have its turn.
            if Instant::now() >= deadline {
                return Err(WireFault::TimedOut);
            }
            let until = Instant::now().checked_add(silence).map_or(deadline, |at| at.min(deadline));
            match timeout_at(until, poll_fn(|cx| self.poll_fill(cx))).await {
                Err(_) => return Err(WireFault::TimedOut),
                Ok(Err(_) | Ok(0)) => return Err(WireFault::Lost),
                Ok(Ok(_)) => {}
            }
        }
    }

    /// Whether the other side has said anything or gone away while nothing was asked. Only an idle, healthy connection
    /// is silent or sends plain status lines; those are kept for the next command to skip.
    pub(crate) fn is_gone(&mut self, cx: &mut Context<'_>) -> bool {
        loop {
            match self.poll_fill(cx) {
                Poll::Pending => break,
                Poll::Ready(Ok(1..)) if self.buffer.len() <= MOST_UNASKED => {}
                Poll::Ready(_) => return true,
            }
        }
        let mut lines = self.buffer.split(|byte| *byte == b'\n');
        lines.any(|line| line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"* BYE")))
    }

    /// Cuts one whole response off the buffer.
    fn take(&mut self) -> Result<Option<Vec<u8>>, WireFault> {
        loop {
            let (from, searched) = (self.scanned, self.searched.max(self.scanned));
            let Some(unseen) = self.buffer.get(searched..) else { return self.within_limit() };
            let Some(length) = unseen.iter().position(|&b| b == b'\n') else {
                self.searched = self.buffer.len();
                let line = self.buffer.len().saturating_sub(from);
                return if line > MAX_LINE { Err(WireFault::TooLong) } else { self.within_limit() };
            };
            let end = searched.saturating_add(length).saturating_add(1);
            let line = self.buffer.get(from..end.saturating_sub(1)).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if self.may_carry_literal()
                && let Some((size, _)) = announced_literal(line)
            {
                self.scanned = end.saturating_add(size);
                self.searched = self.scanned;
                if self.scanned > MAX_RESPONSE {
                    return Err(WireFault::TooLong);
                }
                continue;
            }
            let rest = self.buffer.split_off(end);
            (self.scanned, self.searched) = (0, 0);
            return Ok(Some(std::mem::replace(&mut self.buffer, rest)));
        }
    }

    /// Status lines hold text for people, in which `{3}` at the end means nothing.
    fn may_carry_literal(&self) -> bool {
        let start = self.buffer.get(..6).unwrap_or_default().to_ascii_uppercase();
        start.starts_with(b"* ")
            && ![&b"* OK "[..], b"* NO ", b"* BAD ", b"* BYE "].iter().any(|status| start.starts_with(status))
    }

    fn within_limit(&self) -> Result<Option<Vec<u8>>, WireFault> {
        if self.buffer.len() > MAX_RESPONSE { Err(WireFault::TooLong) } else { Ok(None) }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut chunk = [0_u8; CHUNK];
        let mut read = ReadBuf::new(&mut chunk);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut read))?;
        self.buffer.extend_from_slice(read.filled());
        Poll::Ready(Ok(read.filled().len()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            let before = buf.filled().len();
            ready!(Pin::new(&mut this.outgoing).poll_read(cx, buf))?;
            if buf.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
            match this.take().map_err(|_| io::ErrorKind::InvalidData)? {
                Some(response) if response.starts_with(b"* ") => {}
                // PLAIN has no challenges, and what servers write there is not always base64.
                Some(response) if response.starts_with(b"+") => {
                    this.outgoing = io::Cursor::new(b"+ \r\n".to_vec());
                }
                Some(response) => this.outgoing = io::Cursor::new(response),
                None => {
                    if ready!(this.poll_fill(cx))? == 0 {
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn deadline() -> Instant {
        Instant::now().checked_add(Duration::from_secs(1)).unwrap()
    }

    async fn frames(sent: &[&[u8]]) -> Vec<String> {
        let (near, mut far) = tokio::io::duplex(1 << 16);
        let mut wire = Wire::new(near);
        let feed = async {
            for piece in sent {
                far.write_all(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
            drop(far);
        };
        let read = async {
            let mut found = Vec::new();
            let second = Duration::from_secs(1);
            while let Ok(frame) = wire.next(second, deadline()).await {
                found.push(String::from_utf8_lossy(&frame).into_owned());
            }
            found
        };
        tokio::join!(feed, read).1
    }

    #[tokio::test]
    async fn literals_belong_to_their_response_however_they_arrive() {
        let found = frames(&[
            b"* 1 FETCH (A {",
            b"3}\r\nx\r",
            b"\n B {1}\r\n",
            b"y C)\r\n* 2 EXISTS\r\na1 OK {2}\r\n",
        ])
        .await;
        assert_eq!(found, ["* 1 FETCH (A {3}\r\nx\r\n B {1}\r\ny C)\r\n", "* 2 EXISTS\r\n", "a1 OK {2}\r\n"]);
    }

    #[tokio::test]
    async fn a_line_that_arrives_byte_by_byte_is_one_line() {
        let bytes: Vec<&[u8]> = b"* 1 FETCH (A {2}\r\n\n\n)\r\n* 2 EXISTS\r\n".chunks(1).collect();
        assert_eq!(frames(&bytes).await, ["* 1 FETCH (A {2}\r\n\n\n)\r\n", "* 2 EXISTS\r\n"]);
    }

    /// Whether a connection counts as gone after these bytes came unasked.
    async fn gone_after(sent: &[u8]) -> bool {
        let (near, mut far) = tokio::io::duplex(1 << 20);
        far.write_all(sent).await.unwrap();
        let mut wire = Wire::new(near);
        poll_fn(|cx| Poll::Ready(wire.is_gone(cx))).await
    }

    #[tokio::test]
    async fn an_idle_connection_may_be_told_little_and_no_farewell() {
        assert!(!gone_after(b"* OK still here\r\n* 3 EXISTS\r\n").await);
        assert!(gone_after(b"* OK still here\r\n* bye idle for too long\r\n").await);
        assert!(gone_after(&b"* OK still here\r\n".repeat(50_000)).await, "a flood is not kept");
    }

    #[tokio::test]
    async fn status_text_announces_nothing() {
        let found = frames(&[b"* OK [ALERT] see {5}\r\n* NO full {9}\r\n* BYE {1}\r\n"]).await;
        assert_eq!(found.len(), 3);
    }

    #[tokio::test]
    async fn a_response_beyond_the_limit_ends_the_connection() {
        let (near, mut far) = tokio::io::duplex(1 << 16);
        far.write_all(format!("* 1 FETCH (X {{{}}}\r\n", MAX_RESPONSE + 1).as_bytes()).await.unwrap();
        let second = Duration::from_secs(1);
        let outcome = Wire::new(near).next(second, deadline()).await;
        assert_eq!(outcome, Err(WireFault::TooLong));
    }
}
