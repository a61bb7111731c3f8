//! Files of settings: keys and trusted documents. Bounds what is read of them.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The largest file of settings, in bytes.
pub const MAX_FILE: u64 = 64 << 20;

/// Reads a file of settings. What is read is counted: devices and files that grow have no size to believe.
///
/// # Errors
/// The system's, and [`io::ErrorKind::FileTooLarge`] if it has more bytes than `most`.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut read)?;
    if read.len() as u64 > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(read)
}
