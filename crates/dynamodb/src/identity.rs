//! Which file a path leads to, whatever it is called.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

/// The device and the number of a file.
pub(super) type Identity = (u64, u64);

pub(super) fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}
