//! Places in lists of applications.

use crate::model::{ApplicationId, Timestamp};
use trestle_table::Sk;

use super::sorting::{updated, updated_parts};

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

    /// The place before all applications of a moment.
    pub fn before(at: Timestamp) -> Self {
        let nil = ApplicationId::new(uuid::Uuid::nil());
        Self::stored(updated(at, &nil).as_str())
    }

    /// The same place, of an item with this partition key, which the sort key does not name.
    pub fn in_partition(self, partition_key: &str) -> Self {
        Self {
            partition_key: Some(partition_key.to_owned()),
            ..self
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

    /// The application's id in the sort key.
    pub fn named(&self) -> Option<&str> {
        updated_parts(self.sort_key.as_str()).map(|(_, id)| id)
    }

    fn parts(&self) -> Option<(Timestamp, uuid::Uuid)> {
        let (at, id) = updated_parts(self.sort_key.as_str())?;
        let (at, id) = (Timestamp::parse(at).ok()?, ApplicationId::stored(id)?);
        (updated(at, &id) == self.sort_key).then_some((at, id.uuid()?))
    }

    /// For a cursor.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.sort_key.as_str().as_bytes();
        match (&self.partition_key, self.parts()) {
            (Some(key), _) => [b"+", key.as_bytes(), b"\0", text].concat(),
            (None, Some((at, id))) => [&at.millis().to_be_bytes()[..], &id.as_bytes()[..]].concat(),
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
        let id = ApplicationId::new(uuid::Uuid::from_slice(id).ok()?);
        let at = Timestamp::from_millis(i64::from_be_bytes(*at))?;
        Some(Self::stored(updated(at, &id).as_str()))
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
            let place = Place::stored(updated(at, &ApplicationId::new(Uuid::from_u128(id))).as_str());
            prop_assert_eq!(place.to_bytes().len(), 24);
            prop_assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
        }

        #[test]
        fn places_of_others_go_round(text in ".{0,60}", key in "[^\0]{0,60}") {
            for place in [Place::stored(&text), Place::stored(&text).in_partition(&key)] {
                prop_assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
            }
        }
    }
}
