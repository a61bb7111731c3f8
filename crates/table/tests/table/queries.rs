//! Queries against a plain list: both directions, every range, filters that fill a page, 1 MB pages.

use aws_sdk_dynamodb::types::AttributeValue;
use proptest::prelude::*;
use trestle_table::{Condition, Consistency, Entity, Order, Projection, Sk, SkPrefix, from_item};

use crate::notes::{NOTES, Note, Store, note, numbers};

const COUNT: u32 = 40;

fn blocking() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

fn sort_key(number: u32) -> Sk {
    note("book", number).key().sk
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_those_of_a_plain_list(asked in prop::collection::vec(
        (any::<bool>(), 1usize..15, 0u32..COUNT, 0u32..8, any::<bool>()), 25,
    )) {
        let runtime = blocking();
        runtime.block_on(async {
            let all: Vec<_> = (0..COUNT).map(|number| note("book", number)).collect();
            let store = Store::with(all.clone()).await;
            for (forward, wanted, from, least, in_index) in asked {
                let order = if forward { Order::Ascending } else { Order::Descending };
                let start = note("book", from);
                let query = if in_index {
                    let kind = start.index_keys()[0].key.clone().unwrap();
                    store.table.query_index(NOTES.indexes[0], kind.pk).after_in_index(&start.key(), &kind.sk)
                } else {
                    store.table.query(start.key().pk).after(&start.key())
                };
                let size = AttributeValue::N(least.to_string());
                let found = query
                    .order(order)
                    .filter(Condition::AtLeast("size", size))
                    .fill(wanted, |item| item["number"] != AttributeValue::N("9".into()), &store.meter)
                    .await
                    .unwrap();
                let behind = |n: &&Note| if forward { n.number > from } else { n.number < from };
                let mut model: Vec<_> = all
                    .iter()
                    .filter(behind)
                    .filter(|n| n.size >= least && n.number != 9 && (!in_index || n.kind == start.kind))
                    .map(|n| n.number)
                    .collect();
                if !forward {
                    model.reverse();
                }
                model.truncate(wanted);
                prop_assert_eq!(numbers(&found), model);
            }
            Ok(())
        })?;
    }

    #[test]
    fn ranges_are_those_of_a_plain_list(asked in prop::collection::vec((0u32..COUNT, 0u32..COUNT), 25)) {
        let runtime = blocking();
        runtime.block_on(async {
            let store = Store::with((0..COUNT).map(|number| note("book", number))).await;
            for (a, b) in asked {
                let (first, last) = (a.min(b), a.max(b));
                let query = store.table.query(note("book", 0).key().pk);
                let found = query.between(sort_key(first), sort_key(last)).all(&store.meter).await.unwrap();
                prop_assert_eq!(numbers(&found), (first..=last).collect::<Vec<_>>());
            }
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn a_page_without_a_filter_is_one_call_and_a_filtered_one_reads_in_growing_steps() {
    let store = Store::with((0..400).map(|number| note("book", number))).await;
    let query = || store.table.query(note("book", 0).key().pk);
    let found = query().fill(10, |_| true, &store.meter).await.unwrap();
    assert_eq!(numbers(&found), (0..10).collect::<Vec<_>>());
    assert_eq!(store.faults.attempts("Query"), 1);
    let last = |item: &trestle_table::Item| item["number"] == AttributeValue::N("399".into());
    let found = query().fill(1, last, &store.meter).await.unwrap();
    assert_eq!(numbers(&found), [399]);
    // 1 + 2 + 4 + ... + 256 >= 400, in 9 calls.
    assert_eq!(store.faults.attempts("Query"), 1 + 9);
}

#[tokio::test]
async fn a_range_of_more_than_one_megabyte_is_read_to_its_end() {
    let big = |number| Note {
        name: "x".repeat(300_000),
        ..note("book", number)
    };
    let store = Store::with((0..8).map(big)).await;
    let query = || store.table.query(note("book", 0).key().pk);
    let page = query().page(&store.meter).await.unwrap();
    assert!(page.items.len() < 8 && page.last_evaluated_key.is_some());
    let rest = query().continue_from(page.last_evaluated_key.unwrap());
    let rest = rest.all(&store.meter).await.unwrap();
    assert_eq!(page.items.len() + rest.len(), 8);
    let all = query().all(&store.meter).await.unwrap();
    assert_eq!(numbers(&all), (0..8).collect::<Vec<_>>());
    let filled = query()
        .order(Order::Descending)
        .fill(7, |_| true, &store.meter)
        .await
        .unwrap();
    assert_eq!(numbers(&filled), (1..8).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn prefixes_and_projections_leave_out_what_is_not_asked() {
    let store = Store::with((0..3).map(|number| note("book", number))).await;
    let query = store.table.query(note("book", 0).key().pk);
    let none = query.clone().begins_with(SkPrefix::of("NOTEBOOK"));
    assert_eq!(none.all(&store.meter).await.unwrap().len(), 0);
    let some = query
        .begins_with(SkPrefix::of("NOTE"))
        .project(Projection::Only(vec!["name", "size"]))
        .consistency(Consistency::Strong)
        .all(&store.meter)
        .await
        .unwrap();
    assert_eq!(some.len(), 3);
    assert!(some.iter().all(|item| item.len() == 2));
    let malformed = from_item::<Note>(some[0].clone()).unwrap_err();
    assert!(
        malformed.to_string().contains("a stored note is malformed"),
        "{malformed}"
    );
}
