//! Reads the count of writes that each commit in a write-ahead log has. SQLite shows only what a log says together with
//! the store's file, also if they are of different moments.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::write_record::Count;

/// Bytes of the headers of a log and of one of its frames.
const HEADER: u64 = 32;
const FRAME: usize = 24;
/// The places of the page size and of the salts in a log's header.
const PAGE_SIZE: usize = 8;
const SALTS: u64 = 16;
/// The first byte of a page that is a leaf of a table, and the bytes before its cells' places.
const LEAF: u8 = 13;
const LEAF_HEADER: usize = 8;

/// A file that is kept beside a store's.
pub(super) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// A count as its row has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) count: Count,
    /// The state before the transaction, if that began nothing but a new state. 0 otherwise.
    pub(super) base: i64,
    /// Whether a process had the store open, so that the file is not complete without its log.
    pub(super) is_open: bool,
}

/// What a log says of the count, as far as SQLite takes it for valid.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) salts: u64,
    /// The counts that were committed, in order.
    pub(super) commits: Vec<Row>,
}

/// The checksum of a log's header, which each frame continues (<https://sqlite.org/fileformat2.html#checksum_algorithm>).
struct Checksum {
    is_big_endian: bool,
    sums: [u32; 2],
}

impl Checksum {
    /// That of a log with this header; `None` if the header is not valid.
    fn of(header: &[u8]) -> Option<Self> {
        let mut checksum = Self {
            is_big_endian: header.get(3)? & 1 == 1,
            sums: [0; 2],
        };
        checksum.add(header.get(..24)?);
        checksum.is_at(header, 24).then_some(checksum)
    }

    fn add(&mut self, bytes: &[u8]) {
        let (pairs, _) = bytes.as_chunks();
        for &[a, b, c, d, e, f, g, h] in pairs {
            let [first, second] = [[a, b, c, d], [e, f, g, h]].map(|word| {
                if self.is_big_endian {
                    u32::from_be_bytes(word)
                } else {
                    u32::from_le_bytes(word)
                }
            });
            let [one, other] = &mut self.sums;
            *one = one.wrapping_add(first).wrapping_add(*other);
            *other = other.wrapping_add(second).wrapping_add(*one);
        }
    }

    /// Whether the checksum is what the bytes say at this place.
    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        self.sums.map(Some) == [at, at + 4].map(|at| u32_at(bytes, at))
    }
}

/// The salts of a log; `None` if it is empty.
pub(super) fn salts(log: &File) -> io::Result<Option<u64>> {
    let mut salts = [0; 8];
    if !read_exact_at(log, &mut salts, SALTS)? {
        return Ok(None);
    }
    Ok(Some(u64::from_be_bytes(salts)))
}

/// The salts of the log at a path; `None` if it is not there or empty.
pub(super) fn salts_of(path: &Path) -> io::Result<Option<u64>> {
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        log => salts(&log?),
    }
}

/// Whether a log has as many frames, with pages of this size.
pub(super) fn has_frames(log: &File, frames: u64, page_size: u64) -> io::Result<bool> {
    let mut own = [0; 8];
    let last = HEADER + frames.saturating_sub(1) * (FRAME as u64 + page_size);
    let is_there = read_exact_at(log, &mut own, last + 8)?;
    Ok(is_there && Some(u64::from_be_bytes(own)) == salts(log)?)
}

