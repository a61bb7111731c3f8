//! Places in lists of applications.

use crate::services::applications::model::{ApplicationId, Timestamp};
use crate::table::{Sk, segments};

use super::sorting::{last_segment, updated};

/// A place in a list of applications: the sort key of both indexes, and the partition key of an item whose sort
/// key does not end with its id. As bytes it is short where the key is of our making, and whole where another
/// program wrote it otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    sort_key: Sk,
    partition_key: Option<String>,
}

impl Place {
    /// The place of an index sort key that ends with the application's id.
    pub fn stored(sort_key: &str) -> Self {
        Self {
            sort_key: Sk::stored(sort_key),
            partition_key: None,
        }
    }

    /// The place of the item with these keys.
    pub fn of_item(sort_key: &str, partition_key: &str) -> Self {
        let id = last_segment(sort_key);
        let is_named = !id.is_empty() && last_segment(partition_key) == id;
        Self {
            partition_key: (!is_named).then(|| partition_key.to_owned()),
            ..Self::stored(sort_key)
        }
    }

    /// The sort key.
    pub fn sort_key(&self) -> &Sk {
        &self.sort_key
    }

    /// The partition key, if the sort key does not end with the application's id.
    pub fn partition_key(&self) -> Option<&str> {
        self.partition_key.as_deref()
    }

    /// What of it tells the application from others.
    pub fn identity(&self) -> &str {
        let id = || last_segment(self.sort_key.as_str());
        self.partition_key().unwrap_or_else(id)
    }

    fn parts(&self) -> Option<(Timestamp, ApplicationId)> {
        let segments = segments(self.sort_key.as_str());
        let [_, at, id] = segments.as_slice() else {
            return None;
        };
        let parts = (Timestamp::parse(at).ok()?, id.parse().ok()?);
        (updated(parts.0, parts.1) == self.sort_key).then_some(parts)
    }

    /// For a cursor.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.sort_key.as_str().as_bytes();
        match (&self.partition_key, self.parts()) {
            (Some(key), _) => [b"+", key.as_bytes(), b"\0", text].concat(),
            (None, Some((at, id))) => {
                [&at.millis().to_be_bytes()[..], &id.0.as_bytes()[..]].concat()
            }
            (None, None) => [b"=", text].concat(),
        }
    }

    /// From a cursor; `None` for bytes that are not a place.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes.split_at_checked(1) {
            Some((b"=", text)) => return std::str::from_utf8(text).ok().map(Self::stored),
            Some((b"+", texts)) => {
                let (key, text) = std::str::from_utf8(texts).ok()?.split_once('\0')?;
                return Some(Self {
                    partition_key: Some(key.to_owned()),
                    ..Self::stored(text)
                });
            }
            _ => {}
        }
        let (at, id) = bytes.split_first_chunk::<8>()?;
        let id = ApplicationId(uuid::Uuid::from_slice(id).ok()?);
        let at = Timestamp::from_millis(i64::from_be_bytes(*at))?;
        Some(Self::stored(updated(at, id).as_str()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    proptest! {
        #[test]
        fn places_go_round_and_ours_are_short(millis in 0i64..253_402_300_800_000, id in any::<u128>()) {
            let at = Timestamp::from_millis(millis).unwrap();
            let place = Place::stored(updated(at, ApplicationId(Uuid::from_u128(id))).as_str());
            prop_assert_eq!(place.to_bytes().len(), 24);
            prop_assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
        }

        #[test]
        fn places_of_others_go_round(text in ".{0,60}", key in "[^\0]{0,60}") {
            for place in [Place::stored(&text), Place::of_item(&text, &key)] {
                prop_assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
            }
        }
    }
}
