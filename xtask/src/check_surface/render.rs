//! The committed form of a surface: a file for each tool and one each for the rest, so that a review reads diffs.
//!
//! Keys are sorted, lists keep their order, and every generated Markdown file says which command wrote it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::surface::Surface;

/// Generated files by their path under `docs/surface/`.
pub(crate) type Files = BTreeMap<String, String>;

const PREAMBLE: &str = "<!-- Written by `cargo xtask check-surface --write`. -->";
/// Between the flags, which the check reads back, and the help texts.
const HELP: &str = "\n---\n\n";

/// Every file of one server.
pub(crate) fn files(surface: &Surface) -> Files {
    let folder = &surface.server;
    let mut files = Files::new();
    for row in &surface.tools {
        let mut shown = json!({
            "tool": row.tool, "exposure": row.exposure, "gate": row.gate, "needs": row.needs,
        });
        if let (Some(transport), Some(map)) = (&row.transport, shown.as_object_mut()) {
            map.insert("transport".to_owned(), json!(transport));
        }
        files.insert(format!("{folder}/tools/{}.json", row.name()), pretty(&shown));
    }
    files.insert(format!("{folder}/prompts.json"), pretty(&json!(surface.prompts)));
    files.insert(format!("{folder}/resources.json"), pretty(&json!(surface.resources)));
    files.insert(format!("{folder}/cli.txt"), cli(surface));
    files.insert(format!("{folder}/env.md"), environment(surface));
    files
}

/// Sorted keys, two spaces, a newline at the end.
fn pretty(value: &Value) -> String {
    format!("{:#}\n", sorted(value))
}

/// The same value with every object's keys in order, whatever features `serde_json` was built with.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let ordered: BTreeMap<&String, Value> =
                map.iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(ordered.into_iter().map(|(key, value)| (key.clone(), value)).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn cli(surface: &Surface) -> String {
    let mut text = String::new();
    for flag in &surface.cli.flags {
        text.push_str(format!("{} {}", flag.command, flag.flag).trim());
        text.push('\n');
    }
    text.push_str(HELP.trim_start_matches('\n'));
    for line in surface.cli.help.trim_end().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The flags that a committed `cli.txt` names, each as `command --flag`.
pub(crate) fn flags_of(cli: &str) -> impl Iterator<Item = &str> {
    cli.lines().take_while(|line| *line != "---").filter(|line| !line.is_empty())
}

fn environment(surface: &Surface) -> String {
    let mut text = format!("{PREAMBLE}\n# Environment variables of {}\n\n", surface.server);
    text.push_str("| variable | setting | secret | what it is |\n|---|---|---|---|\n");
    for variable in &surface.env {
        let setting = variable.setting.as_deref().map_or("–".to_owned(), |setting| format!("`{setting}`"));
        let secret = if variable.secret { "yes" } else { "no" };
        let line =
            format!("| `{}` | {setting} | {secret} | {} |", variable.name, cell(&variable.description));
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The variables that a committed `env.md` names.
pub(crate) fn variables_of(env: &str) -> impl Iterator<Item = &str> {
    env.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name))
}

/// The README's table: one line a tool, the servers that offer it last.
pub(crate) fn readme_table(surfaces: &[Surface]) -> String {
    let mut lines: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for surface in surfaces {
        let server = surface.server.strip_prefix("countersign-").unwrap_or(&surface.server);
        for row in &surface.tools {
            let gate = row.gate.as_deref().unwrap_or_default();
            let does = match (row.hint("readOnlyHint"), row.hint("openWorldHint")) {
                (Some(true), _) => "reads",
                (_, Some(true)) => "sends",
                _ => "changes",
            };
            let asks = if gate.starts_with("confirm-") { "yes" } else { "no" };
            let what = format!("{} | {does} | {asks}", cell(row.text("title")));
            match lines.iter_mut().find(|(name, said, _)| *name == row.name() && *said == what) {
                Some((_, _, servers)) => servers.push(server),
                None => lines.push((row.name(), what, vec![server])),
            }
        }
    }
    let mut text =
        "| tool | what it does | kind | asks you first | servers |\n|---|---|---|---|---|\n".to_owned();
    for (name, what, servers) in lines {
        // Writing to a String can't fail.
        let _ = writeln!(text, "| `{name}` | {what} | {} |", servers.join(", "));
    }
    text
}

/// Text that can stand in a table's cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_surface::samples::surface;

    #[test]
    fn every_part_has_its_file_with_sorted_keys() {
        let files = files(&surface());
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "countersign-imap/cli.txt",
                "countersign-imap/env.md",
                "countersign-imap/prompts.json",
                "countersign-imap/resources.json",
                "countersign-imap/tools/get_message.json",
                "countersign-imap/tools/send_draft.json",
            ]
        );
        let tool = &files["countersign-imap/tools/get_message.json"];
        let order = [
            "\"exposure\"",
            "\"gate\"",
            "\"needs\"",
            "\"tool\"",
            "\"annotations\"",
            "\"description\"",
            "\"name\"",
        ];
        let at: Vec<usize> = order.iter().map(|key| tool.find(key).unwrap()).collect();
        assert!(at.is_sorted(), "{tool}");
    }

    #[test]
    fn flags_and_variables_are_read_back_as_written() {
        let files = files(&surface());
        let flags: Vec<&str> = flags_of(&files["countersign-imap/cli.txt"]).collect();
        assert_eq!(flags, ["--config", "serve --demo"]);
        let variables: Vec<&str> = variables_of(&files["countersign-imap/env.md"]).collect();
        assert_eq!(variables, ["COUNTERSIGN_IMAP_HOST", "COUNTERSIGN_IMAP_PASSWORD"]);
    }

    #[test]
    fn the_readme_table_merges_servers_that_offer_the_same() {
        let mut other = surface();
        other.server = "countersign-graph".to_owned();
        other.tools.truncate(1);
        let table = readme_table(&[surface(), other]);
        assert!(table.contains("| `get_message` | Read a message | reads | no | imap, graph |\n"), "{table}");
        assert!(table.contains("| `send_draft` | Send a draft | sends | yes | imap |\n"), "{table}");
    }
}
