//! The file beside an embedded store that repeats the count of its writes, and says with what the store's log began.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How the names of unfinished files begin.
pub(super) const UNFINISHED: &str = ".trestle-unfinished-";
/// How a copy of the record in the file begins. A format follows.
const MARK: &str = "trestle-writes ";
/// The format of earlier releases, which has the count alone.
const COUNT_ALONE: &str = "1";
/// The format that this release writes.
const FORMAT: &str = "2";
/// The bytes of a copy. The file has two of them in different sectors, so that one is whole whatever happens.
const COPY: usize = 512;
/// The places of the two copies.
const PLACES: [u64; 2] = [0, 4096];
/// The place of the time at which the clock was last trusted, and how that begins.
const CLOCK: (u64, &str) = (8192, "trestle-clock 1 ");
/// The bytes of a time: its mark, and two numbers of 20 digits.
const TIME: usize = 64;

/// The writes of a store up to some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// The store's own id. Copies of a store have others.
    pub(super) store: String,
    pub(super) writes: u64,
    /// A random number that the transaction chose. 0 in a store that never had a record.
    pub(super) state: i64,
}

/// The beginning of a write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Began {
    /// The salts in the log's header, which each beginning of the log changes.
    pub(super) salts: u64,
    /// The writes and the state of the store's file when the log began. `None` if the file had no count.
    pub(super) base: Option<(u64, i64)>,
}

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) count: Count,
    /// The log that the store has. `None` if its log is empty.
    pub(super) log: Option<Began>,
    /// Whether a process began to take the log over into the store's file: the file is not complete without it.
    pub(super) is_closing: bool,
    /// Whether an earlier release wrote it, which knows of no log.
    pub(super) is_count_alone: bool,
}

impl Record {
    pub(super) fn new(count: Count, log: Option<Began>) -> Self {
        Self {
            count,
            log,
            is_closing: false,
            is_count_alone: false,
        }
    }

    /// A copy of the file: each part twice, so that a torn copy shows.
    fn copy(&self) -> Vec<u8> {
        let Count {
            store,
            writes,
            state,
        } = &self.count;
        let log = match self.log {
            None => "- - -".to_owned(),
            Some(Began { salts, base: None }) => format!("{salts} - -"),
            Some(Began {
                salts,
                base: Some((writes, state)),
            }) => format!("{salts} {writes} {state}"),
        };
        let is_closing = u8::from(self.is_closing);
        let parts = format!("{store} {writes} {state} {log} {is_closing}");
        let mut text = format!("{MARK}{FORMAT} {parts} {parts}").into_bytes();
        text.resize(COPY - 1, b' ');
        text.push(b'\n');
        text
    }

    fn parse(copy: &[u8]) -> Option<Self> {
        let end = copy.iter().position(|byte| *byte == b'\n')?;
        let text = std::str::from_utf8(copy.get(..end)?).ok()?;
        let (format, parts) = text.strip_prefix(MARK)?.split_once(' ')?;
        let parts: Vec<&str> = parts.split_whitespace().collect();
        let (parts, again) = parts.split_at_checked(parts.len() / 2)?;
        if parts != again {
            return None;
        }
        match (format, parts) {
            (COUNT_ALONE, [store, writes]) => Some(Self {
                count: Count {
                    store: (*store).to_owned(),
                    writes: writes.parse().ok()?,
                    state: 0,
                },
                log: None,
                is_closing: false,
                is_count_alone: true,
            }),
            (
                FORMAT,
                [
                    store,
                    writes,
                    state,
                    salts,
                    base_writes,
                    base_state,
                    is_closing,
                ],
            ) => {
                let base = match *base_writes {
                    "-" => None,
                    writes => Some((writes.parse().ok()?, base_state.parse().ok()?)),
                };
                let log = match *salts {
                    "-" => None,
                    salts => Some(Began {
                        salts: salts.parse().ok()?,
                        base,
                    }),
                };
                let count = Count {
                    store: (*store).to_owned(),
                    writes: writes.parse().ok()?,
                    state: state.parse().ok()?,
                };
                Some(Self {
                    is_closing: *is_closing == "1",
                    ..Self::new(count, log)
                })
            }
            _ => None,
        }
    }
}

/// The newest record of a file.
pub(super) fn read(file: &File) -> io::Result<Option<Record>> {
    let mut newest: Option<Record> = None;
    for place in PLACES {
        let copy = read_at(file, place, COPY)?;
        if let Some(record) = Record::parse(&copy)
            && newest
                .as_ref()
                .is_none_or(|newest| newest.count.writes < record.count.writes)
        {
            newest = Some(record);
        }
    }
    Ok(newest)
}

