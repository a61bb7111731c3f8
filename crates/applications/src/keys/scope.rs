//! Whose applications a key leads to. Every partition key is made by a [`Scope`], so that a key without one does not
//! exist.

use clap::ValueEnum;

use crate::model::{ApplicationId, StageId};
use trestle_api::viewer::{Owner, Viewer};
use trestle_domain::hex;
use trestle_table::{Key, Pk, Sk, segments};

use super::partition::Partition;
use super::place::Place;
use super::sorting::{Annex, of_annex, of_application, of_entry, of_stage, of_stays, of_year};

/// Whose applications a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Tenancy {
    /// One list: everyone with credentials sees everything
    #[default]
    Single,
    /// A list for each owner, who sees nothing else
    Owner,
}

/// Whose applications a store reads and writes. It is part of every partition key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The whole table.
    Single,
    /// The part of one owner: its partition keys begin with `USER#<owner>`.
    Of(Owner),
}

impl Tenancy {
    /// What a viewer may reach in such a table; `None` if it has a part for each owner and the viewer names none.
    pub fn scope(self, viewer: &Viewer) -> Option<Scope> {
        match self {
            Tenancy::Single => Some(Scope::Single),
            Tenancy::Owner => viewer.owner().cloned().map(Scope::Of),
        }
    }

    /// The scope that an item of such a table is in, by its partition key.
    pub fn scope_of(self, partition_key: &str) -> Option<Scope> {
        match self {
            Tenancy::Single => Some(Scope::Single),
            Tenancy::Owner => match segments(partition_key).as_slice() {
                [user, owner, _, ..] if user == USER => Owner::new(owner.as_str()).map(Scope::Of),
                _ => None,
            },
        }
    }
}

const USER: &str = "USER";
const APP: &str = "APP";

impl Scope {
    /// The owner; `None` if the table has only one part.
    pub fn owner(&self) -> Option<&Owner> {
        match self {
            Scope::Single => None,
            Scope::Of(owner) => Some(owner),
        }
    }

    /// The end of "the applications of the owner ada" in a message to an operator; empty if the table has only one part.
    pub fn of_owner(&self) -> String {
        match self {
            Scope::Single => String::new(),
            Scope::Of(owner) => format!(" of the owner \"{}\"", owner.as_str()),
        }
    }

    fn word(&self, word: &'static str) -> Pk {
        match self {
            Scope::Single => Pk::word(word),
            Scope::Of(owner) => Pk::of(USER, owner).then(word),
        }
    }

    /// The partition that holds an application, its stages and its history: `APP#<id>`.
    pub fn partition(&self, id: &ApplicationId) -> Pk {
        self.word(APP).ending(id.as_str())
    }

    /// An application: `APP#<id>` / `APP#<id>`.
    pub fn application(&self, id: &ApplicationId) -> Key {
        Key::new(self.partition(id), of_application(id))
    }

    /// The application in whose partition an item is; `None` also for an item of another scope.
    pub fn application_id(&self, partition_key: &str) -> Option<ApplicationId> {
        ApplicationId::stored(self.word(APP).ending_of(partition_key)?)
    }

    /// A stage: `APP#<id>` / `STAGE#<stage id>`.
    pub fn stage(&self, id: &ApplicationId, stage: &StageId) -> Key {
        Key::new(self.partition(id), of_stage(stage))
    }

    /// A history entry: `APP#<id>` / `HIST#00000001`.
    pub fn history_entry(&self, id: &ApplicationId, sequence: u32) -> Key {
        Key::new(self.partition(id), of_entry(sequence))
    }

    /// Whether a key is that of a list beside an application.
    pub fn is_annex(key: &Key) -> bool {
        let lists = [Annex::Contacts, Annex::Files];
        lists.into_iter().any(|annex| of_annex(annex) == key.sk)
    }

    /// A list beside an application: `APP#<id>` / `TRESTLE#<list>`.
    pub fn annex(&self, id: &ApplicationId, annex: Annex) -> Key {
        Key::new(self.partition(id), of_annex(annex))
    }

    /// The counters: `META` / `COUNT`. Other programs take the first item of this partition, so it has no other.
    pub fn meta(&self) -> Key {
        Key::new(self.word("META"), Sk::word("COUNT"))
    }

    /// The partition of the counters over time: `INSIGHT`.
    pub fn counters(&self) -> Pk {
        self.word("INSIGHT")
    }

    /// Where the first release kept the counters over time.
    pub fn former_counters(&self) -> Pk {
        self.word("META")
    }

    /// The number of applications sent in each week of a year: `INSIGHT` / `APPLIED#2026`.
    pub fn applied(&self, year: i32) -> Key {
        Key::new(self.counters(), of_year(year))
    }

