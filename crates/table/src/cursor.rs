//! Cursors: a place in one list, opaque and short, good for that list alone.
//!
//! A cursor is a version, a tag and the place. The tag is a digest over the list (its index, filter and
//! order, as the caller describes them) and the place, so that a cursor of another list, a truncated or
//! an altered one is told from a good one. It is no secret: a place says nothing that its reader may not
//! know.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

const VERSION: u8 = 1;
const TAG: usize = 6;
/// The most bytes that a place has: a sort key and a partition key at their longest, and a little.
const MAX_PLACE: usize = 3200;

/// Which way a page goes from its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the list's start to its end: `first` and `after`.
    Forward,
    /// From its end to its start: `last` and `before`.
    Backward,
}

/// The text does not come from [`encode`] for this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cursor does not belong to this list")]
pub struct InvalidCursor;

/// The cursor of `place` in `list`.
pub fn encode(list: &str, place: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(1 + TAG + place.len());
    bytes.push(VERSION);
    bytes.extend(tag(list, place));
    bytes.extend(place);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The place that `cursor` stands for in `list`.
///
/// # Errors
/// [`InvalidCursor`] for anything that [`encode`] did not make for this list.
pub fn decode(list: &str, cursor: &str) -> Result<Vec<u8>, InvalidCursor> {
    if cursor.len() > 2 * MAX_PLACE {
        return Err(InvalidCursor);
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| InvalidCursor)?;
    match bytes.split_first() {
        Some((&VERSION, rest)) if rest.len() > TAG => {
            let (found, place) = rest.split_at(TAG);
            if found == tag(list, place) {
                Ok(place.to_vec())
            } else {
                Err(InvalidCursor)
            }
        }
        _ => Err(InvalidCursor),
    }
}

fn tag(list: &str, place: &[u8]) -> [u8; TAG] {
    let mut digest = Sha256::new();
    digest.update((list.len() as u64).to_be_bytes());
    digest.update(list);
    digest.update(place);
    let digest = digest.finalize();
    std::array::from_fn(|i| digest[i])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_goes_round(list in ".{0,20}", place in prop::collection::vec(any::<u8>(), 1..80)) {
            prop_assert_eq!(decode(&list, &encode(&list, &place)), Ok(place));
        }

        #[test]
        fn a_cursor_of_another_list_is_refused(a in ".{0,9}", b in ".{0,9}", place in any::<[u8; 24]>()) {
            prop_assume!(a != b);
            prop_assert_eq!(decode(&b, &encode(&a, &place)), Err(InvalidCursor));
        }

        #[test]
        fn an_altered_cursor_is_refused(place in any::<[u8; 24]>(), at in 0usize..42, to in "[A-Za-z0-9_-]") {
            let mut cursor = encode("list", &place);
            cursor.replace_range(at..=at, &to);
            prop_assume!(cursor != encode("list", &place));
            prop_assert_ne!(decode("list", &cursor), Ok(place.to_vec()));
        }

        #[test]
        fn any_text_is_answered(text in ".*") {
            prop_assert_eq!(decode("list", &text), Err(InvalidCursor));
        }
    }
}
