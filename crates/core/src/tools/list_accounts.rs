//! `list_accounts`: the configured accounts, what each may do and what is wrong with it. Opens none of them.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Answered, Handler, Hints, Needs, Page, Reply, ToolDef, args, own::AccountFacts};
use crate::{account::Accounts, mailbox::Mailbox, protection::Raw};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}

/// The structured result.
#[derive(Serialize, JsonSchema)]
struct Out {
    /// The accounts.
    accounts: Vec<AccountOut>,
}

/// One account.
#[derive(Serialize, JsonSchema)]
struct AccountOut {
    /// Its name.
    name: String,
    /// Its address, where configured.
    address: Option<String>,
    /// What the owner allows.
    capabilities: Vec<String>,
    /// Protection level.
    protection: String,
    /// Whether the owner wrote the level.
    protection_set: bool,
    /// Whether it can be used.
    usable: bool,
    /// What the owner has to correct.
    problem: Option<String>,
}

/// The row.
pub const fn row<M: Mailbox<Stage = Raw>>() -> ToolDef<M> {
    ToolDef {
        name: "list_accounts",
        title: "List mail accounts",
        description: "List the configured mail accounts: name, address, what you may do with each (read, draft, modify, \
                      trash, send), protection level, and what is wrong with an account that cannot be used.",
        hints: Hints::READ,
        needs: Needs::NOTHING,
        input: args::schema::<Args>,
        output: Some(args::output::<Out>),
        handler: Handler::Accounts(run::<M>),
    }
}

fn run<M: Mailbox<Stage = Raw>>(accounts: &Accounts<M>, arguments: JsonObject) -> Answered<'_> {
    Box::pin(async move {
        let Args {} = args::parse(arguments)?;
        if let Some(fault) = accounts.fault() {
            return Err(super::ToolError::configuration(fault));
        }
        let facts: Vec<AccountFacts> = accounts.all().map(AccountFacts::of).collect();
        let mut page = Page::default();
        for account in &facts {
            page = page.say("- ").own(account).say("\n");
        }
        Ok(Reply::Page(page.fact("accounts", facts)))
    })
}
