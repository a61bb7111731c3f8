//! Batches: any number of keys, what was not processed sent again, within bounds; and the meter.

use std::collections::BTreeSet;

use trestle_table::{Consistency, Entity, Item, Key, Meter, Projection, TableError, item_of};

use crate::notes::{Note, Store, note, numbers};
use trestle_testing::faults::Fault;

fn keys(numbers: impl IntoIterator<Item = u32>) -> Vec<Key> {
    numbers
        .into_iter()
        .map(|number| note("book", number).key())
        .collect()
}

async fn get(store: &Store, keys: Vec<Key>) -> Result<Vec<Item>, TableError> {
    let get = store
        .table
        .batch_get(keys, &Projection::All, Consistency::Strong, &store.meter);
    get.await
}

fn sorted(items: &[Item]) -> Vec<u32> {
    let mut numbers = numbers(items);
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn more_than_a_hundred_keys_with_doubles_are_read_in_parts_each_once() {
    let store = Store::with((0..250).map(|number| note("book", number))).await;
    let asked = keys((0..260).chain(0..50).chain([7, 7, 7]));
    let found = get(&store, asked).await.unwrap();
    assert_eq!(sorted(&found), (0..250).collect::<Vec<_>>());
    assert_eq!(store.faults.attempts("BatchGetItem"), 3);
    assert_eq!(get(&store, Vec::new()).await.unwrap().len(), 0);
    assert_eq!(store.faults.attempts("BatchGetItem"), 3);
}

#[tokio::test]
async fn unprocessed_keys_are_asked_for_again_with_the_same_projection() {
    let store = Store::with((0..100).map(|number| note("book", number))).await;
    // Ten answers by half: more than one request may be sent again while nothing of it gets done.
    store
        .faults
        .next("BatchGetItem", [Some(Fault::Unprocessed); 10]);
    let projection = Projection::Only(vec!["number"]);
    let found = store
        .table
        .batch_get(keys(0..100), &projection, Consistency::Strong, &store.meter)
        .await
        .unwrap();
    assert_eq!(sorted(&found), (0..100).collect::<Vec<_>>());
    assert!(found.iter().all(|item| item.len() == 1));
    assert_eq!(store.faults.attempts("BatchGetItem"), 11);
    assert_eq!(
        (store.meter.spent().calls, store.meter.spent().retries),
        (11, 10)
    );
}

#[tokio::test]
async fn keys_that_are_never_processed_are_given_up() {
    let store = Store::with([note("book", 1)]).await;
    store.faults.always("BatchGetItem", Fault::Unprocessed);
    let error = get(&store, keys([1])).await.unwrap_err();
    assert!(
        matches!(error, TableError::Unprocessed { left: 1, .. }),
        "{error}"
    );
    assert_eq!(store.faults.attempts("BatchGetItem"), 9);
}

#[tokio::test]
async fn items_are_written_and_deleted_in_parts_whatever_is_left_unprocessed() {
    let store = Store::new().await;
    let items: Vec<_> = (0..120)
        .map(|n| item_of(&note("book", n)).unwrap())
        .collect();
    store
        .faults
        .next("BatchWriteItem", [Some(Fault::Unprocessed); 12]);
    store.table.batch_put(items, &store.meter).await.unwrap();
    let all = || store.table.query(note("book", 0).key().pk);
    let found = all().all(&Meter::default()).await.unwrap();
    assert_eq!(numbers(&found), (0..120).collect::<Vec<_>>());
    store
        .faults
        .next("BatchWriteItem", [Some(Fault::Unprocessed); 12]);
    // Twice the same key, and one that is not there.
    let gone = keys((0..100).chain(50..60).chain([5000]));
    store.table.batch_delete(gone, &store.meter).await.unwrap();
    let found = all().all(&Meter::default()).await.unwrap();
    assert_eq!(numbers(&found), (100..120).collect::<Vec<_>>());
    assert_eq!(
        store.meter.spent().writes,
        store.faults.attempts("BatchWriteItem")
    );
    assert_eq!(store.meter.spent().retries, 24);
}

#[tokio::test]
async fn items_that_are_never_processed_are_given_up() {
    let store = Store::new().await;
    store.faults.always("BatchWriteItem", Fault::Unprocessed);
    let item = item_of(&note("book", 1)).unwrap();
    let error = store
        .table
        .batch_put([item], &store.meter)
        .await
        .unwrap_err();
    assert!(
        matches!(error, TableError::Unprocessed { left: 1, .. }),
        "{error}"
    );
    assert_eq!(store.faults.attempts("BatchWriteItem"), 9);
}

#[tokio::test]
async fn the_meter_says_what_the_connector_counted() {
    let store = Store::with((0..130).map(|number| note("book", number))).await;
    let before = store.attempts();
    get(&store, keys(0..130)).await.unwrap();
    store
        .table
        .get(note("book", 1).key())
        .send(&store.meter)
        .await
        .unwrap();
    store
        .table
        .query(note("book", 1).key().pk)
        .all(&store.meter)
        .await
        .unwrap();
    let mut transaction = store.table.transaction();
    for number in 200..205 {
        transaction = transaction.put_new(&note("book", number)).unwrap();
    }
    transaction.commit(&store.meter).await.unwrap();
    store
        .table
        .batch_delete(keys(0..30), &store.meter)
        .await
        .unwrap();
    let spent = store.meter.spent();
    assert_eq!(spent.calls, store.attempts() - before);
    assert_eq!(
        (spent.reads, spent.writes, spent.retries, spent.conflicts),
        (4, 3, 0, 0)
    );
    assert!(spent.read_units > 0.0 && spent.write_units > 0.0);
}

#[tokio::test]
async fn an_entity_goes_round_with_its_empty_fields_as_null() {
    let store = Store::new().await;
    let bare = Note {
        kind: None,
        ..note("book", 1)
    };
    let transaction = store.table.transaction().put(&bare).unwrap();
    transaction.commit(&store.meter).await.unwrap();
    let stored = store.raw(&bare.key()).await.unwrap();
    let names: BTreeSet<_> = stored.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["PK", "SK", "book", "kind", "name", "number", "size"].into()
    );
    assert!(stored["kind"].is_null());
    assert_eq!(trestle_table::from_item::<Note>(stored).unwrap(), bare);
}
