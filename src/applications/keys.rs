//! Every key of the table `lambda_api_applications`, and the one place that would change if the table were
//! to serve many owners.

use std::borrow::Cow;

use crate::table::{IndexDefinition, Key, Pk, Segment, Sk, SkPrefix, TableDefinition, segments};

use super::model::{
    Application, ApplicationId, StageId, Status, Stay, StayLength, Timestamp, Week,
};

/// The table.
pub static TABLE: TableDefinition = TableDefinition {
    default_name: "lambda_api_applications",
    partition_key: "PK",
    sort_key: "SK",
    indexes: &[
        IndexDefinition {
            name: "GSI1",
            partition_key: "GSI1PK",
            sort_key: "GSI1SK",
        },
        IndexDefinition {
            name: "GSI2",
            partition_key: "GSI2PK",
            sort_key: "GSI2SK",
        },
    ],
};

/// GSI1: one status, archived or not, by its last update.
pub fn gsi1() -> &'static IndexDefinition {
    &TABLE.indexes[0]
}

/// GSI2, sparse: everything that is not archived, by its last update.
pub fn gsi2() -> &'static IndexDefinition {
    &TABLE.indexes[1]
}

impl Segment for ApplicationId {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.0.hyphenated().to_string())
    }
}

impl Segment for Timestamp {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

/// A history entry's sequence, in 8 digits so that it sorts.
struct Sequence(u32);

impl Segment for Sequence {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(format!("{:08}", self.0))
    }
}

/// The partition that holds an application, its stages and its history: `APP#<id>`.
pub fn partition(id: ApplicationId) -> Pk {
    Pk::of("APP", id)
}

/// An application: `APP#<id>` / `APP#<id>`.
pub fn application(id: ApplicationId) -> Key {
    Key::new(partition(id), Sk::of("APP", id))
}

/// A stage: `APP#<id>` / `STAGE#<stage id>`.
pub fn stage(id: ApplicationId, stage: StageId) -> Key {
    Key::new(partition(id), Sk::of("STAGE", stage.0))
}

/// Every stage of a partition: `STAGE#`.
pub fn stages() -> SkPrefix {
    SkPrefix::of("STAGE")
}

/// A history entry: `APP#<id>` / `HIST#00000001`.
pub fn history_entry(id: ApplicationId, sequence: u32) -> Key {
    Key::new(partition(id), Sk::of("HIST", Sequence(sequence)))
}

/// The sequence in a history entry's sort key.
pub fn sequence(sort_key: &Sk) -> Option<u32> {
    segments(sort_key.as_str()).pop()?.parse().ok()
}

/// Every history entry of a partition: `HIST#`.
pub fn history() -> SkPrefix {
    SkPrefix::of("HIST")
}

/// The counters: `META` / `COUNT`.
pub fn meta() -> Key {
    Key::new(counters(), Sk::word("COUNT"))
}

/// The partition of every counter: `META`.
pub fn counters() -> Pk {
    Pk::word("META")
}

/// The year of a week, in 4 digits.
struct Year(i32);

impl Segment for Year {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(format!("{:04}", self.0))
    }
}

/// How many applications were sent in each week of a year: `META` / `APPLIED#2026`.
pub fn applied(year: i32) -> Key {
    Key::new(counters(), Sk::of(APPLIED, Year(year)))
}

/// Every year of a partition: `APPLIED#`.
pub fn years() -> SkPrefix {
    SkPrefix::of(APPLIED)
}

const APPLIED: &str = "APPLIED";

/// The year in a sort key of [`applied`].
pub fn year(sort_key: &Sk) -> Option<i32> {
    let year = segments(sort_key.as_str()).pop()?.parse().ok()?;
    (applied(year).sk == *sort_key).then_some(year)
}

/// The name of a week's counter in its year: `W01`.
pub fn week(week: Week) -> String {
    format!("W{:02}", week.number)
}

/// The stays in a status that ended: `META` / `STAYS`.
pub fn stays() -> Key {
    Key::new(counters(), Sk::word("STAYS"))
}

impl Segment for StayLength {
    fn text(&self) -> Cow<'_, str> {
        match self.less_than_days() {
            Some(days) => Cow::Owned(days.to_string()),
            None => Cow::Borrowed("more"),
        }
    }
}

/// The name of the counter of such stays: `given offer#7`, or `given offer#more`.
pub fn stay(stay: Stay) -> String {
    Sk::of(stay.status.word(), stay.length).as_str().to_owned()
}

/// One partition of an index over applications, sorted by their last update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Partition {
    /// GSI2: `ACTIVE`, everything that is not archived.
    Active,
    /// GSI1: `STATUS#<status>#ARCHIVED#0`.
    Status(Status),
    /// GSI1: `STATUS#<status>#ARCHIVED#1`.
    Archived(Status),
}

impl Partition {
    /// The partition of GSI1 that an application is in.
    pub fn of(application: &Application) -> Self {
        match application.is_archived {
            false => Partition::Status(application.details.status),
            true => Partition::Archived(application.details.status),
        }
    }

