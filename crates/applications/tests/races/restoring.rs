//! Restoring records beside other work with the same ids: each is there whole, or not at all.

use std::collections::HashSet;

use futures_util::future::{join, join_all};
use serde_json::json;
use trestle_applications::{Import, Imported, Record};
use uuid::Uuid;

use crate::invariants::{check_table, items};
use crate::world::{ATTEMPTS, Outcome, World};
use trestle_testing::faults::Fault;

const TRANSACTION: &str = "TransactWriteItems";
/// More history entries than a transaction has room for.
const LONG: usize = 105;
/// The transactions that restore a record of so many entries.
const TRANSACTIONS: u64 = 4;

/// Two backups of one application, of which the second was taken later.
struct Backups {
    id: String,
    earlier: Vec<Record>,
    later: Vec<Record>,
}

async fn exported(world: &World) -> Vec<Record> {
    let exported = world.applications().export(100, None).await.unwrap();
    let records = exported.into_iter();
    records
        .map(|(_, record)| record.unwrap().unwrap())
        .collect()
}

async fn backups(entries: usize) -> Backups {
    let world = World::start(ATTEMPTS).await;
    let id = world.application(json!({ "status": "APPLIED" })).await;
    world.stage(&id, "One").await;
    for i in 2..entries {
        let input = json!({ "id": id, "notes": i.to_string() });
        world.mutate("updateApplication", input).await.done();
    }
    let earlier = exported(&world).await;
    world.stage(&id, "Two").await;
    let input = json!({ "id": id, "status": "INTERVIEWING", "companyName": "Later" });
    world.mutate("updateApplication", input).await.done();
    let later = exported(&world).await;
    Backups { id, earlier, later }
}

/// Everything holds of the table; answers its records. What is not listed has left nothing.
async fn whole(world: &World, id: &str) -> Vec<Record> {
    let ids = check_table(world).await;
    let partition = items(world, None, &format!("APP#{id}")).await;
    assert_eq!(
        ids.is_empty(),
        partition.is_empty(),
        "{} items are left",
        partition.len()
    );
    let named = |item: &serde_json::Map<_, _>| item.contains_key("restoring");
    assert!(!partition.iter().any(named), "an import still holds the id");
    exported(world).await
}

