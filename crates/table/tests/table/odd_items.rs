//! Changes of items that another program wrote: values in another spelling, items at a key that their attributes do not
//! name, and items that are missing or cannot be read.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue::{self, L, N, Null, S, Ss};
use chrono::{DateTime, Utc};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use trestle_domain::Moment;
use trestle_table::{
    Condition, Entity, Failing, Item, Key, Pk, Sk, TableDefinition, Tables, TransactionBuilder,
    UnitError, Versioned, item_of,
};
use trestle_testing::faults::Faults;

use crate::designs::{HUB, Jar, jar, tables};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seat {
    name: String,
    held_until: Moment,
    taken_at: Option<Moment>,
    #[serde(default)]
    guests: u32,
    tags: Vec<String>,
}

impl Entity for Seat {
    const TABLE: &'static TableDefinition = &HUB;
    const KIND: &'static str = "SEAT";
    type Id = String;
    fn key_of(id: &String) -> Key {
        Key::new(Pk::of("SEAT", id.as_str()), Sk::word("METADATA"))
    }
    fn identity(&self) -> String {
        self.name.clone()
    }
}

/// Each attribute of a seat in another spelling; which one, how, and a condition that it meets.
fn spelled(seat: &Seat, hours: i32) -> Vec<(&'static str, Option<AttributeValue>, Condition)> {
    let offset = chrono::FixedOffset::east_opt(hours * 3600).unwrap();
    let moment = DateTime::from_timestamp_millis(seat.held_until.millis()).unwrap();
    let moment = S(moment.with_timezone(&offset).to_rfc3339());
    let held = |condition| ("heldUntil", Some(moment.clone()), condition);
    let set = (!seat.tags.is_empty()).then(|| Ss(seat.tags.clone()));
    vec![
        held(Condition::is("heldUntil", &seat.held_until)),
        held(Condition::is_one_of("heldUntil", [seat.held_until])),
        held(
            Condition::at_most("heldUntil", &seat.held_until)
                .and(Condition::at_least("heldUntil", &seat.held_until)),
        ),
        (
            "takenAt",
            Some(Null(true)),
            Condition::Lacks("takenAt".into()),
        ),
        ("takenAt", None, Condition::is("takenAt", &seat.taken_at)),
        (
            "guests",
            None,
            Condition::is("guests", &0).and(Condition::Exists),
        ),
        (
            "tags",
            set.or(Some(L(vec![]))),
            Condition::Any(vec![Condition::Missing, Condition::is("tags", &seat.tags)]),
        ),
    ]
}

async fn put(client: &Client, item: Item) {
    let put = client.put_item().table_name(HUB.default_name);
    put.set_item(Some(item)).send().await.unwrap();
}

async fn stored(client: &Client, key: &Key) -> Option<Item> {
    let get = client.get_item().table_name(HUB.default_name);
    get.set_key(Some(HUB.key_item(key)))
        .send()
        .await
        .unwrap()
        .item
}

fn calls(faults: &Faults) -> u64 {
    ["UpdateItem", "TransactWriteItems"]
        .map(|operation| faults.attempts(operation))
        .iter()
        .sum()
}