    /// The index that has the partition.
    pub fn index(self) -> &'static IndexDefinition {
        match self {
            Partition::Active => gsi2(),
            Partition::Status(_) | Partition::Archived(_) => gsi1(),
        }
    }

    /// The partition key. Of GSI1, it is also the name of the counter beside the Meta item's `count`.
    pub fn key(self) -> Pk {
        let status = |status: Status, flag: &str| {
            Pk::of("STATUS", status.word()).then("ARCHIVED").then(flag)
        };
        match self {
            Partition::Active => Pk::word("ACTIVE"),
            Partition::Status(of) => status(of, "0"),
            Partition::Archived(of) => status(of, "1"),
        }
    }
}

/// The sort key of both indexes: `UPDATED#<updatedAt>#<id>`.
pub fn updated(at: Timestamp, id: ApplicationId) -> Sk {
    Sk::of("UPDATED", at).then(id)
}

/// What of an index's sort key tells the application from others: its id, as it is written there.
pub fn last_segment(sort_key: &str) -> &str {
    sort_key.rsplit('#').next().unwrap_or_default()
}

/// A place in a list of applications: the sort key of both indexes. As bytes it is short where the key is
/// of our making, and whole where another program wrote it otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(Sk);

impl Place {
    /// The place that an item's index sort key gives it.
    pub fn stored(sort_key: &str) -> Self {
        Self(Sk::stored(sort_key))
    }

    /// The sort key.
    pub fn sort_key(&self) -> &Sk {
        &self.0
    }

    /// The primary key of the item at this place: its id is the sort key's last segment.
    pub fn primary_key(&self) -> Key {
        let id = segments(self.0.as_str()).pop().unwrap_or_default();
        Key::new(Pk::of("APP", id.as_str()), Sk::of("APP", id.as_str()))
    }

    fn parts(&self) -> Option<(Timestamp, ApplicationId)> {
        let segments = segments(self.0.as_str());
        let [_, at, id] = segments.as_slice() else {
            return None;
        };
        let parts = (Timestamp::parse(at).ok()?, id.parse().ok()?);
        (updated(parts.0, parts.1) == self.0).then_some(parts)
    }

    /// For a cursor.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self.parts() {
            Some((at, id)) => [&at.millis().to_be_bytes()[..], &id.0.as_bytes()[..]].concat(),
            None => [b"=", self.0.as_str().as_bytes()].concat(),
        }
    }

    /// From a cursor; `None` for bytes that are no place.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if let Some((b"=", text)) = bytes.split_at_checked(1) {
            return std::str::from_utf8(text).ok().map(Self::stored);
        }
        let (at, id) = bytes.split_first_chunk::<8>()?;
        let id = ApplicationId(uuid::Uuid::from_slice(id).ok()?);
        Some(Self(updated(
            Timestamp::from_millis(i64::from_be_bytes(*at))?,
            id,
        )))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn keys_are_those_of_the_contract() {
        let id = ApplicationId(Uuid::nil());
        const NIL: &str = "00000000-0000-0000-0000-000000000000";
        assert_eq!(application(id).sk.as_str(), format!("APP#{NIL}"));
        assert_eq!(history_entry(id, 1).sk.as_str(), "HIST#00000001");
        assert_eq!(
            stage(id, StageId(Uuid::nil())).sk.as_str(),
            format!("STAGE#{NIL}")
        );
        assert_eq!(
            Partition::Archived(Status::GivenOffer).key().as_str(),
            "STATUS#given offer#ARCHIVED#1"
        );
        let first = Week::new(2026, 1);
        assert_eq!(applied(first.year).sk.as_str(), "APPLIED#2026");
        assert_eq!(year(&applied(first.year).sk), Some(2026));
        assert_eq!(year(&Sk::stored("APPLIED#26")), None);
        assert_eq!(week(first), "W01");
        let names = [StayLength::ALL[2], StayLength::ALL[7]].map(|length| {
            stay(Stay {
                status: Status::GivenOffer,
                length,
            })
        });
        assert_eq!(names, ["given offer#7", "given offer#more"]);
        let at = Timestamp::parse("2026-11-20T09:30:00.000Z").unwrap();
        assert_eq!(
            updated(at, id).as_str(),
            format!("UPDATED#2026-11-20T09:30:00.000Z#{NIL}")
        );
    }

    proptest! {
        #[test]
        fn places_go_round_and_ours_are_short(millis in 0i64..253_402_300_800_000, id in any::<u128>()) {
            let at = Timestamp::from_millis(millis).unwrap();
            let place = Place(updated(at, ApplicationId(Uuid::from_u128(id))));
            prop_assert_eq!(place.to_bytes().len(), 24);
            prop_assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
        }

        #[test]
        fn places_of_others_go_round(text in ".{0,60}") {
            let place = Place::stored(&text);
            prop_assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
        }
    }
}
