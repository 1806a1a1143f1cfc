//! `countersign-imap`: an MCP server over one IMAP account or several. Everything but the backend, its settings and the
//! list of its tools is core's.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_core::cli::run::<countersign_imap::Imap>()
}
