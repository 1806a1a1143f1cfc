//! The four annotation hints of a tool, all set explicitly: a forgotten one does not compile.

use rmcp::model::ToolAnnotations;

/// MCP's tool annotations (design/tools.md has the final table).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// Changes nothing.
    pub read_only: bool,
    /// May undo or overwrite something that was there.
    pub destructive: bool,
    /// Doing it twice with the same arguments is like doing it once.
    pub idempotent: bool,
    /// Something leaves the mailbox for another person or the public.
    pub open_world: bool,
}

impl Hints {
    /// A read.
    pub const READ: Self = Self { read_only: true, destructive: false, idempotent: true, open_world: false };

    /// The hints in MCP's form. The title stands beside them, in the tool itself, as every revision served has it.
    pub fn annotations(self) -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(self.read_only)
            .destructive(self.destructive)
            .idempotent(self.idempotent)
            .open_world(self.open_world)
    }
}