    /// The stays in a status that ended: `INSIGHT` / `STAYS`.
    pub fn stays(&self) -> Key {
        Key::new(self.counters(), of_stays())
    }

    /// The address at which calendars subscribe to the agenda: `CALENDAR` / `ADDRESS`.
    pub fn calendar(&self) -> Key {
        Key::new(self.word("CALENDAR"), Sk::word("ADDRESS"))
    }

    /// The key of an index's partition.
    pub fn listed(&self, partition: Partition) -> Pk {
        match partition {
            Partition::Active => self.active(),
            Partition::Status(status) => self.by_status(status.word(), false),
            Partition::Archived(status) => self.by_status(status.word(), true),
        }
    }

    /// The partition of GSI2: `ACTIVE`.
    pub fn active(&self) -> Pk {
        self.word("ACTIVE")
    }

    /// A partition of GSI1: `STATUS#<status>#ARCHIVED#<0 or 1>`.
    pub fn by_status(&self, status: &str, is_archived: bool) -> Pk {
        let flag = if is_archived { "1" } else { "0" };
        self.word("STATUS").then(status).then("ARCHIVED").then(flag)
    }

    /// The partition of GSI1 that lists deletes and restores which have not ended: `UNFINISHED`.
    pub fn unfinished(&self) -> Pk {
        self.word("UNFINISHED")
    }

    /// Whether a partition of GSI1 has archived applications.
    pub fn is_archived(partition_key: &str) -> bool {
        let segments = segments(partition_key);
        segments.ends_with(&["ARCHIVED".to_owned(), "1".to_owned()])
    }

    /// The status of a partition of GSI1, in any scope.
    pub fn status_of(partition_key: &str) -> Option<String> {
        match segments(partition_key).as_slice() {
            [.., word, status, archived, _] if word == "STATUS" && archived == "ARCHIVED" => {
                Some(status.clone())
            }
            _ => None,
        }
    }

    /// The place of the item with these keys.
    pub fn place(&self, sort_key: &str, partition_key: &str) -> Place {
        let place = Place::stored(sort_key);
        let is_named = place.named().is_some_and(|id| !id.is_empty())
            && self.primary_key(&place).pk.as_str() == partition_key;
        if is_named {
            place
        } else {
            place.in_partition(partition_key)
        }
    }

    /// The primary key of the application at a place.
    pub fn primary_key(&self, place: &Place) -> Key {
        let partition = match (place.partition_key(), place.named()) {
            (Some(partition), _) => Pk::stored(partition),
            (None, Some(id)) => self.word(APP).ending(id),
            (None, None) => Pk::stored(place.sort_key().as_str()),
        };
        let sort_key = match self.application_id(partition.as_str()) {
            Some(id) => of_application(&id),
            None => Sk::stored(partition.as_str()),
        };
        Key::new(partition, sort_key)
    }

    /// The name of a list for its cursors: one owner's are not another's.
    pub fn list_name(&self, name: String) -> String {
        match self {
            Scope::Single => name,
            Scope::Of(owner) => format!("{} {name}", Pk::of(USER, owner).as_str()),
        }
    }
}

impl Partition {
    /// The name of its counter beside the Meta item's `count`: the same in every scope.
    pub fn counter(self) -> String {
        Scope::Single.listed(self).as_str().to_owned()
    }
}

/// The item that says that a table has a part for each owner: `TENANCY` / `TENANCY`.
pub fn marker() -> Key {
    Key::new(Pk::word("TENANCY"), Sk::word("TENANCY"))
}

/// Over how many partitions the registry of owners is spread, and the subscriptions of calendars.
const SHARDS: u8 = 16;

/// The partitions of the registry: `OWNERS#0` and so on.
pub fn registries() -> impl Iterator<Item = Pk> {
    (0..SHARDS).map(registry)
}

/// The partitions of the subscriptions of calendars: `CALENDARS#0` and so on.
pub fn subscriptions() -> impl Iterator<Item = Pk> {
    (0..SHARDS).map(subscribed)
}

fn subscribed(shard: u8) -> Pk {
    Pk::of("CALENDARS", u32::from(shard))
}

/// What a calendar subscribes to by a token, by the token's SHA-256: `CALENDARS#<shard>` / `TOKEN#<hash>`.
pub fn subscription(hash: &[u8; 32]) -> Key {
    let [first, ..] = hash;
    Key::new(subscribed(first % SHARDS), Sk::of("TOKEN", hex(hash)))
}

fn registry(shard: u8) -> Pk {
    Pk::of("OWNERS", u32::from(shard))
}

