//! Replacing a file as a whole or not at all: written beside it, synced, renamed over it. Used for what `login` writes.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Replaces (or makes) a file that only its owner may read; an existing file keeps its own permissions if
/// `keep_permissions` says so. A symbolic link keeps pointing where it did.
pub(crate) fn replace(path: &Path, bytes: &[u8], keep_permissions: bool) -> io::Result<()> {
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    make_folder(&folder)?;
    let temporary = folder.join(format!(".countersign-{}", random_name()?));
    let written = write_new(&temporary, bytes).and_then(|()| {
        if keep_permissions && let Ok(metadata) = fs::metadata(&target) {
            fs::set_permissions(&temporary, metadata.permissions())?;
        }
        fs::rename(&temporary, &target)
    });
    if written.is_err() {
        // What is left behind would hold the same secret; if it can't be removed either, the first error matters more.
        drop(fs::remove_file(&temporary));
    }
    written.and_then(|()| sync_folder(&folder))
}

/// Makes a directory, and those above it, for the owner alone.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Options that make a file for the owner alone.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private().create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The rename is durable once the directory is.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn random_name() -> io::Result<String> {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
    Ok(u64::from_le_bytes(bytes).to_string())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn files_and_folders_are_the_owners_alone_and_nothing_is_left_beside() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/c.json");
        replace(&file, b"one", false).unwrap();
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        replace(&file, b"two", true).unwrap();
        assert_eq!((mode(&file), fs::read(&file).unwrap()), (0o644, b"two".to_vec()));
        replace(&file, b"three", false).unwrap();
        assert_eq!(mode(&file), 0o600);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, b"one").unwrap();
        symlink(&real, &link).unwrap();
        replace(&link, b"two", true).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"two");
    }
}