/// Reads a log. `page` is the page of the count. `None` if there is no log, or it is empty.
pub(super) fn read(path: &Path, page: u32) -> io::Result<Option<Log>> {
    let log = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        log => log?,
    };
    let mut header = [0; HEADER as usize];
    let Some(salts) = salts(&log)? else {
        return Ok(None);
    };
    if !read_exact_at(&log, &mut header, 0)? {
        return Ok(None);
    }
    let Some(mut checksum) = Checksum::of(&header) else {
        return Ok(None);
    };
    let size = u32_at(&header, PAGE_SIZE).unwrap_or_default() as usize;
    let (mut commits, mut pending, mut place) = (Vec::new(), None, HEADER);
    let mut frame = [0; FRAME];
    let mut content = vec![0; size];
    while size > 0 && read_exact_at(&log, &mut frame, place)? {
        let own = frame.get(8..16).and_then(|salts| salts.try_into().ok());
        // The rest is of the log before.
        if own.map(u64::from_be_bytes) != Some(salts)
            || !read_exact_at(&log, &mut content, place + FRAME as u64)?
        {
            break;
        }
        checksum.add(&frame[..8]);
        checksum.add(&content);
        if !checksum.is_at(&frame, 16) {
            break;
        }
        if u32_at(&frame, 0) == Some(page) {
            pending = row_in(&content);
        }
        let is_commit = u32_at(&frame, 4).is_some_and(|pages| pages > 0);
        if is_commit && let Some(row) = pending.take() {
            commits.push(row);
        }
        place += (FRAME + size) as u64;
    }
    Ok(Some(Log { salts, commits }))
}

/// The count in a page of a store's file. A process that has the file open must not call this: to close a file gives up all
/// locks that the process has on it.
pub(super) fn in_file(path: &Path, page: u32) -> io::Result<Option<Row>> {
    let file = File::open(path)?;
    let mut size = [0; 2];
    if !read_exact_at(&file, &mut size, 16)? {
        return Ok(None);
    }
    let size = match u16::from_be_bytes(size) {
        1 => 1 << 16,
        size => usize::from(size),
    };
    let mut content = vec![0; size];
    let place = u64::from(page.saturating_sub(1)) * size as u64;
    if !read_exact_at(&file, &mut content, place)? {
        return Ok(None);
    }
    Ok(row_in(&content))
}

fn read_exact_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<bool> {
    match file.read_exact_at(bytes, place) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// The only row of a page (<https://sqlite.org/fileformat2.html>): id, store, writes, state, base, open.
fn row_in(page: &[u8]) -> Option<Row> {
    if *page.first()? != LEAF || page.get(3..5)? != [0, 1] {
        return None;
    }
    let cell = page.get(LEAF_HEADER..LEAF_HEADER + 2)?;
    let cell = page.get(usize::from(u16::from_be_bytes(cell.try_into().ok()?))..)?;
    let (_, rest) = varint(cell)?;
    let (_, record) = varint(rest)?;
    let (header, mut types) = varint(record)?;
    let header = usize::try_from(header).ok()?;
    let mut values = record.get(header..)?;
    types = types.get(..header.checked_sub(record.len() - types.len())?)?;
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    while !types.is_empty() {
        let (kind, rest) = varint(types)?;
        types = rest;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 => 8,
            text if text >= 13 && text % 2 == 1 => usize::try_from((text - 13) / 2).ok()?,
            _ => return None,
        };
        let (value, rest) = values.split_at_checked(length)?;
        values = rest;
        match kind {
            // The id is the row's own.
            0 => {}
            8 | 9 => numbers.push(i64::try_from(kind).ok()? - 8),
            1..=6 => {
                let negative = value.first()? & 0x80 != 0;
                let start = if negative { -1 } else { 0 };
                let number = value
                    .iter()
                    .fold(start, |n: i64, byte| n << 8 | i64::from(*byte));
                numbers.push(number);
            }
            _ => texts.push(String::from_utf8(value.to_vec()).ok()?),
        }
    }
    // A row that an earlier release wrote has the writes alone.
    let [store] = <[String; 1]>::try_from(texts).ok()?;
    let (writes, state, base, open) = match numbers.as_slice() {
        [writes] => (*writes, 0, 0, 0),
        [writes, state, base, open] => (*writes, *state, *base, *open),
        _ => return None,
    };
    let writes = u64::try_from(writes).ok()?;
    Some(Row {
        count: Count {
            store,
            writes,
            state,
        },
        base,
        is_open: open != 0,
    })
}

/// A number of SQLite's files, and what follows it.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(8).enumerate() {
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(at + 1..)?));
        }
    }
    let last = bytes.get(8)?;
    Some((number << 8 | u64::from(*last), bytes.get(9..)?))
}