/// Adds to a number of the seat, alone or with a check of a jar.
async fn add(
    tables: &Tables,
    seat: &Seat,
    condition: &Condition,
    jar: Option<&Jar>,
) -> Result<(), UnitError<()>> {
    let mut unit: TransactionBuilder<()> = tables.unit();
    unit.add::<Seat>(&seat.name, "added", 1, condition.clone())
        .or(());
    if let Some(jar) = jar {
        unit.check::<Jar>(&jar.name, jar.unchanged()).or(());
    }
    unit.commit().await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// The same condition does not hold for a seat that means something else.
    #[test]
    fn a_condition_holds_for_what_is_stored_in_another_spelling(
        millis in 0i64..4_000_000_000_000, hours in prop::sample::select(vec![-11, 2, 14]),
        tags in prop::collection::btree_set("[a-z]{1,3}", 0..3),
    ) {
        let seat = Seat {
            name: "a".into(),
            held_until: Moment::from_millis(millis).unwrap(),
            taken_at: None,
            guests: 0,
            tags: tags.into_iter().collect(),
        };
        let other = Seat {
            held_until: Moment::from_millis(millis + 1).unwrap(),
            taken_at: Some(seat.held_until),
            guests: 1,
            tags: vec!["other".into()],
            ..seat.clone()
        };
        let (expected, others) = (spelled(&seat, hours), spelled(&other, hours));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let (tables, faults, client) = tables(1).await;
            let jar = jar("b", Utc::now());
            put(&client, item_of(&jar).unwrap()).await;
            for ((attribute, value, condition), (.., of_other)) in expected.into_iter().zip(others) {
                let mut item = item_of(&seat).unwrap();
                match value {
                    Some(value) => drop(item.insert(attribute.into(), value)),
                    None => drop(item.remove(attribute)),
                }
                put(&client, item.clone()).await;
                for (jar, time) in [(None, 1), (Some(&jar), 2)] {
                    let before = calls(&faults);
                    add(&tables, &seat, &condition, jar).await.unwrap();
                    prop_assert!(calls(&faults) - before <= 2, "{condition:?}");
                    item.insert("added".into(), N(time.to_string()));
                    prop_assert_eq!(stored(&client, &seat.key()).await, Some(item.clone()));
                }
                if of_other != condition {
                    let before = calls(&faults);
                    let refused = add(&tables, &seat, &of_other, None).await;
                    prop_assert!(matches!(refused, Err(UnitError::Canceled(_))), "{of_other:?}");
                    prop_assert_eq!(calls(&faults) - before, 1);
                    prop_assert_eq!(stored(&client, &seat.key()).await, Some(item.clone()));
                }
            }
            Ok(())
        })?;
    }
}

/// A jar whose attributes name another one, and the other one.
async fn misnamed(client: &Client) -> [(Key, Item); 2] {
    let other = item_of(&jar("other", Utc::now())).unwrap();
    let key = Jar::key_of(&"own".to_owned());
    let own: HashMap<_, _> = other
        .clone()
        .into_iter()
        .chain(HUB.key_item(&key))
        .collect();
    put(client, other.clone()).await;
    put(client, own.clone()).await;
    [(key, own), (Jar::key_of(&"other".to_owned()), other)]
}

#[tokio::test]
async fn a_change_writes_the_item_that_it_read_whatever_its_attributes_name() {
    let (tables, _, client) = tables(1).await;
    let [(own, _), (other, of_other)] = misnamed(&client).await;
    let count = |jar: &Jar, _: &mut TransactionBuilder<()>| {
        Ok(Jar {
            count: 7,
            ..jar.clone()
        })
    };
    tables.change(&"own".to_owned(), None, count).await.unwrap();
    assert_eq!(stored(&client, &own).await.unwrap()["count"], N("7".into()));
    let before: Jar = tables.get(&"own".to_owned()).await.unwrap().unwrap();
    let after = Jar {
        count: 8,
        ..before.clone()
    };
    let mut unit: TransactionBuilder<()> = tables.unit();
    unit.update_at(&own, &before, &after, before.unchanged())
        .step();
    unit.commit().await.unwrap();
    assert_eq!(stored(&client, &own).await.unwrap()["count"], N("8".into()));
    let mut unit: TransactionBuilder<()> = tables.unit();
    unit.delete_at::<Jar>(&own, before.unchanged()).step();
    unit.commit().await.unwrap();
    assert_eq!(stored(&client, &own).await, None);
    assert_eq!(stored(&client, &other).await, Some(of_other));
}

#[tokio::test]
async fn a_change_of_an_item_that_is_missing_or_odd_says_which_one() {
    let (tables, _, client) = tables(1).await;
    put(&client, item_of(&jar("right", Utc::now())).unwrap()).await;
    let mut odd = item_of(&jar("odd", Utc::now())).unwrap();
    odd.insert("count".into(), S("many".into()));
    put(&client, odd).await;
    for (name, why) in [("gone", "missing"), ("odd", "attribute count")] {
        let with = |jar: &Jar, unit: &mut TransactionBuilder<()>| {
            unit.check::<Jar>(&name.to_owned(), Condition::is("count", &0))
                .step();
            Ok(Jar {
                count: 7,
                ..jar.clone()
            })
        };
        let refused = tables
            .change(&"right".to_owned(), None, with)
            .await
            .unwrap_err();
        let trestle_table::ChangeError::Table(error) = refused else {
            panic!("{refused}");
        };
        assert_eq!(error.failing(), Failing::Unreadable);
        let text = error.to_string();
        assert!(
            text.contains(&format!("JAR#{name}")) && text.contains(why),
            "{text}"
        );
    }
}
