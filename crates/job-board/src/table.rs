//! The table, and the keys that several entities share.
//!
//! # Sharding
//!
//! A partition takes 1,000 writes and 3,000 reads a second. If one city outgrows that, [`city`] and
//! [`suggested_in`] add a shard to the key, such as `job#montreal~3#`, chosen by the date of the job, and lists merge
//! the shards with `Listing::merging`. Keys of jobs and suggestions are built nowhere else.

use trestle_domain::{Day, Segment, Ulid, UserId};
use trestle_table::{IndexDefinition, Pk, TableDefinition};

use super::values::CityKey;

/// Items that are read for one page of jobs or suggestions, of which closed and expired ones are left out.
pub const READ_FOR_A_PAGE: usize = 2000;

/// The table.
pub static TABLE: TableDefinition = TableDefinition::new("job-app", "pk", "sk")
    .typed("entityType")
    .expiring("ttl")
    .indexed(&[&GSI1]);

/// Things by employer, suggestions by seeker, seekers by city.
pub static GSI1: IndexDefinition = IndexDefinition::new("GSI1", "GSI1PK", "GSI1SK");

/// The day in UTC of a ULID's time, as a segment of a key.
pub fn day_of(id: Ulid) -> Option<Day> {
    id.moment().map(Day::of)
}

/// The partition of a city's jobs: `job#montreal#`.
pub fn city(city: &CityKey) -> Pk {
    Pk::of("job", city).closed()
}

/// The partition of the suggestions of a city's jobs: `suggestion#montreal#`.
pub fn suggested_in(city: &CityKey) -> Pk {
    Pk::of("suggestion", city).closed()
}

/// A seeker's partition of the table; in the index, the partition of their suggestions.
pub fn seeker(seeker: &UserId) -> Pk {
    Pk::of("seeker", seeker)
}

/// An employer's partition of the table, and of the index.
pub fn employer(employer: &UserId) -> Pk {
    Pk::of("employer", employer)
}

/// What belongs to a match: `match#<matchId>`.
pub fn conversation(of: impl Segment) -> Pk {
    Pk::of("match", of)
}
