//! Answers as JSON of a bounded size.

use std::io;

use serde::Serialize;

/// The answer has more bytes than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Bytes for most answers, so that the buffer seldom grows.
const USUAL: usize = 4096;

struct Bounded {
    bytes: Vec<u8>,
    most: usize,
    is_full: bool,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            self.is_full = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Appends `value` to `bytes`, which get no longer than `most`.
///
/// # Errors
/// They would be longer.
pub(crate) fn append(
    bytes: Vec<u8>,
    value: &impl Serialize,
    most: usize,
) -> Result<Vec<u8>, TooLarge> {
    let mut bounded = Bounded {
        bytes,
        most,
        is_full: false,
    };
    match serde_json::to_writer(&mut bounded, value) {
        Ok(()) => Ok(bounded.bytes),
        Err(_) if bounded.is_full => Err(TooLarge),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            Err(TooLarge)
        }
    }
}

/// `value` as JSON of at most `most` bytes.
///
/// # Errors
/// It has more.
pub(crate) fn bytes(value: &impl Serialize, most: usize) -> Result<Vec<u8>, TooLarge> {
    append(Vec::with_capacity(USUAL), value, most)
}
