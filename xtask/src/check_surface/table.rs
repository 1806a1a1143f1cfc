//! The tool vocabulary as data: for each name the four hints, what its result exposes, and the gate in front of it.
//!
//! Every server's rows are held to this table, so a changed hint is a change here too, seen in review. Tools of a
//! single provider join with that provider. Nothing here deletes mail for good, so nothing is marked as if it did.

/// The four MCP tool annotations (MCP 2025-11-25, `ToolAnnotations`); each must be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) read_only: bool,
    pub(crate) destructive: bool,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
}

/// What the table says of one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) name: &'static str,
    pub(crate) hints: Hints,
    /// Whether the result carries what other people wrote.
    pub(crate) exposure: &'static str,
    pub(crate) gate: &'static str,
}

const READ: Hints = Hints { read_only: true, destructive: false, idempotent: true, open_world: false };
const SAVE: Hints = Hints { read_only: false, destructive: false, idempotent: true, open_world: false };
const CREATE: Hints = Hints { read_only: false, destructive: false, idempotent: false, open_world: false };
const REMOVE: Hints = Hints { read_only: false, destructive: true, idempotent: true, open_world: false };
const MOVE: Hints = Hints { read_only: false, destructive: true, idempotent: false, open_world: false };
const SEND: Hints = Hints { read_only: false, destructive: true, idempotent: false, open_world: true };

const fn row(name: &'static str, hints: Hints, exposure: &'static str, gate: &'static str) -> Expected {
    Expected { name, hints, exposure, gate }
}

const TABLE: &[Expected] = &[
    // Looking.
    row("list_accounts", READ, "none", "none"),
    row("list_folders", READ, "none", "none"),
    row("list_messages", READ, "foreign", "none"),
    row("search_messages", READ, "foreign", "none"),
    row("get_message", READ, "foreign", "none"),
    row("get_thread", READ, "foreign", "none"),
    row("get_attachment", READ, "foreign", "none"),
    row("save_attachment", SAVE, "foreign", "none"),
    // Writing.
    row("create_draft", CREATE, "none", "none"),
    row("reply_draft", CREATE, "foreign", "none"),
    row("forward_draft", CREATE, "foreign", "none"),
    row("delete_draft", REMOVE, "none", "none"),
    // Sending.
    row("send_draft", SEND, "none", "confirm-send"),
    row("send_message", SEND, "none", "confirm-send"),
    row("reply_send", SEND, "none", "confirm-send"),
    row("forward_message", SEND, "none", "confirm-send"),
    // Sorting.
    row("modify_message", SAVE, "none", "none"),
    row("move_message", MOVE, "none", "none"),
    row("trash_message", MOVE, "none", "none"),
    row("archive_message", CREATE, "none", "none"),
    // Triage and bulk changes.
    row("triage", READ, "foreign", "none"),
    row("awaiting_replies", READ, "foreign", "none"),
    row("digest", READ, "foreign", "none"),
    row("bulk_preview", READ, "foreign", "none"),
    row("bulk_apply", MOVE, "none", "confirm-bulk"),
    row("bulk_undo", MOVE, "none", "confirm-bulk"),
    row("bulk_status", READ, "none", "none"),
    // Reminders.
    row("set_followup", SAVE, "foreign", "none"),
    row("clear_followup", REMOVE, "foreign", "none"),
    row("list_followups", READ, "foreign", "none"),
    row("snooze_message", SAVE, "foreign", "none"),
    row("wake_snoozed", SAVE, "foreign", "none"),
    row("list_snoozed", READ, "foreign", "none"),
    // Templates.
    row("save_template", SAVE, "none", "none"),
    row("list_templates", READ, "none", "none"),
    row("delete_template", REMOVE, "none", "none"),
    // Leaving lists.
    row("unsubscribe", SEND, "foreign", "confirm-irreversible"),
];

/// What the table says of a tool; `None` for a name that it does not hold.
pub(crate) fn expected(name: &str) -> Option<&'static Expected> {
    TABLE.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leaves_the_mailbox_is_open_world_and_it_is_gated() {
        for row in TABLE {
            assert_eq!(row.hints.open_world, row.hints == SEND, "{}", row.name);
            assert!(!row.hints.open_world || row.gate.starts_with("confirm-"), "{}", row.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::BTreeSet<&str> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), TABLE.len());
    }
}
