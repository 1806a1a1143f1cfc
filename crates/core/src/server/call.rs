//! One call: the row's arguments are taken apart, the account opened, the handler run in a task of its own under a
//! deadline, and whatever happens an answer goes back. rmcp has no panic guard: a handler that panics in its task would
//! leave the client waiting for ever, so the task is one of ours and its end is always looked at.

use std::sync::Arc;

use countersign_confirm::{Answer, Call, Gate, answer};
use countersign_send_policy::CallScope;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, JsonObject},
    service::RequestContext,
};

use super::{
    Sends, Server,
    deadline::{read_budget, worked_for},
};
use crate::{
    account::Accounts,
    mailbox::Mailbox,
    protection::Raw,
    tools::{Confirming, Desk, Handler, Reply, ToolDef, ToolError, Work},
};

impl<M: Mailbox<Stage = Raw>> Server<M> {
    pub(super) async fn call(
        &self,
        row: &'static ToolDef<M>,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        answer(request, context, |call, arguments| self.guarded(row, call, arguments)).await
    }

    /// Runs the handler in a task, under the deadline, and turns every way of ending into an answer.
    async fn guarded(
        &self,
        row: &'static ToolDef<M>,
        call: Call,
        arguments: JsonObject,
    ) -> Result<Answer, ErrorData> {
        let sends = self.sends.for_call();
        let changes = !row.hints.read_only;
        let (waiting, cancelled) = (call.waiting(), call.cancellation());
        let run = Run {
            accounts: Arc::clone(&self.accounts),
            gate: Arc::clone(&self.gate),
            sends: sends.clone(),
            work: Work { budget: read_budget(self.deadline) },
        };
        let mut task = tokio::spawn(async move { run.dispatch(row, &call, arguments).await });
        let answered = tokio::select! {
            biased;
            ended = &mut task => match ended {
                Ok(Ok(reply)) => return Ok(reply.into_answer()),
                Ok(Err(error)) => error,
                Err(_) => ToolError::fault(changes),
            },
            () = worked_for(self.deadline, waiting) => ToolError::deadline(changes),
            () = cancelled.cancelled() => ToolError::deadline(changes),
            () = self.closing.cancelled() => ToolError::deadline(changes),
        };
        // A send that has claimed its draft goes on to its end in the background; everything else stops here, and a
        // backend drops the connection that it was using.
        if sends.give_up() {
            task.abort();
        }
        tracing::info!(tool = row.name, "call ended with an error");
        Ok(answered.into_answer())
    }
}

/// What a call takes into its task.
struct Run<M: Mailbox<Stage = Raw>> {
    accounts: Arc<Accounts<M>>,
    gate: Arc<Gate>,
    sends: Sends,
    work: Work,
}

impl<M: Mailbox<Stage = Raw>> Run<M> {
    async fn dispatch(
        &self,
        row: &'static ToolDef<M>,
        call: &Call,
        mut arguments: JsonObject,
    ) -> Result<Reply, ToolError> {
        if let Handler::Accounts(run) = row.handler {
            return run(&self.accounts, arguments).await;
        }
        let slot = match arguments.remove("account") {
            None => self.accounts.choose(None)?,
            Some(serde_json::Value::String(name)) => self.accounts.choose(Some(&name))?,
            Some(_) => return Err(ToolError::account(&self.accounts.names())),
        };
        let profile = slot.profile();
        if !row.needs.met_by(&profile.grants, M::features(), profile.save_dir.is_some()) {
            return Err(ToolError::new(
                ToolError::NOTHING,
                "The owner does not allow this tool for that account.",
                "Use another account, or tell the person that `capabilities` in their configuration forbids it.",
            ));
        }
        let account = slot.open().await?;
        let scope = CallScope::default();
        match row.handler {
            Handler::Accounts(run) => run(&self.accounts, arguments).await,
            Handler::Own(run) => run(&account, arguments, self.work).await,
            Handler::Foreign(run) => {
                let desk = Desk { policy: account.policy(), scope: &scope, work: self.work };
                run(&account, arguments, desk).await
            }
            Handler::ConfirmSend(run) => {
                let bound = arguments.clone();
                let confirming = Confirming {
                    gate: &self.gate,
                    call,
                    tool: row.name,
                    arguments: &bound,
                    principal: account.principal(),
                    sends: &self.sends,
                };
                run(&account, arguments, confirming).await
            }
        }
    }
}
