//! What `login` asks for, besides the address: each provider says what it can't do without.

/// A setting that `login` asks for.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// The setting, `imap.host`.
    pub setting: &'static str,
    /// What it is called when it is asked for.
    pub label: &'static str,
    /// What is proposed for an address of this domain.
    pub propose: fn(domain: &str) -> String,
}