async fn import(world: &World, records: &[Record]) -> Imported {
    let applications = world.applications();
    let imported = applications
        .import_records(records.to_vec(), Import::Write)
        .await;
    imported.unwrap().pop().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_a_delete_or_another_restore_overtakes_leaves_nothing_of_itself() {
    let Backups { id, earlier, later } = backups(LONG).await;
    for passed in 0..TRANSACTIONS {
        let world = World::start(ATTEMPTS).await;
        let other = world.without_faults().await;
        world.faults.hold_after(TRANSACTION, passed);
        let overtaken = async {
            world.faults.held().await;
            let outcome = other.mutate("deleteApplication", json!({ "id": id })).await;
            assert!(
                matches!(outcome, Outcome::Done(_) | Outcome::Refused(..)),
                "{outcome:?}"
            );
            world.faults.release();
        };
        let (outcome, ()) = Box::pin(join(import(&world, &earlier), overtaken)).await;
        let there = whole(&other, &id).await;
        // Before its first transaction nothing is there to be taken over.
        let expected = match passed {
            0 => (Imported::Created, earlier.clone()),
            _ => (Imported::TakenOver, Vec::new()),
        };
        assert_eq!((outcome, there), expected, "after {passed} transactions");

        let world = World::start(ATTEMPTS).await;
        let other = world.without_faults().await;
        world.faults.hold_after(TRANSACTION, passed);
        let overtaken = async {
            world.faults.held().await;
            assert_eq!(import(&other, &later).await, Imported::Created);
            world.faults.release();
        };
        let (outcome, ()) = Box::pin(join(import(&world, &earlier), overtaken)).await;
        assert_ne!(outcome, Imported::Created, "after {passed} transactions");
        assert_eq!(whole(&other, &id).await, later);
    }
}

/// Of imports of one file at once, each application counts as created for one of them.
#[tokio::test(flavor = "multi_thread")]
async fn of_the_same_restore_twice_at_once_one_has_created_the_record() {
    for entries in [3, LONG] {
        let Backups { earlier, id, .. } = backups(entries).await;
        let world = World::start(ATTEMPTS).await;
        let other = world.without_faults().await;
        world.faults.hold_after(TRANSACTION, 0);
        let faster = async {
            world.faults.held().await;
            assert_eq!(import(&other, &earlier).await, Imported::Created);
            world.faults.release();
        };
        let (outcome, ()) = Box::pin(join(import(&world, &earlier), faster)).await;
        assert_eq!(outcome, Imported::AlreadyThere, "{entries} entries");
        assert_eq!(whole(&other, &id).await, earlier);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_whose_answer_is_lost_has_created_the_record() {
    for entries in [3, LONG] {
        let Backups { earlier, id, .. } = backups(entries).await;
        let world = World::start(ATTEMPTS).await;
        let passing = usize::from(entries == LONG) * (TRANSACTIONS as usize - 1);
        let passing = std::iter::repeat_n(None, passing);
        let lost = std::iter::once(Some(Fault::LostAnswer));
        world.faults.next(TRANSACTION, passing.chain(lost));
        assert_eq!(import(&world, &earlier).await, Imported::Created);
        world.faults.stop();
        assert_eq!(whole(&world, &id).await, earlier);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_removes_what_a_restore_writes_after_the_delete_looked() {
    let Backups { id, earlier, .. } = backups(LONG).await;
    let world = World::start(ATTEMPTS).await;
    let other = world.beside().await;
    // The restore has written a part of the entries, and the delete has read them.
    world.faults.hold_after(TRANSACTION, 2);
    other.faults.hold_after(TRANSACTION, 0);
    let delete = async {
        world.faults.held().await;
        other
            .mutate("deleteApplication", json!({ "id": id }))
            .await
            .done();
        world.faults.release();
    };
    let between = async {
        other.faults.held().await;
        // The rest of the entries, but not the application.
        world.faults.hold_after(TRANSACTION, 0);
        world.faults.release();
        world.faults.held().await;
        other.faults.release();
    };
    let (outcome, (), ()) = tokio::join!(import(&world, &earlier), delete, between);
    assert_eq!(outcome, Imported::TakenOver);
    assert_eq!(whole(&other, &id).await, []);
    let create = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
    other.mutate("createApplication", create).await.done();
    check_table(&other).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_restore_can_be_repeated_replaced_or_deleted() {
    let Backups { id, earlier, later } = backups(LONG).await;
    for passed in 1..TRANSACTIONS {
        let interrupted = || async {
            let world = World::start(ATTEMPTS).await;
            let passing = std::iter::repeat_n(None, passed as usize);
            let lost = std::iter::repeat_n(Some(Fault::LostRequest), ATTEMPTS as usize);
            world.faults.next(TRANSACTION, passing.chain(lost));
            let applications = world.applications();
            let imported = applications
                .import_records(earlier.clone(), Import::Write)
                .await;
            imported.unwrap_err();
            world.faults.stop();
            assert_eq!(exported(&world).await, [], "nothing of it is visible");
            world
        };
        let world = interrupted().await;
        assert_eq!(import(&world, &earlier).await, Imported::Created);
        assert_eq!(whole(&world, &id).await, earlier);

        let world = interrupted().await;
        assert_eq!(import(&world, &later).await, Imported::Created);
        assert_eq!(whole(&world, &id).await, later);

        let world = interrupted().await;
        let create = json!({ "id": id, "companyName": "Visa", "positionTitle": "Engineer" });
        let (codes, _) = world
            .mutate("createApplication", create.clone())
            .await
            .refused();
        assert_eq!(codes, ["CONFLICT"]);
        world
            .mutate("deleteApplication", json!({ "id": id }))
            .await
            .done();
        assert_eq!(whole(&world, &id).await, []);
        world.mutate("createApplication", create).await.done();
        check_table(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_replaces_what_a_delete_left() {
    for entries in [3, LONG] {
        let Backups { id, earlier, later } = backups(entries).await;
        let world = World::start(ATTEMPTS).await;
        assert_eq!(import(&world, &later).await, Imported::Created);
        let lost = std::iter::repeat_n(Some(Fault::LostRequest), ATTEMPTS as usize);
        world
            .faults
            .next(TRANSACTION, std::iter::once(None).chain(lost));
        let failed = world.mutate("deleteApplication", json!({ "id": id })).await;
        assert!(matches!(failed, Outcome::Failed(_)), "{failed:?}");
        world.faults.stop();
        assert_eq!(import(&world, &earlier).await, Imported::Created);
        assert_eq!(whole(&world, &id).await, earlier);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn restores_beside_each_other_and_other_writers_leave_whole_applications() {
    let mut backups = join_all([3, LONG, 90].map(backups)).await;
    backups.sort_by(|a, b| a.id.cmp(&b.id));
    let earlier: Vec<_> = backups.iter().flat_map(|one| one.earlier.clone()).collect();
    let later: Vec<_> = backups.iter().flat_map(|one| one.later.clone()).collect();
    for _ in 0..3 {
        let world = World::start(ATTEMPTS).await;
        let restore = async |records: Vec<Record>| {
            let applications = world.applications();
            applications
                .import_records(records, Import::Write)
                .await
                .unwrap();
        };
        let write = async |writer: usize| {
            for round in 0..4 {
                for one in &backups {
                    let (name, input) = match (writer + round) % 3 {
                        0 => ("deleteApplication", json!({ "id": one.id })),
                        1 => (
                            "updateApplication",
                            json!({ "id": one.id, "notes": Uuid::new_v4() }),
                        ),
                        _ => (
                            "createApplication",
                            json!({ "id": one.id, "companyName": "New", "positionTitle": "New" }),
                        ),
                    };
                    let outcome = world.mutate(name, input).await;
                    assert!(
                        !matches!(outcome, Outcome::Failed(_)),
                        "{name}: {outcome:?}"
                    );
                }
            }
        };
        tokio::join!(
            restore(earlier.clone()),
            restore(later.clone()),
            join_all((0..4).map(write)),
        );
        let ids: HashSet<_> = check_table(&world).await.into_iter().collect();
        for one in &backups {
            let partition = items(&world, None, &format!("APP#{}", one.id)).await;
            assert_eq!(ids.contains(&one.id), !partition.is_empty());
            world
                .mutate("deleteApplication", json!({ "id": one.id }))
                .await;
        }
        // Restored again, one after the other, the first wins.
        restore(later.clone()).await;
        restore(earlier.clone()).await;
        let mut there = exported(&world).await;
        there.sort_by_key(|record| record.id().to_string());
        assert_eq!(there, later);
    }
}
