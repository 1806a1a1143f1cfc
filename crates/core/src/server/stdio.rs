//! Serving over stdio. stdout carries MCP alone. When stdin closes, reads are dropped at once and a send in flight may
//! finish (decisions.md §8); nothing is left running.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use rmcp::{ServiceExt, service::ServerInitializeError, transport::stdio_pipes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::{SEND_GRACE, Server, surrogates::Whole};
use crate::{mailbox::Mailbox, protection::Raw};

/// Serves until stdin closes or the process is told to stop.
///
/// # Errors
/// What broke the transport, in rmcp's words. A client that leaves, even before `initialize`, is not an error.
pub async fn serve_stdio<M: Mailbox<Stage = Raw>>(server: Server<M>) -> anyhow::Result<()> {
    let (stdin, stdout) = stdio_pipes();
    serve_over(server, stdin, stdout).await
}

/// Serves over two pipes that stand for stdin and stdout, in the same way.
///
/// # Errors
/// As [`serve_stdio`].
pub async fn serve_over<M, R, W>(server: Server<M>, stdin: R, stdout: W) -> anyhow::Result<()>
where
    M: Mailbox<Stage = Raw>,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let closing = server.closing.clone();
    let sends = server.sends.clone();
    let transport = (Whole::new(UntilClosed { stdin, closing: closing.clone() }), stdout);
    let service = tokio::select! {
        started = server.serve(transport) => match started {
            Ok(service) => service,
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
            Err(_) if closing.is_cancelled() => return Ok(()),
            // What rmcp says of it repeats what the client wrote.
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                anyhow::bail!("the client began with something else than `initialize`")
            }
            Err(error) => return Err(error.into()),
        },
        () = told_to_stop() => return Ok(()),
    };
    let ending = service.cancellation_token();
    tokio::select! {
        _ = service.waiting() => {}
        () = told_to_stop() => ending.cancel(),
    }
    closing.cancel();
    if tokio::time::timeout(SEND_GRACE, sends.settled()).await.is_err() {
        tracing::error!(
            "a send was still in flight when the server stopped: its outcome is recorded as unknown"
        );
    }
    Ok(())
}

/// SIGTERM or SIGINT.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// stdin, watched for its end: rmcp would let calls in flight answer first.
struct UntilClosed<R> {
    stdin: R,
    closing: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilClosed<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buf.filled().len();
        let room = buf.remaining() > 0;
        let polled = Pin::new(&mut self.stdin).poll_read(cx, buf);
        let ended = match &polled {
            Poll::Ready(Ok(())) => room && buf.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.closing.cancel();
        }
        polled
    }
}
