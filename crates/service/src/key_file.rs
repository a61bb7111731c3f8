//! Keys of a server in files: made when they are first needed, for their owner's eyes only.

use std::fs::{File, OpenOptions, hard_link, remove_file};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use uuid::Uuid;

/// Random bytes.
///
/// # Errors
/// The system has no randomness.
pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// The 32 bytes in `file`. A missing file is created, readable by its owner only: processes that start together get the same
/// bytes. `what` names them in an error.
///
/// # Errors
/// The file cannot be read or created, or does not hold 32 bytes.
pub fn key_in_file(file: &Path, what: &str) -> io::Result<[u8; 32]> {
    match read(file, what) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read,
    }
    let key = random_bytes::<32>()?;
    // A link is made whole or not at all, and only by the first of the processes.
    let unfinished = file.with_extension(Uuid::new_v4().simple().to_string());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut created = options.open(&unfinished)?;
    let linked = created
        .write_all(&key)
        .and_then(|()| created.sync_all())
        .and_then(|()| hard_link(&unfinished, file));
    remove_file(&unfinished)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => read(file, what),
    }
}

fn read(file: &Path, what: &str) -> io::Result<[u8; 32]> {
    let mut key = Vec::new();
    File::open(file)?.take(64).read_to_end(&mut key)?;
    let message = format!("it does not hold a {what} of 32 bytes");
    key.try_into().map_err(|_| io::Error::other(message))
}
