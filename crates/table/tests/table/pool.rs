//! A pool of ids under number keys: one transaction over two tables takes an id and uses it.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use trestle_domain::Text;
use trestle_table::{Condition, Direction, Entity, Listing, PageAsk, Pk, Reason, Sk, UnitError};
use uuid::Uuid;

use crate::designs::{ChecklistItem, PoolEntry, Shareable, tables};
use trestle_testing::faults::{Seeded, Tokens};

fn short_id(n: u32) -> String {
    format!("AAA-AAA-{n:05}")
}

/// Two tables in one transaction; an entry is given once, to whoever deletes exactly what they read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_short_id_is_given_twice() {
    let (tables, faults, client) = tables(3).await;
    for n in 0..24u32 {
        let entry = PoolEntry {
            bucket: n % 3,
            marker: format!("available#{n:02}"),
            id: short_id(n),
        };
        let mut unit = tables.unit::<()>();
        unit.put_new(&entry);
        unit.commit().await.unwrap();
    }
    let raw = client
        .get_item()
        .table_name("pool")
        .key("pk", AttributeValue::N("2".into()))
        .key("sk", AttributeValue::S("available#02".into()))
        .send()
        .await
        .unwrap();
    assert_eq!(raw.item.unwrap()["id"].as_s().unwrap(), "AAA-AAA-00002");
    faults.tokens(Tokens::Stripped);
    faults.draw(Seeded::printed(11), 10);
    let claims = (0..8).map(|c| {
        let tables = tables.clone();
        tokio::spawn(async move {
            let mut mine = Vec::new();
            for n in 0..3u32 {
                let mut bucket = c % 3;
                for _ in 0..60 {
                    let free = Listing::<PoolEntry>::of("pool", Pk::value(bucket))
                        .begins_with(Sk::word("available").below());
                    let Ok(page) = tables
                        .page(
                            &free,
                            &PageAsk {
                                size: 1,
                                direction: Direction::Forward,
                                place: None,
                            },
                            &(),
                        )
                        .await
                    else {
                        continue;
                    };
                    let Some(row) = page.rows.into_iter().next() else {
                        bucket = (bucket + 1) % 3;
                        continue;
                    };
                    let entry = row.entity.unwrap();
                    let mut unit = tables.unit::<()>();
                    let made = unit
                        .put_new(&Shareable {
                            short_id: entry.id.clone(),
                            name: Text::parse(&format!("c{c}n{n}")).unwrap(),
                        })
                        .step();
                    unit.delete::<PoolEntry>(&entry.identity(), Condition::is("id", &entry.id))
                        .step();
                    match unit.commit().await {
                        Ok(()) => {
                            mine.push(entry.id);
                            break;
                        }
                        Err(UnitError::Canceled(canceled)) => match canceled.at(made) {
                            Some(Reason::ConditionFailed { item: Some(item) })
                                if item["name"].as_s().unwrap() == &format!("c{c}n{n}") =>
                            {
                                mine.push(entry.id);
                                break;
                            }
                            _ => tokio::task::yield_now().await,
                        },
                        Err(UnitError::Table(_)) => tokio::task::yield_now().await,
                    }
                }
            }
            mine
        })
    });
    let mut given = Vec::new();
    for claim in claims.collect::<Vec<_>>() {
        given.extend(claim.await.unwrap());
    }
    faults.stop();
    let count = given.len();
    given.sort();
    given.dedup();
    assert_eq!(given.len(), count, "an id was given twice");
    let mut left = BTreeSet::new();
    for bucket in 0..3u32 {
        let bucket = Listing::<PoolEntry>::of("pool", Pk::value(bucket));
        let entries = tables.all(&bucket).await.unwrap();
        left.extend(entries.into_iter().map(|entry| entry.unwrap().id));
    }
    // Each id is still free or was used, and never both.
    for n in 0..24 {
        let id = short_id(n);
        let is_used = tables.get::<Shareable>(&id).await.unwrap().is_some();
        assert_ne!(is_used, left.contains(&id), "{id}");
        assert!(is_used || !given.contains(&id), "{id}");
    }
    assert!(!given.is_empty());
    // Keys end with a separator, ids are normalised in them; `entity` is what this table calls the kind.
    let raw = client
        .get_item()
        .table_name("shared")
        .key(
            "pk",
            AttributeValue::S(format!(
                "shareable#{}",
                given[0].replace('-', "").to_lowercase()
            )),
        )
        .key("sk", AttributeValue::S("01#".into()))
        .send()
        .await
        .unwrap();
    assert_eq!(raw.item.unwrap()["entity"].as_s().unwrap(), "checklist");
    let item = ChecklistItem {
        short_id: "abc-def-12345".into(),
        checklist_item_id: Uuid::nil(),
        order: 0,
        note: None,
    };
    assert_eq!(
        (item.key().pk.as_str(), item.key().sk.as_str()),
        (
            "checklist_item#abcdef12345",
            "01#00000000000000000000000000000000#"
        )
    );
}
