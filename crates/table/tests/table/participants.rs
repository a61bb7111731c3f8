//! Items that move together, and items that cannot be read.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use trestle_api::Revision;
use trestle_domain::{Moment, UserId};
use trestle_table::{Condition, Entity, Key, Listing, Pk, Sk, TableDefinition, from_item};

use crate::designs::{GSI1, Participant, SHARED, tables};

/// A message moves all participants in one transaction.
#[tokio::test]
async fn a_message_moves_its_participants() {
    let (tables, _, client) = tables(1).await;
    let at = |s: i64| Moment::from_millis(1_700_000_000_000 + s * 1000).unwrap();
    let participant = |n: u32, s| Participant {
        conversation: "c1".into(),
        user: UserId::new(format!("u{n}")),
        last_message_at: at(s),
    };
    let mut unit = tables.unit::<()>();
    for n in 0..90 {
        unit.put_new(&participant(n, 0));
    }
    unit.commit().await.unwrap();
    let mut unit = tables.unit::<()>();
    for n in 0..90 {
        unit.update(&participant(n, 0), &participant(n, 5), Condition::Exists);
    }
    unit.commit().await.unwrap();
    let of = Listing::<Participant>::on("conversations", &GSI1, Pk::of("PARTICIPANT", "u89"))
        .newest_first();
    assert_eq!(tables.all(&of).await.unwrap().len(), 1);
    // What is not what it may be is named, and the rest of the list is there.
    client
        .put_item()
        .table_name("hub")
        .set_item(Some(
            [
                ("PK", "CONVERSATION#c1"),
                ("SK", "PARTICIPANT#x"),
                ("entityType", "PARTICIPANT"),
                ("conversation", "c1"),
                ("user", "x"),
                ("lastMessageAt", "yesterday"),
            ]
            .into_iter()
            .map(|(k, v)| (k.to_owned(), AttributeValue::S(v.into())))
            .collect(),
        ))
        .send()
        .await
        .unwrap();
    let all = tables
        .all(&Listing::<Participant>::of(
            "all",
            Pk::of("CONVERSATION", "c1"),
        ))
        .await
        .unwrap();
    let bad: Vec<_> = all
        .iter()
        .filter_map(|row| row.as_ref().err())
        .map(ToString::to_string)
        .collect();
    assert_eq!((all.len(), bad.len()), (91, 1));
    assert!(bad[0].contains("lastMessageAt"));
}

/// Where a flattened part of an entity is not what it may be, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamped {
    name: String,
    #[serde(flatten)]
    stamp: Revision,
}
impl Entity for Stamped {
    const TABLE: &'static TableDefinition = &SHARED;
    const KIND: &'static str = "stamped";
    type Id = String;
    fn key_of(id: &String) -> Key {
        Key::new(Pk::of("S", id.as_str()), Sk::word("01"))
    }
    fn identity(&self) -> String {
        self.name.clone()
    }
}

#[test]
fn what_is_wrong_in_a_flattened_part_is_named() {
    let good = [
        ("name", AttributeValue::S("n".into())),
        ("version", AttributeValue::N("1".into())),
        (
            "createdAt",
            AttributeValue::S("2026-11-20T09:30:00.000Z".into()),
        ),
        (
            "updatedAt",
            AttributeValue::S("2026-11-20T09:30:00.000Z".into()),
        ),
    ];
    let item = |change: Option<(&'static str, Option<AttributeValue>)>| {
        let mut item: HashMap<String, AttributeValue> = good
            .iter()
            .cloned()
            .map(|(k, v)| (k.to_owned(), v))
            .collect();
        if let Some((name, value)) = change {
            item.remove(name);
            item.extend(value.map(|value| (name.to_owned(), value)));
        }
        from_item::<Stamped>(item).map_err(|e| e.to_string())
    };
    item(None).unwrap();
    // Other programs may write items without versions.
    assert_eq!(item(Some(("version", None))).unwrap().stamp.version, 0);
    for change in [
        ("name", Some(AttributeValue::N("1".into()))),
        ("createdAt", Some(AttributeValue::S("x".into()))),
        ("version", Some(AttributeValue::S("x".into()))),
        ("createdAt", None),
    ] {
        let name = change.0;
        let message = item(Some(change)).unwrap_err();
        assert!(message.contains(name), "{message}");
    }
}
