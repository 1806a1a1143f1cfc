//! A small surface that keeps every rule; each rule's test breaks it in one place.

use serde_json::{Value, json};

use super::surface::Surface;

/// Two tools, two flags, two variables.
pub(crate) fn surface() -> Surface {
    serde_json::from_value(printed()).unwrap()
}

/// The same as a server would print it.
fn printed() -> Value {
    json!({
        "server": "countersign-imap",
        "version": "0.1.0",
        "tools": [
            {
                "tool": {
                    "name": "get_message",
                    "title": "Read a message",
                    "description": "Reads one message.",
                    "inputSchema": {
                        "type": "object",
                        "properties": {
                            "message": { "description": "Which one.", "type": "string" },
                            "page": { "description": "Which page.", "type": "integer" }
                        },
                        "required": ["message"]
                    },
                    "annotations": {
                        "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false
                    }
                },
                "exposure": "foreign", "gate": "none", "needs": ["read"]
            },
            {
                "tool": {
                    "name": "send_draft",
                    "title": "Send a draft",
                    "description": "Sends one draft after the person confirmed it.",
                    "inputSchema": {
                        "type": "object",
                        "properties": { "draft": { "description": "Which one.", "type": "string" } },
                        "required": ["draft"]
                    },
                    "outputSchema": {
                        "type": "object",
                        "properties": { "sent": { "description": "Whether it went.", "type": "boolean" } }
                    },
                    "annotations": {
                        "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true
                    }
                },
                "exposure": "none", "gate": "confirm-send", "needs": ["send"]
            }
        ],
        "prompts": [],
        "resources": [],
        "cli": {
            "help": "Usage: countersign-imap\n",
            "flags": [{ "command": "", "flag": "--config" }, { "command": "serve", "flag": "--demo" }]
        },
        "env": [
            { "name": "COUNTERSIGN_IMAP_HOST", "secret": false, "description": "The server.", "setting": "host" },
            { "name": "COUNTERSIGN_IMAP_PASSWORD", "secret": true, "description": "The password.", "setting": null }
        ]
    })
}
