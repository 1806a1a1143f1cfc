//! Which crate may depend on which: every edge that `cargo metadata` shows is compared with a table of what is allowed.
//!
//! An allow table can't pass by a misspelt name, as a "must not depend" check can. Crates that would drag a whole
//! world in where it does not belong (MCP into the send policy, mail into confirm) are named as well.

use super::Offence;
use crate::workspace::{Dependency, Package};

const CONFIRM: &str = "countersign-confirm";
const POLICY: &str = "countersign-send-policy";
const CORE: &str = "countersign-core";
const TESTKIT: &str = "countersign-testkit";

/// What one of ours may name under `[dependencies]`. A server also redeems the send policy's permits.
fn allowed(package: &Package) -> &'static [&'static str] {
    match package.name.as_str() {
        POLICY => &[CONFIRM],
        CORE => &[CONFIRM, POLICY],
        TESTKIT => &[CONFIRM, POLICY, CORE],
        _ if package.server_binary().is_some() => &[CORE, POLICY],
        _ => &[],
    }
}

/// Crates from outside that must stay out of one of ours.
const FOREIGN: [(&str, &[&str]); 3] = [
    (CONFIRM, &["async-imap", "lettre", "mail-builder", "mail-parser"]),
    (POLICY, &["async-imap", "lettre", "mail-builder", "mail-parser", "rmcp"]),
    (CORE, &["async-imap", "lettre"]),
];

/// Edges that the table does not allow.
pub(crate) fn extra(packages: &[Package]) -> Vec<Offence> {
    let mut found = Vec::new();
    for package in packages {
        let file = format!("{} (Cargo.toml)", package.name);
        for dependency in &package.dependencies {
            let ours = packages.iter().any(|other| other.name == dependency.name);
            let wrong = if ours { wrong_edge(package, dependency) } else { unwanted(package, dependency) };
            found.extend(wrong.map(|what| Offence::new(&file, 1, what)));
        }
    }
    found
}

fn wrong_edge(package: &Package, dependency: &Dependency) -> Option<String> {
    let (from, to) = (&package.name, &dependency.name);
    if dependency.path.is_none() {
        return Some(format!("{from} → {to} must be a path dependency"));
    }
    if to == TESTKIT {
        if dependency.kind.as_deref() != Some("dev") || from == "xtask" {
            return Some(format!("{from} → {to}: the test kit is a dev-dependency only"));
        }
        // With a version, packaging would look for it in a registry, where it never is.
        return (dependency.req != "*").then(|| format!("{from} → {to} must name a path and no version"));
    }
    (!allowed(package).contains(&to.as_str())).then(|| format!("{from} → {to} is not an allowed arrow"))
}

fn unwanted(package: &Package, dependency: &Dependency) -> Option<String> {
    let (_, names) = FOREIGN.into_iter().find(|(of, _)| *of == package.name)?;
    let shipped = dependency.kind.as_deref() != Some("dev");
    (shipped && names.contains(&dependency.name.as_str()))
        .then(|| format!("{} must not depend on {}", package.name, dependency.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Target;

    fn package(name: &str, binary: bool, dependencies: Vec<Dependency>) -> Package {
        let kind = vec![if binary { "bin".to_owned() } else { "lib".to_owned() }];
        let targets = vec![Target { name: name.to_owned(), kind }];
        Package { name: name.to_owned(), version: "0.1.0".to_owned(), targets, dependencies }
    }

    fn edge(to: &str, kind: Option<&str>, req: &str) -> Dependency {
        let path = to.starts_with("countersign-").then(|| "crates".into());
        Dependency { name: to.to_owned(), kind: kind.map(str::to_owned), path, req: req.to_owned() }
    }

    #[test]
    fn the_arrows_as_designed_pass() {
        let packages = [
            package(CONFIRM, false, vec![edge("rmcp", None, "^3")]),
            package(POLICY, false, vec![edge(CONFIRM, None, "^0.1")]),
            package(
                CORE,
                false,
                vec![
                    edge(CONFIRM, None, "^0.1"),
                    edge(POLICY, None, "^0.1"),
                    edge(TESTKIT, Some("dev"), "*"),
                ],
            ),
            package(
                "countersign-imap",
                true,
                vec![edge(CORE, None, "^0.1"), edge("async-imap", None, "^0.12")],
            ),
            package(TESTKIT, false, vec![edge(CORE, None, "^0.1")]),
            package("xtask", true, vec![edge("anyhow", None, "^1")]),
        ];
        assert_eq!(extra(&packages), []);
    }

    #[test]
    fn each_extra_edge_is_found() {
        let packages = [
            package(CONFIRM, false, vec![edge(POLICY, None, "^0.1")]),
            package(POLICY, false, vec![edge("rmcp", None, "^3"), edge(CORE, Some("dev"), "^0.1")]),
            package(CORE, false, vec![edge(TESTKIT, None, "*")]),
            package(
                "countersign-imap",
                true,
                vec![edge("countersign-graph", None, "^0.1"), edge(TESTKIT, Some("dev"), "^0.1")],
            ),
            package("countersign-graph", true, vec![]),
            package(TESTKIT, false, vec![]),
            package("xtask", true, vec![edge(CORE, None, "^0.1"), edge(TESTKIT, Some("dev"), "*")]),
        ];
        let found: Vec<String> = extra(&packages).into_iter().map(|offence| offence.what).collect();
        assert_eq!(
            found,
            [
                "countersign-confirm → countersign-send-policy is not an allowed arrow",
                "countersign-send-policy must not depend on rmcp",
                "countersign-send-policy → countersign-core is not an allowed arrow",
                "countersign-core → countersign-testkit: the test kit is a dev-dependency only",
                "countersign-imap → countersign-graph is not an allowed arrow",
                "countersign-imap → countersign-testkit must name a path and no version",
                "xtask → countersign-core is not an allowed arrow",
                "xtask → countersign-testkit: the test kit is a dev-dependency only",
            ]
        );
    }
}
