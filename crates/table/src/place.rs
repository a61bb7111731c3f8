//! Places in lists, as short as their keys allow: the bytes in a cursor.
//!
//! Each text is cut into segments. A segment that the list itself or an earlier text has is a reference; a UUID, a
//! ULID or a timestamp is its binary value; any other is its text. Text that does not come back the same from its
//! binary value is kept as text.

use uuid::Uuid;

use super::key::{joined, split};
use super::{Key, Pk, Sk};
use trestle_domain::{Millis, Moment, RawId as _, Seconds, Ulid};

/// A place in a list: the sort key in it, and the primary key of the item there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowPlace {
    pub(super) sk: Sk,
    pub(super) key: Key,
}

const LITERAL: u8 = 0;
const UUID: u8 = 1;
const HEX_UUID: u8 = 2;
const ULID: u8 = 3;
const MILLIS: u8 = 4;
const SECONDS: u8 = 5;
/// From here on: the segment that was seen as the first, second, ... one.
const SEEN: u8 = 16;
const MOST_SEEN: usize = 200;
const MOST_SEGMENTS: usize = 200;

impl RowPlace {
    /// The primary key of the item there, as it is stored: another program may have written attributes that name another.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The bytes for a cursor of a list whose partition and range have these texts.
    pub(super) fn to_bytes(&self, list: &[&str]) -> Vec<u8> {
        let mut writer = Writer::new(list);
        writer.text(self.sk.as_str());
        writer.text(self.key.pk.as_str());
        if self.key.sk != self.sk {
            writer.text(self.key.sk.as_str());
        }
        writer.bytes
    }

    /// The place from a cursor's bytes; `None` for bytes that are not a place of the list.
    pub(super) fn from_bytes(list: &[&str], bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(list, bytes);
        let sk = reader.text()?;
        let pk = reader.text()?;
        let primary = if reader.rest.is_empty() {
            sk.clone()
        } else {
            reader.text()?
        };
        let key = Key::new(Pk::stored(pk), Sk::stored(primary));
        let sk = Sk::stored(sk);
        reader.rest.is_empty().then_some(Self { sk, key })
    }
}

struct Writer {
    seen: Vec<String>,
    bytes: Vec<u8>,
}

impl Writer {
    fn new(list: &[&str]) -> Self {
        Self {
            seen: seen_in(list),
            bytes: Vec::new(),
        }
    }

    fn text(&mut self, text: &str) {
        let mut segments: Vec<_> = split(text).collect();
        if segments.len() > MOST_SEGMENTS {
            segments = vec![text];
        }
        self.bytes.push(small(segments.len()));
        segments
            .into_iter()
            .for_each(|segment| self.segment(segment));
    }

    fn segment(&mut self, segment: &str) {
        if let Some(at) = self.seen.iter().position(|seen| seen == segment) {
            self.bytes.push(SEEN + small(at));
            return;
        }
        see(&mut self.seen, segment);
        let kinds = [UUID, HEX_UUID, ULID, MILLIS, SECONDS];
        let binary = kinds.into_iter().find_map(|tag| {
            let value = packed(tag, segment)?;
            let (same, _) = unpacked(tag, &value)?;
            (same == segment).then_some((tag, value))
        });
        if let Some((tag, value)) = binary {
            self.bytes.push(tag);
            self.bytes.extend(value);
            return;
        }
        self.bytes.push(LITERAL);
        // A key is at most 2048 bytes.
        let length = u16::try_from(segment.len()).unwrap_or(u16::MAX);
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(segment.bytes().take(usize::from(length)));
    }
}

/// A number of at most [`MOST_SEEN`].
fn small(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

struct Reader<'b> {
    seen: Vec<String>,
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    fn new(list: &[&str], bytes: &'b [u8]) -> Self {
        Self {
            seen: seen_in(list),
            rest: bytes,
        }
    }

    fn text(&mut self) -> Option<String> {
        let (count, rest) = self.rest.split_first()?;
        self.rest = rest;
        let count = usize::from(*count);
        if !(1..=MOST_SEGMENTS).contains(&count) {
            return None;
        }
        let segments: Option<Vec<_>> = (0..count).map(|_| self.segment()).collect();
        Some(joined(&segments?))
    }

    fn segment(&mut self) -> Option<String> {
        let (tag, rest) = self.rest.split_first()?;
        self.rest = rest;
        if let Some(at) = tag.checked_sub(SEEN) {
            return self.seen.get(usize::from(at)).cloned();
        }
        let (segment, rest) = match *tag {
            LITERAL => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                let length = usize::from(u16::from_be_bytes(*length));
                let (text, rest) = rest.split_at_checked(length)?;
                (String::from_utf8(text.to_vec()).ok()?, rest)
            }
            tag => unpacked(tag, rest)?,
        };
        self.rest = rest;
        see(&mut self.seen, &segment);
        Some(segment)
    }
}

