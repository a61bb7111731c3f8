//! The file beside an embedded store that repeats the count of its writes.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// How the names of unfinished files begin.
pub(super) const UNFINISHED: &str = ".trestle-unfinished-";
/// How a copy of the count in the file begins: its format.
const FORMAT: &str = "trestle-writes 1";
/// The bytes of a copy. The file has two of them in different sectors, so that one is whole whatever happens.
const COPY: usize = 160;
/// The places of the two copies.
const PLACES: [u64; 2] = [0, 4096];

/// The writes of a store up to some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// The store's own id. Copies of a store have others.
    pub(super) store: String,
    pub(super) writes: u64,
}

/// A count as a copy of the file: each part twice, so that a torn copy shows.
fn copy(count: &Count) -> Vec<u8> {
    let Count { store, writes } = count;
    let mut text = format!("{FORMAT} {store} {writes} {store} {writes}").into_bytes();
    text.resize(COPY - 1, b' ');
    text.push(b'\n');
    text
}

fn parse(copy: &[u8]) -> Option<Count> {
    let text = std::str::from_utf8(copy).ok()?;
    let parts = text.strip_prefix(FORMAT)?.trim_start().strip_suffix('\n')?;
    let parts: Vec<&str> = parts.split_whitespace().collect();
    let [store, writes, again @ ..] = parts.as_slice() else {
        return None;
    };
    let is_whole = again == [*store, *writes];
    is_whole.then_some(Count {
        store: (*store).to_owned(),
        writes: writes.parse().ok()?,
    })
}

/// The newest count of a file.
pub(super) fn read(record: &File) -> io::Result<Option<Count>> {
    let mut newest: Option<Count> = None;
    for place in PLACES {
        let mut bytes = [0; COPY];
        match record.read_exact_at(&mut bytes, place) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => continue,
            read => read?,
        }
        if let Some(count) = parse(&bytes)
            && newest
                .as_ref()
                .is_none_or(|newest| newest.writes < count.writes)
        {
            newest = Some(count);
        }
    }
    Ok(newest)
}

/// Makes the file, whole or not at all. One that another process makes at the same time is taken.
pub(super) fn make(record: &Path, count: &Count) -> io::Result<()> {
    let folder = record.parent().unwrap_or(Path::new("."));
    let made = tempfile::NamedTempFile::with_prefix_in(UNFINISHED, folder)?;
    rewrite(made.as_file(), count)?;
    match made.persist_noclobber(record) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
        Ok(_) | Err(_) => File::open(folder)?.sync_all(),
    }
}

/// Writes one of the two copies, in turn.
pub(super) fn write(record: &File, count: &Count, turn: usize) -> io::Result<()> {
    let [first, second] = PLACES;
    let place = if turn.is_multiple_of(2) {
        first
    } else {
        second
    };
    record.write_all_at(&copy(count), place)
}

/// Writes both copies, in place: other processes may have the file open.
pub(super) fn rewrite(record: &File, count: &Count) -> io::Result<()> {
    for place in PLACES {
        record.write_all_at(&copy(count), place)?;
    }
    record.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_copy_is_not_read() {
        let count = Count {
            store: "0123456789abcdef0123456789abcdef".to_owned(),
            writes: 1_234,
        };
        let whole = copy(&count);
        assert_eq!(parse(&whole), Some(count.clone()));
        let later = copy(&Count {
            writes: 98_765,
            ..count
        });
        for at in 1..COPY {
            let torn = [&later[..at], &whole[at..]].concat();
            let read = parse(&torn);
            assert!(
                read.is_none() || torn == whole || torn == later || read == parse(&whole),
                "{at}: {read:?}"
            );
        }
    }
}
