//! Transactions: all or nothing, and each item's reason in its place.

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::Utc;
use trestle_table::{
    Condition, Entity, Failing, Reason, TableError, TransactionError, UnitError, Update, item_of,
};

use crate::designs::{Jar, jar, tables};
use crate::notes::{Note, Store, note};
use trestle_testing::faults::Fault;

fn size(size: u32) -> Condition {
    Condition::Equals("size".into(), AttributeValue::N(size.to_string()))
}

#[tokio::test]
async fn reasons_come_in_the_order_of_the_items_with_what_is_there() {
    let store = Store::with([note("book", 1), note("book", 2)]).await;
    let renamed = Note {
        name: "renamed".into(),
        ..note("book", 2)
    };
    let change = |condition| {
        let update = store
            .table
            .update_of(Some(&note("book", 2)), &renamed, condition);
        update.unwrap()
    };
    let refused = store
        .table
        .transaction()
        .put_new(&note("book", 3))
        .and_then(|t| t.put_new(&note("book", 1)))
        .unwrap()
        .update(change(size(6)))
        .delete(&note("book", 9).key(), &Condition::Exists)
        .update(Update::new(note("book", 8).key(), Condition::Missing).add("n", 1));
    assert_eq!(refused.len(), 5);
    let error = refused.commit(&store.meter).await.unwrap_err();
    let TransactionError::Canceled(reasons) = error else {
        panic!("{error}");
    };
    let there = |number| Some(item_of(&note("book", number)).unwrap());
    let failed = |item| Some(Reason::ConditionFailed { item });
    assert_eq!(
        reasons,
        [None, failed(there(1)), failed(there(2)), failed(None), None]
    );
    assert_eq!(
        store.raw(&note("book", 3).key()).await,
        None,
        "none of it happened"
    );
    assert_eq!(store.raw(&note("book", 8).key()).await, None);
    assert_eq!(store.meter.spent().conflicts, 1);
}

#[tokio::test]
async fn reasons_that_pass_are_told_from_those_that_do_not() {
    let store = Store::new().await;
    store
        .faults
        .next("TransactWriteItems", [Some(Fault::Canceled)]);
    let put = store.table.transaction().put(&note("book", 1)).unwrap();
    let error = put.commit(&store.meter).await.unwrap_err();
    let TransactionError::Canceled(reasons) = error else {
        panic!("{error}");
    };
    assert!(
        matches!(reasons[..], [Some(Reason::Conflict | Reason::Throttled)]),
        "{reasons:?}"
    );

    let large = Note {
        name: "x".repeat(410_000),
        ..note("book", 1)
    };
    let put = store.table.transaction().put(&large).unwrap();
    match put.commit(&store.meter).await.unwrap_err() {
        TransactionError::Canceled(reasons) => {
            assert!(
                matches!(reasons[..], [Some(Reason::Oversized)]),
                "{reasons:?}"
            );
        }
        TransactionError::Table(error) => {
            assert!(matches!(error, TableError::Oversized), "{error}");
        }
    }
}

#[tokio::test]
async fn what_is_lost_or_cut_or_throttled_is_unavailable_and_what_is_wrong_is_refused() {
    let store = Store::with([note("book", 1)]).await;
    for fault in [
        Fault::LostRequest,
        Fault::LostAnswer,
        Fault::CutAnswer,
        Fault::Throttled,
        Fault::Internal,
    ] {
        store.faults.next("TransactWriteItems", [Some(fault)]);
        let put = store.table.transaction().put(&note("book", 1)).unwrap();
        let error = put.commit(&store.meter).await.unwrap_err();
        let TransactionError::Table(error) = error else {
            panic!("{fault:?}: {error:?}");
        };
        let expected = match fault {
            Fault::Throttled => Failing::Unavailable,
            _ => Failing::Unconfirmed,
        };
        assert_eq!(error.failing(), expected, "{fault:?}: {error:?}");
        store.faults.next("GetItem", [Some(fault)]);
        let error = store
            .table
            .get(note("book", 1).key())
            .send(&store.meter)
            .await
            .unwrap_err();
        assert!(
            matches!(error, TableError::Unavailable { .. }),
            "{fault:?}: {error:?}"
        );
    }
    assert_eq!(store.meter.spent().conflicts, 0);
    let missing =
        trestle_table::Table::new(store.client.clone(), &crate::notes::NOTES, "not-there");
    let error = missing
        .get(note("book", 1).key())
        .send(&store.meter)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, TableError::Refused { code, .. } if code == "ResourceNotFoundException"),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_update_writes_what_differs_and_leaves_the_index_where_it_is_to() {
    let store = Store::with([note("book", 3)]).await;
    let (before, after) = (
        note("book", 3),
        Note {
            kind: None,
            size: 9,
            ..note("book", 3)
        },
    );
    let theirs = Update::new(before.key(), Condition::Exists).add("theirs", 1);
    let add = store.table.transaction().update(theirs);
    add.commit(&store.meter).await.unwrap();
    let update = store
        .table
        .update_of(Some(&before), &after, Condition::Exists)
        .unwrap();
    let change = store.table.transaction().update(update);
    change.commit(&store.meter).await.unwrap();
    let stored = store.raw(&before.key()).await.unwrap();
    assert_eq!(stored["theirs"], AttributeValue::N("1".into()));
    assert!(!stored.contains_key("KindPK") && !stored.contains_key("KindSK"));
    assert_eq!(trestle_table::from_item::<Note>(stored).unwrap(), after);
    let same = store
        .table
        .update_of(Some(&after), &after, Condition::Exists)
        .unwrap();
    assert!(same.is_empty());
}

/// An update that changes nothing is its condition, alone and beside other steps.
#[tokio::test]
async fn an_update_of_nothing_checks_its_condition() {
    let (tables, ..) = tables(3).await;
    let now = Utc::now();
    let (same, before) = (jar("same", now), jar("other", now));
    tables.create::<_, ()>(same.clone(), |_| {}).await.unwrap();
    tables
        .create::<_, ()>(before.clone(), |_| {})
        .await
        .unwrap();
    let conditions = [
        (Condition::ALWAYS, true),
        (Condition::ALWAYS.and(Condition::ALWAYS), true),
        (Condition::Exists, true),
        (Condition::is("version", &same.version), true),
        (Condition::is("version", &(same.version + 1)), false),
        (Condition::Missing, false),
    ];
    for (condition, holds) in conditions {
        for is_alone in [true, false] {
            let about = format!("{condition:?}, alone: {is_alone}");
            let mut unit = tables.unit::<&str>();
            unit.update(&same, &same, condition.clone()).or("refused");
            if !is_alone {
                unit.add::<Jar>(&before.name, "count", 1, Condition::Exists);
            }
            let counted = tables
                .get::<Jar>(&before.name)
                .await
                .unwrap()
                .unwrap()
                .count;
            match unit.commit().await {
                Ok(()) => assert!(holds, "{about}"),
                Err(UnitError::Canceled(_)) => assert!(!holds, "{about}"),
                Err(UnitError::Table(error)) => panic!("{about}: {error}"),
            }
            let after = tables.get::<Jar>(&before.name).await.unwrap().unwrap();
            let expected = counted + u32::from(holds && !is_alone);
            assert_eq!(after.count, expected, "{about}");
            assert_eq!(tables.get::<Jar>(&same.name).await.unwrap().unwrap(), same);
        }
    }
}
