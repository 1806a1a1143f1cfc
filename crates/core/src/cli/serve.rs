//! `serve`: reads the configuration and serves. Before the first request nothing is opened: no network, no keychain, no
//! state file, no lock; some clients start a second server only to see what it can do.

use std::sync::Arc;

use countersign_confirm::{Gate, GateConfig, KeySource};

use super::{load, runtime, scratch::Scratch};
use crate::{
    account::{AccountName, Accounts},
    config::{Sources, SystemKeychain},
    mailbox::Mailbox,
    memory,
    protection::Raw,
    provider::Provider,
    server::{self, Identity, STDIO_DEADLINE, Server, serve_stdio},
    tools::ToolDef,
};

/// Whose the sample mailbox is; known here so that it doesn't have to be made to be listed.
const DEMO_ADDRESS: &str = "jana@example.com";

/// Serves until the client leaves.
pub(super) fn run<P: Provider>(sources: &Sources<'_>, demo: bool) -> anyhow::Result<()> {
    if demo {
        let scratch = Scratch::new()?;
        return serve(demo_server::<P>(&scratch)?);
    }
    let (config, credentials) = load(sources, Arc::new(SystemKeychain));
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    if let Some(fault) = &config.fault {
        tracing::warn!("{fault}");
    }
    let gate = Gate::new(GateConfig {
        key: KeySource::File(config.key_file.clone()),
        ttl: GateConfig::TTL,
        elicitation: config.elicitation,
    });
    serve(server_of::<P, _>(P::table(), server::accounts::<P>(config, &credentials), gate))
}

/// A server over the sample mailbox, its state in a directory that goes away.
pub(super) fn demo_server<P: Provider>(scratch: &Scratch) -> anyhow::Result<Server<memory::MemoryMailbox>> {
    let name = AccountName::parse("demo").ok_or_else(|| anyhow::anyhow!("the demo's account has no name"))?;
    let state = scratch.path().join("state.sqlite");
    let accounts = server::demo_accounts(memory::sample, name, DEMO_ADDRESS, state);
    let gate = Gate::new(GateConfig { key: KeySource::Process, ttl: GateConfig::TTL, elicitation: true });
    Ok(server_of::<P, _>(P::table(), accounts, gate))
}

fn server_of<P: Provider, M: Mailbox<Stage = Raw>>(
    table: &'static [ToolDef<M>],
    accounts: Accounts<M>,
    gate: Gate,
) -> Server<M> {
    let identity = Identity { name: P::BINARY, version: P::VERSION };
    Server::new(identity, table, Arc::new(accounts), Arc::new(gate), STDIO_DEADLINE)
}

/// One thread is enough: the work is waiting. What still blocks at the end (a keychain, a read of stdin) is not waited for.
fn serve<M: Mailbox<Stage = Raw>>(server: Server<M>) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(serve_stdio(server));
    runtime.shutdown_background();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_names_the_owner_of_its_mailbox() {
        let sample = memory::sample();
        assert_eq!(sample.own_addresses().first().unwrap().addr_spec, DEMO_ADDRESS);
    }
}
