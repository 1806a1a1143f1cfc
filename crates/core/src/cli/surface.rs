//! `surface`: everything that the server shows, as data: tools as a client lists them, flags, variables. It doesn't depend
//! on the machine, so two builds of one version print the same.

use serde_json::{Value, json};

use super::{args, console::Console};
use crate::{
    config::{COMMON, EnvVar},
    mailbox::Mailbox,
    protection::Raw,
    provider::Provider,
    tools::{Grant, ToolDef},
};

/// Prints it as JSON.
pub(super) fn print<P: Provider>(console: &mut Console) -> anyhow::Result<()> {
    console.say(&serde_json::to_string_pretty(&of::<P>()?)?)?;
    Ok(())
}

fn of<P: Provider>() -> anyhow::Result<Value> {
    let tools: Result<Vec<Value>, serde_json::Error> = P::table::<P::Mailbox>().iter().map(tool).collect();
    let mut command = args::command::<P>();
    command.build();
    Ok(json!({
        "server": P::BINARY,
        "version": P::VERSION,
        "tools": tools?,
        "prompts": [],
        "resources": [],
        "cli": { "help": help(&mut command), "flags": flags(&command) },
        "env": COMMON.iter().chain(P::CONNECTION).map(variable).collect::<Vec<_>>(),
    }))
}

/// A tool as it is listed where there is one account.
fn tool<M: Mailbox<Stage = Raw>>(row: &ToolDef<M>) -> serde_json::Result<Value> {
    let needs: Vec<&str> = row.needs.grants.iter().copied().map(Grant::name).collect();
    let mut shown = json!({
        "tool": serde_json::to_value(row.tool(&["default"]))?,
        "exposure": row.handler.exposure().name(),
        "gate": row.handler.gate().name(),
        "needs": needs,
    });
    // A directory of this machine means something to a client on this machine only.
    if let (true, Some(shown)) = (row.needs.save_dir, shown.as_object_mut()) {
        shown.insert("transport".to_owned(), json!("stdio"));
    }
    Ok(shown)
}

fn variable(var: &EnvVar) -> Value {
    json!({ "name": var.name, "secret": var.secret, "description": var.description, "setting": var.setting })
}

/// The help of every command, one after the other.
fn help(command: &mut clap::Command) -> String {
    let mut text = command.render_long_help().to_string();
    for sub in command.get_subcommands_mut() {
        let name = sub.get_name().to_owned();
        text.extend(["\n---- ", &name, " ----\n\n", &sub.render_long_help().to_string()]);
    }
    // Trailing spaces would differ from what an editor keeps.
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

fn flags(command: &clap::Command) -> Vec<Value> {
    let mut flags: Vec<Value> =
        long_flags(command).map(|flag| json!({ "command": "", "flag": flag })).collect();
    for sub in command.get_subcommands() {
        let own = sub.get_arguments().filter(|arg| !arg.is_global_set());
        let own = own.filter_map(|arg| arg.get_long()).filter(|flag| *flag != "help");
        flags.extend(own.map(|flag| json!({ "command": sub.get_name(), "flag": format!("--{flag}") })));
    }
    flags
}

fn long_flags(command: &clap::Command) -> impl Iterator<Item = String> + '_ {
    command.get_arguments().filter_map(|arg| arg.get_long()).map(|flag| format!("--{flag}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Fake;

    #[test]
    fn tools_flags_and_variables_are_listed() {
        let shown = of::<Fake>().unwrap();
        assert_eq!(shown["server"], "countersign-fake");
        let tools = shown["tools"].as_array().unwrap();
        let of = |name: &str| tools.iter().find(|row| row["tool"]["name"] == name).unwrap();
        let send = of("send_draft");
        assert_eq!(
            (&send["exposure"], &send["gate"], &send["needs"]),
            (&json!("none"), &json!("confirm-send"), &json!(["send"]))
        );
        assert_eq!(of("save_attachment")["transport"], "stdio");
        assert_eq!(of("list_messages")["exposure"], "foreign");
        assert_eq!(of("list_messages").get("transport"), None);
        assert!(of("list_messages")["tool"]["annotations"]["readOnlyHint"].as_bool().unwrap());
        let flags = shown["cli"]["flags"].as_array().unwrap();
        for (command, flag) in [
            ("", "--config"),
            ("", "--version"),
            ("serve", "--demo"),
            ("login", "--imap-host"),
            ("status", "--json"),
        ] {
            assert!(
                flags.contains(&json!({ "command": command, "flag": flag })),
                "{command} {flag}: {flags:?}"
            );
        }
        assert!(
            !flags.contains(&json!({ "command": "serve", "flag": "--config" })),
            "a global flag is listed once"
        );
        let names: Vec<&str> =
            shown["env"].as_array().unwrap().iter().map(|var| var["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"COUNTERSIGN_CONFIG") && names.contains(&"COUNTERSIGN_IMAP_PASSWORD"));
        let help = shown["cli"]["help"].as_str().unwrap();
        for part in ["---- login ----", "---- completions ----", "--imap-host", "Usage: countersign-fake"] {
            assert!(help.contains(part), "{part}: {help}");
        }
        assert!(help.lines().all(|line| !line.ends_with(' ')));
    }

    #[test]
    fn it_is_the_same_each_time() {
        assert_eq!(of::<Fake>().unwrap(), of::<Fake>().unwrap());
    }
}
