//! What a change takes away: a tool, field, flag or variable that the committed surface has and the new one has not.
//!
//! Each such loss must be listed, in backticks, under a `### Breaking` heading of CHANGELOG.md's Unreleased section. A new
//! required argument counts as well: the calls that worked before fail.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::render::{Files, flags_of, variables_of};
use super::rules::fields;

/// The name a loss is listed under, and what is lost.
type Losses = BTreeMap<String, String>;

/// Losses between two renderings that the changelog does not list.
pub(crate) fn unlisted(before: &Files, after: &Files, changelog: &str) -> Vec<String> {
    let listed = listed(changelog);
    let unlisted = losses(before, after).into_iter().filter(|(name, _)| !listed.contains(name));
    unlisted
        .map(|(name, what)| format!("{what}; list `{name}` under `### Breaking` in CHANGELOG.md or keep it"))
        .collect()
}

fn losses(before: &Files, after: &Files) -> Losses {
    let (old, new) = (Promises::read(before), Promises::read(after));
    let mut lost = Losses::new();
    let tools_lost: Vec<&String> = old.tools.difference(&new.tools).collect();
    for name in old.names().filter(|name| !new.has(name)) {
        // A lost tool is one loss, whatever fields went with it.
        let of_lost_tool = |tool: &&String| name.starts_with(&format!("{tool}."));
        if !tools_lost.iter().any(of_lost_tool) {
            lost.insert(name.clone(), format!("`{name}` is gone"));
        }
    }
    for name in new.required.difference(&old.required) {
        let known = name.split('.').next().is_some_and(|tool| old.tools.contains(tool));
        if known {
            lost.insert(name.clone(), format!("`{name}` is required now"));
        }
    }
    lost
}

/// What a rendering promises, by the names under which a changelog would list them.
#[derive(Default)]
struct Promises {
    tools: BTreeSet<String>,
    /// `tool.argument` and `tool.result.field`.
    fields: BTreeSet<String>,
    required: BTreeSet<String>,
    /// `command --flag`.
    flags: BTreeSet<String>,
    variables: BTreeSet<String>,
}

impl Promises {
    fn read(files: &Files) -> Self {
        let mut promises = Self::default();
        for (path, text) in files {
            if path.ends_with("/cli.txt") {
                promises.flags.extend(flags_of(text).map(str::to_owned));
            } else if path.ends_with("/env.md") {
                promises.variables.extend(variables_of(text).map(str::to_owned));
            } else if path.contains("/tools/") {
                promises.add_tool(text);
            }
        }
        promises
    }

    fn add_tool(&mut self, text: &str) {
        let Ok(shown) = serde_json::from_str::<Value>(text) else { return };
        let Some(tool) = shown.get("tool") else { return };
        let Some(name) = tool.get("name").and_then(Value::as_str) else { return };
        self.tools.insert(name.to_owned());
        for field in tool.get("inputSchema").map(fields).into_iter().flatten() {
            let path = format!("{name}.{}", field.path);
            if field.required {
                self.required.insert(path.clone());
            }
            self.fields.insert(path);
        }
        for field in tool.get("outputSchema").map(fields).into_iter().flatten() {
            self.fields.insert(format!("{name}.result.{}", field.path));
        }
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.tools.iter().chain(&self.fields).chain(&self.flags).chain(&self.variables)
    }

    fn has(&self, name: &String) -> bool {
        [&self.tools, &self.fields, &self.flags, &self.variables].iter().any(|set| set.contains(name))
    }
}

/// What stands in backticks under `### Breaking` of the Unreleased section.
fn listed(changelog: &str) -> BTreeSet<String> {
    let (mut unreleased, mut breaking) = (false, false);
    let mut names = BTreeSet::new();
    for line in changelog.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            unreleased = heading.to_ascii_lowercase().contains("unreleased");
            breaking = false;
        } else if let Some(heading) = line.strip_prefix("### ") {
            breaking = heading.trim() == "Breaking";
        } else if unreleased && breaking {
            names.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check_surface::render;
    use crate::check_surface::samples::surface;
    use crate::check_surface::surface::Surface;

    /// The losses when the sample is changed.
    fn after(change: impl FnOnce(&mut Surface), changelog: &str) -> Vec<String> {
        let mut changed = surface();
        change(&mut changed);
        unlisted(&render::files(&surface()), &render::files(&changed), changelog)
    }

    #[test]
    fn nothing_changed_and_things_added_break_nothing() {
        assert_eq!(after(|_| {}, ""), Vec::<String>::new());
        let added = after(
            |surface| {
                surface.tools[0].tool["inputSchema"]["properties"]["new"] = json!({ "description": "New." });
                let mut tool = surface.tools[0].clone();
                tool.tool["name"] = json!("get_thread");
                surface.tools.push(tool);
            },
            "",
        );
        assert_eq!(added, Vec::<String>::new());
    }

    #[test]
    fn each_kind_of_loss_is_found() {
        let ending = "under `### Breaking` in CHANGELOG.md or keep it";
        let tool = after(|surface| drop(surface.tools.remove(0)), "");
        assert_eq!(tool, [format!("`get_message` is gone; list `get_message` {ending}")]);
        let field = after(
            |surface| {
                let arguments = surface.tools[0].tool["inputSchema"]["properties"].as_object_mut().unwrap();
                let page = arguments.remove("page").unwrap();
                arguments.insert("part".to_owned(), page);
            },
            "",
        );
        assert_eq!(field, [format!("`get_message.page` is gone; list `get_message.page` {ending}")]);
        let result = after(|surface| surface.tools[1].tool["outputSchema"] = json!({}), "");
        assert_eq!(
            result,
            [format!("`send_draft.result.sent` is gone; list `send_draft.result.sent` {ending}")]
        );
        let flag = after(|surface| surface.cli.flags.truncate(1), "");
        assert_eq!(flag, [format!("`serve --demo` is gone; list `serve --demo` {ending}")]);
        let variable = after(|surface| surface.env.truncate(1), "");
        assert!(variable[0].starts_with("`COUNTERSIGN_IMAP_PASSWORD` is gone"), "{variable:?}");
        let required = after(
            |surface| surface.tools[0].tool["inputSchema"]["required"] = json!(["message", "page"]),
            "",
        );
        assert!(required[0].starts_with("`get_message.page` is required now"), "{required:?}");
    }

    #[test]
    fn only_the_unreleased_breaking_list_excuses_a_loss() {
        let gone = |changelog: &str| after(|surface| surface.cli.flags.truncate(1), changelog).len();
        assert_eq!(gone("# Changelog\n## Unreleased\n### Breaking\n- `serve --demo` went: use `demo`.\n"), 0);
        assert_eq!(gone("## [Unreleased]\n### Added\n- `serve --demo`\n"), 1);
        assert_eq!(gone("## Unreleased\n\n## 0.1.0\n### Breaking\n- `serve --demo`\n"), 1);
    }
}