fn seen_in(list: &[&str]) -> Vec<String> {
    let mut seen = Vec::new();
    for text in list {
        split(text).for_each(|segment| see(&mut seen, segment));
    }
    seen
}

fn see(seen: &mut Vec<String>, segment: &str) {
    if seen.len() < MOST_SEEN && !seen.iter().any(|other| other == segment) {
        seen.push(segment.to_owned());
    }
}

/// The binary value of a segment, if it looks like one.
fn packed(tag: u8, segment: &str) -> Option<Vec<u8>> {
    match tag {
        UUID | HEX_UUID => Some(Uuid::try_parse(segment).ok()?.into_bytes().to_vec()),
        ULID => Some(Ulid::parse(segment).ok()?.to_bytes().to_vec()),
        MILLIS => Some(
            Moment::<Millis>::parse(segment)
                .ok()?
                .millis()
                .to_be_bytes()[2..]
                .to_vec(),
        ),
        SECONDS => Some(
            Moment::<Seconds>::parse(segment)
                .ok()?
                .seconds()
                .to_be_bytes()[3..]
                .to_vec(),
        ),
        _ => None,
    }
}

/// The segment of a binary value, and what follows it.
fn unpacked(tag: u8, bytes: &[u8]) -> Option<(String, &[u8])> {
    Some(match tag {
        UUID => {
            let (value, rest) = bytes.split_first_chunk::<16>()?;
            (Uuid::from_bytes(*value).hyphenated().to_string(), rest)
        }
        HEX_UUID => {
            let (value, rest) = bytes.split_first_chunk::<16>()?;
            (Uuid::from_bytes(*value).simple().to_string(), rest)
        }
        ULID => {
            let (value, rest) = bytes.split_first_chunk::<16>()?;
            (Ulid::from_bytes(*value).to_string(), rest)
        }
        MILLIS => {
            let (value, rest) = bytes.split_first_chunk::<6>()?;
            let at = Moment::<Millis>::from_millis(signed(value))?;
            (at.to_string(), rest)
        }
        SECONDS => {
            let (value, rest) = bytes.split_first_chunk::<5>()?;
            let at = Moment::<Seconds>::from_seconds(signed(value))?;
            (at.to_string(), rest)
        }
        _ => return None,
    })
}

/// A two's complement number of fewer than 8 bytes.
fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let start = if negative { -1 } else { 0 };
    bytes
        .iter()
        .fold(start, |number, byte| (number << 8) | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(sk: &str, pk: &str, primary: &str) -> RowPlace {
        let key = Key::new(Pk::stored(pk), Sk::stored(primary));
        RowPlace {
            sk: Sk::stored(sk),
            key,
        }
    }

    /// Segments as keys have them, and as they never have them.
    fn text() -> impl Strategy<Value = String> {
        let segment = prop_oneof![
            "[A-Za-z_]{0,8}",
            any::<[u8; 16]>().prop_map(|b| Uuid::from_bytes(b).to_string()),
            any::<[u8; 16]>().prop_map(|b| Uuid::from_bytes(b).simple().to_string().to_uppercase()),
            any::<[u8; 16]>().prop_map(|b| Ulid::from_bytes(b).to_string()),
            any::<[u8; 16]>().prop_map(|b| Ulid::from_bytes(b).to_string().to_lowercase()),
            (-70_000_000_000_000i64..260_000_000_000_000).prop_map(|at| {
                Moment::<Millis>::from_millis(at).map_or(at.to_string(), |at| at.to_string())
            }),
            (-70_000_000_000i64..260_000_000_000).prop_map(|at| {
                Moment::<Seconds>::from_seconds(at).map_or(at.to_string(), |at| at.to_string())
            }),
            "\\PC{0,12}",
        ];
        prop::collection::vec(segment, 0..6).prop_map(|segments| joined(&segments))
    }

    proptest! {
        #[test]
        fn a_place_comes_back_the_same(sk in text(), pk in text(), primary in text(), list in prop::collection::vec(text(), 0..3)) {
            let list: Vec<_> = list.iter().map(String::as_str).collect();
            let place = place(&sk, &pk, &primary);
            let bytes = place.to_bytes(&list);
            prop_assert_eq!(RowPlace::from_bytes(&list, &bytes), Some(place));
        }

        #[test]
        fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = RowPlace::from_bytes(&["A", "B#C"], &bytes);
        }
    }

    #[test]
    fn a_place_in_an_index_is_short() {
        let place = place(
            "2026-11-20T09:30:00.000Z#01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "STARTUP#01BX5ZZKBKACTAV9WEVGEMMVRZ",
            "ROLE#01ARZ3NDEKTSV4RRFFQ69G5FAV",
        );
        let bytes = place.to_bytes(&["OPEN_ROLES"]);
        assert!(bytes.len() <= 64, "{} bytes", bytes.len());
    }
}
