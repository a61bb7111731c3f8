//! Every key of the table `applens-graph-metadata`.

use std::borrow::Cow;

use crate::table::{IndexDefinition, Key, Pk, Segment, Sk, SkPrefix, TableDefinition, segments};

use super::model::{RunId, Timestamp, UserId};

/// The table.
pub static TABLE: TableDefinition = TableDefinition {
    default_name: "applens-graph-metadata",
    partition_key: "PK",
    sort_key: "SK",
    indexes: &[IndexDefinition {
        name: "GSI1",
        partition_key: "GSI1PK",
        sort_key: "GSI1SK",
    }],
};

/// GSI1: a run by its id alone.
pub fn gsi1() -> &'static IndexDefinition {
    &TABLE.indexes[0]
}

impl Segment for RunId {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.as_str())
    }
}

impl Segment for UserId {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.as_str())
    }
}

impl Segment for Timestamp {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

/// The partition of a user's runs: `USER#<user>`.
pub fn partition(user: &UserId) -> Pk {
    Pk::of("USER", user)
}

/// A run's place among its user's: `RUN#<createdAt>#<run>`.
pub fn created(at: Timestamp, id: &RunId) -> Sk {
    Sk::of("RUN", at).then(id)
}

/// A run: `USER#<user>` / `RUN#<createdAt>#<run>`.
pub fn run(user: &UserId, at: Timestamp, id: &RunId) -> Key {
    Key::new(partition(user), created(at, id))
}

/// Every run of a partition: `RUN#`.
pub fn runs() -> SkPrefix {
    SkPrefix::of("RUN")
}

/// The runs made from `first` to `last`, both seconds included: from `RUN#<first>` to behind every
/// `RUN#<last>#<run>`.
pub fn created_between(first: Timestamp, last: Timestamp) -> (Sk, Sk) {
    // No run's id begins with a character as high as this.
    (Sk::of("RUN", first), Sk::of("RUN", last).then("\u{10FFFF}"))
}

/// GSI1's partition of one run: `RUN#<run>`.
pub fn by_id(id: &RunId) -> Pk {
    Pk::of("RUN", id)
}

/// GSI1's sort key: `USER#<user>`.
pub fn owner(user: &UserId) -> Sk {
    Sk::of("USER", user)
}

/// A place in a user's list of runs: a sort key of the table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(Sk);

impl Place {
    /// The place with a stored sort key.
    pub fn stored(sort_key: &str) -> Self {
        Self(Sk::stored(sort_key))
    }

    /// The primary key of the run at this place.
    pub fn primary_key(&self, user: &UserId) -> Key {
        Key::new(partition(user), self.0.clone())
    }

    /// When the run at this place was made, and its id; `None` where another program wrote the key in a
    /// form of its own.
    pub fn parts(&self) -> Option<(Timestamp, RunId)> {
        let segments = segments(self.0.as_str());
        let [_, at, id] = segments.as_slice() else {
            return None;
        };
        let parts = (Timestamp::parse(at).ok()?, RunId::parse(id).ok()?);
        (created(parts.0, &parts.1) == self.0).then_some(parts)
    }

    /// For a cursor: short where the key is of our making, whole where another program wrote it.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self.parts() {
            Some((at, id)) => [
                &b"R"[..],
                &at.seconds().to_be_bytes()[..],
                id.as_str().as_bytes(),
            ]
            .concat(),
            None => [b"=", self.0.as_str().as_bytes()].concat(),
        }
    }

    /// From a cursor; `None` for bytes that are no place.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (b'=', text) => std::str::from_utf8(text).ok().map(Self::stored),
            (b'R', rest) => {
                let (at, id) = rest.split_first_chunk::<8>()?;
                let at = Timestamp::from_seconds(i64::from_be_bytes(*at))?;
                let id = RunId::parse(std::str::from_utf8(id).ok()?).ok()?;
                Some(Self(created(at, &id)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn keys_read_like_the_contract() {
        let (user, id) = (UserId::new("u1"), RunId::parse("c8a91e").unwrap());
        let key = run(&user, at("2026-02-22T19:12:11Z"), &id);
        assert_eq!(key.pk.as_str(), "USER#u1");
        assert_eq!(key.sk.as_str(), "RUN#2026-02-22T19:12:11Z#c8a91e");
        assert_eq!(
            (by_id(&id).as_str(), owner(&user).as_str()),
            ("RUN#c8a91e", "USER#u1")
        );
    }

    proptest! {
        #[test]
        fn no_user_reads_anothers_partition(a in ".{0,8}", b in ".{0,8}") {
            let (x, y) = (UserId::new(a.as_str()), UserId::new(b.as_str()));
            prop_assert_eq!(a == b, partition(&x) == partition(&y));
        }

        #[test]
        fn a_range_has_exactly_its_seconds(from in 0i64..9, len in 0i64..9, when in -2i64..20, id in "[A-Za-z0-9_-]{1,64}") {
            let moment = |s| Timestamp::from_seconds(1_771_787_531 + s).unwrap();
            let (first, last) = created_between(moment(from), moment(from + len));
            let key = created(moment(when), &RunId::parse(&id).unwrap());
            prop_assert_eq!((first..=last).contains(&key), (from..=from + len).contains(&when));
        }

        #[test]
        fn places_go_round(text in ".{0,40}", s in 0i64..4_000_000_000, id in "[A-Za-z0-9_-]{1,64}") {
            for place in [Place::stored(&text), Place(created(Timestamp::from_seconds(s).unwrap(), &RunId::parse(&id).unwrap()))] {
                prop_assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
            }
        }
    }
}
