//! The files that the rules look at: those git tracks or would track, or a sample written in a test.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::source::Source;
use crate::command;

/// File contents by path from the workspace's root, with `/` between the parts.
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Everything that git tracks or would add. What is no UTF-8 is read lossily: a path in it is found all the same.
    pub(crate) fn of_workspace(root: &Path) -> Result<Self> {
        let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = command::stdout_of(&mut command::new("git", &args, root))?;
        let mut files = BTreeMap::new();
        for name in listed.split('\0').filter(|name| !name.is_empty()) {
            // A tracked file that was deleted but not yet committed is not there to be judged.
            if let Ok(bytes) = std::fs::read(root.join(name)) {
                files.insert(name.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(Self { files })
    }

    /// A sample tree for a rule's own test.
    #[cfg(test)]
    pub(crate) fn sample(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Every file: name and text.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Every Rust file: name and text.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all().filter(|(name, _)| is_rust(name))
    }

    /// Every Rust file taken apart into code, strings and comments.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&str, Source)> {
        self.rust().map(|(name, text)| (name, Source::read(text)))
    }
}

/// Whether a name is that of a Rust file.
pub(crate) fn is_rust(name: &str) -> bool {
    ends_in(name, "rs")
}

/// Whether a name has this extension.
pub(crate) fn ends_in(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}