/// At most so many bytes: an earlier release's copies are shorter.
fn read_at(file: &File, place: u64, bytes: usize) -> io::Result<Vec<u8>> {
    let mut found = vec![0; bytes];
    let mut length = 0;
    while let Some(rest) = found.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, place + length as u64)? {
            0 => break,
            read => length += read,
        }
    }
    found.truncate(length);
    Ok(found)
}

/// Makes the file, whole or not at all. One that another process makes at the same time is taken.
pub(super) fn make(path: &Path, record: &Record) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = tempfile::NamedTempFile::with_prefix_in(UNFINISHED, folder)?;
    rewrite(made.as_file(), record)?;
    match made.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
        Ok(_) | Err(_) => File::open(folder)?.sync_all(),
    }
}

/// Writes one of the two copies, in turn.
pub(super) fn write(file: &File, record: &Record, turn: usize) -> io::Result<()> {
    let [first, second] = PLACES;
    let place = if turn.is_multiple_of(2) {
        first
    } else {
        second
    };
    file.write_all_at(&record.copy(), place)
}

/// Writes both copies, in place: other processes may have the file open.
pub(super) fn rewrite(file: &File, record: &Record) -> io::Result<()> {
    for place in PLACES {
        file.write_all_at(&record.copy(), place)?;
    }
    file.sync_all()
}

/// The last time at which a process trusted its clock.
pub(super) fn read_clock(file: &File) -> io::Result<Option<SystemTime>> {
    let (place, mark) = CLOCK;
    let text = read_at(file, place, TIME)?;
    Ok(std::str::from_utf8(&text)
        .ok()
        .and_then(|text| parse_clock(text.strip_prefix(mark)?)))
}

fn parse_clock(text: &str) -> Option<SystemTime> {
    let (seconds, again) = text.trim_end().split_once(' ')?;
    // Written twice, so that a write that was cut off is not taken for another time.
    let seconds: u64 = seconds.parse().ok().filter(|_| seconds == again)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Writes that a process trusts its clock, which shows this time.
pub(super) fn write_clock(file: &File, time: SystemTime) -> io::Result<()> {
    let (place, mark) = CLOCK;
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let seconds = since.unwrap_or_default().as_secs();
    let text = format!("{:<TIME$}", format!("{mark}{seconds} {seconds}"));
    file.write_all_at(text.as_bytes(), place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(writes: u64) -> Record {
        let count = Count {
            store: "0123456789abcdef0123456789abcdef".to_owned(),
            writes,
            state: i64::MIN + i64::try_from(writes).unwrap(),
        };
        let base = Some((writes / 2, i64::MAX));
        let salts = u64::MAX - writes;
        Record::new(count, Some(Began { salts, base }))
    }

    #[test]
    fn a_torn_copy_is_not_read() {
        let whole = record(1_234).copy();
        let later = record(u64::MAX / 4).copy();
        assert_eq!((whole.len(), later.len()), (COPY, COPY));
        assert_eq!(Record::parse(&whole), Some(record(1_234)));
        assert_eq!(Record::parse(&later), Some(record(u64::MAX / 4)));
        for at in 1..COPY {
            let torn = [&later[..at], &whole[at..]].concat();
            let read = Record::parse(&torn);
            assert!(
                read.is_none() || torn == whole || torn == later || read == Record::parse(&whole),
                "{at}: {read:?}"
            );
        }
    }

    #[test]
    fn a_record_of_an_earlier_release_is_read() {
        let file = tempfile::tempfile().unwrap();
        let store = "0123456789abcdef0123456789abcdef";
        for (place, writes) in [(0, 7), (4096, 8)] {
            let line = format!("trestle-writes 1 {store} {writes} {store} {writes}");
            file.write_all_at(format!("{line:<159}\n").as_bytes(), place)
                .unwrap();
        }
        let read = read(&file).unwrap().unwrap();
        assert_eq!((read.count.writes, read.count.state), (8, 0));
        assert!(read.is_count_alone);
        assert_eq!(read_clock(&file).unwrap(), None);
    }

    #[test]
    fn the_time_is_beside_the_copies() {
        let file = tempfile::tempfile().unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
        write_clock(&file, time).unwrap();
        rewrite(&file, &record(5)).unwrap();
        assert_eq!(read_clock(&file).unwrap(), Some(time));
        assert_eq!(read(&file).unwrap(), Some(record(5)));
    }
}
