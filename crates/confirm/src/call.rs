//! The seam to rmcp: one request becomes a [`Call`], one answer becomes the wire form, in [`answer`] and nowhere else.
//!
//! rmcp's request and result types have public fields, so a tool that could build a `Call` could forge a person's
//! answer, and one that could open a [`Question`] could take the signed state out of it. Neither can be done from
//! outside this crate.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult,
        InputResponses, JsonObject, ProgressNotificationParam,
    },
    service::RequestContext,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{Declined, Preview};

/// One `tools/call`, without its arguments, which the tool gets apart.
pub struct Call {
    pub(crate) context: RequestContext<RoleServer>,
    pub(crate) request_state: Option<String>,
    pub(crate) input_responses: Option<InputResponses>,
    waiting: Waiting,
}

impl Call {
    /// Cancelled when the client cancels this call or goes away.
    pub fn cancellation(&self) -> CancellationToken {
        self.context.ct.clone()
    }

    /// Whether this call brings what a person answered to an earlier one.
    pub fn brings_answer(&self) -> bool {
        self.request_state.is_some() || self.input_responses.is_some()
    }

    /// How long this call has been waiting for a person.
    pub fn waiting(&self) -> Waiting {
        self.waiting.clone()
    }

    /// The client's name, as it calls itself.
    pub fn client_name(&self) -> Option<String> {
        self.context.client_info().map(|client| client.name)
    }

    /// Tells the client how far the call is, if it asked to be told. Failing to is not the call's failure.
    pub async fn progress(&self, done: u32, total: Option<u32>, message: &'static str) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let mut progress = ProgressNotificationParam::new(token, f64::from(done)).with_message(message);
        if let Some(total) = total {
            progress = progress.with_total(f64::from(total));
        }
        if let Err(error) = self.context.peer.notify_progress(progress).await {
            tracing::debug!(%error, "progress not delivered");
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.context.ct.is_cancelled()
    }
}

/// A clock of the time that a call spends waiting for a person, which is not work and doesn't count against a
/// deadline. Clones show the same clock.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<Watch>>);

#[derive(Debug, Default)]
struct Watch {
    /// Of the waits that have ended.
    total: Duration,
    /// How many are in progress.
    open: u32,
    /// When the first of those began.
    since: Option<Instant>,
}

impl Waiting {
    /// The time spent waiting so far, a wait in progress included.
    pub fn waited(&self) -> Duration {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watch.total.saturating_add(watch.since.map(|since| since.elapsed()).unwrap_or_default())
    }

    /// Starts the clock; it stops when the returned value is dropped, also when the call is.
    pub(crate) fn begin(&self) -> impl Drop + use<> {
        let mut watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watch.open = watch.open.saturating_add(1);
        watch.since.get_or_insert_with(Instant::now);
        drop(watch);
        Running(self.clone())
    }
}

struct Running(Waiting);

impl Drop for Running {
    fn drop(&mut self) {
        let mut watch = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        watch.open = watch.open.saturating_sub(1);
        if watch.open == 0
            && let Some(since) = watch.since.take()
        {
            watch.total = watch.total.saturating_add(since.elapsed());
        }
    }
}

/// A question for the person, to be carried by the client. Opaque: [`answer`] alone puts it on the wire.
pub struct Question(Asked);

enum Asked {
    Form(Box<InputRequiredResult>),
    Preview(Box<Preview>),
}

impl Question {
    pub(crate) fn form(form: InputRequiredResult) -> Self {
        Self(Asked::Form(Box::new(form)))
    }

    pub(crate) fn preview(preview: Preview) -> Self {
        Self(Asked::Preview(Box::new(preview)))
    }

    /// The preview that this is where nobody can be prompted, for a tool that shows it in a result of its own.
    ///
    /// # Errors
    ///
    /// The question itself when it is a form.
    pub fn into_preview(self) -> Result<Preview, Self> {
        match self.0 {
            Asked::Preview(preview) => Ok(*preview),
            Asked::Form(form) => Err(Self(Asked::Form(form))),
        }
    }
}

/// What a tool answers with.
pub enum Answer {
    /// The call is finished.
    Done(CallToolResult),
    /// The client has to ask the person and call again.
    Ask(Question),
}

/// Runs a tool on one request: takes the request apart into a [`Call`] and the arguments, and turns the [`Answer`] into
/// the wire form.
///
/// # Errors
///
/// What `run` returns as a protocol error.
pub async fn answer<F>(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
    run: impl FnOnce(Call, JsonObject) -> F,
) -> Result<CallToolResponse, ErrorData>
where
    F: Future<Output = Result<Answer, ErrorData>>,
{
    let CallToolRequestParams { arguments, input_responses, request_state, .. } = request;
    let call = Call { context, request_state, input_responses, waiting: Waiting::default() };
    Ok(match run(call, arguments.unwrap_or_default()).await? {
        Answer::Done(result) => CallToolResponse::Complete(result),
        Answer::Ask(Question(Asked::Form(form))) => CallToolResponse::InputRequired(*form),
        Answer::Ask(Question(Asked::Preview(preview))) => {
            CallToolResponse::Complete(result(preview.text(), preview.changed().is_some()))
        }
    })
}

impl Declined {
    /// The tool's result that says so of `action`, with the specification's fields.
    pub fn into_result(self, action: &str) -> CallToolResult {
        result(self.text(action), self.is_error())
    }
}

fn result(text: String, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(text)];
    if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn waits_add_up_and_count_while_they_last() {
        let waiting = Waiting::default();
        tokio::time::advance(SECOND).await;
        assert_eq!(waiting.waited(), Duration::ZERO);
        for seconds in [1, 2] {
            let wait = waiting.begin();
            tokio::time::advance(SECOND).await;
            assert_eq!(waiting.clone().waited(), Duration::from_secs(seconds));
            drop(wait);
            tokio::time::advance(SECOND).await;
            assert_eq!(waiting.waited(), Duration::from_secs(seconds));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn waits_at_the_same_time_count_once() {
        let waiting = Waiting::default();
        let first = waiting.begin();
        tokio::time::advance(SECOND).await;
        let second = waiting.begin();
        tokio::time::advance(SECOND).await;
        drop(first);
        tokio::time::advance(SECOND).await;
        drop(second);
        tokio::time::advance(SECOND).await;
        assert_eq!(waiting.waited(), Duration::from_secs(3));
    }
}
