//! The log: to stderr, never with mail text or secrets. Other crates' events are taken from `warn` on alone, whatever the
//! filter says, because at finer levels they write out what goes over the wire.

use std::io;

use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, filter::filter_fn, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use crate::config::{Environment, LOG};

/// What is logged where nothing is set.
const DEFAULT: &str = "warn";

/// What a command logs: it says itself, in its answer, what went wrong.
const DEFAULT_FOR_COMMANDS: &str = "error";

/// Starts logging.
pub(super) fn start(environment: &Environment, for_command: bool) {
    let default = if for_command { DEFAULT_FOR_COMMANDS } else { DEFAULT };
    let asked = environment.text(&LOG);
    let filter = asked.as_deref().map(EnvFilter::try_new);
    let wrong = matches!(filter, Some(Err(_)));
    let filter = filter.and_then(Result::ok).unwrap_or_else(|| EnvFilter::new(default));
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).without_time();
    let started =
        tracing_subscriber::registry().with(filter).with(filter_fn(may_be_logged)).with(lines).try_init();
    if started.is_ok() && wrong {
        tracing::warn!("{} is not a filter: {default} is used", LOG.name);
    }
}

fn may_be_logged(metadata: &Metadata<'_>) -> bool {
    is_ours(metadata.target()) || *metadata.level() <= Level::WARN
}

fn is_ours(target: &str) -> bool {
    target.starts_with("countersign")
}
