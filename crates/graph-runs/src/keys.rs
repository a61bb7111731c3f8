//! Every key of the table `applens-graph-metadata`.

use trestle_table::{IndexDefinition, Key, Pk, Sk, SkPrefix, TableDefinition};

use super::model::{RunId, Timestamp, UserId};

/// The table.
pub static TABLE: TableDefinition = TableDefinition::new("applens-graph-metadata", "PK", "SK")
    .expiring("expiresAt")
    .indexed(&[&GSI1]);

/// GSI1: a run by its id alone.
pub static GSI1: IndexDefinition = IndexDefinition::new("GSI1", "GSI1PK", "GSI1SK");

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

/// The partition of the runs that wait for a worker or are being processed: `WORK`.
pub fn work() -> Pk {
    Pk::word("WORK")
}

/// A run's place there: `WORK` / `RUN#<createdAt>#<run>`.
pub fn job(at: Timestamp, id: &RunId) -> Key {
    Key::new(work(), created(at, id))
}

/// The partition of the notes to look at runs that may have expired: `EXPIRY`.
pub fn expiry() -> Pk {
    Pk::word("EXPIRY")
}

/// A note's place there: `EXPIRY` / `RUN#<due>#<run>`.
pub fn due(at: Timestamp, id: &RunId) -> Key {
    Key::new(expiry(), created(at, id))
}

/// What names a run by its id alone, as soon as the run is there: `RUN#<run>` / `POINTER`.
pub fn pointer(id: &RunId) -> Key {
    Key::new(by_id(id), Sk::word("POINTER"))
}

/// GSI1's partition of one run: `RUN#<run>`.
pub fn by_id(id: &RunId) -> Pk {
    Pk::of("RUN", id)
}

/// GSI1's sort key: `USER#<user>`.
pub fn owner(user: &UserId) -> Sk {
    Sk::of("USER", user)
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
    }
}
