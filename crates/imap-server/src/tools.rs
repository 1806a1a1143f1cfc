//! The tools of this server, in the order in which a client lists them. Each is one file of core's `tools/`.

use countersign_core::{
    mailbox::Mailbox,
    protection::Raw,
    tools::{
        ToolDef, archive_message, create_draft, delete_draft, forward_draft, forward_message, get_attachment,
        get_message, get_thread, list_accounts, list_folders, list_messages, modify_message, move_message,
        reply_draft, reply_send, save_attachment, search_messages, send_draft, send_message, trash_message,
    },
};

/// The table, over any backend.
pub(crate) fn table<M: Mailbox<Stage = Raw>>() -> &'static [ToolDef<M>] {
    const {
        &[
            list_accounts::row(),
            list_folders::row(),
            list_messages::row(),
            search_messages::row(),
            get_message::row(),
            get_thread::row(),
            get_attachment::row(),
            save_attachment::row(),
            create_draft::row(),
            reply_draft::row(),
            forward_draft::row(),
            delete_draft::row(),
            send_draft::row(),
            send_message::row(),
            reply_send::row(),
            forward_message::row(),
            modify_message::row(),
            move_message::row(),
            archive_message::row(),
            trash_message::row(),
        ]
    }
}
