//! A directory for what a demo has to write down. It goes away with the demo.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A new directory of this process's own, removed when dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one.
    pub(super) fn new() -> io::Result<Self> {
        let mut bytes = [0_u8; 8];
        getrandom::fill(&mut bytes).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
        let path = std::env::temp_dir().join(format!("countersign-demo-{}", u64::from_le_bytes(bytes)));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The system clears its own directory for temporary files in the end.
        fs::remove_dir_all(&self.0).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        fs::write(path.join("state.sqlite"), "x").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