/// An owner in the registry: `OWNERS#<shard>` / `USER#<owner>`.
pub fn registered(owner: &Owner) -> Key {
    let digest = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, owner.as_str().as_bytes());
    let [first, ..] = digest.into_bytes();
    Key::new(registry(first % SHARDS), Sk::of(USER, owner))
}

/// The owner at a sort key of the registry.
pub fn owner_at(sort_key: &Sk) -> Option<Owner> {
    match segments(sort_key.as_str()).as_slice() {
        [user, owner] if user == USER => Owner::new(owner.as_str()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::model::Status;

    /// Every partition key of a scope, with the same application and status.
    fn partitions(scope: &Scope) -> HashSet<String> {
        let statuses = Status::ALL.iter();
        let listed =
            statuses.flat_map(|status| [Partition::Status(*status), Partition::Archived(*status)]);
        let listed = listed.chain([Partition::Active]);
        let all = listed.map(|partition| scope.listed(partition)).chain([
            scope.partition(&ApplicationId::new(Uuid::nil())),
            scope.meta().pk,
            scope.counters(),
            scope.former_counters(),
            scope.calendar().pk,
            scope.unfinished(),
            scope.primary_key(&Place::stored("UPDATED#x#y")).pk,
        ]);
        all.map(|key| key.as_str().to_owned()).collect()
    }

    /// Names that look like parts of keys, and any other text.
    fn owner() -> impl Strategy<Value = Owner> {
        let text = prop_oneof![
            "[a#%2350|]{1,8}",
            "(USER|APP|META|ACTIVE|STATUS|#|%23|%25|%){1,4}",
            "\\PC{1,40}",
            any::<String>(),
        ];
        text.prop_filter_map("an owner", |text| Owner::new(text.as_str()))
    }

    #[test]
    fn keys_are_those_of_the_contract() {
        let id = ApplicationId::new(Uuid::nil());
        const NIL: &str = "00000000-0000-0000-0000-000000000000";
        let archived = Partition::Archived(Status::GivenOffer);
        let single = Scope::Single;
        assert_eq!(single.partition(&id).as_str(), format!("APP#{NIL}"));
        assert_eq!(
            single.listed(archived).as_str(),
            "STATUS#given offer#ARCHIVED#1"
        );
        assert_eq!(archived.counter(), "STATUS#given offer#ARCHIVED#1");
        assert_eq!(single.meta().pk.as_str(), "META");

        let ada = Scope::Of(Owner::new("a#b").unwrap());
        let application = ada.application(&id);
        assert_eq!(application.pk.as_str(), format!("USER#a%23b#APP#{NIL}"));
        assert_eq!(application.sk.as_str(), format!("APP#{NIL}"));
        assert_eq!(
            ada.listed(archived).as_str(),
            "USER#a%23b#STATUS#given offer#ARCHIVED#1"
        );
        assert_eq!(ada.active().as_str(), "USER#a%23b#ACTIVE");
        assert_eq!(ada.meta().pk.as_str(), "USER#a%23b#META");
        assert_eq!(
            registered(&Owner::new("a#b").unwrap()).sk.as_str(),
            "USER#a%23b"
        );
    }

    proptest! {
        #[test]
        fn no_two_owners_share_a_partition(a in owner(), b in owner()) {
            prop_assume!(a != b);
            let (x, y) = (Scope::Of(a.clone()), Scope::Of(b.clone()));
            prop_assert!(partitions(&x).is_disjoint(&partitions(&y)));
            prop_assert!(partitions(&x).is_disjoint(&partitions(&Scope::Single)));
            prop_assert_ne!(registered(&a), registered(&b));
        }

        #[test]
        fn a_key_leads_back_to_its_owner_and_to_no_other(a in owner(), b in owner(), id in any::<u128>()) {
            let id = ApplicationId::new(Uuid::from_u128(id));
            let scope = Scope::Of(a.clone());
            let partition = scope.partition(&id);
            prop_assert_eq!(Tenancy::Owner.scope_of(partition.as_str()), Some(scope.clone()));
            prop_assert_eq!(scope.application_id(partition.as_str()), Some(id));
            prop_assert_eq!(Scope::Single.application_id(partition.as_str()), None);
            if a != b {
                let other = Scope::Of(b);
                prop_assert_eq!(other.application_id(partition.as_str()), None);
                prop_assert_ne!(scope.list_name("x".to_owned()), other.list_name("x".to_owned()));
            }
            prop_assert_eq!(owner_at(&registered(&a).sk), Some(a));
            // DynamoDB's limit on a partition key.
            prop_assert!(scope.by_status(&"s".repeat(500), true).as_str().len() <= 2048);
        }
    }
}
