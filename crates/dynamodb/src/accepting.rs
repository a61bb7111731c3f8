//! Goes on with an embedded store from which writes are missing. All is done in a copy, which takes the place of the store
//! once it was read.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use rusqlite::Error as SqliteError;

use super::damage::{self, Damage};
use super::described::ExpectedIndex;
use super::errors::OpenError;
use super::file::{self, FILE};
use super::log::beside;
use super::write_count::{self, LOG, SUFFIX, Verdict};
use super::write_record::UNFINISHED;

/// What was done to go on with a store.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The files as they were.
    pub copies: Vec<PathBuf>,
    /// The number of writes that are given up. `None` if it is not known.
    pub given_up: Option<u64>,
    /// What is damaged in the store that opens now.
    pub damage: Vec<Damage>,
}

/// Goes on with the store in `folder`. Its files as they were are kept in copies, whose names end with `ending`. `None` if
/// no writes are missing. Killed at any moment, the store is as before, refused, or done.
pub(super) fn accept_loss(
    folder: &Path,
    expected: &[ExpectedIndex],
    ending: &str,
) -> Result<Option<Accepted>, OpenError> {
    let file = folder.join(FILE);
    let unusable = |source| OpenError::folder(folder, source);
    let unreadable = |error: SqliteError| file::unreadable(folder, &file, &error);
    let known = match file::verify(folder, &file, None)? {
        None => {
            let connection = file::identify(folder, &file)?;
            file::verify(folder, &file, Some(&connection))?
        }
        known => known,
    };
    let Some(known) = known.filter(|known| known.verdict != Verdict::Complete) else {
        return file::recognize(folder, &file).map(|_| None);
    };
    if file::is_held(&file).map_err(unreadable)? {
        let file = file.display().to_string();
        return Err(OpenError::Busy { file });
    }
    let scratch = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(folder)
        .map_err(unusable)?;
    let copy = scratch.path().join(FILE);
    for suffix in ["", LOG, SUFFIX] {
        let from = beside(&file, suffix);
        if (suffix != LOG || known.has_own_log) && from.exists() {
            fs::copy(from, beside(&copy, suffix)).map_err(unusable)?;
        }
    }
    let path = copy
        .to_str()
        .ok_or_else(|| unusable(io::Error::other("its path is not valid UTF-8")))?;
    drop(file::open(folder, &file, path)?);
    let mut connection = file::connect(folder, &file, &copy)?;
    let damage = damage::examine(&connection, expected).map_err(unreadable)?;
    if damage.iter().any(Damage::is_structure) {
        let file = file.display().to_string();
        return Err(OpenError::Damaged { file });
    }
    write_count::accept(&mut connection, &copy)
        .map_err(|error| file::uncounted(folder, &file, error))?;
    drop(connection);
    File::open(&copy)
        .and_then(|copy| copy.sync_all())
        .map_err(unusable)?;
    Ok(Some(Accepted {
        copies: replace(&file, &copy, ending).map_err(unusable)?,
        given_up: known
            .writes
            .and_then(|(reached, known)| known.checked_sub(reached))
            .filter(|writes| *writes > 0),
        damage,
    }))
}

/// Keeps the files of a store under other names, and puts those of its copy in their place.
pub(super) fn replace(file: &Path, copy: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let folder = File::open(file.parent().unwrap_or(Path::new(".")))?;
    let rights = file.metadata()?;
    let mut kept = Vec::new();
    for suffix in ["", LOG, SUFFIX] {
        let from = beside(file, suffix);
        if from.metadata().is_ok_and(|from| from.len() > 0) {
            let to = beside(file, &format!("{suffix}{ending}"));
            fs::hard_link(&from, &to)?;
            kept.push(to);
        }
    }
    folder.sync_all()?;
    // Until the log is gone, it belongs to another store than the file, so that both are refused.
    for suffix in [SUFFIX, ""] {
        let made = beside(copy, suffix);
        take_rights(&made, &rights)?;
        fs::rename(made, beside(file, suffix))?;
    }
    folder.sync_all()?;
    for suffix in [LOG, "-shm"] {
        match fs::remove_file(beside(file, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    folder.sync_all()?;
    Ok(kept)
}

/// Gives a file that takes the place of another one its rights, owner and group. Whoever may not change the owner goes on as they are.
fn take_rights(path: &Path, of: &Metadata) -> io::Result<()> {
    fs::set_permissions(path, of.permissions())?;
    match chown(path, Some(of.uid()), Some(of.gid())) {
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
